# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over sliding windows."""
from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core as jax_core
from jax._src.lax import lax as lax_internal

from ..errors import ExportError
from .composite import expand
from .contractions import combining


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


def _places(x, window_dimensions, window_strides, padding, fill):
  """What the windows hold at each place in them, from the first place to the last, with that place."""
  padded = lax.pad(x, jnp.array(fill, x.dtype), [(lo, hi, 0) for lo, hi in padding])
  counts = [(n - w) // s + 1 for n, w, s in zip(padded.shape, window_dimensions, window_strides)]
  for at in np.ndindex(*window_dimensions):
    limit = [a + (n - 1) * s + 1 for a, n, s in zip(at, counts, window_strides)]
    yield at, lax.slice(padded, at, limit, window_strides)


def _first_chosen(x, choose, window_dimensions, window_strides, padding):
  """The number of the place that each window chooses."""
  # Padding is never chosen: where it lies, `x` does not.
  within = _places(jnp.ones(x.shape, bool), window_dimensions, window_strides, padding, False)
  best = chosen = None
  for i, ((_, part), (_, inside)) in enumerate(zip(_places(x, window_dimensions, window_strides, padding, 0), within)):
    if best is None:
      best, chosen, known = part, jnp.where(inside, i, -1), inside
      continue
    take = inside & (~known | ~choose(best, part))
    best, chosen, known = jnp.where(take, part, best), jnp.where(take, i, chosen), known | inside
  return chosen


_CHOICES = {"ge": lax.ge, "le": lax.le, "gt": lax.gt, "lt": lax.lt}


@expand("select_and_scatter_add")
def _select_and_scatter_add(source, x, *, select_prim, window_dimensions, window_strides, padding):
  """Adds each element of `source` to the element that its window chooses."""
  chosen = _first_chosen(x, _CHOICES[select_prim.name], window_dimensions, window_strides, padding)
  shape = [n + lo + hi for n, (lo, hi) in zip(x.shape, padding)]
  total = jnp.zeros(shape, source.dtype)
  for i, at in enumerate(np.ndindex(*window_dimensions)):
    part = jnp.where(chosen == i, source, 0)
    config = [(a, n - a - ((c - 1) * s + 1), s - 1) for a, n, c, s in zip(at, shape, source.shape, window_strides)]
    total = total + lax.pad(part, jnp.zeros((), source.dtype), config)
  return lax.slice(total, [lo for lo, _ in padding], [lo + n for n, (lo, _) in zip(x.shape, padding)])


@expand("select_and_gather_add")
def _select_and_gather_add(tangents, x, *, select_prim, window_dimensions, window_strides, padding, base_dilation, window_dilation):
  """The element of `tangents` beside the one of `x` that each window chooses."""
  if any(d != 1 for d in (*base_dilation, *window_dilation)):
    raise ExportError("derivatives of window reductions with dilation are not supported; reduce slices with strides instead")
  chosen = _first_chosen(x, _CHOICES[select_prim.name], window_dimensions, window_strides, padding)
  parts = _places(tangents, window_dimensions, window_strides, padding, 0)
  return sum(jnp.where(chosen == i, part, 0) for i, (_, part) in enumerate(parts))


# Combinations, and what changes nothing in them.
_NEUTRAL = {
    "add": (lax.add, lambda dtype: jnp.zeros((), dtype)), "mul": (lax.mul, lambda dtype: jnp.ones((), dtype)),
    "max": (lax.max, lax_internal._get_max_identity), "min": (lax.min, lax_internal._get_min_identity),
    "and": (lax.bitwise_and, lambda dtype: ~jnp.zeros((), dtype)), "or": (lax.bitwise_or, lambda dtype: jnp.zeros((), dtype)),
}


@expand("reduce_window")
def _general(*arrays, jaxpr, consts, **params):
  if combining(jaxpr) not in _NEUTRAL:
    return _one_by_one(arrays, functools.partial(jax_core.eval_jaxpr, jaxpr, consts), **params)
  combine, neutral = _NEUTRAL[combining(jaxpr)]
  x, initial = arrays
  # The start counts once for each window, however much padding lies in it.
  return [combine(_reduce_window(x, neutral(x.dtype), combine, **params), initial)]


def _one_by_one(arrays, function, window_dimensions, window_strides, padding, base_dilation, window_dilation):
  """By a function of one's own, on one array or on several together: place after place of the windows."""
  count = len(arrays) // 2
  config = [(lo, hi, d - 1) for (lo, hi), d in zip(padding, base_dilation)]
  padded = [lax.pad(x, initial, config) for x, initial in zip(arrays[:count], arrays[count:])]
  inside = lax.pad(jnp.ones(arrays[0].shape, bool), False, config)
  shape = [max((n - (w - 1) * d - 1) // s + 1, 0) for n, w, s, d in zip(padded[0].shape, window_dimensions, window_strides, window_dilation)]
  totals = [jnp.broadcast_to(initial, shape) for initial in arrays[count:]]
  if 0 in shape:
    return totals
  combine = lambda totals, new: function(*totals, *new)
  for _ in shape:
    combine = jax.vmap(combine)
  for at in np.ndindex(*window_dimensions):
    start = [a * d for a, d in zip(at, window_dilation)]
    limit = [a + (n - 1) * s + 1 for a, n, s in zip(start, shape, window_strides)]
    here, *new = (lax.slice(x, start, limit, window_strides) for x in (inside, *padded))
    totals = [jnp.where(here, after, before) for after, before in zip(combine(totals, new), totals)]
  return totals
