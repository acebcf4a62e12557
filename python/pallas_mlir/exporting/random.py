# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random keys and bits.

Inside a kernel a key is the array of words that it wraps, so that the seed,
fold and split operations are those of its implementation.
"""
from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic import primitives as tpu
from jax._src.pallas.mosaic import random as tpu_random
from jax._src.random import core as random_core
from jax._src.random import philox2x32, philox4x32, prng, threefry2x32, threefry4x32

from ..errors import ExportError
from . import types as T
from .composite import expand, trace, tracing
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


# Keys for the generator of a core

@rule(tpu.join_key_p)
@takes_constants
def _join_key(k, eqn, *words):
  shape = T.physical(eqn.outvars[0].aval).shape
  return trace(k, lambda *w: jnp.stack(w).reshape(shape), [v.aval for v in eqn.invars], words)


@rule(tpu.split_key_p)
@takes_constants
def _split_key(k, eqn, key):
  return trace(k, lambda words: list(words[0]), [T.physical(eqn.invars[0].aval)], [key])


def _by_core(impl):
  """What keys for the generator of a core do, on their words: JAX's definitions want the keys themselves."""
  if impl != tpu_random.tpu_key_impl:
    return impl

  def random_bits(words, bit_width, shape):
    if bit_width != 32:
      raise ExportError(f"keys of '{impl.name}' draw 32 bits, but {bit_width} are asked for; draw 32 and narrow them")
    tpu.prng_seed_p.bind(words[0, 0], words[0, 1])
    return tpu.prng_random_bits(shape)

  def fold_in(words, data):
    mixed = threefry2x32.apply_round([words[0, 0], words[0, 1] + data.astype(words.dtype)], 13)
    return jnp.stack(mixed).reshape(impl.key_shape)

  return impl._replace(random_bits=random_bits, fold_in=fold_in)


@rule("random_bits", "random_seed", "random_wrap", "random_unwrap", "random_fold_in", "random_split", "random_clone")
@takes_constants
def _random(k, eqn, *values):
  name, p = eqn.primitive.name, eqn.params
  if name in ("random_wrap", "random_unwrap", "random_clone"):
    return list(values)
  first = eqn.invars[0].aval
  impl = _by_core(p["impl"] if "impl" in p else first.dtype._impl)
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


@expand("rng_bit_generator")
def _rng_bit_generator(key, *, shape, dtype, **_):
  """Bits of our own: JAX leaves them to the platform. The key is a key and a count of what it has yielded."""
  words = key if key.dtype == np.uint32 else lax.bitcast_convert_type(key, jnp.uint32).reshape(4)
  count = math.prod(shape)
  position = lax.iota(jnp.uint32, count)

  def advance(by):
    low = words[2] + by
    return words[3] + (low < words[2]).astype(jnp.uint32), low
  high, low = advance(position)
  first, second = threefry2x32.threefry2x32_p.bind(*(jnp.broadcast_to(w, (count,)) for w in words[:2]), high, low)
  dtype = np.dtype(dtype)
  if dtype == np.uint64:
    first = first.astype(dtype) << np.uint64(32) | second.astype(dtype)
  used_high, used_low = advance(np.uint32(count))
  following = jnp.stack([words[0], words[1], used_low, used_high])
  if key.dtype != np.uint32:
    following = lax.bitcast_convert_type(following.reshape(2, 2), key.dtype)
  return [following, first.astype(dtype).reshape(shape)]


@rule("random_gamma")
@takes_constants
def _random_gamma(k, eqn, *values):
  key = eqn.invars[0].aval

  def draw(words, a):
    return random_core._gamma_impl(jax.random.wrap_key_data(words, impl=key.dtype._impl), a, log_space=eqn.params["log_space"], use_vmap=True)
  avals = [T.physical(v.aval) for v in eqn.invars]
  with tracing(avals):
    return trace(k, draw, avals, values)


expand("philox2x32")(philox2x32._philox2x32_lowering)
expand("philox4x32")(philox4x32._philox4x32_lowering)
expand("threefry4x32")(threefry4x32._threefry4x32_lowering)
