"""Small kernels with arguments, for TPUs; some only our lowering takes."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import mosaic_tpu

S = jax.ShapeDtypeStruct
f32, f16, bf16, i32, u32, i16, i8, u8 = (
    jnp.float32, jnp.float16, jnp.bfloat16, jnp.int32, jnp.uint32, jnp.int16, jnp.int8, jnp.uint8)
OURS = {}


def values(shape, dtype, seed):
  """Small numbers of which every type holds some."""
  r = np.random.default_rng(seed)
  if jnp.issubdtype(dtype, jnp.bool_):
    return jnp.asarray(r.integers(0, 2, shape), bool)
  if jnp.issubdtype(dtype, jnp.integer):
    low = max(-100, int(jnp.iinfo(dtype).min))
    return jnp.asarray(r.integers(low, min(100, int(jnp.iinfo(dtype).max)), shape), dtype)
  return jnp.asarray(r.uniform(-2, 2, shape), dtype)


def example(shapes):
  return [values(s.shape, s.dtype, n) for n, s in enumerate(shapes)]


def ours(function):
  """Decorator: `function()` gives the function to run, its arguments, and what
  gives the results if JAX's interpreter does not."""
  OURS[function.__name__] = function
  return function


def call(body, **kwargs):
  # What interprets a kernel is found out when pallas_call is called.
  return lambda *args: pl.pallas_call(body, **kwargs)(*args)


def whole(name, fn, *args):
  """`fn` of whole arrays as a kernel."""

  def make():
    outs, tree = jax.tree.flatten(jax.eval_shape(fn, *args))

    def body(*refs):
      results = jax.tree.leaves(fn(*(r[...] for r in refs[:len(args)])))
      for ref, value in zip(refs[len(args):], results):
        ref[...] = value

    return call(body, out_shape=outs), args

  OURS[name] = make


# ---------------------------------------------------------------- elementwise
for t in (f32, bf16, i32, u32, i16, i8, u8):
  x, y = values((8, 128), t, 1), values((8, 128), t, 2)
  name = jnp.dtype(t).name
  whole(f"arithmetic_{name}",
        lambda x, y: (x + y, x - y, x * y, jnp.maximum(x, y), jnp.minimum(x, y),
                      jnp.where(x < y, x, y), (x >= y).astype(i32)), x, y)
  if jnp.issubdtype(t, jnp.integer):
    n = values((8, 128), t, 3) & jnp.asarray(7, t)
    d = jnp.where(y == 0, jnp.asarray(3, t), y)
    whole(f"integers_{name}",
          lambda x, d, n: (lax.div(x, d), lax.rem(x, d), x & d, x | d, x ^ d, ~x,
                           lax.shift_left(x, n), lax.shift_right_logical(x, n),
                           lax.shift_right_arithmetic(x, n)), x, d, n)
for t in (f32, bf16, i32, u32, i16, i8, u8):
  x = values((16, 128), t, 4)
  whole(f"conversions_{jnp.dtype(t).name}",
        lambda x: [x.astype(to) for to in (f32, bf16, i32, i16, i8)]
        + [jnp.where(x < 0, jnp.asarray(0, x.dtype), x).astype(to) for to in (u32, u8)], x)
whole("functions", lambda x: (jnp.exp(x), jnp.log1p(abs(x)), jnp.expm1(x), jnp.tanh(x), lax.erf(x),
                              jnp.sin(x), jnp.cos(x), lax.rsqrt(abs(x) + 1), jnp.floor(x), jnp.round(x),
                              jnp.sign(x), jax.nn.sigmoid(x), jnp.cbrt(x), abs(x) ** 1.5),
      values((8, 128), f32, 5))
whole("bits", lambda x: (lax.population_count(x), lax.clz(x)), values((8, 128), i32, 6) * 12345)
whole("booleans", lambda k, l: (k & l, k | l, k ^ l, ~k, k.astype(f32), k < l, k <= l, k > l, k >= l, k == l, k != l),
      values((8, 128), bool, 1), values((8, 128), bool, 2))

# ---------------------------------------------------------------- shapes, reductions
whole("reshapes", lambda x: (x.reshape(4, 96), x.T, x.reshape(-1), x[:, None, :] + x[None, :, :1, None].reshape(1, 16, 1),
                             jnp.concatenate([x, x[:, ::1]], 1), x[3:9, 1:20], jnp.pad(x, ((1, 2), (0, 3)))),
      values((16, 24), f32, 7))
whole("strided_inserts", lambda x: (lax.pad(x, jnp.float32(1), ((1, 1, 1), (0, 2, 2))), lax.pad(x, jnp.float32(2), ((-1, 2, 0), (3, -2, 0))),
                                    lax.pad(x > 0, False, ((0, 1, 2), (0, 0, 0)))), values((6, 20), f32, 7))
whole("reductions", lambda x: (x.sum(0), x.max(1), x.min((0, 1), keepdims=True)[0], x.prod(1), jnp.argmax(x, 1),
                               jnp.argmin(x, 0)), values((6, 40), f32, 8))
whole("reductions_u8", lambda x: (x.max(1), x.min(0), x.astype(i32).sum(1)), values((8, 128), u8, 9))
whole("reductions_u32", lambda x: (x.max(1), x.min(0)), values((8, 128), u32, 9) * np.uint32(40000000))
whole("reductions_bool", lambda x: (x.any(1).astype(i32), x.all(0).astype(i32)), values((8, 128), bool, 9))
whole("cumulative", lambda x: (jnp.cumsum(x, 1), jnp.cumsum(x, 0), lax.cummax(x, 1), lax.cumsum(x, 1, reverse=True)),
      values((8, 64), f32, 10))
whole("sorted", lambda x: jnp.sort(x, 1), values((4, 50), f32, 11))
rows = jnp.array([[3, 0, 5], [3, 7, 1]], i32)
whole("gathers", lambda x, i: (x[i], x[:, i], jnp.take(x[:, 0], i), jnp.take(x, i[0] + 6, axis=0, mode="fill")),
      values((8, 128), f32, 11), rows)
whole("scatters", lambda x, i, u: (x.at[i].set(u), x.at[i[0]].add(u[0]), x.at[:, i[1]].max(u[1, :, :8].T),
                                   x.astype(i32).at[i[1]].mul(u[0].astype(i32))),
      values((8, 128), f32, 11), rows, values((2, 3, 128), f32, 12))
whole("gathered_elements", lambda x, i, j: (x[i, j], jnp.take(x[:8], i, axis=1), jnp.diagonal(x[:6, :6]), x[i[1], :5],
                                          x.at[i, j].get(mode="fill", fill_value=7), x.reshape(-1)[i * 17],
                                          jax.vmap(lambda r, k: lax.dynamic_slice(r, (k,), (9,)))(x[:3], j[0])),
      values((16, 40), f32, 11), rows, jnp.array([[0, 39, 50], [-60, 7, 1]], i32))
whole("scattered_elements", lambda x, i, j, u: (x.at[i, j].set(u), x.at[i[0], j[0]].add(u[0]), x.at[j[1] % 8, 2].max(u[0]),
                                              jnp.zeros(20).at[jnp.arange(40) % 20].add(x[0]), x.at[i[0], 3:8].mul(u[0, 0]),
                                              jax.vmap(lambda r, k: r.at[k].set(0))(x[:3], i[0])),
      values((16, 40), f32, 11), jnp.array([[3, 0, 5], [4, 7, 1]], i32), jnp.array([[0, 39, 50], [-60, 7, 1]], i32),
      values((2, 3), f32, 12))
halves = np.array([0, -0.0, 1, 65504, 65519, 65520, -7e4, np.inf, np.nan, 2.0**-14, 2.0**-24, 2.0**-25, 3 * 2.0**-25,
                   1 + 2.0**-11, 1 + 3 * 2.0**-11, -0.1], np.float32)
whole("halves", lambda x, y, z: (x + y, x * y, x / y, x - 2.5, jnp.maximum(x, y), jnp.where(x < y, x, -y), x.astype(f32),
                                 x.astype(bf16), z.astype(f16), (z * 3).astype(f16).astype(f32) + 1, lax.bitcast_convert_type(x, i16),
                                 lax.bitcast_convert_type(lax.bitcast_convert_type(x, i16) ^ jnp.int16(1), f16), x.T,
                                 x.max(1), jnp.floor(x), y.astype(i32), jnp.dot(x, y, preferred_element_type=f32), x[::-1]),
      values((16, 16), f16, 14), values((16, 16), f16, 15) * 3 + jnp.float16(0.01), jnp.asarray(halves)[None, :])
whole("flags_of_rows", lambda x: ((x.sum(1) > 0).astype(u8), ((x.sum(1) > 0) & (x.max(1) < 2)).astype(i8)[:, None],
                                  jnp.cumsum((x.sum(1) > 0).astype(i32)).reshape(1, 32)), values((32, 128), f32, 20))
rows_of, columns_of = (lambda n, d=d: lax.broadcasted_iota(i32, (n, n), d) for d in (0, 1))
whole("masks_of_two_widths", lambda x, y: (jnp.where((rows_of(64) >= columns_of(64)) & (x > 0) | ~(y < x), x, y),
                                           jnp.where((columns_of(64) % 3 == 1) ^ (x > 1), x, y)),
      values((64, 64), bf16, 21), values((64, 64), bf16, 22))
whole("extremes_of_repeated", lambda x, y: (jnp.argmin(jnp.broadcast_to(x, (5, 8, 129)), 0), jnp.argmax(jnp.broadcast_to(y, (5, 8, 129)) + 1, 0)),
      values((5, 8, 1), f32, 23).at[1:3, 4].set(jnp.nan), values((5, 1, 129), f32, 24))
whole("bytes_of_one_dimension", lambda x: (x.astype(bf16), x.astype(u8).astype(bf16), x.astype(f32) * 0.5), values((1030,), i8, 25))
whole("flags_of_one_dimension", lambda x: ((x > 1).astype(bf16), (x < 0).astype(f32), (x == x * 2).astype(i8)), values((1030,), bf16, 26))
for kind in (bf16, i8):
  whole(f"carried_numbers_{np.dtype(kind).name}", lambda x: lax.scan(lambda c, r: (jnp.maximum(c, r), jnp.minimum(c, r)), x[3], x)[1], values((40,), kind, 42))
def of_branches(a, b):
  """What branches yield that was computed before, or that they only move."""
  joined, big = b.at[2:4].set(a[2:4]), jnp.sum(a) > 0
  computed = lax.cond(big, lambda: b.at[2:4].set(a[2:4]), lambda: lax.cond(b[0, 0] > 0, lambda: b, lambda: a * b))
  moved = lax.cond(big, lambda: (jnp.concatenate([a[8:], a[:8]]), a + 1), lambda: (a, b - 1))
  return joined, computed, *moved
for kind in (f32, i8):
  whole(f"values_of_branches_{np.dtype(kind).name}", of_branches, values((16, 128), kind, 30), values((16, 128), kind, 31))
  whole(f"repeated_lanes_to_columns_{np.dtype(kind).name}", lambda x: jnp.broadcast_to(x[..., None], (7, 4, 4)).reshape(28, 4, 1), values((7, 4), kind, 32))
whole("associative_scan", lambda a, b: lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b), axis=0)[1],
      values((24, 128), f32, 26), values((24, 128), f32, 27))
whole("top_k", lambda x: lax.top_k(x, 5), values((8, 100), f32, 28))
whole("interleaved_pairs", lambda x: jnp.stack([x.reshape(16, 32, 2)[..., 0] * 2, x.reshape(16, 32, 2)[..., 1] - 1], -1).reshape(16, 64), values((16, 64), f32, 29))
def of_numbers(a, b):
  """What scalars of less than 32 bits become, spread over an array."""
  found = [jnp.where(a < b, a, b), a == b, lax.sign(a), a.astype(f32) > b.astype(f32)]
  if a.dtype == bf16:
    found += [jnp.abs(a) ** b, jnp.cbrt(a), lax.nextafter(a, b)]
  else:
    found += [a & b, a | b, a ^ b, lax.population_count(a), a.astype(i32) == b.astype(i32), a.astype(i32) * b]
  return [jnp.full((16, 128), value if value.dtype == bf16 else value.astype(f32)) for value in found]


for kind in (i8, u8, jnp.int16, jnp.uint16, i32, bf16):
  whole(f"numbers_{np.dtype(kind).name}", lambda x: of_numbers(x[3, 5], x[0, 2]), values((32, 128), kind, 41))
whole("iota", lambda: (jnp.arange(300, dtype=i32), lax.broadcasted_iota(f32, (8, 16), 1)))

# ---------------------------------------------------------------- contraction
for t in (i32, i8, u8, i16):
  # Products of the narrow parts of wide integers, which wrap.
  scale = 30001 if t == i32 else 1
  whole(f"product_{jnp.dtype(t).name}", lambda a, b: jnp.dot(a, b, preferred_element_type=i32),
        values((16, 40), t, 12) * jnp.asarray(scale, t), values((40, 24), t, 13) * jnp.asarray(scale, t))
MIXED = {"bf16_i8": (bf16, i8, f32), "f32_i8": (f32, i8, f32), "i8_bf16": (i8, bf16, bf16), "f32_u8": (f32, u8, f32), "u8_bf16": (u8, bf16, f32),
         "bool_f32": (jnp.bool_, f32, f32), "i16_bf16": (i16, bf16, f32), "i32_f32": (i32, f32, f32), "f16_i8": (jnp.float16, i8, f32),
         "f8_i8": (jnp.float8_e4m3fn, i8, f32), "f8_bf16": (jnp.float8_e5m2, bf16, bf16), "i8_u8": (i8, u8, i32), "u8_i16": (u8, i16, i32),
         "i8_i8_f32": (i8, i8, f32), "i16_i16_f32": (i16, i16, f32), "f32_bf16_bf16": (f32, bf16, bf16), "f32_i8_i32": (f32, i8, i32)}
for name, (lhs, rhs, result) in MIXED.items():
  whole(f"product_{name}", lambda a, b, result=result: jnp.dot(a, b, preferred_element_type=result), values((16, 40), lhs, 12), values((40, 24), rhs, 13))
whole("product_nibbles", lambda a, b, c: [jnp.dot(x, b.astype(jnp.int4), preferred_element_type=t) for x, t in ((a, f32), (a.astype(f32), f32), (c, i32))],
      values((16, 40), bf16, 12), values((40, 24), i8, 13) // 16, values((16, 40), i8, 14))
whole("product_tn", lambda a, b: lax.dot_general(a, b, (((0,), (0,)), ((), ()))),
      values((40, 16), f32, 14), values((40, 24), f32, 15))
whole("product_batch", lambda a, b: jnp.einsum("bqhd,bkhd->bhqk", a, b),
      values((2, 8, 3, 16), f32, 16), values((2, 12, 3, 16), f32, 17))
whole("product_vector", lambda a, b: a @ b, values((24, 40), f32, 18), values((40,), f32, 19))


# ---------------------------------------------------------------- memory
@ours
def odd_blocks():
  def body(x, o):
    o[...] = x[...] * pl.program_id(0).astype(f32)

  return call(
      body, out_shape=S((9, 10), f32), grid=(3, 2), in_specs=[pl.BlockSpec((3, 5), lambda i, j: (2 - i, j))],
      out_specs=pl.BlockSpec((3, 5), lambda i, j: (i, j))), [values((9, 10), f32, 20)]


@ours
def ragged_blocks():
  def body(x, o):
    o[...] = x[...] + 1

  block = pl.BlockSpec((8, 128), lambda i, j: (i, j))
  return call(body, out_shape=S((20, 300), i32), grid=(3, 3), in_specs=[block], out_specs=block), [
      values((20, 300), i32, 21)]


@ours
def transposed_refs():
  def body(x, y, o, p):
    xt = x.transpose((1, 0))
    o[...] = xt[...] + 1
    o[pl.ds(8, 8), :] = xt[pl.ds(16, 8), :]
    p.transpose((2, 0, 1))[...] = y[...]

  def expected(x, y):
    o = x.T + 1
    return [o.at[8:16].set(x.T[16:24]), y.transpose(1, 2, 0)]

  return call(body, out_shape=[S((48, 16), f32), S((8, 40, 3), bf16)]), [
      values((16, 48), f32, 24), values((3, 8, 40), bf16, 25)], expected


@ours
def dynamic_indices():
  def body(n, x, o):
    i = n[0]
    o[pl.ds(0, 8), :] = x[pl.ds(i, 8), :]
    o[8, :] = x[i + 1, :]
    o[9, pl.ds(i, 100)] = x[i, pl.ds(2, 100)]
    o[9, pl.ds(0, 3)] = x[0, pl.ds(0, 3)]
    o[9, pl.ds(103, 25)] = x[0, pl.ds(103, 25)]

  return call(
      body, out_shape=S((10, 128), f32), in_specs=[mosaic_tpu.SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)]), [
      jnp.array([3], i32), values((24, 128), f32, 22)]


@ours
def unaligned_parts():
  def body(n, x, y, o, p, q):
    i, j = n[0], n[1]
    o[...] = jnp.zeros_like(o)
    o[pl.ds(i, 5), pl.ds(j, 10)] = x[pl.ds(j, 5), pl.ds(i, 10)] * 2
    o[pl.ds(j + 9, 3), :] = x[pl.ds(i, 3), :]
    p[...] = y[pl.ds(i, 6, 2), pl.ds(j, 40)]
    q[...] = jnp.zeros_like(q)
    q[pl.ds(i, 6, 3), pl.ds(1, 20, 2)] = y[pl.ds(j, 6), pl.ds(0, 20)]
    o[pl.ds(16, 4, 2), pl.ds(1, 20, 3)] = x[0:4, 0:20]

  return call(
      body, out_shape=[S((24, 300), f32), S((6, 40), bf16), S((24, 128), bf16)],
      in_specs=[mosaic_tpu.SMEM] + [pl.BlockSpec(memory_space=pltpu.VMEM)] * 2), [
      jnp.array([3, 7], i32), values((24, 300), f32, 22), values((24, 128), bf16, 23)]


@ours
def rows_by_array():
  def body(index, x, o):
    o[...] = x[index[...], :]

  return call(body, out_shape=S((6, 128), f32)), [
      jnp.array([3, 0, 15, 3, 7, 1], i32), values((16, 128), f32, 23)], lambda index, x: x[index]


@ours
def arrays_beside_scalars():
  def body(index, x, front, place):
    front[...] = x[0, :, index[...]]
    place[...] = x[:, index[...], 1, :]

  def expected(index, x):
    return x[0, :, index], x[:, index, 1, :]

  shape = (2, 8, 16, 128)
  return call(body, out_shape=[S((4, 8, 128), f32), S((2, 4, 128), f32)]), [
      jnp.array([3, 0, 7, 3], i32), values(shape, f32, 28)], expected


@ours
def masked_loads():
  def body(k, x, o):
    o[...] = jnp.where(k[...], pltpu.load(x, mask=k[...]), -1.0)

  return call(body, out_shape=S((8, 128), f32)), [
      values((8, 128), bool, 24), values((8, 128), f32, 25)], lambda k, x: jnp.where(k, x, -1.0)


@ours
def in_place():
  def body(x, y, o):
    o[...] = x[...] + y[...]

  block = pl.BlockSpec((8, 128), lambda i: (i, 0))
  return call(
      body, out_shape=S((32, 128), f32), grid=(2,), in_specs=[block, block], out_specs=block,
      input_output_aliases={1: 0}), [values((32, 128), f32, 26), values((32, 128), f32, 27)]


@ours
def dynamic_grid():
  def run(n, x):
    def body(x, o):
      @pl.when(pl.program_id(0) == 0)
      def _():
        o[...] = jnp.zeros_like(o)

      o[...] += x[...] * (pl.num_programs(0) + pl.program_id(0)).astype(f32)

    return pl.pallas_call(
        body, out_shape=S((8, 128), f32), grid=(n,), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)))(x)

  return run, [jnp.int32(3), values((32, 128), f32, 28)]


@ours
def batched():
  block = pl.BlockSpec((8, 128), lambda i: (i, 0))

  def one(x):
    def body(x, o):
      o[...] = x[...] + pl.program_id(0).astype(f32)

    return pl.pallas_call(body, out_shape=S((16, 128), f32), grid=(2,), in_specs=[block], out_specs=block)(x)

  return jax.vmap(one), [values((3, 16, 128), f32, 29)]


@ours
def loops():
  def body(n, x, o):
    o[...] = lax.fori_loop(0, n[0], lambda i, v: v + x[i].astype(f32), jnp.zeros((128,), f32))

  return call(
      body, out_shape=S((128,), f32), in_specs=[mosaic_tpu.SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)]), [
      jnp.array([5], i32), values((8, 128), bf16, 30)]


@ours
def nibbles():
  def body(x, o):
    o[...] = x[...].astype(f32) * 0.5

  return call(body, out_shape=S((8, 128), f32)), [values((8, 128), jnp.int4, 31)]


# What needs numbers that make sense.
ARGUMENTS = {
    "scalar_prefetch": lambda s: [values((16,), i32, 0) % 64, values((64, 8, 128), f32, 1)],
    "take_along_axis": lambda s: [values((8, 128), f32, 0), abs(values((8, 128), i32, 1))],
    "debugging": lambda s: [jnp.array([3], i32), values((8, 128), f32, 1)],
}
# The first draws numbers of the hardware, the others leave elements unwritten.
NOT_COMPARED = {"random_bits", "masked_store", "ref_transforms"}


def bits(x):
  return lax.bitcast_convert_type(x, i32)


# What JAX's interpreter has no rules for, or takes for a mistake.
EXPECTED = {
    "ragged_pipeline": lambda x: x + 10.0 * (jnp.arange(60) // 8)[:, None] + (jnp.arange(200) // 128)[None],
    "semaphores": lambda x: x + 1,
    "packing": lambda x: bits(x.astype(bf16).astype(f32)) + bits(x),
}


# Approximate reciprocals, and sums whose parts are rounded.
LOOSE = {"softmax": 1e-2, "flash_attention_backward": 2e-2, "flash_attention": 2e-2}


def of_both():
  """Kernels that JAX lowers too: name, function, arguments, what gives the results."""
  for name, (fn, shapes) in mosaic_tpu.KERNELS.items():
    if name not in NOT_COMPARED:
      yield name, fn, ARGUMENTS.get(name, example)(shapes), EXPECTED.get(name, interpreted(fn))


def of_library():
  """Kernels that JAX ships, for both ways."""
  arguments = {
      "gmm": lambda s: example(s[:2]) + [jnp.array([100, 0, 300, 112], i32)],
      "paged_attention": lambda s: example(s[:3]) + [
          jnp.array([16, 100, 1, 128], i32),
          jnp.asarray(np.random.default_rng(3).integers(0, 32, (4, 8)), i32)],
  }
  for name, fn, shapes in mosaic_tpu.library_kernels():
    yield name, fn, arguments.get(name, example)(shapes), interpreted(fn)


def of_ours():
  for name, make in OURS.items():
    fn, args, *expected = make()
    yield name, fn, args, *(expected or [interpreted(fn)])


def interpreted(fn):
  def run(*args):
    with pltpu.force_tpu_interpret_mode():
      return jax.jit(lambda *a: fn(*a))(*args)

  return run


def difference(got, want, loose=0.0):
  """What is wrong, if anything is."""
  got, want = jax.tree.leaves(got), jax.tree.leaves(want)
  for number, (g, w) in enumerate(zip(got, want, strict=True)):
    if (g.shape, g.dtype) != (w.shape, w.dtype):
      return f"result {number} is {g.dtype}{g.shape}, not {w.dtype}{w.shape}"
    exact = not jnp.issubdtype(w.dtype, jnp.floating)
    g, w = np.asarray(g), np.asarray(w)
    if not exact:
      # One unit in the last place of the type, or the promise of a hint.
      tolerance = max(loose, 2e-5, float(jnp.finfo(w.dtype).eps))
      g, w = g.astype(np.float64), w.astype(np.float64)
    same = g == w if exact else np.isclose(g, w, rtol=tolerance, atol=tolerance, equal_nan=True)
    if not same.all():
      at = tuple(int(i) for i in np.argwhere(~same)[0])
      return f"result {number} differs in {(~same).sum()} of {same.size}; at {at}: {g[at]}, not {w[at]}"
  return None


def check(lower, kernels, stage):
  """Runs kernels; ends the process badly if any differs."""
  only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
  count, failures = 0, []
  for name, fn, args, expected in kernels:
    if only not in name:
      continue
    count += 1
    try:
      why = difference(stage.compile_with(lower, fn, args)(*args), expected(*args), LOOSE.get(name, 0.0))
    except Exception as error:
      why = f"{type(error).__name__}: {error}"[-1500:]
    if why:
      failures.append(name)
      print(f"{name}: {why}", flush=True)
  print(f"{count - len(failures)} of {count} kernels agree with JAX")
  sys.exit(bool(failures))
