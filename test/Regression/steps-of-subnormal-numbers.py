# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: XLA's programs take subnormal numbers as zeros, and so `sign` gave such a number itself, and `nextafter` was the
smallest number of all."""
import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir.jax

numbers = [1e-45, -1e-45, 1e-40, -1e-40, 1.1754944e-38, -1.1754944e-38, 0.0, -0.0, 1.0, np.nan, np.inf, -np.inf]
pairs = np.array(list(itertools.product(numbers, numbers)), np.float32).T

for dtype, word in ((np.float32, np.uint32), (ml_dtypes.bfloat16, np.uint16), (np.float16, np.uint16)):
  x, y = pairs.astype(dtype)
  for function, arrays in ((jnp.sign, (x,)), (jnp.nextafter, (x, y)), (jnp.copysign, (x, y))):
    def kernel(*refs):
      refs[-1][...] = function(*(ref[...] for ref in refs[:-1]))
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, dtype))
    result, expected = np.asarray(call(*arrays)), np.asarray(jax.jit(function)(*arrays))
    same = (result.view(word) == expected.view(word)) | np.isnan(result) & np.isnan(expected)
    assert same.all(), (function.__name__, [(a[~same], result[~same], expected[~same]) for a in arrays])
