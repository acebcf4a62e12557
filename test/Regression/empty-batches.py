# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: windows of arrays without elements in a dimension that the block squeezes crashed the compiler.

At the end of an array a window is a copy of the part inside. That part has the size of the array in squeezed dimensions,
too, which is 0 here, so they could not be dropped from it.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax


def kernel(x, o, total):
  @pl.when(pl.program_id(0) == 0)
  def _():
    total[...] = jnp.zeros_like(total)
  total[...] += x[...]
  o[...] = total[...]


def call(x):
  block = pl.BlockSpec((2, 8), lambda i: (i, 0))
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2,), in_specs=[block], out_specs=block,
                        scratch_shapes=[pltpu.VMEM((2, 8), jnp.float32)])(x)


# CHECK: batch (0, 4, 8)
print("batch", jax.vmap(call)(np.zeros((0, 4, 8), np.float32)).shape)
# CHECK: batch of batches (3, 0, 4, 8)
print("batch of batches", jax.vmap(jax.vmap(call))(np.zeros((3, 0, 4, 8), np.float32)).shape)


def outside(x, o):
  o[...] = jnp.where(jnp.isnan(x[...]), 1.0, 2.0)


def look():
  return pl.pallas_call(outside, out_shape=jax.ShapeDtypeStruct((2, 8), jnp.float32), grid=(1,),
                        in_specs=[pl.BlockSpec((None, 2, 8), lambda i: (i, 0, 0))])(np.zeros((0, 2, 8), np.float32))


# What lies outside of an array of floats reads as NaN.
# CHECK: one program sees 1.0 to 1.0
seen = np.asarray(look())
print(f"one program sees {seen.min()} to {seen.max()}")
