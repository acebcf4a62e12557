# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: reductions by functions of more than one operation, and of several arrays together, were refused, and one by a
function of one argument was taken for a reduction by its operation."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

x = np.random.default_rng(0).integers(-4, 5, (2, 7, 3)).astype(np.float32)


def first_largest(left, right):
  (value, place), (other, behind) = left, right
  wins = (value > other) | ((value == other) & (place < behind))
  return jnp.where(wins, value, other), jnp.where(wins, place, behind)


def places(v, dimensions):
  numbers = lax.broadcasted_iota(jnp.int32, v.shape, 1)
  return lax.reduce((v, numbers), (np.float32(-np.inf), np.int32(99)), first_largest, dimensions)


CASES = {
    "pairs": lambda v: places(v, (1,)),
    "pairs, all": lambda v: places(v, (0, 1, 2)),
    "largest magnitude": lambda v: lax.reduce(v, np.float32(0), lambda a, b: jnp.maximum(jnp.abs(a), jnp.abs(b)), (0, 2)),
    "of one argument": lambda v: lax.reduce(v, np.float32(5), lambda a, b: jnp.maximum(a, np.float32(2)), (1,)),
    "along nothing": lambda v: lax.reduce(v, np.float32(5), lambda a, b: a + 2 * b, ()),
    "sum": lambda v: lax.reduce(v, np.float32(5), lax.add, (1,)),
}

for name, function in CASES.items():
  expected = jax.tree.leaves(jax.jit(function)(x))

  def kernel(v, *outputs):
    for o, value in zip(outputs, jax.tree.leaves(function(v[...])), strict=True):
      o[...] = value.reshape(o.shape)
  found = pl.pallas_call(kernel, out_shape=[jax.ShapeDtypeStruct(e.shape or (1,), e.dtype) for e in expected])(x)
  for left, right in zip(found, expected, strict=True):
    np.testing.assert_array_equal(np.ravel(left), np.ravel(right), err_msg=name)
