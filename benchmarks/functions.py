# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a line or two as kernels, a whole array in one block or a few, against XLA's code for them, on one thread.

What kernels are made of: one that takes many times as long as XLA's has no good form in the compiler.
"""

import kinds  # Holds XLA to one thread before anything imports it.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from kinds import array, bf16, f32, i8

rng = np.random.default_rng(3)
x, s = array((2048, 1024)), array((512, 512))
t = array((512, 512), seed=1)


def integers(low, high, shape):
  return jnp.asarray(rng.integers(low, high, shape).astype(np.int32))


def each(name, function, *arrays, parts=1):
  kinds.rows(name, "x".join(map(str, arrays[0].shape)), function, arrays, parts)


def hashed_mask(v):
  i = lax.broadcasted_iota(jnp.uint32, v.shape, 0) * jnp.uint32(v.shape[1]) + lax.broadcasted_iota(jnp.uint32, v.shape, 1)
  for shift, by in ((16, 0x85ebca6b), (13, 0xc2b2ae35)):
    i = (i ^ (i >> shift)) * jnp.uint32(by)
  return jnp.where(i > jnp.uint32(0x20000000), v, 0.)


def by_groups(v, size):
  groups = v.reshape(v.shape[0], -1, size)
  return (groups / jnp.abs(groups).max(2, keepdims=True)).reshape(v.shape)


def rotate_pairs(v, c):
  a, b = v.reshape(*c.shape, 2)[..., 0], v.reshape(*c.shape, 2)[..., 1]
  return jnp.stack([a * c - b * c, b * c + a * c], -1).reshape(v.shape)


def attention(q, k, v):
  scores = jnp.einsum("qhd,khd->hqk", q, k) * 0.125
  return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores, -1), v)


def shifted_sum(v, axis):
  padded = jnp.pad(v, [(3, 0) if d == axis else (0, 0) for d in range(2)])
  return sum(lax.slice_in_dim(padded, i, i + v.shape[axis], axis=axis) * (0.1 * i + 0.3) for i in range(4))


def depthwise(v, w):
  padded = jnp.pad(v, ((1, 1), (1, 1), (0, 0)))
  return sum(padded[i:i + v.shape[0], j:j + v.shape[1]] * w[i, j] for i in range(3) for j in range(3))


def reflected_stencil(v):
  return sum(jnp.pad(v, ((0, 0), (2, 2)), mode="reflect")[:, i:i + v.shape[1]] * (0.1 * i + 0.3) for i in range(5))


def normed(v):
  return (v - v.mean(0)) * lax.rsqrt(v.var(0) + 1e-5)


def normed_backward(v, gradient):
  scale = lax.rsqrt(v.var(0) + 1e-5)
  normal = (v - v.mean(0)) * scale
  return scale * (gradient - gradient.mean(0) - normal * (gradient * normal).mean(0))


def segment_mean(v, i):
  return jax.ops.segment_sum(v, i, 64) / jnp.maximum(jax.ops.segment_sum(jnp.ones((v.shape[0], 1)), i, 64), 1)


def decayed(v):
  def step(state, row):
    state = state * .9 + row
    return state, state
  return lax.scan(step, jnp.zeros(v.shape[1:]), v)[1]


def in_band(shape, width):
  distance = jnp.arange(shape[0])[:, None] - jnp.arange(shape[1])[None]
  return (distance >= 0) & (distance < width)


def collect_groups():
  w = (x * 20).astype(i8)
  for size in (32, 128):
    each(f"repeat scale {size}", lambda v, q, n=size: v.astype(f32) * jnp.repeat(q, n, axis=1), w, array((2048, 1024 // size)))
  each("repeat scale of rows", lambda v, q: v.astype(f32) * jnp.repeat(q, 32, axis=0), w, array((64, 1024)))
  for times in (2, 4):
    each(f"repeat columns {times}", lambda v, n=times: jnp.repeat(v, n, axis=1), s)
  each("repeat rows 2", lambda v: jnp.repeat(v, 2, axis=0), s)
  each("repeat both", lambda v: jnp.repeat(jnp.repeat(v, 2, 0), 2, 1), s)
  each("repeat and multiply", lambda v, u: jnp.repeat(v, 2, axis=1) * u, s, array((512, 1024)))
  each("tile rows", lambda v: jnp.tile(v, (4, 1)), s)
  each("tile columns", lambda v: jnp.tile(v, (1, 4)), s)
  each("groups of 16", lambda v: by_groups(v, 16), x)
  each("groups of 128", lambda v: by_groups(v, 128), x)
  each("group norm", lambda v: jax.nn.standardize(v.reshape(512, 8, 64), axis=2).reshape(v.shape), s)
  each("elements in turns", lambda a, b: jnp.stack([a, b], 2).reshape(512, 1024), s, t)
  each("pairs rotated", rotate_pairs, s, array((512, 256)))
  each("difference in pairs", lambda v: v.reshape(512, 256, 2)[:, :, 0] - v.reshape(512, 256, 2)[:, :, 1], s)
  each("every second", lambda v: v[:, ::2] + v[:, 1::2], s)
  each("pack nibbles", lambda v: v[:, ::2] | (v[:, 1::2] << 4), (s * 3).astype(i8))
  each("unpack nibbles", lambda v: jnp.stack([(v << 4) >> 4, v >> 4], 2).reshape(512, 1024).astype(f32), (s * 30).astype(i8))
  each("mean of 2x2", lambda v: v.reshape(256, 2, 256, 2).mean((1, 3)), s)


def collect_moves():
  each("take rows", lambda v, i: jnp.take(v, i, axis=0), x, integers(0, 2048, (1024,)))
  each("take rows, clip", lambda v, i: jnp.take(v, i, axis=0, mode="clip"), x, integers(0, 2048, (512,)))
  each("rows by index, scaled", lambda v, i, u: v[i] * u[:, None], x, integers(0, 2048, (512,)), array((512,)))
  each("sum of chosen rows", lambda v, i: v[i].sum(0, keepdims=True), x, integers(0, 2048, (512,)))
  each("bags of rows", lambda v, i: jnp.take(v, i, axis=0, mode="clip").sum(1), array((2048, 128)), integers(0, 2048, (512, 8)))
  each("table of bytes", lambda i, v: v[i], integers(0, 256, (512, 512)).astype(jnp.uint8), array((256,)))
  each("mean by segments", segment_mean, array((512, 128)), jnp.sort(integers(0, 64, (512,))))
  each("take along rows", lambda v, i: jnp.take_along_axis(v, i, axis=1), x, integers(0, 1024, (2048, 1024)), parts=16)
  each("scatter-add of rows", lambda v, i: jnp.zeros((512, 512)).at[i].add(v), s, integers(0, 512, (512,)))
  each("concatenate", lambda a, b: jnp.concatenate([a, b], 1), s, t)
  each("flip", lambda v: v[:, ::-1], s)
  each("pad", lambda v: jnp.pad(v, ((8, 8), (16, 16))), s)
  each("pad, reflected", lambda v: jnp.pad(v, ((2, 2), (2, 2)), mode="reflect"), s)
  each("stencil, reflected", reflected_stencil, s)
  each("transposed, first and last", lambda v: v.transpose(2, 1, 0), array((16, 64, 128)))
  each("split heads", lambda v: v.reshape(512, 8, 64).swapaxes(0, 1), s)
  each("merge heads", lambda v: v.swapaxes(0, 1).reshape(512, 512), array((8, 512, 64)))
  each("add transposed", lambda v, w: v.T + w, s, t)
  each("four neighbours", lambda v: jnp.roll(v, 1, 0) + jnp.roll(v, -1, 0) + jnp.roll(v, 1, 1) + jnp.roll(v, -1, 1) - 4 * v, s)
  each("convolution of columns", lambda v: shifted_sum(v, 0), x[:1024, :512])
  each("convolution of rows", lambda v: shifted_sum(v, 1), x, parts=16)
  each("convolution of channels", depthwise, array((32, 32, 64)), array((3, 3, 64)))


def collect_choices():
  y = array((2048, 1024), seed=5)
  each("choice by rows", lambda v, w, c: jnp.where((c > 0)[:, None], v, w), x, y, array((2048,)))
  each("choice by two arrays", lambda v, w: jnp.where((v > 0) & (w > 0), v, w), x, y)
  each("band", lambda v: jnp.where(in_band(v.shape, 99), v, -1e9), x)
  each("choice by bytes", lambda a, b, v: jnp.where((a > b) | (a == 3), v, 0.), (x * 9).astype(i8), (y * 9).astype(i8), x)
  each("some of a row", lambda v, w: jnp.any((v > 0) & (w > 0), axis=1).astype(jnp.int32), x, y)


def collect_reductions():
  each("sum of columns", lambda v: v.sum(0, keepdims=True), x)
  each("variance of columns", lambda v: v.var(0, keepdims=True), x)
  each("columns less their mean", lambda v: v - v.mean(0, keepdims=True), x)
  each("columns scaled to [0, 1]", lambda v: (v - v.min(0)) / (v.max(0) - v.min(0)), x)
  each("norm of columns", normed, x)
  each("norm of columns, backward", normed_backward, x, array((2048, 1024), seed=1))
  each("columns by their lengths", lambda v, u: v * (u / jnp.linalg.norm(v, axis=0)), x, array((1024,)))
  each("log softmax of columns", lambda v: jax.nn.log_softmax(v, 0), s)
  each("maximum of all", lambda v: v.max().reshape(1, 1), x)
  each("product of rows", lambda v: jnp.prod(v, axis=1, keepdims=True), 1 + s * 0.01)
  each("argmax of rows", lambda v: jnp.argmax(v, axis=1), x, parts=16)
  each("argmin of columns", lambda v: jnp.argmin(v, axis=0), s)
  each("log of sums of exp", lambda v: jax.nn.logsumexp(v, axis=1, keepdims=True), x, parts=16)
  each("sum of products of rows", lambda v, w: (v * w).sum(1, keepdims=True), x, array((1, 1024)))
  each("squared distances", lambda a, b: ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1), array((128, 16)), array((128, 16), seed=1))
  each("maximum of windows", lambda v: jnp.stack([v[i:i + 500] for i in range(5)]).max(0), array((504, 256)))
  each("sum of a * b.T", lambda a, b: (a * b.T).sum().reshape(1, 1), s, t)
  each("sum of outer products", lambda a, b: (a[:, :, None] * b[:, None, :]).sum(0), array((128, 32)), array((128, 64)))
  each("cumulative sum of columns", lambda v: jnp.cumsum(v, axis=0), s)
  each("cumulative maximum of rows", lambda v: lax.cummax(v, axis=1), s)
  each("associative scan", lambda v: lax.associative_scan(jnp.add, v, axis=0), s)
  each("decayed sum of rows", decayed, x[:1024, :512])
  each("sorted rows", lambda v: jnp.sort(v, axis=1), array((256, 128)))


def collect_products():
  w, q = (s * 20).astype(i8), array((16, 512))
  each("matrix times vector", lambda v, u: v @ u, x, array((1024,)))
  each("one row times rows", lambda a, b: a @ b.T, array((1, 128)), array((1024, 128)))
  each("product of batches", lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))), array((32, 64, 64)), array((32, 64, 64)), parts=4)
  each("dequantized product", lambda a, v, u: a @ (v.astype(f32) * jnp.repeat(u, 32, axis=0)), array((128, 512)), w, q)
  each("product of one-hot rows", lambda v, i: jax.nn.one_hot(i, 2048, dtype=f32) @ v, array((2048, 128)), integers(0, 2048, (256,)))
  each("attention of 4 heads", attention, *(array((256, 4, 64), seed=seed) for seed in range(3)))
  each("attention of 8 rows", lambda a, k, v: jax.nn.softmax((a @ k.T) * .1, -1) @ v, array((8, 64)), array((2048, 64)), array((2048, 64), seed=1))


def collect_elementwise():
  positive = jnp.abs(s)
  for name, function, *arrays in (
      ("erf", lax.erf, s), ("exp - 1", jnp.expm1, s), ("log(1 + x)", jnp.log1p, positive), ("power", lambda v: v ** 1.5, positive), ("arctan2", jnp.arctan2, s, t),
      ("square root", jnp.sqrt, positive), ("1 / square root", lambda v: lax.rsqrt(v + 1), positive), ("quotient", lambda v, w: v / w, s, t + 9),
      ("sigmoid", jax.nn.sigmoid, s.astype(bf16)), ("quotient by 7", lambda v: v // 7, integers(-9999, 9999, (512, 512))),
      ("remainder", lambda v, w: v % w, integers(-9999, 9999, (512, 512)), integers(1, 99, (512, 512))), ("hashed mask", hashed_mask, x),
      ("clip", lambda v: jnp.clip(v, -1, 1), s), ("sign", jnp.sign, s), ("round", jnp.round, s), ("to fp8", lambda v: v.astype(jnp.float8_e4m3fn), x),
      ("masked", lambda v: jnp.where(lax.broadcasted_iota(jnp.int32, v.shape, 1) <= lax.broadcasted_iota(jnp.int32, v.shape, 0), v, -1e9), s)):
    each(name, function, *arrays)


def main():
  for collect in (collect_groups, collect_moves, collect_choices, collect_reductions, collect_products, collect_elementwise):
    collect()
  kinds.race_cases(goal=0.75, seconds=0.25)


if __name__ == "__main__":
  main()
