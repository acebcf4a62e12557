# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: sorting by several keys was refused where some have a sign and some have none, booleans among them."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

rng = np.random.default_rng(0)
flags = rng.random((3, 9)) < .5
signed = rng.integers(-3, 4, (3, 9)).astype(np.int32)
words = rng.integers(2**31 - 2, 2**31 + 2, (3, 9)).astype(np.uint32)
bytes = rng.integers(126, 130, (3, 9)).astype(np.uint8)
floats = rng.integers(-2, 3, (3, 9)).astype(np.float32)

CASES = {
    "booleans first": (lambda m, i, f: lax.sort((m, i, f), dimension=1, num_keys=2), flags, signed, floats),
    "words last": (lambda i, u, f: lax.sort((i, u, f), dimension=1, num_keys=2), signed, words, floats),
    "with floats": (lambda u, f, i: lax.sort((u, f, i), dimension=0, num_keys=3), bytes, floats, signed),
    "lexsort": (lambda m, u, i: jnp.lexsort((i, m, u), axis=-1), flags, bytes, signed),
}

for name, (function, *arrays) in CASES.items():
  expected = jax.tree.leaves(jax.jit(function)(*arrays))

  def kernel(*refs):
    results = jax.tree.leaves(function(*(x[...] for x in refs[:len(arrays)])))
    for o, value in zip(refs[len(arrays):], results, strict=True):
      o[...] = value
  found = pl.pallas_call(kernel, out_shape=[jax.ShapeDtypeStruct(e.shape, e.dtype) for e in expected])(*arrays)
  for left, right in zip(found, expected, strict=True):
    np.testing.assert_array_equal(left, right, err_msg=name)
