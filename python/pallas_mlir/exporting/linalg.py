# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions and solvers, column by column."""
from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg
from jax._src.lax.control_flow import solves

from .composite import define
from .kernel import takes_constants
from .registry import rule


def at(a, index, axis):
  """The part of a batch at an index along an axis counted from the end."""
  return lax.dynamic_index_in_dim(a, index, axis=a.ndim + axis, keepdims=False)


def put(a, value, index, axis):
  """The batch with another part at an index along an axis counted from the end."""
  return lax.dynamic_update_index_in_dim(a, value, index, axis=a.ndim + axis)


def _column(a, j):
  return at(a, j, -1)


def _row(a, i):
  return at(a, i, -2)


@define("cholesky")
def _cholesky(a, **_):
  n = a.shape[-1]
  rows = lax.broadcasted_iota(jnp.int32, a.shape[:-1], a.ndim - 2)

  def step(j, lower):
    rest = _column(a, j) - jnp.sum(lower * jnp.conj(_row(lower, j))[..., None, :], axis=-1)
    pivot = lax.dynamic_index_in_dim(rest, j, axis=rest.ndim - 1, keepdims=True)
    column = jnp.where(rows >= j, rest * lax.rsqrt(pivot), 0)
    return put(lower, column, j, -1)

  return lax.fori_loop(0, n, step, jnp.zeros_like(a))


@define("triangular_solve")
def _triangular_solve(a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
  if conjugate_a:
    a = jnp.conj(a)
  if not left_side:
    # X A = B is the transpose of A' X' = B'.
    b, transpose_a = jnp.swapaxes(b, -1, -2), not transpose_a
  if transpose_a:
    a, lower = jnp.swapaxes(a, -1, -2), not lower
  n = a.shape[-1]

  def step(k, x):
    i = k if lower else n - 1 - k
    row = _row(a, i)
    rest = _row(b, i) - jnp.sum(row[..., :, None] * x, axis=-2)
    if not unit_diagonal:
      rest = rest / lax.dynamic_index_in_dim(row, i, axis=row.ndim - 1, keepdims=True)
    return put(x, rest, i, -2)

  x = lax.fori_loop(0, n, step, jnp.zeros_like(b))
  return x if left_side else jnp.swapaxes(x, -1, -2)


def _reflection(column, j):
  """The vector and the scale of the reflection that clears a column below its row `j`, and what remains there."""
  rows = lax.broadcasted_iota(jnp.int32, column.shape, column.ndim - 1)
  head = lax.dynamic_index_in_dim(column, j, axis=column.ndim - 1)
  below = jnp.sum(jnp.where(rows > j, jnp.real(column * jnp.conj(column)), 0), axis=-1, keepdims=True)
  # Nothing is to be done where the rest is zero and the head is real.
  done = (below == 0) & (jnp.imag(head) == 0)
  size = jnp.sqrt(below + jnp.real(head * jnp.conj(head)))
  left = jnp.where(done, jnp.real(head), jnp.where(jnp.real(head) > 0, -size, size)).astype(column.dtype)
  factor = jnp.where(done, 0, (left - head) / jnp.where(done, 1, left))
  vector = jnp.where(rows > j, column / jnp.where(done, 1, head - left), 0) + jnp.where(rows == j, 1, 0).astype(column.dtype)
  return vector, factor[..., 0], left


def _reflect(a, vector, scale):
  """a - scale v (v^H a)"""
  return a - (scale[..., None] * vector)[..., :, None] * jnp.sum(jnp.conj(vector)[..., :, None] * a, axis=-2, keepdims=True)


@define("geqrf")
def _geqrf(a):
  """The triangle, below it the vectors of the reflections, and their scales."""
  m, n = a.shape[-2:]
  rows = lax.broadcasted_iota(jnp.int32, a.shape[:-1], a.ndim - 2)
  columns = lax.broadcasted_iota(jnp.int32, a.shape, a.ndim - 1)

  def step(j, state):
    a, factors = state
    column = _column(a, j)
    vector, factor, left = _reflection(column, j)
    a = jnp.where(columns > j, _reflect(a, vector, jnp.conj(factor)), a)
    column = jnp.where(rows > j, vector, jnp.where(rows == j, left, column))
    return (put(a, column, j, -1),
            put(factors, factor, j, -1))

  factors = jnp.zeros((*a.shape[:-2], min(m, n)), a.dtype)
  return list(lax.fori_loop(0, min(m, n), step, (a, factors)))


@define("householder_product")
def _householder_product(a, factors):
  """The first columns of the product of all reflections."""
  m, n = a.shape[-2:]
  rows = lax.broadcasted_iota(jnp.int32, a.shape[:-1], a.ndim - 2)
  count = factors.shape[-1]

  def step(k, product):
    j = count - 1 - k
    column = _column(a, j)
    vector = jnp.where(rows > j, column, jnp.where(rows == j, 1, 0).astype(a.dtype))
    return _reflect(product, vector, at(factors, j, -1))

  return lax.fori_loop(0, count, step, jnp.broadcast_to(jnp.eye(m, n, dtype=a.dtype), a.shape))


@define("geqp3")
def _geqp3(a, order, **_):
  """The same with the longest column that is left in front; which columns may move is not told."""
  del order
  m, n = a.shape[-2:]
  rows = lax.broadcasted_iota(jnp.int32, a.shape, a.ndim - 2)
  columns = lax.broadcasted_iota(jnp.int32, (*a.shape[:-2], n), a.ndim - 2)

  def step(j, state):
    a, order, factors = state
    sizes = jnp.sum(jnp.where(rows >= j, jnp.real(a * jnp.conj(a)), 0), axis=-2)
    longest = jnp.argmax(jnp.where(columns >= j, sizes, -1), axis=-1)[..., None].astype(jnp.int32)
    places = jnp.where(columns == j, longest, jnp.where(columns == longest, j, columns))
    a, order = jnp.take_along_axis(a, places[..., None, :], axis=-1), jnp.take_along_axis(order, places, axis=-1)
    vector, factor, left = _reflection(_column(a, j), j)
    kept = jnp.where(rows[..., 0] > j, vector, jnp.where(rows[..., 0] == j, left, _column(a, j)))
    a = jnp.where(columns[..., None, :] > j, _reflect(a, vector, jnp.conj(factor)), a)
    return (put(a, kept, j, -1), order,
            put(factors, factor, j, -1))

  factors = jnp.zeros((*a.shape[:-2], min(m, n)), a.dtype)
  return list(lax.fori_loop(0, min(m, n), step, (a, columns + 1, factors)))


define("qr")(lambda a, **params: list(linalg._qr_lowering(a, **params)))
define("ormqr")(linalg._ormqr_lowering)


@define("tridiagonal_solve")
def _tridiagonal_solve(lower, diagonal, upper, b, *, perturb_singular=False):
  """Elimination with exchange of neighbouring rows: `above` are the second and third entries of the row before."""
  del perturb_singular
  n = diagonal.shape[-1]
  def down(i, state):
    diagonal, upper, second, b = state
    first, below = _column(diagonal, i), _column(lower, i + 1)
    swap = jnp.abs(below) > jnp.abs(first)
    ours = (first, _column(upper, i), jnp.zeros_like(first))
    theirs = (below, _column(diagonal, i + 1), _column(upper, i + 1))
    pivot, other = ([jnp.where(swap, x, y) for x, y in zip(*rows)] for rows in ((theirs, ours), (ours, theirs)))
    factor = other[0] / pivot[0]
    row, next_row = _row(b, i), _row(b, i + 1)
    kept = jnp.where(swap[..., None], next_row, row)
    reduced = jnp.where(swap[..., None], row, next_row) - factor[..., None] * kept
    diagonal = put(put(diagonal, pivot[0], i, -1), other[1] - factor * pivot[1], i + 1, -1)
    upper = put(put(upper, pivot[1], i, -1), other[2] - factor * pivot[2], i + 1, -1)
    return diagonal, upper, put(second, pivot[2], i, -1), put(put(b, kept, i, -2), reduced, i + 1, -2)

  diagonal, upper, second, b = lax.fori_loop(0, n - 1, down, (diagonal, upper, jnp.zeros_like(diagonal), b))

  def up(k, x):
    i = n - 1 - k
    last = jnp.minimum(i + 1, n - 1), jnp.minimum(i + 2, n - 1)
    rest = _row(b, i) - jnp.where(i + 1 < n, _column(upper, i)[..., None] * _row(x, last[0]), 0)
    rest = rest - jnp.where(i + 2 < n, _column(second, i)[..., None] * _row(x, last[1]), 0)
    return put(x, rest / _column(diagonal, i)[..., None], i, -2)

  return lax.fori_loop(0, n, up, jnp.zeros_like(b))


define("lu")(linalg._lu_python)
define("lu_pivots_to_permutation")(linalg._generic_lu_pivots_to_permutation)
define("cholesky_update")(linalg._cholesky_update_jax_fn)
define("symmetric_product")(linalg._symmetric_product_jax_fn)
define("custom_linear_solve")(solves._custom_linear_solve_impl)


@rule("linear_call")
@takes_constants
def _linear_call(k, eqn, *values):
  return k.run_closed(eqn.params["callee"], values)
