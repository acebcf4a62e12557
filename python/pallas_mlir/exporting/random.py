"""Random keys and bits.

Inside a kernel a key is the array of words that it wraps, so that the seed,
fold and split operations are those of its implementation.
"""
from __future__ import annotations

import jax
import numpy as np
from jax._src.random import philox2x32, philox4x32, prng, threefry4x32

from . import types as T
from .composite import expand, trace
from .kernel import takes_constants
from .registry import KEY_RULES, rule


@takes_constants
def _move(k, eqn, *values):
  """What moves keys moves their words together: it is batched over these."""
  axes = [-1 if T.holds_keys(v.aval) else None for v in eqn.invars]
  bind = lambda *arrays: eqn.primitive.bind(*arrays, **eqn.params)
  return trace(k, jax.vmap(bind, in_axes=axes, out_axes=-1), [T.physical(v.aval) for v in eqn.invars], values)


for _name in ("broadcast_in_dim", "broadcast_to", "reshape", "squeeze", "transpose", "rev", "slice",
              "dynamic_slice", "dynamic_update_slice", "split", "concatenate", "stack", "unstack", "tile", "gather",
              "scatter", "select_n"):
  KEY_RULES[_name] = _move


@rule("random_bits", "random_seed", "random_wrap", "random_unwrap", "random_fold_in", "random_split", "random_clone")
@takes_constants
def _random(k, eqn, *values):
  name, p = eqn.primitive.name, eqn.params
  if name in ("random_wrap", "random_unwrap", "random_clone"):
    return list(values)
  first = eqn.invars[0].aval
  impl = p["impl"] if "impl" in p else first.dtype._impl
  # What the implementation does with one key is done with each of an array.
  if name == "random_bits":
    function = prng.iterated_vmap_unary(first.ndim, lambda key: impl.random_bits(key, p["bit_width"], p["shape"]))
  elif name == "random_seed":
    function = prng.iterated_vmap_unary(first.ndim, impl.seed)
  elif name == "random_fold_in":
    function = prng.iterated_vmap_binary_bcast(first.shape, eqn.invars[1].aval.shape, impl.fold_in)
  else:
    function = prng.iterated_vmap_unary(first.ndim, lambda key: impl.split(key, p["shape"]))
  return trace(k, function, [T.physical(v.aval) for v in eqn.invars], values)


expand("philox2x32")(philox2x32._philox2x32_lowering)
expand("philox4x32")(philox4x32._philox4x32_lowering)
expand("threefry4x32")(threefry4x32._threefry4x32_lowering)
