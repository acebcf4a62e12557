"""Random keys and bits.

Inside a kernel a key is the array of words that it wraps, so that the seed,
fold and split operations are those of its implementation.
"""
from __future__ import annotations

import jax
import numpy as np

from ..errors import ExportError
from .composite import trace


def _base(aval):
  """The words behind keys of this type."""
  impl = aval.dtype._impl
  return jax.ShapeDtypeStruct((*aval.shape, *impl.key_shape), np.uint32)


def _implementation(eqn):
  if "impl" in eqn.params:
    return eqn.params["impl"]
  return eqn.invars[0].aval.dtype._impl


def lower(k, eqn, values):
  name, impl = eqn.primitive.name, _implementation(eqn)
  if impl.name not in ("fry", "threefry2x32"):
    raise ExportError(f"random keys of the implementation '{impl.name}' are not supported in kernels; use threefry2x32")
  avals = [_base(v.aval) if hasattr(v.aval.dtype, "_impl") else v.aval for v in eqn.invars]
  if name in ("random_wrap", "random_unwrap", "random_clone"):
    return list(values)
  if eqn.invars[0].aval.shape:
    raise ExportError(f"'{name}' of an array of keys is not supported in kernels")
  if name == "random_bits":
    p = eqn.params
    return trace(k, lambda key: impl.random_bits(key, p["bit_width"], p["shape"]), avals, values)
  if name == "random_seed":
    return trace(k, impl.seed, avals, values)
  if name == "random_fold_in":
    return trace(k, impl.fold_in, avals, values)
  if name == "random_split":
    return trace(k, lambda key: impl.split(key, eqn.params["shape"]), avals, values)
  raise ExportError(f"'{name}' is not supported")
