# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flash attention

Softmax over blocks of keys that pass one at a time: the largest score so far and the sum of weights are scratch memory, and what was
added before is scaled when a larger score turns up."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def flash_attention(q, k, v, o, top, total, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    top[...], total[...], acc[...] = jnp.full_like(top, -jnp.inf), jnp.zeros_like(total), jnp.zeros_like(acc)

  scores = jnp.dot(q[0], k[0].T, preferred_element_type=jnp.float32)
  above = jnp.maximum(top[...], jnp.max(scores, axis=1, keepdims=True))
  weights, shrink = jnp.exp(scores - above), jnp.exp(top[...] - above)
  top[...], total[...] = above, total[...] * shrink + jnp.sum(weights, axis=1, keepdims=True)
  acc[...] = acc[...] * shrink + jnp.dot(weights, v[0], preferred_element_type=jnp.float32)

  @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
  def _():
    o[0] = acc[...] / total[...]


def call(q, k, v):
  heads, length, width = q.shape
  queries, keys = pl.BlockSpec((1, 64, width), lambda h, i, j: (h, i, 0)), pl.BlockSpec((1, 128, width), lambda h, i, j: (h, j, 0))
  column = pltpu.VMEM((64, 1), jnp.float32)
  return pl.pallas_call(
      flash_attention, grid=(heads, length // 64, length // 128), out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), in_specs=[queries, keys, keys],
      out_specs=queries, scratch_shapes=[column, column, pltpu.VMEM((64, width), jnp.float32)])(q, k, v)


def arguments():
  rng = np.random.default_rng(0)
  return tuple(rng.standard_normal((2, 256, 128), np.float32) * 0.3 for _ in range(3))


def reference(q, k, v):
  return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k), axis=-1), v)
