# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
# RUN: %python %s | pallas-opt -split-input-file | FileCheck %s
"""What a kernel becomes: the grid, the block mappings and the body keep their shape."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir

f32 = jnp.float32


# CHECK-LABEL: func.func @matmul
# CHECK: pallas.pallas_call @matmul grid(2, 2, 4)
# CHECK: in(%{{.*}} : tensor<256x512xf32>) block<[128, 128], default, origin = "args[0]"> map(%[[I:.*]], %{{.*}}, %[[K:.*]]) -> (%[[I]], %[[K]])
# CHECK: out(tensor<256x256xf32>) block<[128, 128], default, origin = "outputs">
# CHECK: semantics [parallel, parallel, arbitrary]
# CHECK: kernel({{.*}}, %[[ACC:.*]]: !pallas.ref<128x128xf32, vmem>)
# CHECK: scf.if
# CHECK: pallas.dot_general %{{.*}}, %{{.*}} contract [1] x [0]
def matmul(x, y, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)
  acc[...] += x[...] @ y[...]
  @pl.when(pl.program_id(2) == 3)
  def _():
    o[...] = acc[...]


def call_matmul(x, y):
  return pl.pallas_call(
      matmul, grid=(2, 2, 4), name="matmul",
      in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)), out_shape=jax.ShapeDtypeStruct((256, 256), f32),
      scratch_shapes=[pltpu.VMEM((128, 128), f32)],
      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")))(x, y)


print(pallas_mlir.export(call_matmul, np.zeros((256, 512), np.float32), np.zeros((512, 256), np.float32)))
print("// -----")


# CHECK-LABEL: func.func @gather
# CHECK: prefetch(%{{.*}} : tensor<4xi32>)
# CHECK: map(%[[I:.*]], %[[IDX:.*]]) {
# CHECK-NEXT: pallas.get %[[IDX]][%[[I]]] : !pallas.ref<4xi32, smem>
def gather(ix, x, o):
  o[...] = x[...]


def call_gather(ix, x):
  return pl.pallas_call(gather, grid_spec=pltpu.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(4,), in_specs=[pl.BlockSpec((8, 128), lambda i, ix: (ix[i], 0))],
      out_specs=pl.BlockSpec((8, 128), lambda i, ix: (i, 0))), out_shape=jax.ShapeDtypeStruct((32, 128), f32))(ix, x)


print(pallas_mlir.export(call_gather, np.zeros(4, np.int32), np.zeros((64, 128), np.float32)))
print("// -----")


# Several calls, one of them batched.
# CHECK-LABEL: func.func @twice
# CHECK-LABEL: func.func @twice_1
# CHECK: vmapped [0]
def twice(x, o):
  o[...] = x[...] * 2


def call_twice(x):
  f = lambda v: pl.pallas_call(twice, out_shape=jax.ShapeDtypeStruct((16,), f32))(v)
  return f(x[0]), jax.vmap(f)(x)


print(pallas_mlir.export(call_twice, np.zeros((3, 16), np.float32)))
print("// -----")


# Devices by the axes of their mesh.
# CHECK-LABEL: func.func @where
# CHECK-SAME: attributes {pallas.device_mesh = {{\[\[}}"a", 1], ["b", 1]]}
# CHECK: pallas.axis_index "b"
def where(x, o):
  o[...] = x[...] + jax.lax.axis_index("b").astype(f32)


def call_where(x):
  mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("a", "b"))
  rows = jax.sharding.PartitionSpec(("a", "b"))
  call = lambda x: pl.pallas_call(where, out_shape=jax.ShapeDtypeStruct(x.shape, f32))(x)
  return jax.shard_map(call, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)(x)


print(pallas_mlir.export(call_where, np.zeros((8, 128), np.float32)))
