# REQUIRES: pallas-python
# RUN: %python %s
"""Updates of parts of a value that is stored where it was read: what is inserted may come from the same memory."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

t = Table()
x, u, places = floats(16, 128), floats(4, 128, seed=1), np.array([2], np.int32)

UPDATES = {
    "up": lambda v, u, i: lax.dynamic_update_slice(v, v[1:5], (0, 0)),
    "down": lambda v, u, i: lax.dynamic_update_slice(v, v[0:4], (1, 0)),
    "down_dynamic": lambda v, u, i: lax.dynamic_update_slice(v, lax.dynamic_slice(v, (i, 0), (4, 128)), (i + 1, 0)),
    "up_dynamic": lambda v, u, i: lax.dynamic_update_slice(v, lax.dynamic_slice(v, (i + 1, 0), (4, 128)), (i, 0)),
    "sums": lambda v, u, i: lax.dynamic_update_slice(v, u + v.sum(0), (i, 0)),
    "overlapping": lambda v, u, i: v.at[3:7].set(u).at[5:9].add(u * 2),
    "added_to_itself": lambda v, u, i: v.at[3:7].set(u) + v,
    "reversed": lambda v, u, i: v.at[3:7].set(v[3:7][::-1]),
    "columns": lambda v, u, i: v.at[:, 3:70].set(v[:, 10:77]),
    "transposed": lambda v, u, i: v.at[:, :16].set(v[:, :16].T),
    "exchanged": lambda v, u, i: lax.dynamic_update_slice(v.at[0:4].set(v[8:12]), v[0:4], (8, 0)),
    "rolled": lambda v, u, i: v.at[4:].set(jnp.roll(v, 3, 0)[4:]),
}


def in_output(update, x, u, i, o, scratch):
  o[...] = x[...]
  o[...] = update(o[...], u[...], i[0])


def in_scratch_in_a_loop(update, x, u, i, o, scratch):
  scratch[...] = x[...]

  @pl.loop(0, 3)
  def _(j):
    scratch[...] = update(scratch[...], u[...] + j, i[0])

  o[...] = scratch[...]


def carried(update, x, u, i, o, scratch):
  o[...] = lax.fori_loop(0, 3, lambda j, v: update(v, u[...] + j, i[0]), x[...])


def read_twice(update, x, u, i, o, scratch):
  before = x[...]
  after = update(before, u[...], i[0])
  o[...] = after
  scratch[...] = before + after
  o[...] = o[...] + update(scratch[...], u[...], i[0])


def revisited(update, x, u, i, o, scratch):
  @pl.when(pl.program_id(0) == 0)
  def _():
    o[...] = x[...]

  o[...] = update(o[...], u[...], i[0])


def case(body, update, steps):
  def call(*arrays, interpret):
    everywhere = pl.BlockSpec(x.shape, lambda *_: (0, 0))
    return pl.pallas_call(lambda *refs: body(update, *refs), grid=(steps,), out_specs=everywhere, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
                          in_specs=[everywhere, pl.BlockSpec(u.shape, lambda *_: (0, 0)), pl.BlockSpec(memory_space=pltpu.SMEM)],
                          scratch_shapes=[pltpu.VMEM(x.shape, x.dtype)], interpret=interpret)(*arrays)
  return call


for name, update in UPDATES.items():
  for body in (in_output, in_scratch_in_a_loop, carried, read_twice, revisited):
    t.add(f"{name}_{body.__name__}", case(body, update, 3 if body == revisited else 1), x, u, places, whole_arrays=False)

t.run()
