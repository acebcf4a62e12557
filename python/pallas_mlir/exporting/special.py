# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, by their series; XLA evaluates them in single precision at least."""
from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from ..errors import ExportError
from .composite import expand, in_f32


def _chebyshev(x, coefficients):
  """Clenshaw's recurrence; the first coefficient belongs to the highest degree."""
  b0, b1, b2 = jnp.zeros_like(x), jnp.zeros_like(x), jnp.zeros_like(x)
  for c in coefficients:
    b0, b1, b2 = x * b0 - b1 + c, b0, b1
  return 0.5 * (b0 - b2)


# exp(-x) I1(x) / x below 8, and exp(-x) sqrt(x) I1(x) above.
_I1E_SMALL = (9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7, -8.56872026469545474066e-7,
              3.47025130813767847674e-6, -1.32731636560394358279e-5, 4.78156510755005422638e-5, -1.61760815825896745588e-4,
              5.12285956168575772895e-4, -1.51357245063125314899e-3, 4.15642294431288815669e-3, -1.05640848946261981558e-2,
              2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1, -1.76416518357834055153e-1,
              2.52587186443633654823e-1)
_I1E_LARGE = (-3.83538038596423702205e-9, -2.63146884688951950684e-8, -2.51223623787020892529e-7, -3.88256480887769039346e-6,
              -1.10588938762623716291e-4, -9.76109749136146840777e-3, 7.78576235018280120474e-1)


@expand("bessel_i1e")
@in_f32
def _bessel_i1e(x):
  if x.dtype == jnp.float64:
    raise ExportError("'bessel_i1e' of float64 is not supported; convert to float32")
  magnitude = jnp.abs(x)
  small = _chebyshev(magnitude / 2 - 2, _I1E_SMALL) * magnitude
  large = _chebyshev(32 / magnitude - 2, _I1E_LARGE) * lax.rsqrt(magnitude)
  return jnp.where(magnitude <= 8, small, large) * jnp.sign(x)


# B(2j) / (2j)! of the Bernoulli numbers, for the Euler-Maclaurin formula.
_BERNOULLI = tuple(b / math.factorial(2 * j + 2) for j, b in enumerate(
    (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)))


def _hurwitz(x, q):
  """The sum of (q + k)^-x over all k: some terms, and the rest by its expansion."""
  terms = 10
  total = sum((lax.pow(q + float(k), -x) for k in range(1, terms)), lax.pow(q, -x))
  a = q + float(terms)
  power = lax.pow(a, -x)
  total = total + power * a / (x - 1) + 0.5 * power
  factor, falling = x, power / a
  for j, b in enumerate(_BERNOULLI):
    total = total + b * factor * falling
    factor = factor * (x + float(2 * j + 1)) * (x + float(2 * j + 2))
    falling = falling / (a * a)
  return total


@expand("zeta")
@in_f32
def _zeta(x, q):
  value = _hurwitz(x, q)
  at_pole = (q <= 0) & (q == jnp.floor(q))
  even = (x == jnp.floor(x)) & (jnp.floor(x / 2) * 2 == x)
  value = jnp.where(at_pole, jnp.where(even, jnp.inf, jnp.nan), value)
  value = jnp.where((q <= 0) & (x != jnp.floor(x)), jnp.nan, value)
  return jnp.where(x == 1, jnp.inf, jnp.where(x < 1, jnp.nan, value))


@expand("polygamma")
@in_f32
def _polygamma(n, x):
  sign = jnp.where(jnp.floor(n / 2) * 2 == n, -1.0, 1.0).astype(x.dtype)
  value = sign * jnp.exp(lax.lgamma(n + 1)) * lax.zeta(n + 1, x)
  value = jnp.where(n == 0, lax.digamma(x), value)
  return jnp.where((n == jnp.floor(n)) & (n >= 0), value, jnp.nan)
