# REQUIRES: pallas-python
# RUN: %python %s
"""Kernels on several devices: in one process they reach each other, over processes they run side by side."""
import os
import re
import socket
import subprocess
import sys

PROCESS = sys.argv[1:]
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={2 if PROCESS else 4}"
os.environ["PALLAS_PATIENCE"] = "5"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

P = jax.sharding.PartitionSpec
ANY = pl.BlockSpec(memory_space=pl.ANY)
DMA, REGULAR = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
ROWS = jax.ShapeDtypeStruct((8, 128), jnp.float32)
x = np.random.default_rng(0).standard_normal((32, 128)).astype(np.float32)


def mesh_of(**axes):
  return jax.sharding.Mesh(np.array(jax.devices()).reshape(tuple(axes.values())), tuple(axes))


def on_mesh(mesh, body, scratch, out=ROWS, **params):
  """The kernel on every device of a mesh, each with eight of the rows."""
  def call(x):
    return pl.pallas_call(body, in_specs=[ANY], out_specs=ANY, out_shape=out, scratch_shapes=scratch, **params)(x)
  rows = P(mesh.axis_names)
  return jax.jit(jax.shard_map(call, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False))


def shift(axis, size):
  def body(x, o, sent, received):
    right = lax.rem(lax.axis_index(axis) + 1, size)
    pltpu.async_remote_copy(x, o, sent, received, device_id={axis: right}).wait()
  return body


def fails(function, pattern):
  try:
    jax.block_until_ready(function(x))
  except jax.errors.JaxRuntimeError as error:
    assert re.search(pattern, str(error)), error
  else:
    raise AssertionError(f"nothing says {pattern}")


def test_one_process():
  ring, square = mesh_of(x=4), mesh_of(x=2, y=2)
  function = on_mesh(ring, shift("x", 4), [DMA] * 2)
  for _ in range(20):
    np.testing.assert_array_equal(function(x), np.roll(x, 8, 0))
  blocks = x.reshape(2, 2, 8, 128)
  np.testing.assert_array_equal(on_mesh(square, shift("x", 2), [DMA] * 2)(x), blocks[::-1].reshape(x.shape))
  np.testing.assert_array_equal(on_mesh(square, shift("y", 2), [DMA] * 2)(x), blocks[:, ::-1].reshape(x.shape))

  # Calls in a loop meet one by one.
  def call(x):
    return pl.pallas_call(shift("x", 4), in_specs=[ANY], out_specs=ANY, out_shape=ROWS, scratch_shapes=[DMA] * 2)(x)
  def loop(x):
    return lax.fori_loop(0, 11, lambda _, v: call(v), x)
  looped = jax.jit(jax.shard_map(loop, mesh=ring, in_specs=P("x"), out_specs=P("x"), check_vma=False))
  np.testing.assert_array_equal(looped(x), np.roll(x, 88, 0))

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
  gathered = on_mesh(ring, gather, [DMA((4,)), DMA((4,))], jax.ShapeDtypeStruct((4, 8, 128), jnp.float32),
                     compiler_params=pltpu.CompilerParams(collective_id=1))(x)
  np.testing.assert_array_equal(gathered, np.tile(x, (4, 1)).reshape(16, 8, 128))


def test_semaphores_between_calls():
  # A copy that one call starts and another one waits for.
  space = pl.BlockSpec(memory_space=pltpu.SEMAPHORE)
  def start(x, o, semaphore):
    pltpu.make_async_copy(x, o, semaphore).start()
  def done(x, o, semaphore, result):
    pltpu.make_async_copy(x, o, semaphore).wait()
  @jax.jit
  def copy(x):
    o, semaphore = pl.pallas_call(start, in_specs=[ANY], out_specs=(ANY, space),
                                  out_shape=(jax.ShapeDtypeStruct(x.shape, x.dtype), DMA(())))(x)
    return pl.pallas_call(done, in_specs=[ANY, ANY, space], out_specs=ANY, input_output_aliases={1: 0},
                          out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x, o, semaphore)
  np.testing.assert_array_equal(copy(x), x)

  # The same to another device.
  def send(x, o, sent, received):
    right = lax.rem(lax.axis_index("x") + 1, 4)
    pltpu.make_async_remote_copy(x, o, sent, received, device_id={"x": right}).start()
  def receive(x, o, sent, received, result):
    pltpu.make_async_remote_copy(x, o, sent, received, device_id={"x": lax.axis_index("x")}).wait()
  def remote(x):
    o, sent, received = pl.pallas_call(send, in_specs=[ANY], out_specs=(ANY, space, space),
                                       out_shape=(ROWS, DMA(()), DMA(())))(x)
    return pl.pallas_call(receive, in_specs=[ANY, ANY, space, space], out_specs=ANY, input_output_aliases={1: 0},
                          out_shape=ROWS)(x, o, sent, received)
  for _ in range(10):
    shifted = jax.jit(jax.shard_map(remote, mesh=mesh_of(x=4), in_specs=P("x"), out_specs=P("x"), check_vma=False))(x)
    np.testing.assert_array_equal(shifted, np.roll(x, 8, 0))


def test_mistakes():
  square = mesh_of(x=2, y=2)
  def one_sided(x, o, semaphore):
    @pl.when(lax.axis_index("x") == 0)
    def _():
      pl.semaphore_signal(semaphore, 1, device_id={"x": 1})
    pl.semaphore_wait(semaphore, 1)
  fails(on_mesh(square, one_sided, [REGULAR]), r"deadlock: nothing is left to signal[^$]*device 0 at .*devices.py")
  def far(x, o, sent, received):
    pltpu.async_remote_copy(x, o, sent, received, device_id=4, device_id_type=pl.DeviceIdType.LOGICAL).wait()
  fails(on_mesh(square, far, [DMA] * 2), "names device 4, but there are only 4")
  # Later calls are as good as ever.
  function = on_mesh(square, shift("y", 2), [DMA] * 2)
  np.testing.assert_array_equal(function(x), x.reshape(2, 2, 8, 128)[:, ::-1].reshape(x.shape))


def test_two_processes():
  with socket.socket() as free:
    free.bind(("localhost", 0))
    port = free.getsockname()[1]
  parts = [subprocess.Popen([sys.executable, __file__, str(part), str(port)], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True) for part in range(2)]
  for part in parts:
    output = part.communicate(timeout=240)[0]
    assert part.returncode == 0, output


def run_part(part, port):
  jax.config.update("jax_cpu_collectives_implementation", "gloo")
  jax.distributed.initialize(f"localhost:{port}", 2, part)
  mesh = mesh_of(x=4)
  rows = jax.make_array_from_callback(x.shape, jax.NamedSharding(mesh, P("x")), lambda index: x[index])

  def double(x, o):
    o[...] = 2 * x[...] + lax.axis_index("x")
  def total(x):
    return lax.psum(pl.pallas_call(double, out_shape=x)(x), "x")
  sums = jax.jit(jax.shard_map(total, mesh=mesh, in_specs=P("x"), out_specs=P(), check_vma=False))(rows)
  np.testing.assert_allclose(sums.addressable_data(0), 2 * x.reshape(4, 8, 128).sum(0) + 6, rtol=1e-5, atol=1e-5)
  try:
    jax.block_until_ready(on_mesh(mesh, shift("x", 4), [DMA] * 2)(rows))
  except jax.errors.JaxRuntimeError as error:
    assert "out of reach" in str(error), error
  else:
    raise AssertionError("a copy to another process does not fail")


import pallas_mlir.jax

if PROCESS:
  run_part(int(PROCESS[0]), int(PROCESS[1]))
else:
  test_one_process()
  test_semaphores_between_calls()
  test_mistakes()
  test_two_processes()
