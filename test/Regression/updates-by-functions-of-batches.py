# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: a scatter of a function of one's own was refused where it is batched."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir.jax


def check(name, function, *arrays):
  def kernel(*refs):
    refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))
  expected = jax.jit(function)(*arrays)
  result = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(expected.shape, expected.dtype))(*arrays)
  np.testing.assert_allclose(result, expected, rtol=1e-6, err_msg=name)


def squared(v, places, **options):
  return v.at[places].apply(lambda e: e * e + 1, **options)


rng = np.random.default_rng(0)
x = rng.standard_normal((4, 6)).astype(np.float32)
places = np.array([[0, 5], [1, 1], [-1, 7], [3, 2]], np.int32)
check("rows", jax.vmap(squared), x, places)
check("columns", jax.vmap(squared, (1, 0), 1), x.T, places)
check("clipped", jax.vmap(lambda v, i: squared(v, i, mode="clip")), x, places)
check("of two dimensions", jax.vmap(jax.vmap(squared, (1, None)), (0, 0)), rng.standard_normal((4, 6, 3)).astype(np.float32), places)
check("windows", jax.vmap(lambda v, i: v.at[i].apply(jnp.sin)), rng.standard_normal((4, 6, 3)).astype(np.float32), places)
# More batches than an index counts to.
check("narrow", jax.vmap(squared), rng.standard_normal((300, 3)).astype(np.float32), rng.integers(0, 3, (300, 2)).astype(np.int8))
