"""Softmax over rows: written in JAX, checked, run compiled, and exported.

  quickstart.py [FILE]    also writes the kernel's module to FILE
"""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir
import pallas_mlir.jax  # pl.pallas_call on the CPU now runs compiled


def softmax_kernel(x_ref, o_ref):
  e = jnp.exp(x_ref[...] - jnp.max(x_ref[...], axis=1, keepdims=True))
  o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def softmax(x):
  rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
  return pl.pallas_call(softmax_kernel, grid=(8,), in_specs=[rows], out_specs=rows, name="softmax",
                        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


x = np.random.default_rng(0).standard_normal((64, 128)).astype(np.float32)
with pallas_mlir.jax.checked():  # every element is followed: nothing unwritten is read
  np.testing.assert_allclose(softmax(x), jax.nn.softmax(x), rtol=1e-5)
print("compiled and checked: the result is that of jax.nn.softmax")
print(pallas_mlir.explain(softmax, x, target="tpu:v5e"))
if len(sys.argv) > 1:
  with open(sys.argv[1], "w") as file:
    file.write(pallas_mlir.export(softmax, x))
