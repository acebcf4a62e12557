# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering to Mosaic: from a parsed module to bytes, against JAX's lowering of the same kernels in Python; how the cost grows
with a kernel, and what the choice of coarsening factors adds. Processor time counts on both sides, so that other work on the
machine matters little. The second figure of ours includes a check of the result, which the compiler for TPUs does in any case."""

import ctypes
import functools
import statistics
import time

import common

common.use_one_thread()
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu import matmul
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel as paged
from jax.experimental.pallas.ops.tpu.random import philox, threefry
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks
from jax._src.pallas.mosaic import lowering

import pallas_mlir
from compile_growth import elementwise_chain

S, f32, bf16, i32 = jax.ShapeDtypeStruct, jnp.float32, jnp.bfloat16, jnp.int32


def rows(body, *dtypes):
  """A kernel over blocks of rows."""
  spec = pl.BlockSpec((128, 1024), lambda i: (i, 0))
  call = pl.pallas_call(body, grid=(8,), in_specs=[spec] * len(dtypes), out_specs=spec, out_shape=S((1024, 1024), dtypes[0]))
  return call, [S((1024, 1024), dtype) for dtype in dtypes]


def add(x, y, o):
  o[...] = x[...] + y[...]


def softmax(x, o):
  e = jnp.exp(x[...] - jnp.max(x[...], axis=-1, keepdims=True))
  o[...] = e / jnp.sum(e, axis=-1, keepdims=True)


def norm(x, o):
  v = x[...].astype(f32)
  d = v - jnp.mean(v, axis=-1, keepdims=True)
  o[...] = (d * jax.lax.rsqrt(jnp.mean(d * d, axis=-1, keepdims=True) + 1e-5)).astype(o.dtype)


def copies(x, o, buffers, semaphores):
  """Blocks of rows, copied through two buffers in turn."""
  def fetch(i, slot):
    return pltpu.make_async_copy(x.at[pl.ds(i * 128, 128)], buffers.at[slot], semaphores.at[slot])

  fetch(0, 0).start()

  def body(i, _):
    slot = i % 2
    @pl.when(i + 1 < 8)
    def _():
      fetch(i + 1, 1 - slot).start()
    fetch(i, slot).wait()
    pltpu.sync_copy(buffers.at[slot], o.at[pl.ds(i * 128, 128)])
    return 0

  jax.lax.fori_loop(0, 8, body, 0)


def kernels():
  yield "add", *rows(add, f32, f32)
  yield "softmax", *rows(softmax, f32)
  yield "layer norm", *rows(norm, bf16)
  anywhere = pl.BlockSpec(memory_space=pl.ANY)
  yield "copies", pl.pallas_call(
      copies, in_specs=[anywhere], out_specs=anywhere, out_shape=S((1024, 512), f32),
      scratch_shapes=[pltpu.VMEM((2, 128, 512), f32), pltpu.SemaphoreType.DMA((2,))]), [S((1024, 512), f32)]
  square = [S((1024, 1024), bf16)] * 2
  yield "matmul", functools.partial(matmul.matmul, block_shape=(256, 256), block_k=512), square
  sizes = flash.BlockSizes(block_q=256, block_k_major=512, block_k=256, block_b=1, block_q_major_dkv=256,
                           block_k_major_dkv=512, block_k_dkv=256, block_q_dkv=256, block_k_major_dq=512, block_k_dq=256,
                           block_q_dq=256)
  heads = [S((1, 4, 1024, 128), bf16)] * 3
  for causal in (False, True):
    attend = functools.partial(flash.flash_attention, causal=causal, block_sizes=sizes)
    yield f"flash attention{', causal' if causal else ''}", attend, heads
  yield "flash attention, backward", jax.grad(lambda *a: jnp.sum(attend(*a).astype(f32)), argnums=(0, 1, 2)), heads
  yield ("gmm", functools.partial(gmm, tiling=(128, 512, 256)),
         [S((1024, 512), bf16), S((8, 512, 512), bf16), S((8,), i32)])
  yield "tgmm", functools.partial(tgmm, tiling=(128, 512, 256)), [S((512, 1024), bf16), S((1024, 512), bf16), S((8,), i32)]
  yield ("paged attention", functools.partial(paged.paged_attention, pages_per_compute_block=4),
         [S((4, 8, 128), f32), S((8, 64, 16, 128), f32), S((8, 64, 16, 128), f32), S((4,), i32), S((4, 16), i32)])
  blocks = splash.BlockSizes(block_q=256, block_kv=512, block_kv_compute=256, block_q_dkv=256, block_kv_dkv=512,
                             block_kv_dkv_compute=256, block_q_dq=256, block_kv_dq=512)
  mask = masks.MultiHeadMask([masks.CausalMask((1024, 1024)) for _ in range(4)])
  kernel = splash.make_splash_mha(mask=mask, block_sizes=blocks, head_shards=1, q_seq_shards=1)
  heads = [S((4, 1024, 128), bf16)] * 3
  yield "splash attention", lambda *a: kernel(*a), heads
  yield "splash attention, backward", jax.grad(lambda *a: jnp.sum(kernel(*a).astype(f32)), argnums=(0, 1, 2)), heads
  yield "threefry", lambda key: threefry.plthreefry_random_bits(key, 32, (512, 512)), [S((2,), jnp.uint32)]
  yield "philox", lambda key: philox.philox_4x32_count(key, (512, 512)), [S((2,), jnp.uint32)]


def time_jax(function, arguments, runs=5):
  """Milliseconds from jaxprs to Mosaic modules, tracing not included: the fastest run, all kernels of it together."""
  name, spent = "lower_jaxpr_to_pipelined_module", []
  original = getattr(lowering, name)

  def timed(*args, **kwargs):
    start = time.process_time()
    try:
      return original(*args, **kwargs)
    finally:
      spent[-1] += time.process_time() - start

  setattr(lowering, name, timed)
  try:
    for _ in range(runs):
      jax.clear_caches()
      spent.append(0.0)
      jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",))
  finally:
    setattr(lowering, name, original)
  return 1e3 * min(spent)


def lower(text, runs=20, verify=False, coarsen="auto"):
  library = ctypes.CDLL(str(common.BUILD / "lib" / "libPallasBench.so"))
  library.pallas_bench_lower_tpu.restype = ctypes.c_double
  seconds = library.pallas_bench_lower_tpu(text.encode(), b"v5e", coarsen.encode(), ctypes.c_bool(verify), runs)
  if seconds < 0:
    raise RuntimeError("the kernel has no lowering")
  return 1e3 * seconds


def main():
  ratios, verified_ratios, chosen_ratios = [], [], []
  for name, function, arguments in kernels():
    theirs = time_jax(function, arguments)
    text = pallas_mlir.export(function, *arguments)
    ours, verified = lower(text), lower(text, verify=True)
    chosen_ratios.append(ours / lower(text, coarsen="off"))
    ratios.append(theirs / ours)
    verified_ratios.append(theirs / verified)
    goal = 5 if theirs < 3 else 20
    print(f"{name:28s} {ours:8.3f} ms ({verified:.3f} verified), JAX {theirs:8.2f} ms: {ratios[-1]:6.1f} "
          f"({verified_ratios[-1]:.1f}) times as fast (goal {goal}), {chosen_ratios[-1]:.2f} times as long as with coarsen=off", flush=True)
  means = [statistics.geometric_mean(r) for r in (ratios, verified_ratios)]
  print(f"geometric mean {means[0]:.1f}, verified {means[1]:.1f}; median of coarsen=auto against off {statistics.median(chosen_ratios):.2f}")
  for count in (100, 1000, 10000):
    print(f"chain of {count:5d} operations      {lower(elementwise_chain(count), 3):8.3f} ms")


if __name__ == "__main__":
  main()
