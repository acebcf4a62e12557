# REQUIRES: jax
# RUN: %python %s

"""Kernels on several simulated devices, executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from module_execution import Modules

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "Dialect/Pallas/IR/kernels"
rng = np.random.default_rng(5)
modules = Modules()

TYPES = """
!part = !pallas.ref<8x128xf32, any>
!parts = !pallas.ref<4x8x128xf32, any>
!tile = !pallas.ref<8x128xf32, vmem>
!slots = !pallas.ref<2x8x128xf32, vmem>
!dma = !pallas.ref<!pallas.dma_semaphore, semaphore>
!sem = !pallas.ref<!pallas.semaphore, semaphore>
!barrier = !pallas.ref<!pallas.barrier_semaphore, semaphore>
"""


def f32(*shape):
  return rng.standard_normal(shape).astype(np.float32)


def check(name, module, devices, inputs, expected):
  """Runs a module on a mesh of devices; arrays are cut along their first axis."""
  options = [f"--devices={devices}"] if devices else []
  modules.add(name, module, inputs, expected, options)


def neighbours(axis, size):
  return f"""
    %me = pallas.axis_index "{axis}"
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %size = arith.constant {size} : i32
    %last = arith.constant {size - 1} : i32
    %after = arith.addi %me, %c1 : i32
    %right = arith.remsi %after, %size : i32
    %before = arith.addi %me, %last : i32
    %left = arith.remsi %before, %size : i32"""


def meet(axis):
  return f"""
    %all = pallas.get_barrier_semaphore : !barrier
    pallas.semaphore_signal %all, %c1 device mesh(%left) axes ["{axis}"] : !barrier
    pallas.semaphore_signal %all, %c1 device mesh(%right) axes ["{axis}"] : !barrier
    pallas.semaphore_wait %all, %c2 : !barrier"""


def shift(axis, size):
  """Every device hands its array to the next one along an axis."""
  return TYPES + f"""
func.func @shift(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {{
  %o = pallas.pallas_call grid()
      in(%x : tensor<8x128xf32>) block<[8, 128], any>
      out(tensor<8x128xf32>) block<[8, 128], any>
      kernel(%xr: !part, %or: !part, %sent: !dma, %received: !dma) {{
    {neighbours(axis, size)}
    pallas.dma_start %xr to %or signals %received source_signals %sent device mesh(%right) axes ["{axis}"]
        : !part, !part, !dma, !dma
    pallas.dma_wait %xr to %or signals %received source_signals %sent device mesh(%right) axes ["{axis}"]
        : !part, !part, !dma, !dma
    pallas.dma_wait %xr to %or signals %received : !part, !part, !dma
  }}
  return %o : tensor<8x128xf32>
}}
"""


x = f32(32, 128)
check("ring shift", shift("x", 4), 4, [x], [np.roll(x, 8, 0)])
grid = x.reshape(2, 2, 8, 128)
check("shift along the outer axis", shift("x", 2), "x=2,y=2", [x], [grid[::-1].reshape(32, 128)])
check("shift along the inner axis", shift("y", 2), "x=2,y=2", [x], [grid[:, ::-1].reshape(32, 128)])

check("all-gather", (KERNELS / "all_gather.mlir").read_text(), 4, [x], [np.tile(x, (4, 1)).reshape(16, 8, 128)])

# Sums travel around the ring: each device adds its own part to what comes and
# passes it on. A device says to its left when a slot may be written again.
reduce_scatter = TYPES + f"""
func.func @reduce_scatter(%x: tensor<4x8x128xf32>) -> tensor<8x128xf32> {{
  %o = pallas.pallas_call grid()
      in(%x : tensor<4x8x128xf32>) block<[4, 8, 128], vmem>
      out(tensor<8x128xf32>) block<[8, 128], vmem>
      attributes {{compilerParams = [#pallas.tpu_params<collectiveId = 3>]}}
      kernel(%xr: !pallas.ref<4x8x128xf32, vmem>, %or: !tile, %slots: !slots, %sent: !dma, %received: !dma,
             %free: !sem) {{
    {neighbours("x", 4)}
    {meet("x")}
    %c3 = arith.constant 3 : i32
    %own = pallas.get %xr[%left, :, :] : !pallas.ref<4x8x128xf32, vmem>
    pallas.swap %slots[0, :, :], %own : !slots, tensor<8x128xf32>
    scf.for %k = %c0 to %c3 step %c1 : i32 {{
      %old = arith.remsi %k, %c2 : i32
      %new = arith.subi %c1, %old : i32
      %later = arith.cmpi sgt, %k, %c0 : i32
      scf.if %later {{
        pallas.semaphore_wait %free, %c1 : !sem
      }}
      %from = pallas.slice_ref %slots[%old, :, :] : !slots
      %to = pallas.slice_ref %slots[%new, :, :] : !slots
      pallas.dma_start %from to %to signals %received source_signals %sent device mesh(%right) axes ["x"]
          : !tile, !tile, !dma, !dma
      pallas.dma_wait %from to %to signals %sent : !tile, !tile, !dma
      pallas.dma_wait %from to %to signals %received : !tile, !tile, !dma
      %more = arith.cmpi slt, %k, %c2 : i32
      scf.if %more {{
        pallas.semaphore_signal %free, %c1 device mesh(%left) axes ["x"] : !sem
      }}
      %ahead = arith.addi %before, %c3 : i32
      %chunk = arith.subi %ahead, %k : i32
      %index = arith.remsi %chunk, %size : i32
      %part = pallas.get %xr[%index, :, :] : !pallas.ref<4x8x128xf32, vmem>
      pallas.addupdate %slots[%new, :, :], %part : !slots, tensor<8x128xf32>
    }}
    %sum = pallas.get %slots[1, :, :] : !slots
    pallas.swap %or[...], %sum : !tile, tensor<8x128xf32>
  }}
  return %o : tensor<8x128xf32>
}}
"""
parts = f32(16, 8, 128)
for _ in range(5):
  check("reduce-scatter", reduce_scatter, 4, [parts], [parts.reshape(4, 4, 8, 128).sum(0).reshape(32, 128)])

# A device multiplies the rows that it has while it hands them on. What it has
# handed on says nothing new.
lhs, rhs = f32(256, 64).astype(np.float16), f32(256, 128).astype(np.float16)
products = [lhs.astype(np.float32) @ part for part in rhs.astype(np.float32).reshape(4, 64, 128)]
check("collective product", (KERNELS / "collective_matmul.mlir").read_text(), 4, [lhs, rhs],
      [np.concatenate(products), None])

# Points of a mesh that wait for each other on one device.
q, k, v = (f32(2, 256, 64).astype(np.float16) for _ in range(3))
scores = np.einsum("hqd,hkd->hqk", q.astype(np.float32), k.astype(np.float32)) / 8
weights = np.exp(scores - scores.max(-1, keepdims=True))
weights /= weights.sum(-1, keepdims=True)
check("attention by warpgroups with roles", (KERNELS / "gpu_attention.mlir").read_text(), None, [q, k, v],
      [np.einsum("hqk,hkd->hqd", weights, v.astype(np.float32)).astype(np.float16)])

ids = rng.integers(0, 32, 256).astype(np.int32)
table = f32(64, 16)
check("scalar and vector cores", (KERNELS / "sparsecore.mlir").read_text(), None, [ids, table],
      [2 * table[2 * ids], 2 * ids])

modules.run()
