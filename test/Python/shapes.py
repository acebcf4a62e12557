# REQUIRES: pallas-python
# RUN: %python %s
"""Primitives that move elements, contract, reduce, sort and gather."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax

t = Table()
x, y, a = floats(8, 16), floats(8, 16, seed=1), integers(-50, 50, 8, 16)
cube = floats(4, 6, 8)
u = a.astype(np.uint32)

t.add("broadcast_in_dim", lambda v: lax.broadcast_in_dim(v, (3, 8, 16), (1, 2)), x)
t.add("reshape", lambda v: v.reshape(2, 64), x)
t.add("to_and_from_scalar", lambda v: v.sum().reshape(1, 1) + v[:1, :1], x)
t.add("transpose", lambda v: v.transpose(2, 0, 1), cube)
t.add("rev", lambda v: lax.rev(v, (0, 1)), x)
t.add("iota", lambda v: v + lax.broadcasted_iota(jnp.float32, (8, 16), 1), x)
t.add("slice_strided", lambda v: lax.slice(v, (1, 2), (7, 15), (2, 3)), x)
t.add("dynamic_slice", lambda v, i: lax.dynamic_slice(v, (i[0, 0], 3), (2, 4)), x, np.array([[7]], np.int32))
t.add("dynamic_slice_negative", lambda v, i: lax.dynamic_slice(v, (i[0, 0], 3), (2, 4)), x, np.array([[-3]], np.int32))
t.add("dynamic_update_slice", lambda v, w, i: lax.dynamic_update_slice(v, w[:2, :4], (i[0, 0], 5)), x, y, np.array([[3]], np.int32))
t.add("split", lambda v: lax.split(v, (4, 12), axis=1), x)
t.add("concatenate", lambda v, w: jnp.concatenate([v, w[:, :3]], axis=1), x, y)
t.add("stack", lambda v, w: jnp.stack([v, w], axis=1), x, y)
t.add("pad", lambda v: lax.pad(v, 7.0, ((1, 2, 0), (0, 3, 1))), x)
t.add("pad_negative", lambda v: lax.pad(v, 7.0, ((-1, 2, 0), (1, -3, 0))), x)
t.add("pad_negative_interior", lambda v: lax.pad(v, 7.0, ((-1, 2, 1), (1, -3, 2))), x)
t.add("tile", lambda v: jnp.tile(v, (2, 3)), x)
t.add("bitcast_same", lambda v: lax.bitcast_convert_type(v, jnp.int32), x)
t.add("bitcast_narrow", lambda v: lax.bitcast_convert_type(v, jnp.int8), a)
t.add("bitcast_wide", lambda v: lax.bitcast_convert_type(v.reshape(8, 8, 2).astype(jnp.int16), jnp.int32), a)
t.add("roll", lambda v: jnp.roll(v, 3, axis=1), x)

for name, axes in (("sum", (0,)), ("max", (1,)), ("min", (0, 1)), ("prod", (1,))):
  t.add(f"reduce_{name}", lambda v, n=name, ax=axes: getattr(jnp, n)(v, ax), x, tolerance=1e-4)
  t.add(f"reduce_{name}_int", lambda v, n=name, ax=axes: getattr(jnp, n)(v, ax), a)
t.add("reduce_max_unsigned", lambda v: jnp.max(v, 1), u)
t.add("reduce_bits", lambda v: (lax.reduce_and(v, (0,)), lax.reduce_or(v, (1,)), lax.reduce_xor(v, (0,))), a)
t.add("any_all", lambda v: (jnp.any(v > 1, 1), jnp.all(v > -3, 0)), x)
t.add("argmax", lambda v: (jnp.argmax(v, 1), jnp.argmin(v, 0), jnp.argmax(v % 3, 1)), a)
t.add("argmax_nan", lambda v: jnp.argmax(v, 1), np.where(np.arange(128).reshape(8, 16) % 37 == 5, np.nan, x))
for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
  t.add(name, lambda v, n=name: getattr(lax, n)(v, axis=1), x * 0.5, tolerance=1e-4)
  t.add(f"{name}_reverse", lambda v, n=name: getattr(lax, n)(v, axis=0, reverse=True), x * 0.5, tolerance=1e-4)
t.add("sort", lambda v: lax.sort(v, dimension=1), x)
t.add("sort_pairs", lambda k, v: lax.sort((k % 5, v), dimension=1, num_keys=1), a, x)
t.add("argsort", lambda v: jnp.argsort(v, axis=0), x)
t.add("top_k", lambda v: lax.top_k(v, 3), x)
t.add("top_k_ties", lambda v: lax.top_k(v % 4, 5), a)
# Each element comes before all that were seen, or none does; and more than a short list holds.
t.add("top_k_rising", lambda v: (lax.top_k(jnp.sort(v, 1), 4), lax.top_k(-jnp.sort(v, 1), 4)), floats(8, 100))
t.add("top_k_long", lambda v: lax.top_k(v, 57), floats(8, 100))
t.add("top_k_whole", lambda v: lax.top_k(v, 16), a)
t.add("first_of_columns", lambda v: (jnp.sort(v, 0)[:2, 3:], jnp.argsort(v % 3, axis=0)[:1]), a)
t.add("first_and_last", lambda v: (lambda s: (s[:, :2], s[:, -2:]))(jnp.sort(v, 1)), x)

t.add("dot", lambda v, w: v @ w.T, x, y, tolerance=1e-4)
t.add("dot_batched", lambda v: jnp.einsum("bij,bkj->bik", v, v), cube, tolerance=1e-4)
t.add("dot_bf16", lambda v, w: lax.dot_general(v.astype(jnp.bfloat16), w.astype(jnp.bfloat16), (((1,), (1,)), ((), ())),
                                               preferred_element_type=jnp.float32), x, y, tolerance=1e-3)
t.add("dot_int8", lambda v: lax.dot_general(v.astype(jnp.int8), v.astype(jnp.int8), (((1,), (1,)), ((), ())),
                                            preferred_element_type=jnp.int32), a)
t.add("dot_vectors", lambda v: jnp.dot(v[0], v[1]).reshape(1), x, tolerance=1e-4)
t.add("convolution", lambda v, w: lax.conv_general_dilated(v, w, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
      floats(1, 6, 6, 3), floats(3, 3, 3, 4), tolerance=1e-4)

idx = integers(0, 8, 5)
t.add("take_rows", lambda v, i: v[i], x, idx)
t.add("take_columns", lambda v, i: v[:, i], x, idx)
t.add("take_along_axis", lambda v, i: jnp.take_along_axis(v, i, axis=1), x, integers(0, 16, 8, 4))
t.add("take_fill", lambda v, i: jnp.take(v, i, axis=0, mode="fill", fill_value=9.0), x, integers(-2, 12, 6))
t.add("take_clip", lambda v, i: jnp.take(v, i, axis=0, mode="clip"), x, integers(-2, 12, 6))
t.add("scatter_set", lambda v, i: v.at[i].set(1.0), x, np.array([1, 5], np.int32))
t.add("scatter_add", lambda v, i: v.at[i].add(2.0), x, np.array([1, 5, 1], np.int32))
t.add("scatter_max", lambda v, i: v.at[i, 3].max(0.5), x, np.array([1, 5], np.int32))
t.add("random_bits", lambda v: jax.random.bits(jax.random.key(3), (4, 8)) + v[:4, :8].astype(jnp.uint32) * 0, x)
t.add("random_normal", lambda v: jax.random.normal(jax.random.fold_in(jax.random.key(3), 5), (4, 8)) + v[:4, :8] * 0, x, tolerance=1e-4)
t.run()
