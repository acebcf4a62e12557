# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms, one divisor of their length at a time; a complex array is a pair of arrays of floats."""
from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.lax.fft import FftType

from ..errors import ExportError

# Products by a matrix of this size cost about what the next pass over the data would.
_LARGEST_FACTOR = 16
# Tables of more elements are computed by the kernel.
_LARGEST_TABLE = 1 << 14


def _factor(n: int) -> int:
  """The divisor to split off first: a large one, or the least prime one."""
  for d in range(min(_LARGEST_FACTOR, n), 1, -1):
    if n % d == 0:
      return d
  return next((d for d in range(2, math.isqrt(n) + 1) if n % d == 0), n)


def _roots(rows: int, columns: int, n: int, dtype):
  """exp(-2 pi i j k / n) at row j and column k."""
  if rows * columns <= _LARGEST_TABLE:
    angles = -2 * np.pi * (np.outer(np.arange(rows), np.arange(columns)) % n) / n
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
  if rows * columns >= 1 << 32:
    raise ExportError(f"a transform whose length has the prime divisor {rows} is not supported; the largest one is 65521")
  j, k = (lax.broadcasted_iota(jnp.uint32, (rows, columns), d) for d in range(2))
  turns = j * k % np.uint32(n)
  angles = turns.astype(dtype) * dtype.type(-2 * np.pi / n)
  return jnp.cos(angles), jnp.sin(angles)


def _times(x, y):
  return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _by_matrix(x, n):
  """The transform along the last dimension but one, as a product with its matrix."""
  roots = _roots(n, n, n, x[0].dtype)

  def product(a, b):
    return lax.dot_general(a, b, (((1,), (b.ndim - 2,)), ((), ())), precision=lax.Precision.HIGHEST)

  def times(a, b):
    return jnp.moveaxis(product(a, b), 0, -2)
  return times(roots[0], x[0]) - times(roots[1], x[1]), times(roots[0], x[1]) + times(roots[1], x[0])


def _forward(x):
  """The transform along the last dimension."""
  *batch, n = x[0].shape
  first = _factor(n) if n > 1 else 1
  if n == 1:
    return x
  rest = n // first
  # Element a * rest + b of the input is at (a, b); element c + first * d of the result at (c, d).
  x = _by_matrix([part.reshape(*batch, first, rest) for part in x], first)
  if rest > 1:
    x = _forward(_times(x, _roots(first, rest, n, x[0].dtype)))
  return [jnp.swapaxes(part, -1, -2).reshape(*batch, n) for part in x]


def _along(x, axis, function):
  x = function([jnp.moveaxis(part, axis, -1) for part in x])
  return [jnp.moveaxis(part, -1, axis) for part in x]


def _backward(x):
  n = x[0].shape[-1]
  real, imag = _forward([x[0], -x[1]])
  return real / n, -imag / n


def _from_half(x, n):
  """The real signal of `n` elements whose transform begins with `x`."""
  mirrored = [lax.rev(part[..., 1:(n + 1) // 2], (part.ndim - 1,)) for part in x]
  return _backward([jnp.concatenate([x[0], mirrored[0]], axis=-1), jnp.concatenate([x[1], -mirrored[1]], axis=-1)])


def fft(x, *, fft_type, fft_lengths):
  """All kinds, along the last dimensions."""
  if not isinstance(x, tuple):
    x = (x, jnp.zeros_like(x))
  rank = x[0].ndim
  leading = range(rank - len(fft_lengths), rank - 1)
  last, half = rank - 1, fft_lengths[-1] // 2 + 1 if fft_lengths else 0
  if not fft_lengths:
    return x
  if fft_type == FftType.IRFFT:
    for axis in leading:
      x = _along(x, axis, _backward)
    return _from_half([lax.slice_in_dim(part, 0, half, axis=last) for part in x], fft_lengths[-1])[0]
  step = _backward if fft_type == FftType.IFFT else _forward
  x = step(x)
  if fft_type == FftType.RFFT:
    x = [lax.slice_in_dim(part, 0, half, axis=last) for part in x]
  for axis in leading:
    x = _along(x, axis, step)
  return tuple(x)
