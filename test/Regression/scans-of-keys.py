# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: loops over arrays of random keys, and loops that put keys together, were refused.

In a kernel an array of keys is an array of words with one more dimension, but rows of it were asked for without.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax


def draw(key):
  return jax.random.uniform(key, (8,))


def over():
  return lax.map(draw, jax.random.split(jax.random.key(7), 8))


def step(key, _):
  key, drawn = jax.random.split(key)
  return key, (drawn, draw(drawn))


def together():
  key, (keys, rows) = lax.scan(step, jax.random.key(3), None, length=8)
  return rows + jax.vmap(draw)(keys) + draw(key)


def backwards():
  keys = jax.random.split(jax.random.key(1), (8, 3))
  last, rows = lax.scan(lambda _, row: (row, draw(row[1])), keys[0], keys, reverse=True)
  return rows + draw(last[2])


# CHECK: over True
# CHECK: together True
# CHECK: backwards True
for compute in (over, together, backwards):
  def kernel(o):
    o[...] = compute()
  got = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 8), jnp.float32))()
  print(compute.__name__, np.array_equal(got, jax.jit(compute)()))
