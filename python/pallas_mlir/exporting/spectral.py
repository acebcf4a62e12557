# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenvalues and singular values by Jacobi's rotations."""
from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .composite import define
from .linalg import at, put

# Rotations converge quadratically; small matrices need six to ten rounds.
_MOST_ROUNDS = 30


def _rotation(p, q, off):
  """Cosine, sine and phase that make the Hermitian matrix of p, off and q diagonal."""
  size = jnp.abs(off)
  safe = jnp.where(size == 0, 1, size)
  phase = jnp.where(size == 0, jnp.ones_like(off), off / safe.astype(off.dtype))
  theta = (q - p) / (2 * safe)
  tangent = jnp.where(theta >= 0, 1, -1) / (jnp.abs(theta) + jnp.sqrt(1 + theta * theta))
  tangent = jnp.where(size == 0, 0, tangent)
  cosine = lax.rsqrt(1 + tangent * tangent)
  return cosine.astype(off.dtype), (cosine * tangent).astype(off.dtype), phase


def _turn(a, p, q, axis, cosine, sine, phase):
  """Replaces rows or columns p and q by what the rotation makes of them."""
  cosine, sine, phase = cosine[..., None], sine[..., None], phase[..., None]
  first, second = at(a, p, axis), at(a, q, axis)
  a = put(a, cosine * first - sine * jnp.conj(phase) * second, p, axis)
  return put(a, sine * phase * first + cosine * second, q, axis)


def _pairs(n):
  """Position in the order of all pairs to the pair itself."""
  first, second = zip(*((p, q) for p in range(n) for q in range(p + 1, n)))
  return jnp.array(first, jnp.int32), jnp.array(second, jnp.int32)


def _rounds(n, step, state, unfinished):
  """Rotates all pairs, and again while that is not finished."""
  if n < 2:
    return state
  first, second = _pairs(n)

  def sweep(carry):
    count, state = carry
    state = lax.fori_loop(0, first.shape[0], lambda i, s: step(at(first, i, -1), at(second, i, -1), s), state)
    return count + 1, state
  return lax.while_loop(lambda carry: (carry[0] < _MOST_ROUNDS) & unfinished(carry[1]), sweep, (jnp.int32(0), state))[1]


def _identity(a, n):
  return jnp.broadcast_to(jnp.eye(n, dtype=a.dtype), (*a.shape[:-2], n, n))


def _sorted(values, vectors, descending):
  """Values in order, with their columns."""
  position = lax.broadcasted_iota(jnp.int32, values.shape, values.ndim - 1)
  _, values, order = lax.sort((-values if descending else values, values, position), dimension=-1, num_keys=1)
  return values, jnp.take_along_axis(vectors, order[..., None, :], axis=-1)


def _one_triangle(a, lower):
  """The Hermitian matrix of which one triangle is given."""
  rows, columns = (lax.broadcasted_iota(jnp.int32, a.shape, a.ndim - d) for d in (2, 1))
  given = jnp.where(rows > columns if lower else rows < columns, a, 0)
  return given + jnp.conj(jnp.swapaxes(given, -1, -2)) + jnp.where(rows == columns, jnp.real(a).astype(a.dtype), 0)


def _diagonal(a):
  return jnp.real(jnp.sum(a * jnp.eye(a.shape[-1], dtype=a.dtype), axis=-1))


def _square(a):
  return jnp.sum(jnp.real(a * jnp.conj(a)), axis=(-1, -2))


@define("eigh")
def _eigh(a, *, lower, sort_eigenvalues, **_):
  n = a.shape[-1]
  a = _one_triangle(a, lower)
  epsilon = jnp.finfo(a.dtype).eps
  outside = 1 - jnp.eye(n, dtype=a.dtype)

  def step(p, q, state):
    a, vectors = state
    row_p, row_q = at(a, p, -2), at(a, q, -2)
    turn = _rotation(jnp.real(at(row_p, p, -1)), jnp.real(at(row_q, q, -1)), at(row_p, q, -1))
    a = _turn(a, p, q, -1, *turn)
    a = _turn(a, p, q, -2, *turn[:2], jnp.conj(turn[2]))
    return a, _turn(vectors, p, q, -1, *turn)

  total = _square(a)

  def unfinished(state):
    return jnp.any(_square(state[0] * outside) > (epsilon * epsilon / 4) * total)

  a, vectors = _rounds(n, step, (a, _identity(a, n)), unfinished)
  values = _diagonal(a)
  if sort_eigenvalues:
    values, vectors = _sorted(values, vectors, descending=False)
  return [vectors, values]


@define("svd")
def _svd(a, *, full_matrices, compute_uv, **_):
  m, n = a.shape[-2:]
  if m < n:
    flipped = _svd(jnp.conj(jnp.swapaxes(a, -1, -2)), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
      return flipped
    values, left, right = flipped
    return [values, jnp.conj(jnp.swapaxes(right, -1, -2)), jnp.conj(jnp.swapaxes(left, -1, -2))]
  epsilon = jnp.finfo(a.dtype).eps

  def product(columns, p, q):
    first, second = at(columns, p, -1), at(columns, q, -1)
    return jnp.sum(jnp.conj(first) * second, axis=-1)

  def step(p, q, state):
    columns, vectors, worst = state
    own, other, off = jnp.real(product(columns, p, p)), jnp.real(product(columns, q, q)), product(columns, p, q)
    bound = jnp.sqrt(own) * jnp.sqrt(other)
    worst = jnp.maximum(worst, jnp.max(jnp.where(bound > 0, jnp.abs(off) / jnp.where(bound > 0, bound, 1), 0)))
    turn = _rotation(own, other, off)
    return _turn(columns, p, q, -1, *turn), _turn(vectors, p, q, -1, *turn), worst

  def round_(p, q, state):
    # The first pair of a round forgets what the last round found.
    columns, vectors, worst = state
    return step(p, q, (columns, vectors, jnp.where((p == 0) & (q == 1), 0, worst)))

  start = (a, _identity(a, n), jnp.ones((), jnp.finfo(a.dtype).dtype))
  columns, vectors, _ = _rounds(n, round_, start, lambda state: state[2] > 4 * epsilon)
  values = jnp.sqrt(jnp.sum(jnp.real(columns * jnp.conj(columns)), axis=-2))
  values, both = _sorted(values, jnp.concatenate([columns, vectors], axis=-2), descending=True)
  if not compute_uv:
    return [values]
  columns, vectors = both[..., :m, :], both[..., m:, :]
  # Orthogonal columns are their own Q but for signs; those of zeros are completed.
  left, upper = jnp.linalg.qr(columns, mode="complete" if full_matrices else "reduced")
  pivots = jnp.sum(upper[..., :n, :] * jnp.eye(n, dtype=a.dtype), axis=-1)
  size = jnp.abs(pivots)
  signs = jnp.where(size == 0, jnp.ones_like(pivots), pivots / jnp.where(size == 0, 1, size).astype(a.dtype))
  left = left * jnp.concatenate([signs, jnp.ones((*signs.shape[:-1], left.shape[-1] - n), a.dtype)], axis=-1)[..., None, :]
  right = jnp.conj(jnp.swapaxes(vectors, -1, -2))
  return [values, left, right]
