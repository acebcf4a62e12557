# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: a barrier semaphore that a checked call leaves above zero was a warning only, unlike other semaphores."""
import os
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
from pallas_mlir import jax as compiled

P = jax.sharding.PartitionSpec
mesh = jax.sharding.Mesh(np.array(jax.devices()), "x")
x = np.random.default_rng(0).standard_normal((32, 128)).astype(np.float32)


def meet(waits, collective):
  def kernel(x, o):
    barrier, me = pltpu.get_barrier_semaphore(), lax.axis_index("x")
    for other in (1, 3):
      pl.semaphore_signal(barrier, 1, device_id={"x": lax.rem(me + other, 4)})
    pl.semaphore_wait(barrier, waits)
    o[...] = x[...] + 1
  call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                        compiler_params=pltpu.CompilerParams(collective_id=collective))
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))


for collective in (0, 5):
  with compiled.checked():
    np.testing.assert_array_equal(meet(2, collective)(x), x + 1)
  # At least the device that ends last finds a signal.
  try:
    with compiled.checked():
      jax.block_until_ready(meet(1, collective)(x))
  except pallas_mlir.KernelError as error:
    assert {rule for _, rule, *_ in error.findings} == {"semaphore not zero"}, error
    assert "ends with the barrier semaphore at 1" in str(error), error
  else:
    raise AssertionError("the barrier semaphore is above zero")
