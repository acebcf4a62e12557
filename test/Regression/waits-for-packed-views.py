# REQUIRES: pallas-python
# RUN: %python %s
"""A wait that names the memory by a view of another width leaves alone what other devices write to it meanwhile."""
import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ["PALLAS_PATIENCE"] = "5"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax

ANY = pl.BlockSpec(memory_space=pl.ANY)
P = jax.sharding.PartitionSpec
x = np.random.default_rng(0).integers(-128, 128, (128, 128)).astype(np.int8)
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def shift(x, o, sent, received):
  """Every other device sends only after it has received."""
  here = lax.axis_index("x")
  copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id=(here + 1) % 4)
  words = o.bitcast(jnp.int32)

  @pl.when(here % 2 == 0)
  def _():
    copy.start()

  pltpu.make_async_copy(words, words, received).wait()

  @pl.when(here % 2 == 1)
  def _():
    copy.start()

  copy.wait_send()


call = pl.pallas_call(shift, in_specs=[ANY], out_specs=ANY, out_shape=jax.ShapeDtypeStruct((32, 128), jnp.int8),
                      scratch_shapes=[pltpu.SemaphoreType.DMA] * 2)
shifted = jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
for _ in range(4):
  np.testing.assert_array_equal(shifted(x), np.roll(x, 32, 0))
