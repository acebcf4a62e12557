# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: a slice that starts where a loaded array of one element says was refused by the verifier.

Kernels for Triton load such places as slices of length one: JAX's lowering for GPUs takes them as starts of further slices.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

import pallas_mlir.jax

starts = np.array([3, 0, 2, 1], np.int32)
x = np.arange(32 * 4, dtype=np.float32).reshape(32, 4)


def call(kernel, *args):
  spec = jax.ShapeDtypeStruct(x.shape, x.dtype)
  return np.asarray(pl.pallas_call(kernel, out_shape=spec, grid=(4,), compiler_params=plgpu.CompilerParams())(*args))


def place(starts, i):
  return plgpu.load(starts.at[pl.ds(i, 1)])


def permute(starts, x, o):
  i = pl.program_id(0)
  block = plgpu.load(x.at[pl.ds(place(starts, i) * 8, 8), :])
  plgpu.store(o.at[pl.ds(place(starts, place(starts, i)) * 8, 8), :], block)


# CHECK: permute True
want = np.zeros_like(x).reshape(4, 8, 4)
want[starts[starts]] = x.reshape(4, 8, 4)[starts]
print("permute", np.array_equal(call(permute, starts, x), want.reshape(x.shape)))


def mask(starts, x, o):
  i = pl.program_id(0)
  rows = pl.ds(place(starts, i) * 8, 8)
  inside = (jnp.arange(8) < place(starts, i) + 4)[:, None]
  block = plgpu.load(x.at[rows, :], mask=inside, other=-1.0)
  plgpu.store(o.at[rows, :], block + 1, mask=inside | True)


# CHECK: mask True
kept = np.arange(32) % 8 < np.arange(32) // 8 + 4
print("mask", np.array_equal(call(mask, starts, x), np.where(kept[:, None], x + 1, 0)))


def several(starts, x, o):
  o[...] = x[...]
  o[:2] = plgpu.load(x.at[pl.ds(starts[:2], 2), :])


# CHECK: a slice starts at one place, but its start has shape (2,)
try:
  call(several, starts, x)
except Exception as e:
  print(e)
