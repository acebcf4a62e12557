# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paged attention

One query per sequence, and keys and values in pages that a table lists. Sequences have different lengths, so the last page of each is
read in part: the mask is what keeps the rest out."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

PAGE = 16


def paged_attention(lengths, pages, q, k, v, o, top, total, acc):
  sequence, page = pl.program_id(0), pl.program_id(1)

  @pl.when(page == 0)
  def _():
    top[...], total[...], acc[...] = jnp.full_like(top, -jnp.inf), jnp.zeros_like(total), jnp.zeros_like(acc)

  @pl.when(page * PAGE < lengths[sequence])
  def _():
    scores = jnp.dot(q[0], k[0].T, preferred_element_type=jnp.float32)
    place = page * PAGE + jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
    scores = jnp.where(place < lengths[sequence], scores, -jnp.inf)
    above = jnp.maximum(top[...], jnp.max(scores, axis=1, keepdims=True))
    weights, shrink = jnp.exp(scores - above), jnp.exp(top[...] - above)
    top[...], total[...] = above, total[...] * shrink + jnp.sum(weights, axis=1, keepdims=True)
    acc[...] = acc[...] * shrink + jnp.dot(weights, v[0], preferred_element_type=jnp.float32)

  @pl.when(page == pl.num_programs(1) - 1)
  def _():
    o[0] = acc[...] / total[...]


def call(lengths, pages, q, k, v):
  sequences, heads, width = q.shape
  query = pl.BlockSpec((1, heads, width), lambda s, p, lengths, pages: (s, 0, 0))
  page = pl.BlockSpec((1, PAGE, width), lambda s, p, lengths, pages: (pages[s, p], 0, 0))
  column = pltpu.VMEM((heads, 1), jnp.float32)
  grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=2, grid=(sequences, pages.shape[1]), in_specs=[query, page, page], out_specs=query,
                                      scratch_shapes=[column, column, pltpu.VMEM((heads, width), jnp.float32)])
  return pl.pallas_call(paged_attention, grid_spec=grid, out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype))(lengths, pages, q, k, v)


def arguments():
  rng = np.random.default_rng(0)
  lengths, pages = np.array([37, 64, 5], np.int32), rng.permutation(12).astype(np.int32).reshape(3, 4)
  q = rng.standard_normal((3, 8, 128), np.float32) * 0.3
  k, v = (rng.standard_normal((12, PAGE, 128), np.float32) * 0.3 for _ in range(2))
  return lengths, pages, q, k, v


def reference(lengths, pages, q, k, v):
  def one(length, table, query):
    keys, values = (array[table].reshape(-1, array.shape[2])[:length] for array in (k, v))
    return jax.nn.softmax(query @ keys.T, axis=-1) @ values

  return np.stack([one(*sequence) for sequence in zip(lengths, pages, q)])
