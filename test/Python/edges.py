# REQUIRES: pallas-python
# RUN: %python %s
"""Blocks over the edges of arrays, masked and gathered slices, transposes, sums in place, and windows side by side."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

t = Table()
f32 = jnp.float32


def add(name, kernel, out, arrays, want, tolerance=1e-5, **keywords):
  t.add(name, lambda *a, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*a),
        *arrays, tolerance=tolerance, whole_arrays=False, want=want)


def shape(*dims, dtype=f32):
  return jax.ShapeDtypeStruct(dims, dtype)


def sum_up(x, o):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o[...] = jnp.zeros_like(o)
  o[...] += x[...]


def sum_in_scratch(x, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)
  acc[...] += x[...]

  @pl.when(pl.program_id(2) == 2)
  def _():
    o[...] = acc[...]


def first_rows(x, o):
  o[0, :] = x[0, :] * 2


for rows, columns, b, c in [(10, 7, 8, 8), (13, 300, 8, 128), (100, 130, 32, 128), (5, 5, 8, 128), (33, 1, 8, 1)]:
  x, y, stack = floats(rows, columns), floats(rows, columns, seed=1), floats(3, rows, columns)
  grid = (pl.cdiv(rows, b), pl.cdiv(columns, c))
  block, layers = pl.BlockSpec((b, c), lambda i, j, *k: (i, j)), pl.BlockSpec((None, b, c), lambda i, j, k: (k, i, j))
  name = f"_{rows}x{columns}_by_{b}x{c}"
  add("add" + name, lambda x, y, o: o.__setitem__(..., x[...] + y[...]), shape(rows, columns), (x, y), x + y,
      grid=grid, in_specs=[block, block], out_specs=block)
  add("transpose" + name, lambda x, o: o.__setitem__(..., x[...].T), shape(columns, rows), (x,), x.T,
      grid=grid, in_specs=[block], out_specs=pl.BlockSpec((c, b), lambda i, j: (j, i)))
  add("sum" + name, sum_up, shape(rows, columns), (stack,), stack.sum(0), grid=grid + (3,), in_specs=[layers], out_specs=block)
  add("scratch" + name, sum_in_scratch, shape(rows, columns), (stack,), stack.sum(0), grid=grid + (3,),
      in_specs=[layers], out_specs=block, scratch_shapes=[pltpu.VMEM((b, c), f32)])
  partly = x.copy()
  partly[::b] *= 2
  add("alias" + name, first_rows, shape(rows, columns), (x,), partly, grid=grid, in_specs=[block], out_specs=block,
      input_output_aliases={0: 0})
  w, v = floats(rows, 40), floats(40, columns)
  add("product" + name, lambda w, v, o: o.__setitem__(..., jnp.dot(w[...], v[...])), shape(rows, columns), (w, v), w @ v,
      grid=grid, in_specs=[pl.BlockSpec((b, 40), lambda i, j: (i, 0)), pl.BlockSpec((40, c), lambda i, j: (0, j))],
      out_specs=block, tolerance=1e-4)

# Slices by a mask, and by indices that go up by one, the last of which reach out of the array.
x, y = floats(1000), floats(1000, seed=1)


def masked(x, y, o):
  start = pl.program_id(0) * 128
  mask = start + jnp.arange(128) < 1000
  a = plgpu.load(x.at[pl.ds(start, 128)], mask=mask, other=0.0)
  b = plgpu.load(y.at[start + jnp.arange(128)], mask=mask, other=0.0)
  plgpu.store(o.at[start + jnp.arange(128)], a * b, mask=mask)
add("masked", masked, shape(1000), (x, y), x * y, grid=(8,))


def reversed_ends(x, o):
  o[...] = x[pl.program_id(0) - 3 + jnp.arange(8)]
want = np.stack([x[np.arange(i - 3, i + 5)] for i in range(4)])
add("runs", reversed_ends, shape(4, 8), (x,), want, grid=(4,), out_specs=pl.BlockSpec((None, 8), lambda i: (i, 0)))


def shifted(x, o):
  o[...] = x[...]
  for i in range(3):
    o[1 + jnp.arange(32)] = o[jnp.arange(32) + i] * 2
want = x[:64].copy()
for i in range(3):
  want[1:33] = want[i:i + 32] * 2
add("shifted", shifted, shape(64), (x[:64],), want)

# Windows side by side, one of which is the same for all programs.
x, y = floats(64, 512), floats(64, 1)
narrow = pl.BlockSpec((32, 128), lambda i, j: (i, j))
add("narrow", lambda x, y, o: o.__setitem__(..., jnp.tanh(x[...]) * y[...]), shape(64, 512), (x, y), np.tanh(x) * y,
    grid=(2, 4), in_specs=[narrow, pl.BlockSpec((32, 1), lambda i, j: (i, 0))], out_specs=narrow)
add("last_wins", lambda x, o: o.__setitem__(..., x[...] * 2), shape(64, 128), (x,), x[:, 384:] * 2,
    grid=(2, 4), in_specs=[narrow], out_specs=pl.BlockSpec((32, 128), lambda i, j: (i, 0)))


# Sums of products in place, and factors that need the memory as it was.
def squares(x, o):
  o[...] = x[...]
  o[...] += jnp.dot(o[...], o[...])
x = floats(48, 48)
add("squares", squares, shape(48, 48), (x,), x + x @ x, tolerance=1e-4)
for rows in (1, 3, 4, 8, 9):
  w, v = floats(rows, 300), floats(300, 130)
  add(f"rows_{rows}", lambda w, v, o: o.__setitem__(..., jnp.dot(w[...], v[...])), shape(rows, 130), (w, v), w @ v, tolerance=1e-4)

# Numbers beyond the bounds of integers, and none.
x = np.array([0.4, -0.6, 127.5, 128, -129, 255.9, 256, 65536, 2**31 - 128, 2**31, -2**31 - 256, 2**32, np.inf, -np.inf,
              np.nan, 1e30], np.float32)
for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
  bounds = np.iinfo(dtype)
  want = np.clip(np.nan_to_num(x.astype(np.float64), nan=0.0), bounds.min, bounds.max).astype(np.int64).astype(dtype)
  t.add(f"saturate_{dtype.__name__}", lambda v, dtype=dtype: v.astype(dtype), x, want=want)

# A norm that keeps dimensions, and transposes of other shapes and types.
x = floats(40, 96)
want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
t.add("layer_norm", lambda v: (v - v.mean(1, keepdims=True)) * jax.lax.rsqrt(v.var(1, keepdims=True) + 1e-5), x, want=want,
      tolerance=1e-4)
for dtype in (np.float32, np.int8, ml_dtypes.bfloat16, np.int16):
  for dims in ((32, 48), (8, 12), (7, 16)):
    x = (floats(*dims) * 50).astype(dtype)
    t.add(f"transpose_{np.dtype(dtype).name}_{dims}", lambda v: v.T, x, want=x.T)
x = floats(4, 16, 32)
t.add("transpose_last", lambda v: v.transpose(0, 2, 1) + 1, x, want=x.transpose(0, 2, 1) + 1)
t.add("transpose_first", lambda v: v.transpose(2, 1, 0), x, want=x.transpose(2, 1, 0))
for dtype in (np.float32, np.int8, ml_dtypes.bfloat16):
  for dims in ((16, 4, 128), (64, 2, 32), (24, 3, 40)):
    x = (floats(*dims) * 50).astype(dtype)
    for order in ((2, 1, 0), (2, 0, 1)):
      t.add(f"transpose_{np.dtype(dtype).name}_{dims}_{order}", lambda v, order=order: v.transpose(order), x, want=x.transpose(order))


# Several passes through columns, whose rows are pages apart or not, and arrays that repeat what lies at their sides.
def scaled(v):
  return (v - v.min(0)) / (v.max(0) - v.min(0))


def normed_backward(v):
  scale = jax.lax.rsqrt(v.var(0) + 1e-5)
  normal, gradient = (v - v.mean(0)) * scale, jnp.abs(v)
  return scale * (gradient - gradient.mean(0) - normal * (gradient * normal).mean(0))


def reflected_stencil(v):
  return sum(jnp.pad(v, ((2, 2), (0, 0)), mode="reflect")[i:i + v.shape[0]] * (i + 1) for i in range(5))


for rows, columns in ((2048, 1024), (520, 330)):
  x = floats(rows, columns)
  block = pl.BlockSpec((rows, 128), lambda i: (0, i))
  for function in (scaled, normed_backward, reflected_stencil, lambda v: jnp.roll(v, 3, 0) * jnp.exp(v[0]) - jnp.exp(v[1])):
    name, want = f"{function.__name__.strip('<>')}_{rows}", np.asarray(function(x))
    t.add(name, function, x, want=want, tolerance=1e-4)
    add(f"{name}_in_blocks", lambda x, o, f=function: o.__setitem__(..., f(x[...])), shape(rows, columns), (x,), want,
        tolerance=1e-4, grid=(pl.cdiv(columns, 128),), in_specs=[block], out_specs=block)
for m, n, k in ((1, 300, 64), (8, 33, 20), (40, 48, 32)):
  w, v = floats(m, k), floats(n, k, seed=1)
  t.add(f"rows_times_rows_{m}x{n}x{k}", lambda w, v: w @ v.T, w, v, want=w @ v.T, tolerance=1e-4)
  t.add(f"columns_times_rows_{m}x{n}x{k}", lambda w, v: w.T @ v.T, w.T.copy(), v, want=w @ v.T, tolerance=1e-4)
  t.add(f"rows_times_rows_twice_{m}x{n}x{k}", lambda w, v: w @ v.T + (w * 2) @ v.T, w, v, want=w @ v.T * 3, tolerance=1e-4)
x = floats(40, 24)
places = np.arange(40, dtype=np.int32) * 7 % 11
sums = np.zeros((11, 24), np.float32)
np.add.at(sums, places, x)
t.add("mean_by_segments", lambda v, i: jax.ops.segment_sum(v, i, 11) / jnp.maximum(jax.ops.segment_sum(jnp.ones((40, 1)), i, 11), 1),
      x, places, want=(sums / np.bincount(places, minlength=11)[:, None]).astype(np.float32), tolerance=1e-5)
x, places = floats(256), (np.arange(600).reshape(20, 30) * 31 % 256).astype(np.uint8)
t.add("table_of_bytes", lambda i, v: v[i], places, x, want=x[places])
x = floats(37, 200)
for mode in ("reflect", "symmetric", "edge", "wrap"):
  widths = ((2, 3), (4, 1))
  t.add(f"pad_{mode}", lambda v, mode=mode: jnp.pad(v, widths, mode=mode), x, want=np.pad(x, widths, mode=mode))
block = pl.BlockSpec((8, 200), lambda i: (i, 0))
padded = np.pad(x, ((0, 0), (2, 2)))
add("stencil_of_partial_blocks",
    lambda x, o: o.__setitem__(..., sum(jnp.pad(x[...], ((0, 0), (2, 2)))[:, i:i + 200] * (i + 1) for i in range(5))),
    shape(37, 200), (x,), sum(padded[:, i:i + 200] * (i + 1) for i in range(5)), grid=(5,), in_specs=[block], out_specs=block)
t.run()
