# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: the last start of a slice, or the last index of a gather, was written in the type of the indices, where it wraps
around, and clipped unsigned indices of scatters were taken for signed ones."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

LENGTH = 300
x = np.arange(LENGTH, dtype=np.float32)


def gather(v, i, mode, **options):
  numbers = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))
  return lax.gather(v, i[:, None], numbers, (1,), mode=mode, **options)


def scatter(v, i, mode):
  numbers = lax.ScatterDimensionNumbers(update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
  return lax.scatter_add(v, i[:, None], jnp.full(i.shape, 1000.), numbers, mode=mode)


FUNCTIONS = {
    "slice": lambda v, i: lax.dynamic_slice(v, (i[0],), (5,)),
    "index": lambda v, i: lax.dynamic_index_in_dim(v, i[1], keepdims=True),
    "update": lambda v, i: lax.dynamic_update_slice(v, -v[:5], (i[0],)),
    "gather, clipped": lambda v, i: gather(v, i, "clip"),
    "gather, filled": lambda v, i: gather(v, i, "fill", fill_value=7),
    "scatter, clipped": lambda v, i: scatter(v, i, "clip"),
    "scatter, dropped": lambda v, i: scatter(v, i, "drop"),
}

for name, function in FUNCTIONS.items():
  for dtype, places in (("uint8", (200, 255)), ("int8", (100, 127)), ("uint16", (200, 40000)), ("int16", (299, -1))):
    indices = np.array(places, dtype)

    def kernel(i, v, o):
      o[...] = function(v[...], i[...])
    # XLA wraps places of updates around, too, where it does not fuse them.
    expected = jax.jit(function)(x, indices.astype(np.int32))
    result = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(expected.shape, expected.dtype))(indices, x)
    np.testing.assert_array_equal(result, expected, err_msg=f"{name} by {dtype}")
