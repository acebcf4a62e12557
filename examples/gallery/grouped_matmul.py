# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped matmul

Rows belong to experts, and each expert has weights of its own. Which expert a block of rows belongs to is known at run time: the index
map of the weights reads it from a prefetched table."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def grouped_matmul(expert, x, weights, o):
  o[...] = jnp.dot(x[...], weights[0], preferred_element_type=jnp.float32)


def call(expert, x, weights):
  width = weights.shape[2]
  grid = pltpu.PrefetchScalarGridSpec(
      num_scalar_prefetch=1, grid=(x.shape[0] // 32, width // 128),
      in_specs=[pl.BlockSpec((32, x.shape[1]), lambda i, j, expert: (i, 0)),
                pl.BlockSpec((1, x.shape[1], 128), lambda i, j, expert: (expert[i], 0, j))],
      out_specs=pl.BlockSpec((32, 128), lambda i, j, expert: (i, j)))
  return pl.pallas_call(grouped_matmul, grid_spec=grid, out_shape=jax.ShapeDtypeStruct((x.shape[0], width), jnp.float32))(expert, x, weights)


def arguments():
  rng = np.random.default_rng(0)
  expert = np.array([0, 1, 1, 1, 2, 2, 3, 3], np.int32)
  return expert, rng.standard_normal((256, 128), np.float32), rng.standard_normal((4, 128, 256), np.float32)


def reference(expert, x, weights):
  return np.concatenate([rows @ weights[e] for rows, e in zip(np.split(x, len(expert)), expert)])
