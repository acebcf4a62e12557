# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of many kinds, written in JAX, against XLA's code for the plain function, on one thread.

Times are processor time, so that other work on the machine counts less.
"""

import os
import time

import common

common.use_one_thread()
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

import pallas_mlir.jax

bf16, f32, i8 = jnp.bfloat16, jnp.float32, jnp.int8
CASES = []


def array(shape, dtype=f32, seed=0):
  values = np.random.default_rng(seed).standard_normal(shape) * (40 if dtype == i8 else 1)
  return jnp.asarray(values.astype(np.float32)).astype(dtype)


def blocks(name, function, shape, block, dtype=f32, out=None, inputs=1, columns=(), transposes=False):
  """`function` on blocks of arrays, and on vectors that belong to the columns."""
  rows, width = shape
  whole = shape[::-1] if transposes else shape
  grid = (pl.cdiv(rows, block[0]), pl.cdiv(width, block[1]))
  spec = pl.BlockSpec(block, lambda i, j: (i, j))
  out_spec = pl.BlockSpec(block[::-1], lambda i, j: (j, i)) if transposes else spec
  vectors = [pl.BlockSpec(v.shape, lambda i, j: (0,)) for v in columns]

  def body(*refs):
    refs[-1][...] = function(*[r[...] for r in refs[:-1]]).astype(refs[-1].dtype)

  kernel = pl.pallas_call(body, grid=grid, in_specs=[spec] * inputs + vectors, out_specs=out_spec,
                          out_shape=jax.ShapeDtypeStruct(whole, out or dtype))
  arrays = [array(shape, dtype, seed) for seed in range(inputs)] + list(columns)
  CASES.append((name, f"{rows}x{width} blocks {block[0]}x{block[1]}", dtype, kernel, function, arrays))


def product(name, m, n, k, block, dtype, epilogue=None, transposed=False):
  """A product that is summed up in scratch memory over the last grid dimension."""
  contract = (((1,), (1 if transposed else 0,)), ((), ()))
  wide = jnp.int32 if dtype == i8 else f32
  bm, bn, bk = block

  def body(x, y, b, o, acc):
    @pl.when(pl.program_id(2) == 0)
    def _():
      acc[...] = jnp.zeros_like(acc)
    acc[...] += lax.dot_general(x[...], y[...], contract, preferred_element_type=wide)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
      o[...] = epilogue(acc[...] + b[...]) if epilogue else acc[...]

  def plain(x, y, b):
    result = lax.dot_general(x, y, contract, preferred_element_type=wide)
    return epilogue(result + b) if epilogue else result

  second = pl.BlockSpec((bn, bk), lambda i, j, l: (j, l)) if transposed else pl.BlockSpec((bk, bn), lambda i, j, l: (l, j))
  kernel = pl.pallas_call(
      body, grid=(pl.cdiv(m, bm), pl.cdiv(n, bn), pl.cdiv(k, bk)), out_shape=jax.ShapeDtypeStruct((m, n), wide),
      in_specs=[pl.BlockSpec((bm, bk), lambda i, j, l: (i, l)), second, pl.BlockSpec((1, bn), lambda i, j, l: (0, j))],
      out_specs=pl.BlockSpec((bm, bn), lambda i, j, l: (i, j)), scratch_shapes=[pltpu.VMEM((bm, bn), wide)])
  arrays = [array((m, k), dtype), array((n, k) if transposed else (k, n), dtype, 1), array((1, n), wide)]
  CASES.append((name, f"{m}x{n}x{k} blocks {bm}x{bn}x{bk}", dtype, kernel, plain, arrays))


def rows(name, shape, function, arrays, parts=1):
  """`function` on arrays, each cut into `parts` blocks of rows."""
  result = jax.eval_shape(function, *arrays)

  def spec(array):
    block = (array.shape[0] // parts, *array.shape[1:])
    return pl.BlockSpec(block, lambda i: (i, *[0] * (len(block) - 1)))

  def body(*refs):
    refs[-1][...] = function(*[r[...] for r in refs[:-1]])

  kernel = pl.pallas_call(body, grid=(parts,), in_specs=[spec(a) for a in arrays], out_specs=spec(result),
                          out_shape=jax.ShapeDtypeStruct(result.shape, result.dtype))
  CASES.append((name, shape, arrays[0].dtype, kernel, function, arrays))


def rotary_embedding(x, cosine, sine):
  half = x.shape[1] // 2
  a, b = x[:, :half], x[:, half:]
  return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], 1)


def layer_norm_backward(x, gradient):
  mean = x.mean(1, keepdims=True)
  scale = lax.rsqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5)
  normal = (x - mean) * scale
  along = (gradient * normal).mean(1, keepdims=True)
  return scale * (gradient - gradient.mean(1, keepdims=True) - normal * along)


def cross_entropy(x, labels):
  largest = x.max(1, keepdims=True)
  total = largest + jnp.log(jnp.exp(x - largest).sum(1, keepdims=True))
  chosen = lax.broadcasted_iota(jnp.int32, x.shape, 1) == labels
  return total - jnp.where(chosen, x, 0).sum(1, keepdims=True)


def largest_four(x):
  found = []
  for _ in range(4):
    found.append(x.max(1, keepdims=True))
    x = jnp.where(x == found[-1], -jnp.inf, x)
  return jnp.concatenate(found, 1)


def convolution(x, weights):
  """3x3, as a product of patches."""
  high, wide, channels = x.shape
  padded = jnp.pad(x, ((1, 1), (1, 1), (0, 0)))
  patches = [padded[i:i + high, j:j + wide].reshape(high * wide, channels) for i in range(3) for j in range(3)]
  return jnp.dot(jnp.concatenate(patches, 1), weights, preferred_element_type=f32)


def short_convolution(x):
  padded = jnp.pad(x, ((0, 0), (3, 0)))
  return sum(padded[:, i:i + x.shape[1]] * (0.1 * (i + 1)) for i in range(4))


def histogram(values):
  return (lax.broadcasted_iota(jnp.int32, (128, values.shape[1]), 0) == values).astype(f32).sum(1)[None, :]


def transposed_attention(q, k, v):
  weights = jax.nn.softmax(jnp.dot(k, q.T, preferred_element_type=f32) * 0.125, 0)
  return jnp.dot(weights.T, v, preferred_element_type=f32)


def layer_norm(x, scale, shift):
  x = x.astype(f32)
  d = x - x.mean(-1, keepdims=True)
  return d * lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale + shift


def vector_add(x, y, o):
  at = pl.program_id(0) * 1024 + jnp.arange(1024)
  mask = at < x.shape[0]
  plgpu.store(o.at[at], plgpu.load(x.at[at], mask=mask) + plgpu.load(y.at[at], mask=mask), mask=mask)


def collect():
  columns = [array((1024,), seed=2), array((1024,), seed=3)]
  blocks("layer norm", layer_norm, (4096, 1024), (128, 1024), columns=columns)
  blocks("layer norm", layer_norm, (4096, 1024), (16, 1024), bf16, columns=columns)
  blocks("log softmax", lambda x: jax.nn.log_softmax(x, -1), (4096, 1024), (128, 1024))
  blocks("softmax", lambda x: jax.nn.softmax(x, -1), (4001, 1000), (64, 1000))
  blocks("softmax of columns", lambda x: jax.nn.softmax(x, 0), (1024, 1024), (1024, 128))
  blocks("gelu, exact", lambda x: jax.nn.gelu(x, approximate=False), (4096, 1024), (64, 1024))
  blocks("silu", jax.nn.silu, (4096, 1024), (128, 512))
  blocks("swiglu", lambda x, y: jax.nn.silu(x) * y, (4096, 1024), (128, 512), bf16, inputs=2)
  blocks("tanh", jnp.tanh, (4096, 1024), (256, 256))
  blocks("add", jnp.add, (4096, 2048), (256, 256), bf16, inputs=2)
  blocks("add", jnp.add, (4096, 4096), (256, 256), i8, inputs=2)
  blocks("add", jnp.add, (2001, 1999), (128, 128), inputs=2)
  blocks("quantize", lambda x: jnp.clip(jnp.round(x * 20), -127, 127).astype(i8), (4096, 1024), (128, 1024), out=i8)
  blocks("transpose", jnp.transpose, (2048, 2048), (128, 128), transposes=True)
  blocks("transpose", jnp.transpose, (2048, 2048), (128, 128), bf16, transposes=True)
  blocks("cumulative sum", lambda x: jnp.cumsum(x, 1), (1024, 1024), (64, 1024))
  blocks("sines and cosines", lambda x: jnp.sin(x) * jnp.cos(x), (2048, 1024), (256, 256))
  blocks("roll", lambda x: jnp.roll(x, 1, 0) + jnp.roll(x, -1, 1), (1024, 1024), (1024, 1024))
  product("product", 512, 512, 512, (128, 128, 128), bf16)
  product("product", 1024, 1024, 1024, (256, 256, 256), bf16)
  product("product, bias, gelu", 512, 512, 512, (128, 128, 128), bf16, jax.nn.gelu)
  product("product, transposed", 512, 512, 512, (128, 128, 128), f32, transposed=True)
  product("product, ragged", 400, 400, 384, (96, 96, 96), f32)
  product("product, 8 rows", 8, 1024, 1024, (8, 256, 256), f32)
  product("product, 8 columns", 1024, 8, 1024, (256, 8, 256), f32)
  collect_rows()
  collect_groups()
  x = array((1 << 18,))
  CASES.append(("masked add by indices", "262144 blocks 1024", f32,
                pl.pallas_call(vector_add, grid=(256,), out_shape=jax.ShapeDtypeStruct(x.shape, f32)),
                jnp.add, [x, x]))


def collect_rows():
  rng = np.random.default_rng(0)
  draw = lambda top, shape: jnp.asarray(rng.integers(0, top, shape).astype(np.int32))
  x, y = array((2048, 1024)), array((2048, 1024), seed=1)
  halves = [array((2048, 512), seed=seed) for seed in (2, 3)]
  rows("rotary embedding", "2048x1024 blocks of 128 rows", rotary_embedding, [x, *halves], 16)
  rows("layer norm, backward", "2048x1024 blocks of 128 rows", layer_norm_backward, [x, y], 16)
  rows("cross-entropy", "2048x1024 blocks of 128 rows", cross_entropy, [x, draw(1024, (2048, 1))], 16)
  rows("largest 4 of rows", "2048x1024 blocks of 128 rows", largest_four, [x], 16)
  rows("top 8 of rows", "512x256", lambda v: lax.top_k(v, 8)[1], [array((512, 256))])
  rows("convolution along rows", "2048x1024 by 4", short_convolution, [x], 16)
  rows("convolution", "64x64x32 by 3x3x32x64", convolution, [array((64, 64, 32)), array((288, 64), seed=4)])
  rows("histogram", "4096 values, 128 bins", histogram, [draw(128, (1, 4096))])
  rows("attention, transposed", "512x64", transposed_attention, [array((512, 64), seed=seed) for seed in range(3)])
  rows("maximum of 4 columns", "1024x1024 blocks of 128 rows", lambda v: v.reshape(v.shape[0], -1, 4).max(2), [y[:1024]], 8)
  rows("maximum of 2x2", "512x512", lambda v: v.reshape(256, 2, 256, 2).max((1, 3)), [y[:512, :512]])


def dequantize_by_groups(x, scale):
  return x.astype(f32) * jnp.repeat(scale, 32, axis=1)


def collect_groups():
  x = array((2048, 1024))
  rows("dequantize, groups of 32", "2048x1024 blocks of 128 rows", dequantize_by_groups, [array((2048, 1024), i8), array((2048, 32), seed=1)], 16)
  rows("elements in turns", "512x512 twice", lambda a, b: jnp.stack([a, b], 2).reshape(512, 1024), [x[:512, :512], x[512:1024, :512]])
  rows("elements repeated", "512x512, 4 times", lambda v: jnp.repeat(v, 4, axis=1), [x[:512, :512]])
  rows("sum of columns", "2048x1024", lambda v: v.sum(0, keepdims=True), [x])
  rows("variance of columns", "2048x1024", lambda v: v.var(0, keepdims=True), [x])


def race_cases(goal, seconds):
  """Prints the time of all cases next to XLA's, with both sides on this thread."""
  time.perf_counter = time.process_time
  selected = os.environ.get("PALLAS_BENCH_ONLY")
  for name, shape, dtype, kernel, plain, arrays in CASES:
    if selected and name != selected:
      continue
    own, peer = jax.jit(kernel), jax.jit(plain)
    result, reference = (np.asarray(f(*arrays), np.float64) for f in (own, peer))
    common.check(result, reference, 1e-2 if dtype == bf16 else 1e-5)
    own_ms, peer_ms = common.race(lambda: own(*arrays).block_until_ready(), lambda: peer(*arrays).block_until_ready(), seconds=seconds)
    common.report(name, shape, jnp.dtype(dtype).name, "kernel", "XLA, plain", own_ms, peer_ms, goal)


def main():
  collect()
  race_cases(goal=0.9, seconds=1)


if __name__ == "__main__":
  main()
