# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ragged paged attention

The kernel that JAX ships, unchanged: queries of all sequences stand one after the other, prefill beside decode, and the kernel
copies the pages of each sequence itself."""
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import ragged_paged_attention, ref_ragged_paged_attention

SEQUENCES = 3


def call(q, pages, lengths, tables, starts):
  return ragged_paged_attention(q, pages, lengths, tables, starts, jnp.array([SEQUENCES], jnp.int32), num_kv_pages_per_block=2,
                                num_queries_per_block=8, sm_scale=0.1)


def arguments():
  rng = np.random.default_rng(0)
  # One sequence is being read, the others go on by one token each.
  starts = np.array([0, 13, 14, 15], np.int32)
  lengths, tables = np.array([13, 40, 22], np.int32), rng.permutation(12).astype(np.int32).reshape(SEQUENCES, 4)
  q, pages = (rng.standard_normal(shape, np.float32) for shape in [(15, 4, 128), (12, 16, 4, 128)])
  return q, pages, lengths, tables, starts


def reference(q, pages, lengths, tables, starts):
  return ref_ragged_paged_attention(q, pages, lengths, tables, starts, jnp.array([SEQUENCES], jnp.int32), sm_scale=0.1)
