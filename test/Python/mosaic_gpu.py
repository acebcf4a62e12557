# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Kernels in the way of Mosaic GPU: warpgroups that update shared memory, and several promises about one number."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallas_mlir.jax

x = np.arange(2 * 128 * 64, dtype=np.int32).reshape(2, 128, 64)


def updated(x, at, o, shared, barrier):
  group = lax.axis_index("wg")
  first = pl.multiple_of(at[0], (2, 4))

  @pl.when(group == 0)
  def _():
    shared[...] = jnp.zeros_like(shared)
  plgpu.barrier_arrive(barrier)
  plgpu.barrier_wait(barrier)
  plgpu.atomic_add(shared, x[group])
  plgpu.barrier_arrive(barrier)
  plgpu.barrier_wait(barrier)

  @pl.when(group == 0)
  def _():
    o[...] = shared[...] + first


# CHECK: atomic updates agree
result = plgpu.kernel(
    updated, out_type=jax.ShapeDtypeStruct((128, 64), jnp.int32), num_threads=2, thread_name="wg",
    scratch_types=[plgpu.SMEM((128, 64), jnp.int32), plgpu.Barrier(num_arrivals=2)])(x, np.array([8], np.int32))
np.testing.assert_array_equal(result, x.sum(0) + 8)
print("atomic updates agree")
