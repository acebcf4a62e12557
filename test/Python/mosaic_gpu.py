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


# A mesh that comes as a call, the way in which JAX passes it on where there is no other one.
from jax._src.interpreters import mlir
from jax._src.pallas import mpmd, pallas_call
from pallas_mlir import module

mlir.register_lowering(mpmd.mpmd_map_p, module._original_rules["mpmd_map"], platform="cpu")
pallas_call._pallas_call_lowering = mlir._platform_specific_lowerings["cpu"][pallas_call.pallas_call_p].rule


def met(o, barrier):
  group = lax.axis_index("wg")
  o[group] = group * 2

  @pl.when(group < 3)
  def _():
    plgpu.barrier_arrive(barrier)

  @pl.when(group >= 2)
  def _():
    plgpu.barrier_wait(barrier)


# CHECK: warpgroups of a call wait for each other
np.testing.assert_array_equal(plgpu.kernel(met, out_type=jax.ShapeDtypeStruct((4,), jnp.int32), num_threads=4, thread_name="wg",
                                           scratch_types=[plgpu.Barrier(num_arrivals=3)])(), np.arange(4) * 2)
print("warpgroups of a call wait for each other")
