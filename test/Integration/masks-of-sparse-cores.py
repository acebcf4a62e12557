# REQUIRES: jax, pallas-python
# RUN: %python %s %root

"""Kernels that JAX lowers for SparseCores: masks pack elements, scans compare signed numbers.

Until JAX 0.12 a mask of a plain access packs elements, and since then operations of their
own do."""

import os
import sys

sys.path += [os.path.join(sys.argv[1], "test", folder) for folder in ("Inputs", "Integration/Inputs")]

import tpu_stage  # First: it says what chip it is.

import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

f32, i32 = jnp.float32, jnp.int32
S = jax.ShapeDtypeStruct
N = 16

rng = np.random.default_rng(0)
x = rng.uniform(-2, 2, N).astype(np.float32)
numbers = rng.integers(-50, 50, N).astype(np.int32)
chosen = np.arange(N) % 3 != 1
filled = np.full(2 * N, -1, np.float32)


def body(x, numbers, chosen, filled, *results):
  def scope(x_v, numbers_v, chosen_v, stored, added, loaded, largest, sums):
    for source, target in ((x, x_v), (numbers, numbers_v), (chosen, chosen_v), (filled, stored), (filled, added)):
      pltpu.sync_copy(source, target)
    mask = chosen_v[...] > 0
    plsc.store_compressed(stored.at[pl.ds(3, N)], x_v[...], mask=mask)
    plsc.addupdate_compressed(added.at[pl.ds(0, N)], x_v[...], mask=mask)
    loaded[...] = jnp.where(mask, plsc.load_expanded(x_v.at[...], mask=mask), 0)
    largest[...] = plsc.cummax(numbers_v[...])
    sums[...] = plsc.cumsum(numbers_v[...], mask=mask)
    for source, target in zip((stored, added, loaded, largest, sums), results):
      pltpu.sync_copy(source, target)

  pl.run_scoped(scope, pltpu.VMEM((N,), f32), pltpu.VMEM((N,), i32), pltpu.VMEM((N,), i32), pltpu.VMEM((2 * N,), f32),
                pltpu.VMEM((2 * N,), f32), pltpu.VMEM((N,), f32), pltpu.VMEM((N,), i32), pltpu.VMEM((N,), i32))


outs = [S((2 * N,), f32), S((2 * N,), f32), S((N,), f32), S((N,), i32), S((N,), i32)]
# Older releases call the types of the results by another name.
out = "out_type" if "out_type" in inspect.signature(pl.kernel).parameters else "out_shape"
mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s", num_cores=1, num_subcores=1)
call = lambda *args: pl.kernel(body, mesh=mesh, **{out: outs})(*args)
args = (x, numbers, chosen.astype(np.int32), filled)

packed = x[chosen]
stored, added, loaded = filled.copy(), filled.copy(), np.zeros(N, np.float32)
stored[3 : 3 + len(packed)] = packed
added[: len(packed)] += packed
loaded[chosen] = x[: len(packed)]
# Before the first element that a scan counts, nothing is said.
sums = np.cumsum(np.where(chosen, numbers, 0))
expected = [stored, added, loaded, np.maximum.accumulate(numbers), sums]

results = tpu_stage.compile_with(tpu_stage.module_of_jax, call, args)(*args)
names = ("stored", "added", "loaded", "largest", "sums")
wrong = [name for name, a, b in zip(names, results, expected) if not np.array_equal(np.asarray(a), b)]
print(f"{len(names) - len(wrong)} of {len(names)} results agree {wrong}")
sys.exit(bool(wrong))
