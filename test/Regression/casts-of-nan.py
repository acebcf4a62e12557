# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: NaN became the largest float of four bits, where JAX has the negative zero, and false, where NaN of a type
has the bits that are the negative zero elsewhere."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir.jax


def cast(x, dtype):
  def kernel(x, o):
    o[...] = x[...].astype(dtype).astype(jnp.float32)
  return np.asarray(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32))(x))


numbers = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 2.5], np.float32)
for name in ("float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "bfloat16", "float16", "float32"):
  x = np.array(numbers[:3] if name == "float8_e8m0fnu" else numbers).astype(getattr(ml_dtypes, name, name))
  np.testing.assert_array_equal(cast(x, jnp.bool_), np.asarray(x).astype(np.float32) != 0, err_msg=name)
  four, expected = cast(x, jnp.float4_e2m1fn), np.asarray(jax.jit(lambda v: v.astype(jnp.float4_e2m1fn).astype(jnp.float32))(x))
  np.testing.assert_array_equal(four, expected, err_msg=name)
  np.testing.assert_array_equal(np.signbit(four), np.signbit(expected), err_msg=name)
