# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: a reduction over windows counted its start once more for each element of padding, and windows were reduced by
functions of one operation only, also where that leaves out an argument."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

x = np.random.default_rng(0).integers(-4, 5, (7, 9)).astype(np.float32)


def windows(v, start, function, **options):
  return lax.reduce_window(v, start, function, (3, 2), (2, 1), "SAME", **options)


def first_largest(left, right):
  (value, place), (other, behind) = left, right
  wins = (value > other) | ((value == other) & (place < behind))
  return jnp.where(wins, value, other), jnp.where(wins, place, behind)


CASES = {
    "sum": lambda v: windows(v, np.float32(5), lambda a, b: a + b),
    "product": lambda v: windows(v, np.float32(2), lambda a, b: a * b),
    "largest": lambda v: windows(v, np.float32(1), lambda a, b: jnp.maximum(a, b)),
    "bits": lambda v: windows(v.astype(jnp.int32), np.int32(7), lambda a, b: a & b),
    "of one argument": lambda v: windows(v, np.float32(5), lambda a, b: jnp.maximum(a, np.float32(2))),
    "of two operations": lambda v: windows(v, np.float32(5), lambda a, b: a + 2 * b),
    "with holes": lambda v: windows(v, np.float32(0), lambda a, b: jnp.maximum(jnp.abs(a), jnp.abs(b)), base_dilation=(2, 1), window_dilation=(1, 2)),
    "pairs": lambda v: windows((v, lax.broadcasted_iota(jnp.int32, v.shape, 1)), (np.float32(-np.inf), np.int32(99)), first_largest),
}

for name, function in CASES.items():
  expected = jax.tree.leaves(jax.jit(function)(x))

  def kernel(v, *outputs):
    for o, value in zip(outputs, jax.tree.leaves(function(v[...])), strict=True):
      o[...] = value
  found = pl.pallas_call(kernel, out_shape=[jax.ShapeDtypeStruct(e.shape, e.dtype) for e in expected])(x)
  for left, right in zip(found, expected, strict=True):
    np.testing.assert_array_equal(left, right, err_msg=name)
