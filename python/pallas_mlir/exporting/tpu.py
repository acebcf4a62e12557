# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of Mosaic TPU kernels."""
from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas import primitives as pallas_primitives
from jax._src.pallas.mosaic import primitives as tpu

from . import types as T
from .arith import convert
from .composite import trace
from .kernel import Constant, takes_constants
from .registry import rule
from .shapes import i64_attr


@rule(tpu.roll_p)
def _roll(k, eqn, value, shift):
  p = eqn.params
  shift = convert(k, shift, (), eqn.invars[1].aval.dtype, jnp.dtype("int32"))
  attributes = {}
  if p.get("stride") is not None:
    attributes = dict(stride=i64_attr(k, p["stride"]), strideDimension=i64_attr(k, p["stride_axis"]))
  return k.op("pallas.roll", [value, shift], k.type_of(eqn.outvars[0].aval), dimension=i64_attr(k, p["axis"]), **attributes)


@rule(tpu.bitcast_p)
def _bitcast(k, eqn, value):
  aval, out = eqn.invars[0].aval, eqn.outvars[0].aval
  dim = eqn.params.get("dim", -2)
  if T.bit_width(aval.dtype) == T.bit_width(out.dtype):
    return value if k.element(aval.dtype) == k.element(out.dtype) else k.op("arith.bitcast", [value], k.type_of(out))
  # Rows that lie on top of each other form one wide element, or elements side by side.
  dim %= aval.ndim
  if dim == aval.ndim - 1:
    return trace(k, lambda x: bitcast_side_by_side(x, out), [aval], [value])
  return k.op("pallas.bitcast", [value], k.type_of(out), dimension=i64_attr(k, dim))


def bitcast_side_by_side(x, out):
  """Elements along the last dimension form wider ones, or fall into narrower ones."""
  old, new = T.bit_width(x.dtype), T.bit_width(out.dtype)
  if new > old:
    x = x.reshape(*x.shape[:-1], -1, new // old)
  return lax.bitcast_convert_type(x, out.dtype).reshape(out.shape)


@rule("has_memory_space")
@takes_constants
def _has_memory_space(k, eqn, *values):
  """JAX asks this of operands that may lie anywhere: here these lie in HBM."""
  space, _ = T.space_of(eqn.params["memory_space"])
  return Constant(np.bool_(space == "hbm"), eqn.outvars[0].aval)


@rule(pallas_primitives.reciprocal_p)
def _reciprocal(k, eqn, value):
  flags = {}
  if eqn.params.get("approx"):
    flags["approx"] = k.b.unit_attr()
  if eqn.params.get("full_range"):
    flags["fullRange"] = k.b.unit_attr()
  return k.op("pallas.reciprocal", [value], k.type_of(eqn.outvars[0].aval), **flags)


@rule(tpu.prng_seed_p)
def _prng_seed(k, eqn, *seeds):
  i32 = jnp.dtype("int32")
  [first, *_] = eqn.invars
  if T.holds_keys(first.aval):
    words = T.physical(first.aval)
    parts = trace(k, lambda key: [w.astype(i32) for w in key.reshape(-1)], [words], seeds)
    k.do("pallas.prng_seed", parts)
    return
  k.do("pallas.prng_seed", [convert(k, s, (), v.aval.dtype, i32) for s, v in zip(seeds, eqn.invars)])


@rule(tpu.prng_random_bits_p)
def _prng_random_bits(k, eqn):
  return k.op("pallas.prng_random_bits", [], k.type_of(eqn.outvars[0].aval))


@rule(tpu.stochastic_round_p)
def _stochastic_round(k, eqn, value, bits):
  return k.op("pallas.stochastic_round", [value, bits], k.type_of(eqn.outvars[0].aval))


@rule(tpu.pack_elementwise_p)
def _pack_elementwise(k, eqn, *values):
  return k.op("pallas.pack_elementwise", values, k.type_of(eqn.outvars[0].aval),
              packedType=k.b.type_attr(k.element(eqn.params["packed_dtype"])))


@rule(tpu.unpack_elementwise_p)
@takes_constants
def _unpack_elementwise(k, eqn, value, *rest):
  p = eqn.params
  return k.op("pallas.unpack_elementwise", [k.materialize(value)], k.type_of(eqn.outvars[0].aval),
              packedType=k.b.type_attr(k.element(p["packed_dtype"])), index=i64_attr(k, p["index"]))


@rule(tpu.touch_p)
def _touch(k, eqn, *values):
  return values[:len(eqn.outvars)]


@rule("einshape_lo")
@takes_constants
def _einshape(k, eqn, value):
  from jax._src.pallas import einshape as pallas_einshape
  from .composite import trace_and_run
  p = eqn.params
  def reshaped(x):
    return pallas_einshape._einshape(p["equation"], x, **dict(p.get("sizes") or ()))
  return trace_and_run(k, eqn, reshaped, [value])
