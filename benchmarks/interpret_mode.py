# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels next to JAX's interpreters, each kernel in one process and in turns.

Per kernel: what a warm call takes in interpret mode (or in the TPU interpreter, a
callback per access), what it takes compiled, and the same for the first call:
tracing, export and compilation, with an empty cache on disk.
"""

import math
import os
import sys
import tempfile
import time

from common import race

os.environ["PALLAS_CACHE_DIR"] = tempfile.mkdtemp()

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax

f32 = jnp.float32
RNG = np.random.default_rng(0)
# Kernels with work to do; small ones, where the call itself counts; and those that only the TPU interpreter runs.
WORK, SMALL, TPU = {}, {}, {}


def floats(*shape):
  return RNG.standard_normal(shape).astype(np.float32)


def case(table, *arrays):
  """The decorated `f(interpret, *arrays)` is a kernel call."""
  def register(function):
    table[function.__name__] = (function, arrays)
    return function
  return register


def shape(*dims):
  return jax.ShapeDtypeStruct(dims, f32)


def rows(height, width):
  return pl.BlockSpec((height, width), lambda i: (i, 0))


@case(WORK, floats(512, 2048), floats(512, 2048))
def add_1024_blocks(interpret, x, y):
  block = pl.BlockSpec((8, 128), lambda i, j: (i, j))
  return pl.pallas_call(lambda x, y, o: o.__setitem__(..., x[...] + y[...]), grid=(64, 16), in_specs=[block] * 2, out_specs=block,
                        out_shape=shape(*x.shape), interpret=interpret)(x, y)


@case(WORK, floats(1024, 1024))
def softmax_64_blocks(interpret, x):
  def kernel(x, o):
    e = jnp.exp(x[...] - x[...].max(axis=1, keepdims=True))
    o[...] = e / e.sum(axis=1, keepdims=True)
  return pl.pallas_call(kernel, grid=(64,), in_specs=[rows(16, 1024)], out_specs=rows(16, 1024), out_shape=shape(*x.shape), interpret=interpret)(x)


@case(WORK, floats(1024, 512), floats(512))
def norm_128_blocks(interpret, x, scale):
  def kernel(x, scale, o):
    centred = x[...] - x[...].mean(axis=1, keepdims=True)
    o[...] = centred * lax.rsqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-6) * scale[...]
  return pl.pallas_call(kernel, grid=(128,), in_specs=[rows(8, 512), pl.BlockSpec((512,), lambda i: (0,))], out_specs=rows(8, 512),
                        out_shape=shape(*x.shape), interpret=interpret)(x, scale)


def matmul(size, interpret, x, y):
  def kernel(x, y, o, acc):
    @pl.when(pl.program_id(2) == 0)
    def _():
      acc[...] = jnp.zeros_like(acc)
    acc[...] += lax.dot(x[...], y[...], preferred_element_type=f32)
    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
      o[...] = acc[...]
  n = x.shape[0] // size
  return pl.pallas_call(kernel, grid=(n, n, n), in_specs=[pl.BlockSpec((size, size), lambda i, j, k: (i, k)), pl.BlockSpec((size, size), lambda i, j, k: (k, j))],
                        out_specs=pl.BlockSpec((size, size), lambda i, j, k: (i, j)), scratch_shapes=[pltpu.VMEM((size, size), f32)],
                        out_shape=shape(*x.shape), interpret=interpret)(x, y)


@case(WORK, floats(512, 512), floats(512, 512))
def matmul_512_by_128(interpret, x, y):
  return matmul(128, interpret, x, y)


@case(WORK, floats(512, 512), floats(512, 512))
def matmul_512_by_32(interpret, x, y):
  return matmul(32, interpret, x, y)


@case(WORK, RNG.integers(0, 2048, 1024).astype(np.int32), floats(2048, 256))
def gather_1024_rows(interpret, table, x):
  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(1024,), in_specs=[pl.BlockSpec((1, 256), lambda i, t: (t[i], 0))],
                                      out_specs=pl.BlockSpec((1, 256), lambda i, t: (i, 0)))
  return pl.pallas_call(lambda t, x, o: o.__setitem__(..., x[...]), grid_spec=spec, out_shape=shape(1024, 256), interpret=interpret)(table, x)


@case(WORK, RNG.random((2048, 128)).astype(np.float32) * 0.9, floats(2048, 128))
def recurrence_2048_steps(interpret, a, b):
  def kernel(a, b, o, state):
    @pl.when(pl.program_id(0) == 0)
    def _():
      state[...] = jnp.zeros_like(state)
    def step(i, h):
      h = a[i] * h + b[i]
      o[i] = h
      return h
    state[0] = lax.fori_loop(0, 64, step, state[0])
  return pl.pallas_call(kernel, grid=(32,), in_specs=[rows(64, 128)] * 2, out_specs=rows(64, 128), out_shape=shape(*a.shape),
                        scratch_shapes=[pltpu.VMEM((1, 128), f32)], interpret=interpret)(a, b)


@case(WORK, floats(4, 512, 64), floats(4, 512, 64), floats(4, 512, 64))
def attention_512_causal(interpret, q, k, v):
  def kernel(q, k, v, o, top, total, acc):
    i, j = pl.program_id(1), pl.program_id(2)
    @pl.when(j == 0)
    def _():
      top[...], total[...], acc[...] = jnp.full_like(top, -1e30), jnp.zeros_like(total), jnp.zeros_like(acc)
    @pl.when(j <= i)
    def _():
      s = lax.dot_general(q[...], k[...], (((1,), (1,)), ((), ())), preferred_element_type=f32) / 8
      at = lambda d, n: n * 128 + lax.broadcasted_iota(jnp.int32, s.shape, d)
      s = jnp.where(at(0, i) >= at(1, j), s, -1e30)
      new = jnp.maximum(top[...], s.max(axis=1, keepdims=True))
      p, shrink = jnp.exp(s - new), jnp.exp(top[...] - new)
      total[...] = total[...] * shrink + p.sum(axis=1, keepdims=True)
      acc[...] = acc[...] * shrink + lax.dot(p, v[...], preferred_element_type=f32)
      top[...] = new
    @pl.when(j == pl.num_programs(2) - 1)
    def _():
      o[...] = acc[...] / total[...]
  block = lambda pick: pl.BlockSpec((None, 128, 64), lambda h, i, j: (h, pick(i, j), 0))
  return pl.pallas_call(kernel, grid=(4, 4, 4), in_specs=[block(lambda i, j: i), block(lambda i, j: j), block(lambda i, j: j)],
                        out_specs=block(lambda i, j: i), out_shape=shape(*q.shape), interpret=interpret,
                        scratch_shapes=[pltpu.VMEM((128, 1), f32), pltpu.VMEM((128, 1), f32), pltpu.VMEM((128, 64), f32)])(q, k, v)


@case(SMALL, floats(8, 128))
def double(interpret, x):
  return pl.pallas_call(lambda x, o: o.__setitem__(..., x[...] * 2), out_shape=shape(8, 128), interpret=interpret)(x)


@case(SMALL, floats(32, 128), floats(32, 128))
def add_4_blocks(interpret, x, y):
  return pl.pallas_call(lambda x, y, o: o.__setitem__(..., x[...] + y[...]), grid=(4,), in_specs=[rows(8, 128)] * 2, out_specs=rows(8, 128),
                        out_shape=shape(32, 128), interpret=interpret)(x, y)


@case(SMALL, floats(64, 64), floats(64, 64))
def matmul_64(interpret, x, y):
  return pl.pallas_call(lambda x, y, o: o.__setitem__(..., x[...] @ y[...]), out_shape=shape(64, 64), interpret=interpret)(x, y)


@case(SMALL, floats(16, 256))
def softmax_16_rows(interpret, x):
  return pl.pallas_call(lambda x, o: o.__setitem__(..., jax.nn.softmax(x[...], axis=1)), out_shape=shape(16, 256), interpret=interpret)(x)


ANY = pl.BlockSpec(memory_space=pl.ANY)


@case(TPU, floats(256, 128))
def copies_32_tiles(interpret, x):
  def kernel(x, o, buffers, sems):
    copy = lambda i: pltpu.make_async_copy(x.at[pl.ds(i * 8, 8)], buffers.at[lax.rem(i, 2)], sems.at[lax.rem(i, 2)])
    copy(0).start()
    def step(i, total):
      @pl.when(i < 31)
      def _():
        copy(i + 1).start()
      copy(i).wait()
      return total + buffers[lax.rem(i, 2)]
    o[...] = lax.fori_loop(0, 32, step, jnp.zeros((8, 128), f32))
  return pl.pallas_call(kernel, in_specs=[ANY], out_shape=shape(8, 128), scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))],
                        interpret=interpret)(x)


@case(TPU, floats(128, 128), floats(128, 128))
def pipeline_16_blocks(interpret, x, y):
  def kernel(x, y, o):
    pltpu.emit_pipeline(lambda x, y, o: o.__setitem__(..., x[...] * y[...]), grid=(16,), in_specs=[rows(8, 128)] * 2, out_specs=[rows(8, 128)])(x, y, o)
  return pl.pallas_call(kernel, in_specs=[ANY] * 2, out_specs=ANY, out_shape=shape(128, 128), interpret=interpret)(x, y)


@case(TPU, floats(64, 128))
def mesh_of_two_cores(interpret, x):
  def kernel(x, o):
    at = pl.ds(lax.axis_index("core") * 32, 32)
    def body(buffer):
      pltpu.sync_copy(x.at[at], buffer)
      buffer[...] = buffer[...] * 2
      pltpu.sync_copy(buffer, o.at[at])
    pl.run_scoped(body, pltpu.VMEM((32, 128), f32))
  return pl.kernel(kernel, out_type=shape(64, 128), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2), interpret=interpret)(x)


def first_call(function, arrays, interpret):
  """The call, compiled, and the milliseconds that tracing and compilation took."""
  start = time.perf_counter()
  compiled = jax.jit(lambda *a: function(interpret, *a)).lower(*arrays).compile()
  return compiled, 1e3 * (time.perf_counter() - start)


def mean(ratios):
  return math.exp(sum(map(math.log, ratios)) / len(ratios))


def measure(title, table, interpret, goal, wanted):
  print(f"\n{title}\n{'kernel':24} {'call':>12} {'compiled':>12} {'ratio':>9}   {'first call':>12} {'compiled':>12} {'ratio':>6}")
  calls, firsts = [], []
  for name, (function, arrays) in table.items():
    if wanted and name not in wanted:
      continue
    own, own_first = first_call(function, arrays, False)
    peer, peer_first = first_call(function, arrays, interpret)
    np.testing.assert_allclose(own(*arrays), peer(*arrays), rtol=1e-3, atol=1e-3)
    run = lambda call: lambda: jax.block_until_ready(call(*arrays))
    own_ms, peer_ms = race(run(own), run(peer), seconds=1.0)
    calls.append(peer_ms / own_ms)
    firsts.append(own_first / peer_first)
    print(f"{name:24} {peer_ms:9.3f} ms {own_ms:9.3f} ms {calls[-1]:8.1f}x   {peer_first:9.1f} ms {own_first:9.1f} ms {firsts[-1]:6.2f}", flush=True)
  if calls:
    print(f"geometric mean: calls {mean(calls):.1f} times as fast (goal {goal}), least {min(calls):.2f}; first calls {mean(firsts):.2f} of the time (goal 1.0)")


def main():
  wanted = sys.argv[1:]
  # What JAX loads at its first use belongs to no kernel.
  for interpret in (True, pltpu.InterpretParams(), False):
    first_call(lambda interpret, x: pl.pallas_call(lambda x, o: o.__setitem__(..., x[...] - 1), out_shape=shape(8, 128), interpret=interpret)(x), (floats(8, 128),), interpret)
  measure("Kernels with work to do, interpret mode", WORK, True, 8, wanted)
  measure("Small kernels, interpret mode", SMALL, True, 1, wanted)
  measure("Kernels of the TPU interpreter", TPU, pltpu.InterpretParams(), 50, wanted)


if __name__ == "__main__":
  main()
