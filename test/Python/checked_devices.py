# REQUIRES: pallas-python
# RUN: %python %s
"""Devices of one process that reach each other are checked together."""
import os
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=4"
os.environ["PALLAS_PATIENCE"] = "5"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
from pallas_mlir import jax as compiled

P = jax.sharding.PartitionSpec
ANY = pl.BlockSpec(memory_space=pl.ANY)
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
ROWS = jax.ShapeDtypeStruct((8, 128), jnp.float32)
mesh = jax.sharding.Mesh(np.array(jax.devices()), "x")
x = np.random.default_rng(0).standard_normal((32, 128)).astype(np.float32)


def on_devices(kernel, *scratch, out=ROWS, **params):
  def call(x):
    return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out, scratch_shapes=scratch, **params)(x)
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))


def checked(function, allow=()):
  with compiled.checked(allow=allow):
    return np.asarray(function(x))


def finds(rule, function):
  try:
    checked(function)
  except pallas_mlir.KernelError as error:
    # Each device fails, but a mistake is named once.
    assert {r for _, r, *_ in error.findings} == {rule} and len(set(error.findings)) == len(error.findings), error
    assert " device " in str(error), error
  else:
    raise AssertionError(f"no {rule}")


def fails(message, function):
  try:
    checked(function)
  except jax.errors.JaxRuntimeError as error:
    assert message in str(error), error
  else:
    raise AssertionError(f"nothing says {message}")


def right():
  return lax.rem(lax.axis_index("x") + 1, 4)


def shift(x, o, sent, received):
  pltpu.async_remote_copy(x, o, sent, received, device_id={"x": right()}).wait()


shifted = on_devices(shift, DMA, DMA)
for _ in range(3):
  np.testing.assert_array_equal(checked(shifted), np.roll(x, 8, 0))


# Calls in a loop meet one by one.
def loop(x):
  call = pl.pallas_call(shift, in_specs=[ANY], out_specs=ANY, out_shape=ROWS, scratch_shapes=[DMA, DMA])
  return lax.fori_loop(0, 3, lambda _, v: call(v), x)


looped = jax.jit(jax.shard_map(loop, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
np.testing.assert_array_equal(checked(looped), np.roll(x, 24, 0))


def gather(x, o, sent, received):
  me = lax.axis_index("x")
  barrier = pltpu.get_barrier_semaphore()
  for step in range(1, 4):
    pl.semaphore_signal(barrier, 1, device_id={"x": lax.rem(me + step, 4)})
  pl.semaphore_wait(barrier, 3)
  copies = [pltpu.async_remote_copy(x, o.at[me], sent.at[step], received.at[step],
                                    device_id={"x": lax.rem(me + step, 4)}) for step in range(4)]
  for copy in copies:
    copy.wait()


gathered = on_devices(gather, DMA((4,)), DMA((4,)), out=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
                      compiler_params=pltpu.CompilerParams(collective_id=1))
np.testing.assert_array_equal(checked(gathered), np.tile(x, (4, 1)).reshape(16, 8, 128))


# Rows that a neighbour sends on come behind those that had left it, with one semaphore for all.
def ring(x, o, sent, received, done):
  me = lax.axis_index("x")
  pltpu.async_copy(x, o.at[me], done).wait()
  for step in range(3):
    rows = o.at[lax.rem(me - step + 4, 4)]
    pltpu.async_remote_copy(rows, rows, sent, received, device_id={"x": right()}).wait()


passed_on = on_devices(ring, DMA, DMA, DMA, out=jax.ShapeDtypeStruct((4, 8, 128), jnp.float32))
np.testing.assert_array_equal(checked(passed_on), np.tile(x, (4, 1)).reshape(16, 8, 128))


# The neighbour's rows are read before they have come.
def early(x, o, rows, sent, received):
  copy = pltpu.make_async_remote_copy(x, rows, sent, received, device_id={"x": right()})
  copy.start()
  copy.wait_send()
  o[...] = rows[...]
  copy.wait_recv()


finds("data race", on_devices(early, pltpu.VMEM((8, 128), jnp.float32), DMA, DMA))


# All devices send to the first one.
def crowd(x, o, sent, received):
  copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id={"x": 0})
  copy.start()
  copy.wait_send()

  @pl.when(lax.axis_index("x") == 0)
  def _():
    for _ in range(4):
      copy.wait_recv()


finds("data race", on_devices(crowd, DMA, DMA))


# What only one device leaves out.
def half(x, o, sent, received):
  me = lax.axis_index("x")
  to = jnp.where(me == 3, 0, me + 1)

  @pl.when(me != 2)
  def _():
    copy = pltpu.make_async_remote_copy(x, o, sent, received, device_id={"x": to})
    copy.start()
    copy.wait_send()

  @pl.when(me != 3)
  def _():
    pltpu.make_async_copy(x, o, received).wait()


function = on_devices(half, DMA, DMA)
finds("output not written", function)
rows = np.roll(x, 8, 0)
np.testing.assert_array_equal(checked(function, allow="output-not-written")[:24], rows[:24])


def one_sided(x, o, semaphore):
  @pl.when(lax.axis_index("x") == 0)
  def _():
    pl.semaphore_signal(semaphore, 1, device_id={"x": 1})
  pl.semaphore_wait(semaphore, 1)


fails("deadlock: nothing is left to signal", on_devices(one_sided, REGULAR))


# A call that two devices never make.
def some(x):
  call = pl.pallas_call(shift, in_specs=[ANY], out_specs=ANY, out_shape=ROWS, scratch_shapes=[DMA, DMA])
  return lax.cond(lax.axis_index("x") < 2, call, lambda v: v, x)


fails("but 2 of 4 have come within",
      jax.jit(jax.shard_map(some, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)))
# Later calls are as good as ever.
np.testing.assert_array_equal(checked(shifted), np.roll(x, 8, 0))


# Devices that reach no other are checked alone, whichever of them come.
def double(x, o):
  o[...] = 2 * x[...]


def alone(x):
  return lax.cond(lax.axis_index("x") < 2, pl.pallas_call(double, out_shape=ROWS), lambda v: v, x)


result = checked(jax.jit(jax.shard_map(alone, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)))
np.testing.assert_array_equal(result, np.concatenate([2 * x[:16], x[16:]]))
