# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of complex numbers by those of floats: a number is the pair of its parts."""
from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from .fourier import fft


def multiply(x, y, **_):
  return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def divide(x, y, **_):
  """By the greater part of the divisor, so that no square overflows."""
  by_real = jnp.abs(y[0]) >= jnp.abs(y[1])
  great, small = jnp.where(by_real, y[0], y[1]), jnp.where(by_real, y[1], y[0])
  ratio = small / great
  scale = 1 / (great + small * ratio)
  real = jnp.where(by_real, x[0] + x[1] * ratio, x[0] * ratio + x[1])
  imag = jnp.where(by_real, x[1] - x[0] * ratio, x[1] * ratio - x[0])
  return real * scale, imag * scale


def magnitude(x, **_):
  a, b = jnp.abs(x[0]), jnp.abs(x[1])
  great, small = jnp.maximum(a, b), jnp.minimum(a, b)
  ratio = small / jnp.where(great == 0, jnp.ones_like(great), great)
  return jnp.where(jnp.isinf(great), great, great * jnp.sqrt(1 + ratio * ratio))


def _scaled(x, factor):
  return x[0] * factor, x[1] * factor


def _plus(x, y):
  return x[0] + y[0], x[1] + y[1]


def _minus(x, y):
  return x[0] - y[0], x[1] - y[1]


def _real(x, value):
  return jnp.full_like(x[0], value), jnp.zeros_like(x[0])


def sign(x, **_):
  size = magnitude(x)
  safe = jnp.where(size == 0, jnp.ones_like(size), size)
  return x[0] / safe, x[1] / safe


def integer_power(x, *, y):
  result, power, rest = None, x, abs(y)
  while rest:
    if rest & 1:
      result = power if result is None else multiply(result, power)
    rest >>= 1
    power = multiply(power, power) if rest else power
  one = _real(x, 1)
  if result is None:
    return one
  return divide(one, result) if y < 0 else result


def power(x, y, **_):
  y = y if isinstance(y, tuple) else (y.astype(x[0].dtype), jnp.zeros_like(x[0]))
  result = exp(multiply(y, log(x)))
  at_zero = (x[0] == 0) & (x[1] == 0)
  to_zero = (y[0] == 0) & (y[1] == 0)
  special = jnp.where(to_zero, 1, 0).astype(x[0].dtype)
  return jnp.where(at_zero, special, result[0]), jnp.where(at_zero, 0, result[1])


def exp(x, **_):
  size = jnp.exp(x[0])
  return size * jnp.cos(x[1]), jnp.where(x[1] == 0, x[1], size * jnp.sin(x[1]))


def exp2(x, **_):
  return exp(_scaled(x, math.log(2)))


def expm1(x, **_):
  half = jnp.sin(x[1] / 2)
  return jnp.expm1(x[0]) * jnp.cos(x[1]) - 2 * half * half, jnp.exp(x[0]) * jnp.sin(x[1])


def log(x, **_):
  return jnp.log(magnitude(x)), jnp.arctan2(x[1], x[0])


def log1p(x, **_):
  near = 0.5 * jnp.log1p(x[0] * (2 + x[0]) + x[1] * x[1])
  shifted = (1 + x[0], x[1])
  is_near = magnitude(x) < 0.5
  return jnp.where(is_near, near, jnp.log(magnitude(shifted))), jnp.arctan2(x[1], shifted[0])


def sqrt(x, **_):
  root = jnp.sqrt((magnitude(x) + jnp.abs(x[0])) / 2)
  other = x[1] / jnp.where(root == 0, jnp.ones_like(root), 2 * root)
  to_right = x[0] >= 0
  return jnp.where(to_right, root, jnp.abs(other)), jnp.where(to_right, other, jnp.copysign(root, x[1]))


def rsqrt(x, **_):
  return divide(_real(x, 1), sqrt(x))


def logistic(x, **_):
  return divide(_real(x, 1), _plus(_real(x, 1), exp((-x[0], -x[1]))))


def sinh(x, **_):
  return jnp.sinh(x[0]) * jnp.cos(x[1]), jnp.cosh(x[0]) * jnp.sin(x[1])


def cosh(x, **_):
  return jnp.cosh(x[0]) * jnp.cos(x[1]), jnp.sinh(x[0]) * jnp.sin(x[1])


def tanh(x, **_):
  a, b = jnp.tanh(x[0]), jnp.tan(x[1])
  return divide((a, b), (jnp.ones_like(a), a * b))


def asinh(x, **_):
  return log(_plus(x, sqrt(_plus(multiply(x, x), _real(x, 1)))))


def acosh(x, **_):
  one = _real(x, 1)
  return log(_plus(x, multiply(sqrt(_plus(x, one)), sqrt(_minus(x, one)))))


def atanh(x, **_):
  return _scaled(_minus(log1p(x), log1p((-x[0], -x[1]))), 0.5)


def _turned(function):
  """-i f(i x)."""
  def turned(x, **_):
    real, imag = function((-x[1], x[0]))
    return imag, -real
  return turned


sin, tan, asin, atan = map(_turned, (sinh, tanh, asinh, atanh))


def cos(x, **_):
  return cosh((-x[1], x[0]))


def acos(x, **_):
  return _minus(_real(x, np.pi / 2), asin(x))


def _cumulative(combine):
  return lambda x, *, axis, reverse: lax.associative_scan(combine, tuple(x), axis=axis, reverse=reverse)


def _reduction(combine):
  """By halves, one dimension after the other."""
  def reduce(x, *, axes, **_):
    for axis in sorted(axes, reverse=True):
      while x[0].shape[axis] > 1:
        half = x[0].shape[axis] // 2
        first, second, rest = ([lax.slice_in_dim(part, *bounds, axis=axis) for part in x]
                               for bounds in ((0, half), (half, 2 * half), (2 * half, None)))
        x = [jnp.concatenate(parts, axis=axis) for parts in zip(combine(first, second), rest)]
      x = [jnp.squeeze(part, axis) for part in x]
    return tuple(x)
  return reduce


def _chosen(first):
  """The one of two that comes first, or last, in the order by real parts and then by imaginary parts."""
  def choose(x, y, **_):
    before = (x[0] < y[0]) | ((x[0] == y[0]) & (x[1] < y[1]))
    take = (before == first) | jnp.isnan(x[0]) | jnp.isnan(x[1])
    take = take & ~(jnp.isnan(y[0]) | jnp.isnan(y[1]))
    return jnp.where(take, x[0], y[0]), jnp.where(take, x[1], y[1])
  return choose


least, greatest = _chosen(True), _chosen(False)


def dot_general(x, y, *, preferred_element_type, **params):
  preferred = None if preferred_element_type is None else np.empty(0, preferred_element_type).real.dtype

  def product(a, b):
    return lax.dot_general(a, b, preferred_element_type=preferred, **params)
  return product(x[0], y[0]) - product(x[1], y[1]), product(x[0], y[1]) + product(x[1], y[0])


def convert(x, *, new_dtype, **_):
  """From reals, to reals, or between numbers of two sizes."""
  real = np.empty(0, new_dtype).real.dtype
  if not isinstance(x, tuple):
    return x.astype(real), jnp.zeros(x.shape, real)
  if not np.issubdtype(new_dtype, np.complexfloating):
    return x[0].astype(new_dtype)
  return x[0].astype(real), x[1].astype(real)


# What primitives do with pairs. Parameters that do not matter are taken and left alone.
FUNCTIONS = {
    "complex": lambda a, b: (a, b), "real": lambda x: x[0], "imag": lambda x: x[1],
    "conj": lambda x, **_: (x[0], -x[1]) if isinstance(x, tuple) else (x, jnp.zeros_like(x)),
    "mul": multiply, "div": divide, "square": lambda x: multiply(x, x), "integer_pow": integer_power, "pow": power,
    "abs": magnitude, "sign": sign, "sqrt": sqrt, "rsqrt": rsqrt, "logistic": logistic,
    "exp": exp, "exp2": exp2, "expm1": expm1, "log": log, "log1p": log1p,
    "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
    "eq": lambda x, y: (x[0] == y[0]) & (x[1] == y[1]), "ne": lambda x, y: (x[0] != y[0]) | (x[1] != y[1]),
    "is_finite": lambda x: jnp.isfinite(x[0]) & jnp.isfinite(x[1]),
    "dot_general": dot_general, "convert_element_type": convert, "fft": fft,
    "min": least, "reduce_min": _reduction(least), "cummin": _cumulative(least), "max": greatest, "reduce_max": _reduction(greatest),
    "cummax": _cumulative(greatest), "reduce_prod": _reduction(multiply), "cumprod": _cumulative(multiply),
}
