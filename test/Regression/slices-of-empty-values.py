# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: concatenations of values without elements, and their slices at places known at run time, were refused.

`tensor.concat` wants an operand with elements, and `tensor.extract_slice` a start in front of the end of each dimension,
which a dimension without elements does not have.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

x = np.arange(64, dtype=np.float32).reshape(8, 8)
n = np.array([5], np.int32)


def call(kernel):
  return np.asarray(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 8), jnp.float32))(n, x))


def concatenated(n, x, o):
  rows = x[0:0]
  o[...] = x[...]
  o[n[0]] = jnp.full((8,), jnp.concatenate([rows, rows]).sum())


# CHECK: concatenated True
print("concatenated", np.array_equal(call(concatenated), np.where(np.arange(8)[:, None] == 5, 0, x)))


def sliced(n, x, o):
  rows = x[0:0]
  i = n[0]
  o[...] = x[...] + lax.dynamic_slice(rows, (i, i), (0, 4)).sum() + lax.dynamic_update_slice(rows, rows[:, :3], (0, i)).sum()
  o[0] += rows[:, i].sum() + jnp.pad(rows, ((1, 0), (0, 0)))[0]


# CHECK: sliced True
print("sliced", np.array_equal(call(sliced), x))
