# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Accesses over the edges of their refs, of each kind, where only the kernel knows the start.

`ref[...]` moves a slice inside, as JAX's interpreter does. Loads and stores of
Triton's kind leave elements in place; what lies outside is not written and has no value.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

import pallas_mlir.jax

STARTS = (0, 5, 16, 23, 24, 30, 100, -1, -3)
x = np.arange(24, dtype=np.float32)


def cleared(store):
  def body(start, x, o):
    o[...] = jnp.full(o.shape, -1.)
    store(start[0], x, o)
  return body


def loaded(load):
  def body(start, x, o):
    o[...] = load(start[0], x)
  return body


def through_view(s, x, o):
  o.at[pl.ds(4, 8)][pl.ds(s, 4)] = x[pl.ds(0, 4)]


def row_of_view(s, x, o):
  o.at[pl.ds(s, 8)][pl.ds(2, 4)] = x[pl.ds(0, 4)]


LOADS = {
    "get": lambda s, x: x[pl.ds(s, 16)],
    "load": lambda s, x: plgpu.load(x.at[pl.ds(s, 16)]),
    "load for TPUs": lambda s, x: pltpu.load(x.at[pl.ds(s, 16)]),
    "masked load": lambda s, x: plgpu.load(x.at[pl.ds(s, 16)], mask=jnp.arange(16) < 12, other=-5.),
    "load of indices": lambda s, x: plgpu.load(x.at[s + jnp.arange(16)]),
    "get of a view": lambda s, x: jnp.concatenate([x.at[pl.ds(4, 8)][pl.ds(s, 8)], x.at[pl.ds(0, 8)][pl.ds(s, 8)]]),
    "get of a moved view": lambda s, x: jnp.tile(x.at[pl.ds(s, 16)][pl.ds(2, 8)], 2),
}
STORES = {
    "swap": lambda s, x, o: o.__setitem__(pl.ds(s, 16), x[pl.ds(0, 16)]),
    "store": lambda s, x, o: plgpu.store(o.at[pl.ds(s, 16)], x[pl.ds(0, 16)]),
    "store for TPUs": lambda s, x, o: pltpu.store(o.at[pl.ds(s, 16)], x[pl.ds(0, 16)]),
    "masked store": lambda s, x, o: plgpu.store(o.at[pl.ds(s, 16)], x[pl.ds(0, 16)], mask=jnp.arange(16) < 12),
    "store of an element": lambda s, x, o: plgpu.store(o.at[s], x[3]),
    "swap of an element": lambda s, x, o: o.__setitem__(s, x[3]),
    "store by indices": lambda s, x, o: plgpu.store(o.at[s + jnp.arange(16)], x[pl.ds(0, 16)]),
    "sum": lambda s, x, o: o.__setitem__(pl.ds(s, 16), o[pl.ds(s, 16)] + x[pl.ds(0, 16)]),
    "copy": lambda s, x, o: pltpu.sync_copy(x.at[pl.ds(0, 16)], o.at[pl.ds(s, 16)]),
    "swap through a view": through_view,
    "swap of a part of a view": row_of_view,
}


def run(body, size, start, **params):
  call = pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((size,), jnp.float32), **params)
  return np.asarray(call(jnp.array([start], jnp.int32), x))


# What Triton leaves in place of a slice from `start`, where the interpreter counts from the end of padding.
def in_place(values, start):
  o = np.full(24, -1, np.float32)
  for i, v in enumerate(values):
    if 0 <= start + i < 24:
      o[start + i] = v
  return o


for name, body, size in [*((n, loaded(f), 16) for n, f in LOADS.items()), *((n, cleared(f), 24) for n, f in STORES.items())]:
  for start in STARTS:
    got = run(body, size, start)
    want = run(body, size, start, interpret=True)
    if start < 0 and "store" in name and "indices" not in name:
      want = in_place([3] if "element" in name else range(12 if "masked" in name else 16), start)
    if start < 0 and "load" in name and "indices" not in name:
      want = np.array([start + i if start + i >= 0 else np.nan for i in range(16)])
      want[12:] = -5 if "masked" in name else want[12:]
    # Padding, which JAX fills with NaN, is what has no value.
    defined = ~np.isnan(want)
    np.testing.assert_array_equal(got[defined], want[defined], err_msg=f"{name} from {start}")
  print(name, "agrees")

# CHECK: get agrees
# CHECK: load agrees
# CHECK: load for TPUs agrees
# CHECK: masked load agrees
# CHECK: load of indices agrees
# CHECK: get of a view agrees
# CHECK: get of a moved view agrees
# CHECK: swap agrees
# CHECK: store agrees
# CHECK: store for TPUs agrees
# CHECK: masked store agrees
# CHECK: store of an element agrees
# CHECK: swap of an element agrees
# CHECK: store by indices agrees
# CHECK: sum agrees
# CHECK: copy agrees
# CHECK: swap through a view agrees
# CHECK: swap of a part of a view agrees


# A loop over blocks, the last of which hangs over; what it reads there is left out behind.
def blocks(x, o):
  n = x.shape[1]

  def step(j, total):
    block = plgpu.load(x.at[:, pl.ds(j * 16, 16)])
    return total + jnp.where(j * 16 + lax.broadcasted_iota(jnp.int32, block.shape, 1) < n, block, 0)
  o[...] = lax.fori_loop(0, pl.cdiv(n, 16), step, jnp.zeros((4, 16)))


def used(x, o):
  o[...] = lax.fori_loop(0, 3, lambda j, total: total + plgpu.load(x.at[:, pl.ds(j * 16, 16)]), jnp.zeros((4, 16)))


y = np.arange(4 * 40, dtype=np.float32).reshape(4, 40)
padded = np.pad(y, ((0, 0), (0, 8))).reshape(4, 3, 16).sum(1)
call = lambda body: pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((4, 16), jnp.float32))(y)
# CHECK: blocks agrees
np.testing.assert_array_equal(call(blocks), padded)
print("blocks agrees")
# CHECK: blocks, checked agrees
with pallas_mlir.jax.checked():
  np.testing.assert_array_equal(call(blocks), padded)
print("blocks, checked agrees")
# CHECK: hang_over.py:[[#]]:[[#]]: uninitialised read: 'pallas.masked_load' reads element [0, 8] of a slice that extends past input 0 (args[0])
# CHECK-SAME: result 0 depends on it at [0, 8]
try:
  with pallas_mlir.jax.checked():
    call(used)
except pallas_mlir.KernelError as error:
  print(error)
