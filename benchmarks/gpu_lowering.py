# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering to Mosaic GPU: from a parsed module to one of the dialect, verified, against JAX's lowering of the same kernels in
Python to the same stage; and how the cost grows with a kernel.

JAX's layout inference and lowering of the dialect come after that stage, so their time is taken off. Processor time counts on
both sides, so that other work on the machine matters little.
"""

import ctypes
import statistics
import sys
import time

import common

common.use_one_thread()
sys.path.insert(0, str(common.ROOT / "test" / "Inputs"))
import jax
import jax.numpy as jnp
import mosaic_gpu as m
import mosaic_gpu_kernels as k

import compile_growth as growth
import pallas_mlir

S, f16, bf16, f32, i8, i32 = jax.ShapeDtypeStruct, jnp.float16, jnp.bfloat16, jnp.float32, jnp.int8, jnp.int32
GOAL = 20


def kernels():
  """Name, function and argument shapes."""
  rows = k.hmm.MatmulDimension.M
  tiles = {"tile_m": 128, "tile_n": 128, "tile_k": 64, "max_concurrent_steps": 4, "grid_tile_width": 8}
  blocks = {"block_q": 64, "block_kv": 128}
  square = lambda size, *dtypes: [S((size, size), dtype) for dtype in dtypes]
  matrices = lambda dtype: [S((4096, 4096), dtype), S((4096, 8192), dtype)]
  heads = [S((1, 4096, 16, 128), f16)] * 3
  groups = [S((4096, 1024), f16), S((8, 1024, 2048), f16), S((8,), i32)]
  steps = {"max_concurrent_steps": 4, "grid_block_n": 4}
  yield "add", m.add, [S((4096, 128), f32)] * 2
  yield "RMS norm", k.rms_norm, [S((4096, 256), bf16), S((256,), bf16)]
  yield "softmax", m.row_softmax, [S((4096, 128), f32)]
  yield "matmul, pipeline in a kernel", m.matmul, square(2048, f16, f16)
  yield "matmul, pallas_call", k.pallas_matmul, square(2048, bf16, bf16)
  yield "Hopper matmul", k.hopper(**tiles), matrices(f16)
  yield "Hopper matmul, warpgroups by rows", k.hopper(**tiles, wg_dimension=rows), matrices(bf16)
  yield "Hopper matmul, clusters", k.hopper(**tiles, cluster_dimension=rows), matrices(f16)
  yield "matmul of i8 and bf16", k.mixed_matmul(**{**tiles, "tile_m": 64}), square(4096, i8, bf16)
  yield "attention", k.attention(**blocks), heads
  yield "attention, causal", k.attention(**blocks, causal=True), heads
  yield "attention, pipeline", k.attention(pipeline=True, **blocks), heads
  yield "ragged dot", k.ragged_dot(False, **steps), groups
  yield "ragged dot, transposed", k.ragged_dot(True, **steps), [groups[0], S((8, 2048, 1024), f16), groups[2]]


def time_jax(function, arguments, runs=5):
  """Milliseconds from a jaxpr to a module of the dialect, tracing not included: the fastest run."""
  module = m.lowering.mgpu
  later = {name: getattr(module, name) for name in ("infer_layout", "lower_mgpu_dialect")}
  taken_off = 0.0

  def timed(name):
    def run(*args, **kwargs):
      nonlocal taken_off
      start = time.process_time()
      try:
        return later[name](*args, **kwargs)
      finally:
        taken_off += time.process_time() - start
    return run

  spent = []
  for name in later:
    setattr(module, name, timed(name))
  try:
    for _ in range(runs):
      jax.clear_caches()
      traced, taken_off = jax.jit(function).trace(*arguments), 0.0
      start = time.process_time()
      traced.lower(lowering_platforms=("cuda",))
      spent.append(time.process_time() - start - taken_off)
  finally:
    for name, function in later.items():
      setattr(module, name, function)
  return 1e3 * min(spent)


def lower(text, runs=20):
  """Milliseconds to a verified module: the fastest run."""
  library = ctypes.CDLL(str(common.BUILD / "lib" / "libPallasBench.so"))
  library.pallas_bench_lower_gpu.restype = ctypes.c_double
  seconds = library.pallas_bench_lower_gpu(text.encode(), b"sm_90a", runs)
  if seconds < 0:
    raise RuntimeError("the kernel has no lowering")
  return 1e3 * seconds


# ---------------------------------------------------------------- growth
TILE, MEMORY, BARRIER = "8x128xf32", "!pallas.ref<8x128xf32, smem>", "!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>"


def copies(count):
  """Copies in and out of shared memory, each of which is waited for."""
  array = f"!pallas.ref<{TILE}, gmem>"
  lines = [f"""pallas.copy_gmem_to_smem %x to %s signals %b : {array}, {MEMORY}, {BARRIER}
      pallas.barrier_wait %b : {BARRIER}
      pallas.commit_smem
      pallas.copy_smem_to_gmem %s to %y : {MEMORY}, {array}
      pallas.wait_smem_to_gmem 0""" for _ in range(count // 5)]
  return f"""
func.func @growing(%a: tensor<{TILE}>) -> tensor<{TILE}> {{
  %o = pallas.mpmd_map
    in(%a : tensor<{TILE}>)
    out(tensor<{TILE}>)
    kernel @growing on <gpu, []>(%x: {array}, %y: {array}) {{
    pallas.run_scoped (%s: {MEMORY}, %b: {BARRIER}) {{
      """ + "\n      ".join(lines) + f"""
    }}
  }}
  return %o : tensor<{TILE}>
}}
"""


def report_growth():
  # Blocks of TPUs are told from those of GPUs by their memory.
  others = [growth.elementwise_chain, growth.sums_of_rows, growth.tanh_of_rows, growth.scalars, growth.branches, growth.loops,
            growth.replaced_rows]
  kinds = [(kind.__name__, lambda count, kind=kind: kind(count).replace(", vmem", ", default")) for kind in others]
  for name, text in [*kinds, ("copies", copies)]:
    times = {count: lower(text(count), 3) for count in growth.SIZES}
    figures = "".join(f"{count:8} operations {spent:8.1f} ms" for count, spent in times.items())
    per_operation = times[growth.SIZES[-1]] / times[growth.SIZES[0]] * growth.SIZES[0] / growth.SIZES[-1]
    print(f"lower {name:18}{figures}   per operation, {growth.SIZES[-1]} to {growth.SIZES[0]}: {per_operation:5.2f}", flush=True)


def main():
  ratios = []
  for name, function, arguments in kernels():
    theirs = time_jax(function, arguments)
    ours = lower(str(pallas_mlir.export(function, *arguments)))
    ratios.append(theirs / ours)
    verdict = "ok" if ratios[-1] >= GOAL else "MISSED"
    print(f"{name:36s} {ours:8.3f} ms, JAX {theirs:8.2f} ms: {ratios[-1]:6.1f} times as fast (goal {GOAL}) {verdict}", flush=True)
  print(f"geometric mean {statistics.geometric_mean(ratios):.1f}")
  report_growth()


if __name__ == "__main__":
  main()
