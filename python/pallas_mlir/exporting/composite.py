# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives that are written by means of others.

Some have no single operation in any dialect, but a definition by simpler
primitives: it is traced with the types at hand and exported in their place.
"""
from __future__ import annotations

import contextlib
import functools
import math
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax import lax as lax_internal
from jax._src.lax import special
from jax._src.lax.scaled_dot import _scaled_dot_impl

from ..errors import ExportError
from . import types as T
from .kernel import takes_constants
from .registry import rule


def trace(k, function, avals, values) -> list:
  """Exports what `function` does with values of these types; it returns an array or a list of them."""
  closed = jax.make_jaxpr(function)(*[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals])
  return k.run_closed(closed, values)


@contextlib.contextmanager
def tracing(avals):
  """What a program forbids itself, or has allowed itself for a while, does not bind the functions that we trace."""
  wide = any(getattr(getattr(a, "dtype", None), "name", "") in ("float64", "int64", "uint64", "complex128") for a in avals)
  with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"), jax.enable_x64(wide or jax.config.jax_enable_x64):
    yield


def trace_and_run(k, eqn, function, values):
  avals = [v.aval for v in eqn.invars]
  with tracing(avals):
    results = trace(k, function, avals, list(values))
  return [k.materialize(r, v.aval) for r, v in zip(results, eqn.outvars)]


# Definitions that also hold for complex numbers.
DEFINITIONS = {}


def define(name):
  """Registers a definition, by simpler primitives, for floats and complex numbers."""
  def register(function):
    DEFINITIONS[name] = function
    return expand(name, depth=2)(function)
  return register


def expand(*names, depth=1):
  """Registers `f(*arrays, **params)`, a definition by simpler primitives."""
  # Definitions of JAX belong to the module that takes them.
  module = sys._getframe(depth).f_globals["__name__"]

  def register(function):
    @rule(*names)
    @takes_constants
    @functools.wraps(function)
    def lower(k, eqn, *values):
      return trace_and_run(k, eqn, lambda *arrays: function(*arrays, **eqn.params), values)
    lower.__module__ = module
    return function
  return register


def in_f32(function):
  """Evaluates narrow floats in f32, as XLA does for these functions."""
  @functools.wraps(function)
  def wrapped(*arrays, **params):
    dtype = arrays[0].dtype
    if jnp.finfo(dtype).bits >= 32:
      return function(*arrays, **params)
    return function(*(a.astype(jnp.float32) for a in arrays), **params).astype(dtype)
  return wrapped


def _polynomial(x, coefficients):
  result = jnp.full_like(x, coefficients[0])
  for c in coefficients[1:]:
    result = result * x + c
  return result


@expand("one_minus_square")
def _one_minus_square(x):
  return (1 - x) * (1 + x)


@expand("polynomial")
def _polynomial_of_values(x, *coefficients, unroll=None):
  """Coefficients come from low to high; `unroll` only changes JAX's own loop."""
  return functools.reduce(lambda result, c: result * x + c, reversed(coefficients))


# Giles, "Approximating the erfinv function", with w = -log(1 - x^2).
_ERF_INV_SMALL = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                  -0.00417768164, 0.246640727, 1.50140941)
_ERF_INV_LARGE = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                  0.00943887047, 1.00167406, 2.83297682)


@expand("erf_inv")
@in_f32
def _erf_inv(x):
  w = -jnp.log1p(x * -x)
  small = w < 5
  w = jnp.where(small, w - 2.5, jnp.sqrt(w) - 3)
  p = jnp.where(small, _polynomial(w, _ERF_INV_SMALL), _polynomial(w, _ERF_INV_LARGE))
  y = p * x
  if x.dtype == jnp.float64:
    # Two Newton steps carry the single precision result to double precision.
    for _ in range(2):
      y = y - (lax.erf(y) - x) / (2 / math.sqrt(math.pi) * jnp.exp(-y * y))
  return jnp.where(jnp.abs(x) == 1, x * jnp.inf, y)


# Lanczos approximation, g = 7, n = 9.
_LANCZOS = (676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
            -176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
            9.984369578019570859563e-6, 1.50563273514931155834e-7)


@expand("lgamma")
@in_f32
def _lgamma(x):
  reflect = x < 0.5
  z = jnp.where(reflect, -x, x - 1)
  series = jnp.full_like(z, 0.99999999999980993227684700473478)
  for i, c in enumerate(_LANCZOS):
    series = series + c / (z + (i + 1))
  t = z + 7.5
  log_t = math.log(7.5) + jnp.log1p(z / 7.5)
  log_y = 0.5 * math.log(2 * math.pi) + (z + 0.5 - t / log_t) * log_t + jnp.log(series)
  fraction = jnp.abs(x) - jnp.floor(jnp.abs(x))
  fraction = jnp.where(fraction > 0.5, 1 - fraction, fraction)
  log_sine = jnp.log(jnp.sin(math.pi * fraction))
  reflected = jnp.where(jnp.isfinite(log_sine), math.log(math.pi) - log_sine - log_y, -log_sine)
  result = jnp.where(reflect, reflected, log_y)
  return jnp.where(jnp.isinf(x), jnp.inf, result)


@expand("digamma")
@in_f32
def _digamma(x):
  reflect = x < 0.5
  z = jnp.where(reflect, -x, x - 1)
  numerator, denominator = jnp.zeros_like(z), jnp.full_like(z, 0.99999999999980993227684700473478)
  for i, c in enumerate(_LANCZOS):
    numerator = numerator - c / ((z + (i + 1)) * (z + (i + 1)))
    denominator = denominator + c / (z + (i + 1))
  t = z + 7.5
  y = math.log(7.5) + jnp.log1p(z / 7.5) + numerator / denominator - 7 / t
  shifted = x + jnp.abs(jnp.floor(x + 0.5))
  reflected = y - math.pi * jnp.cos(math.pi * shifted) / jnp.sin(math.pi * shifted)
  pole = (x <= 0) & (x == jnp.floor(x))
  return jnp.where(pole, jnp.nan, jnp.where(reflect, reflected, y))


expand("bessel_i0e")(special.bessel_i0e_impl)

# JAX's own definitions, with its conversion to a type that they are good for.
for _name, _function in [("igamma", special.igamma_impl), ("igammac", special.igammac_impl),
                         ("igamma_grad_a", special.igamma_grad_a_impl),
                         ("regularized_incomplete_beta", special.regularized_incomplete_beta_impl)]:
  expand(_name)(special._up_and_broadcast(_function))


def reduce_precision(k, eqn, value):
  """Rounds the mantissa and cuts the exponent range by bit operations."""
  aval, p = eqn.invars[0].aval, eqn.params
  info = jnp.finfo(aval.dtype)
  if p["mantissa_bits"] >= info.nmant and p["exponent_bits"] >= info.nexp:
    return value
  def by_bits(x):
    unsigned = jnp.dtype(f"uint{info.bits}")
    bits = lax.bitcast_convert_type(x, unsigned)
    drop = info.nmant - p["mantissa_bits"]
    if drop > 0:
      last = (bits >> drop) & 1
      bits = (bits + ((1 << (drop - 1)) - 1) + last) & np.array(~((1 << drop) - 1) & ((1 << info.bits) - 1), unsigned)
    rounded = lax.bitcast_convert_type(bits, x.dtype)
    if p["exponent_bits"] < info.nexp:
      bias = (1 << (p["exponent_bits"] - 1)) - 1
      largest = float(2.0 ** bias * (2 - 2.0 ** -p["mantissa_bits"]))
      smallest = float(2.0 ** (1 - bias))
      rounded = jnp.where(jnp.abs(rounded) > largest, jnp.sign(rounded) * jnp.inf, rounded)
      rounded = jnp.where(jnp.abs(rounded) < smallest, rounded * 0, rounded)
    return jnp.where(jnp.isnan(x), x, rounded)
  return trace_and_run(k, eqn, by_bits, [value])


@expand("top_k")
def _top_k(x, *, k, axis=-1, **_):
  axis = axis % x.ndim
  # Sorting the negated positions together keeps the first of equal elements in front.
  position = lax.broadcasted_iota(jnp.int32, x.shape, axis)
  if not T.has_zero(x.dtype):
    key = ~lax.bitcast_convert_type(x, jnp.uint8)
  elif jnp.issubdtype(x.dtype, jnp.floating):
    width = jnp.finfo(x.dtype).bits
    signed = jnp.dtype(f"int{width}")
    bits = lax.bitcast_convert_type(x, signed)
    ordered = bits ^ lax.shift_right_logical(lax.shift_right_arithmetic(bits, np.array(width - 1, signed)), np.array(1, signed))
    key = ~ordered
  else:
    key = ~x
  _, values, indices = lax.sort((key, x, position), dimension=axis, num_keys=1, is_stable=True)
  return [lax.slice_in_dim(values, 0, k, axis=axis), lax.slice_in_dim(indices, 0, k, axis=axis)]


@expand("approx_top_k")
def _approx_top_k(x, *, k, reduction_dimension, is_max_k, **_):
  """Exact, as everywhere but on a TPU."""
  key = x if is_max_k else -x
  values, indices = _top_k(key, k=k, axis=reduction_dimension)
  return [values if is_max_k else -values, indices]


@expand("threefry2x32")
def _threefry2x32(key1, key2, x1, x2):
  """Twenty rounds in groups of four, with a new key after each group."""
  rotations = ((13, 15, 26, 6), (17, 29, 16, 24))
  keys = (key1, key2, key1 ^ key2 ^ np.uint32(0x1BD11BDA))
  a, b = x1 + keys[0], x2 + keys[1]
  for group in range(5):
    for r in rotations[group % 2]:
      a = a + b
      b = (b << np.uint32(r)) | (b >> np.uint32(32 - r))
      b = a ^ b
    a = a + keys[(group + 1) % 3]
    b = b + keys[(group + 2) % 3] + np.uint32(group + 1)
  return [a, b]


@expand("iota_2x32_shape")
def _iota_2x32_shape(*, shape):
  # The 64-bit position of an element, in two words.
  low = jnp.zeros(shape, jnp.uint32)
  stride = 1
  for dim in reversed(range(len(shape))):
    low = low + lax.broadcasted_iota(jnp.uint32, shape, dim) * np.uint32(stride & 0xffffffff)
    stride *= shape[dim]
  if stride > 1 << 32:
    raise ExportError("random bits for more than 2**32 elements are not supported")
  return [jnp.zeros(shape, jnp.uint32), low]


expand("ragged_dot_general")(lax_internal._ragged_dot_general_impl)
expand("scaled_dot")(_scaled_dot_impl)


@define("conv_general_dilated")
def _conv(lhs, rhs, *, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
          batch_group_count, precision, preferred_element_type, **_):
  """One contraction for each position of the window."""
  spatial = lhs.ndim - 2
  lhs = lax.transpose(lhs, (dimension_numbers.lhs_spec[0], *dimension_numbers.lhs_spec[2:], dimension_numbers.lhs_spec[1]))
  rhs = lax.transpose(rhs, (*dimension_numbers.rhs_spec[2:], dimension_numbers.rhs_spec[1], dimension_numbers.rhs_spec[0]))
  out_dtype = preferred_element_type or lhs.dtype
  zero = np.zeros((), lhs.dtype)
  lhs = lax.pad(lhs, zero, ((0, 0, 0), *((lo, hi, d - 1) for (lo, hi), d in zip(padding, lhs_dilation)), (0, 0, 0)))
  window = rhs.shape[:spatial]
  sizes = [(n - (w - 1) * d - 1) // s + 1 for n, w, d, s in zip(lhs.shape[1:-1], window, rhs_dilation, window_strides)]
  # Groups divide the channels, or the batch: gradients of the weights of grouped convolutions have those.
  groups = feature_group_count * batch_group_count
  batch, inputs, outputs = lhs.shape[0] // batch_group_count, lhs.shape[-1] // feature_group_count, rhs.shape[-1] // groups
  group = lambda part, g: part[..., g * inputs:(g + 1) * inputs] if batch_group_count == 1 else part[g * batch:(g + 1) * batch]
  total = jnp.zeros((batch, *sizes, rhs.shape[-1]), out_dtype)
  for at in np.ndindex(*window):
    start = [0, *(a * d for a, d in zip(at, rhs_dilation)), 0]
    limit = [lhs.shape[0], *(b + (n - 1) * s + 1 for b, n, s in zip(start[1:-1], sizes, window_strides)), lhs.shape[-1]]
    part = lax.slice(lhs, start, limit, [1, *window_strides, 1])
    weights = rhs[at]
    products = [
        lax.dot_general(group(part, g), weights[:, g * outputs:(g + 1) * outputs],
                        (((spatial + 1,), (0,)), ((), ())), precision=precision, preferred_element_type=out_dtype)
        for g in range(groups)]
    total = total + (products[0] if groups == 1 else lax.concatenate(products, spatial + 1))
  return lax.transpose(total, tuple(np.argsort((dimension_numbers.out_spec[0], *dimension_numbers.out_spec[2:],
                                                dimension_numbers.out_spec[1]))))


# GPU assembly of which the value is known: one instruction with one operand.
_INSTRUCTION = re.compile(r"\s*(\w+)\.approx(?:\.ftz)?\.(?:b?f16(?:x2)?|f32)\s+\$0,\s*\$1;?\s*")
_INSTRUCTIONS = {"tanh": jnp.tanh, "ex2": jnp.exp2, "lg2": jnp.log2, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt,
                 "rcp": lambda x: 1 / x, "sin": jnp.sin, "cos": jnp.cos}


@rule("elementwise_inline_asm_p", "elementwise_inline_asm")
@takes_constants
def _inline_assembly(k, eqn, *values):
  text = eqn.params["asm"]
  found = _INSTRUCTION.fullmatch(text)
  if not found or found[1] not in _INSTRUCTIONS or len(values) != 1:
    raise ExportError(f"assembly {text!r} is not known; of elementwise assembly, one approximate instruction is: "
                      + ", ".join(_INSTRUCTIONS))
  return trace_and_run(k, eqn, lambda x: [in_f32(_INSTRUCTIONS[found[1]])(x)], values)
