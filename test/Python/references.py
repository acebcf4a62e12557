# REQUIRES: pallas-python
# RUN: %python %s
"""Reads and writes of refs, views, masks, scratch memory, grids."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

t = Table()
f32 = jnp.float32
x, n = floats(8, 16), np.array([5, 2], np.int32)


def add(name, kernel, out, *arrays, tolerance=1e-5, **keywords):
  t.add(name, lambda *a, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*a),
        *arrays, tolerance=tolerance, whole_arrays=False)


def shape(*dims, dtype=f32):
  return jax.ShapeDtypeStruct(dims, dtype)


def dynamic_rows(i, x, o):
  o[...] = x[pl.ds(i[0] - 2, 4), :] + x[i[1], :][None] + x[1, 3]
add("dynamic_rows", dynamic_rows, shape(4, 16), n, x)


def strided(x, o):
  o[...] = x[::2, :] - x[1::2, :]
add("strided", strided, shape(4, 16), x)


def stores(x, o):
  o[...] = jnp.zeros_like(o)
  o[2, :] = x[1, :]
  o[pl.ds(4, 2), 3:7] = x[0:2, 3:7]
  o[7, 15] = x[0, 0]
add("stores", stores, shape(8, 16), x)


def views(x, o):
  o[...] = x.at[pl.ds(2, 4)].at[:, pl.ds(4, 8)][1:3, :]
add("views", views, shape(2, 8), x)


def gathers(i, x, o):
  o[...] = x[i[...], :]
add("gathers", gathers, shape(2, 16), n, x)


def masked(x, o):
  mask = jnp.arange(16) < 11
  v = plgpu.load(x.at[jnp.int32(3), :], mask=mask, other=jnp.float32(7))
  plgpu.store(o.at[...], v)
  plgpu.store(o.at[...], v * 2, mask=jnp.arange(16) > 12)
add("masked", masked, shape(16), x)


def scratch(x, o, tmp, count):
  tmp[...] = x[...] * 2
  count[0] = 3
  o[...] = tmp[...] + count[0].astype(f32)
add("scratch", scratch, shape(8, 16), x, scratch_shapes=[pltpu.VMEM((8, 16), f32), pltpu.SMEM((1,), jnp.int32)])


def scoped(x, o):
  def inner(tmp):
    tmp[...] = x[...] + 1
    return jnp.sum(tmp[...])
  o[...] = x[...] * pl.run_scoped(inner, pltpu.VMEM((8, 16), f32))
add("scoped", scoped, shape(8, 16), x, tolerance=1e-4)


def grid(x, o):
  o[...] = x[...] * pl.program_id(0).astype(f32) + pl.num_programs(1)
block = pl.BlockSpec((4, 8), lambda i, j: (i, j))
add("grid", grid, shape(8, 16), x, grid=(2, 2), in_specs=[block], out_specs=block)


def ragged(x, o):
  o[...] = x[...] + 1
block = pl.BlockSpec((3, 10), lambda i, j: (i, j))
add("ragged", ragged, shape(8, 16), x, grid=(3, 2), in_specs=[block], out_specs=block)


def squeezed(x, o):
  o[...] = x[...] * 2
add("squeezed", squeezed, shape(8, 16), x, grid=(8,), in_specs=[pl.BlockSpec((None, 16), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((pl.Squeezed(), 16), lambda i: (7 - i, 0)))


def aliased(x, o):
  o[...] = x[...] + 1
add("aliased", aliased, shape(8, 16), x, input_output_aliases={0: 0})


t.add("vmap", lambda a, interpret: jax.vmap(lambda v: pl.pallas_call(squeezed, out_shape=shape(16), interpret=interpret)(v))(a),
      x, whole_arrays=False)
t.add("dynamic_grid", lambda m, a, interpret: pl.pallas_call(
    lambda x, o: o.__setitem__(..., x[...] + 1), grid=(m[0] - 3,), out_shape=shape(8, 16), interpret=interpret,
    in_specs=[pl.BlockSpec((4, 16), lambda i: (i, 0))], out_specs=pl.BlockSpec((4, 16), lambda i: (i, 0)))(a), n, x, whole_arrays=False)


def stored_twice(i, x, o, p):
  zeros = jnp.zeros_like(o)
  o[...] = zeros
  plgpu.store(o.at[i[...]], x[0, :2], mask=i[...] > 3)
  p[...] = zeros
add("stored_twice", stored_twice, [shape(16), shape(16)], n, x)
t.run()
