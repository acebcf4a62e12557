"""Reductions over sliding windows."""
from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jax._src.lax import lax as lax_internal

from ..errors import ExportError
from .composite import expand


def _slide(x, dim, size, dilation, combine):
  """Combines `size` elements along a dimension, by windows whose sizes are powers of two."""
  length = x.shape[dim] - (size - 1) * dilation
  result, offset, power, width = None, 0, x, 1
  while True:
    if size & width:
      part = lax.slice_in_dim(power, offset * dilation, offset * dilation + length, axis=dim)
      result = part if result is None else combine(result, part)
      offset += width
    if width * 2 > size:
      return result
    reach = width * dilation
    power = combine(lax.slice_in_dim(power, 0, power.shape[dim] - reach, axis=dim),
                    lax.slice_in_dim(power, reach, power.shape[dim], axis=dim))
    width *= 2


def _reduce_window(x, initial, combine, window_dimensions, window_strides, padding, base_dilation, window_dilation):
  x = lax.pad(x, initial, [(lo, hi, d - 1) for (lo, hi), d in zip(padding, base_dilation)])
  # One dimension after the other: the combination is associative and commutative.
  for dim, (size, dilation) in enumerate(zip(window_dimensions, window_dilation)):
    if size != 1:
      x = _slide(x, dim, size, dilation, combine)
  return lax.slice(x, [0] * x.ndim, x.shape, window_strides)


@expand("reduce_window_sum")
def _sum(x, **params):
  return _reduce_window(x, jnp.zeros((), x.dtype), lax.add, **params)


@expand("reduce_window_max")
def _max(x, **params):
  return _reduce_window(x, lax_internal._get_max_identity(x.dtype), lax.max, **params)


@expand("reduce_window_min")
def _min(x, **params):
  return _reduce_window(x, lax_internal._get_min_identity(x.dtype), lax.min, **params)


@expand("reduce_window")
def _general(*arrays, jaxpr, consts, **params):
  combinations = {"add": lax.add, "mul": lax.mul, "max": lax.max, "min": lax.min, "and": lax.bitwise_and, "or": lax.bitwise_or}
  names = [e.primitive.name for e in jaxpr.eqns]
  if len(arrays) != 2 or len(names) != 1 or names[0] not in combinations:
    raise ExportError("a window reduction by a function that is not one of " + ", ".join(combinations) + " is not supported")
  x, initial = arrays
  combine = combinations[names[0]]
  return [combine(_reduce_window(x, initial, combine, **params), initial)]
