# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Warpgroups share memory until the last of them leaves.

The check took it for new where one leaves before another comes: what the first had written was "uninitialised", and
timelines lost the signals of copies.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import pallas_mlir
import pallas_mlir.jax


def stored(x, o, buffer, full):
  group = lax.axis_index("wg")

  @pl.when(group == 0)
  def _():
    buffer[...] = x[...]
    plgpu.barrier_arrive(full)

  @pl.when(group == 1)
  def _():
    plgpu.barrier_wait(full)
    o[...] = buffer[...] + 1


def copied(x, o, buffer, full):
  group = lax.axis_index("wg")

  @pl.when(group == 0)
  def _():
    plgpu.copy_gmem_to_smem(x, buffer, full)

  @pl.when(group == 1)
  def _():
    plgpu.barrier_wait(full)
    o[...] = buffer[...] + 1


def raced(x, o, buffer, full):
  group = lax.axis_index("wg")

  @pl.when(group == 0)
  def _():
    plgpu.barrier_arrive(full)
    buffer[...] = x[...]

  @pl.when(group == 1)
  def _():
    plgpu.barrier_wait(full)
    o[...] = buffer[...] + 1


x = np.ones((8, 64), np.float32)


def call(kernel):
  return lambda x: plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), num_threads=2, thread_name="wg",
                                scratch_types=[plgpu.SMEM(x.shape, jnp.float32), plgpu.Barrier()])(x)


# CHECK: stored: 2.0
# CHECK: copied: 2.0
for kernel in (stored, copied):
  with pallas_mlir.jax.checked():
    print(f"{kernel.__name__}: {np.asarray(call(kernel)(x))[0, 0]}")
# What comes too late is found, also when its thread has left.
# CHECK: raced: data race
try:
  with pallas_mlir.jax.checked():
    call(raced)(x)
except pallas_mlir.KernelError as error:
  print("raced:", error.findings[0][1])
# The wait lasts as long as the copy of 2048 bytes.
# CHECK: ('wait for element [0] of scoped ref 1', 2048)
print(*[(e["name"], e["dur"]) for e in pallas_mlir.trace(call(copied), x).events if e.get("cat") == "wait"])
