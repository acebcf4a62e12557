# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: an index outside of its ref was an error even in a branch that is never taken there.

Loops that Python unrolls guard the elements that a short ref lacks: JAX takes `if 5 < n: ref[5]`.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax

x = np.arange(4 * 8 * 128, dtype=np.float32).reshape(4, 8, 128)


def run(kernel, n, **options):
  grid = pltpu.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(1,), in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
      out_specs=pl.BlockSpec(memory_space=pltpu.VMEM), **options)
  call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid_spec=grid)
  return np.asarray(call(np.array([n, 2, 3], np.int32), x))


def unrolled(body):
  def kernel(n, x, o, *scratch):
    o[...] = x[...]
    for i in range(6):
      pl.when(i < n[0])(lambda i=i: body(i, n, x, o, *scratch))
  return kernel


def read(i, n, x, o):
  o[0] += x[i] + n[i].astype(jnp.float32)


def write(i, n, x, o):
  o[i] = x[0] * 2


def copy(i, n, x, o, sem):
  pltpu.async_copy(x.at[3], o.at[i], sem).wait()


# CHECK: read True
print("read", np.array_equal(run(unrolled(read), 3)[0], x[0] + x[:3].sum(0) + 8))
# CHECK: write True
print("write", np.array_equal(run(unrolled(write), 4)[3], x[0] * 2))
# CHECK: copy True
copied = run(unrolled(copy), 4, scratch_shapes=[pltpu.SemaphoreType.DMA])
print("copy", np.array_equal(copied, np.stack([x[3]] * 4)))


def last(n, x, o):
  o[...] = x[...]
  # JAX counts from the front once and moves what is still outside to the first row.
  @pl.when(n[0] > 0)
  def _():
    o[3] = x[-5]


# CHECK: below True
print("below", np.array_equal(run(last, 1)[3], x[0]))


def repeated(n, x, o):
  o[...] = x[...]
  # No round of this loop runs.
  jax.lax.fori_loop(5, n[0], lambda i, c: (o.__setitem__(7, x[9]), c)[1], 0)


# CHECK: loop True
print("loop", np.array_equal(run(repeated, 3), x))
