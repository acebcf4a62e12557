# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention in blocks, compiled, against XLA's own compilation of plain attention."""

import math

import common

common.use_one_thread()
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

HEADS, DEPTH, BLOCK = 4, 64, 128


def kernel(q, k, v, o):
  rows = pl.program_id(1) * BLOCK + lax.broadcasted_iota(jnp.int32, (BLOCK, BLOCK), 0)
  query = q[...] * (1 / math.sqrt(DEPTH))

  def step(i, carry):
    largest, total, result = carry
    columns = i * BLOCK + lax.broadcasted_iota(jnp.int32, (BLOCK, BLOCK), 1)
    scores = jnp.dot(query, k[pl.ds(i * BLOCK, BLOCK), :].T)
    scores = jnp.where(rows >= columns, scores, -jnp.inf)
    new = jnp.maximum(largest, scores.max(1))
    weights = jnp.exp(scores - new[:, None])
    scale = jnp.exp(largest - new)
    result = result * scale[:, None] + jnp.dot(weights, v[pl.ds(i * BLOCK, BLOCK), :])
    return new, total * scale + weights.sum(1), result

  initial = (jnp.full((BLOCK,), -jnp.inf), jnp.zeros((BLOCK,)), jnp.zeros((BLOCK, DEPTH)))
  _, total, result = lax.fori_loop(0, pl.program_id(1) + 1, step, initial)
  o[...] = result / total[:, None]


def in_blocks(q, k, v):
  length = q.shape[1]
  block = pl.BlockSpec((None, BLOCK, DEPTH), lambda h, i: (h, i, 0))
  whole = pl.BlockSpec((None, length, DEPTH), lambda h, i: (h, 0, 0))
  return pl.pallas_call(kernel, grid=(HEADS, length // BLOCK), in_specs=[block, whole, whole],
                        out_specs=block, out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype))(q, k, v)


def plain(q, k, v):
  scores = jnp.einsum("hqd,hkd->hqk", q, k) * (1 / math.sqrt(DEPTH))
  mask = jnp.tril(jnp.ones(scores.shape[1:], bool))
  return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)), v)


def main():
  pallas_mlir.jax.install()
  rng = np.random.default_rng(0)
  for length in (1024, 2048, 4096):
    args = [jnp.asarray(rng.standard_normal((HEADS, length, DEPTH), dtype=np.float32)) for _ in range(3)]
    ours, peer = jax.jit(in_blocks), jax.jit(plain)
    np.testing.assert_allclose(ours(*args), peer(*args), rtol=2e-4, atol=2e-5)
    own, other = common.race(*(functools.partial(lambda f: f(*args).block_until_ready(), f) for f in (ours, peer)))
    common.report("causal attention", f"{HEADS} heads, {length} x {DEPTH}", "f32", "kernel", "XLA, plain", own, other, 2.0)


if __name__ == "__main__":
  main()
