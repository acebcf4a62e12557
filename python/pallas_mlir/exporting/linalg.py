"""Decompositions and solvers, column by column."""
from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg
from jax._src.lax.control_flow import solves

from .composite import expand
from .kernel import takes_constants
from .registry import rule


def _column(a, j):
  return lax.dynamic_index_in_dim(a, j, axis=a.ndim - 1, keepdims=False)


def _row(a, i):
  return lax.dynamic_index_in_dim(a, i, axis=a.ndim - 2, keepdims=False)


@expand("cholesky")
def _cholesky(a, **_):
  n = a.shape[-1]
  rows = lax.broadcasted_iota(jnp.int32, a.shape[:-1], a.ndim - 2)

  def step(j, lower):
    rest = _column(a, j) - jnp.sum(lower * _row(lower, j)[..., None, :], axis=-1)
    pivot = lax.dynamic_index_in_dim(rest, j, axis=rest.ndim - 1, keepdims=True)
    column = jnp.where(rows >= j, rest * lax.rsqrt(pivot), 0)
    return lax.dynamic_update_index_in_dim(lower, column, j, axis=a.ndim - 1)

  return lax.fori_loop(0, n, step, jnp.zeros_like(a))


@expand("triangular_solve")
def _triangular_solve(a, b, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal):
  del conjugate_a  # Numbers are real.
  if not left_side:
    # X A = B is the transpose of A' X' = B'.
    b, transpose_a = jnp.swapaxes(b, -1, -2), not transpose_a
  if transpose_a:
    a, lower = jnp.swapaxes(a, -1, -2), not lower
  n = a.shape[-1]

  def step(at, x):
    i = at if lower else n - 1 - at
    row = _row(a, i)
    rest = _row(b, i) - jnp.sum(row[..., :, None] * x, axis=-2)
    if not unit_diagonal:
      rest = rest / lax.dynamic_index_in_dim(row, i, axis=row.ndim - 1, keepdims=True)
    return lax.dynamic_update_index_in_dim(x, rest, i, axis=x.ndim - 2)

  x = lax.fori_loop(0, n, step, jnp.zeros_like(b))
  return x if left_side else jnp.swapaxes(x, -1, -2)


expand("lu")(linalg._lu_python)
expand("lu_pivots_to_permutation")(linalg._generic_lu_pivots_to_permutation)
expand("cholesky_update")(linalg._cholesky_update_jax_fn)
expand("symmetric_product")(linalg._symmetric_product_jax_fn)
expand("custom_linear_solve")(solves._custom_linear_solve_impl)


@rule("linear_call")
@takes_constants
def _linear_call(k, eqn, *values):
  return k.run_closed(eqn.params["callee"], values)
