# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matmul

A contraction over the last grid dimension: the block of the output is revisited, and scratch memory carries the sum from step to step.
The conditions on the step are what the checked mode reads to know that every block is set before it is added to."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def matmul(x, y, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)

  acc[...] += jnp.dot(x[...], y[...], preferred_element_type=jnp.float32)

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o[...] = acc[...].astype(o.dtype)


def call(x, y):
  (m, k), n = x.shape, y.shape[1]
  return pl.pallas_call(
      matmul, grid=(m // 128, n // 128, k // 256), out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
      in_specs=[pl.BlockSpec((128, 256), lambda i, j, k: (i, k)), pl.BlockSpec((256, 128), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((128, 128), lambda i, j, k: (i, j)), scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)],
      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")))(x, y)


def arguments():
  rng = np.random.default_rng(0)
  return tuple(jnp.asarray(rng.standard_normal(shape, np.float32), jnp.bfloat16) for shape in [(384, 512), (512, 256)])


def reference(x, y):
  return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
