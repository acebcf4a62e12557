# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ragged edge, with a mistake

100 rows don't divide by 32, so the last block hangs over the end of the array. What it finds there has no value, and the sum reads it:
the checked mode reports the first result that depends on padding. The remedy is a mask, as in `jnp.where(row < 100, x[...], 0)`."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

FINDING = "padding in a result"


def ragged_edge(x, o):
  o[...] = jnp.broadcast_to(jnp.sum(x[...], axis=0, keepdims=True), o.shape)


def call(x):
  return pl.pallas_call(ragged_edge, grid=(4,), out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
                        in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)))(x)


def arguments():
  return (np.random.default_rng(0).standard_normal((100, 128), np.float32),)
