# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ring of four devices

Each device sends its block to the right and waits for the one from the left. The page has a timeline per device: copies, and who
waits for whom."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P


def ring(x, o, sent, received):
  right = (jax.lax.axis_index("ring") + 1) % 4
  copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id=right, device_id_type=pl.DeviceIdType.LOGICAL)
  copy.start()
  copy.wait()


def call(x):
  def shard(x):
    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    return pl.pallas_call(ring, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), in_specs=[anywhere], out_specs=anywhere,
                          scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA])(x)

  mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))
  return jax.jit(jax.shard_map(shard, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), check_vma=False))(x)


def arguments():
  return (np.random.default_rng(0).standard_normal((32, 128), np.float32),)


def reference(x):
  return np.roll(x, 8, axis=0)
