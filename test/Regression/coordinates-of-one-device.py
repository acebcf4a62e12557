# REQUIRES: pallas-python
# RUN: %python %s
"""A mesh of one device with two axes: its kernel names the device by a coordinate on each."""
import os

os.environ["PALLAS_PATIENCE"] = "5"

import jax
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax

ANY = pl.BlockSpec(memory_space=pl.ANY)
P = jax.sharding.PartitionSpec
x = np.arange(8 * 128, dtype=np.float32).reshape(8, 128)
mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("rows", "columns"))


def to_itself(x, o, sent, received):
  here = (lax.axis_index("rows"), 0)
  barrier = pltpu.get_barrier_semaphore()
  pl.semaphore_signal(barrier, device_id=here)
  pl.semaphore_wait(barrier)
  copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id=here)
  copy.start()
  copy.wait()


call = pl.pallas_call(to_itself, in_specs=[ANY], out_specs=ANY, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
                      scratch_shapes=[pltpu.SemaphoreType.DMA] * 2, compiler_params=pltpu.CompilerParams(collective_id=0))
copied = jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("columns"), out_specs=P("columns"), check_vma=False))
np.testing.assert_array_equal(copied(x), x)
