# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of TPUs whose work stands in loops of a known length."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

S, f32, i32 = jax.ShapeDtypeStruct, jnp.float32, jnp.int32


def part(i, size):
  return pl.ds(pl.multiple_of(i * size, size), size)


def over_rows(count, size, compute):
  """A kernel that computes blocks of rows one after the other."""
  def kernel(x, o):
    def body(i, _):
      o[part(i, size), :] = compute(x[part(i, size), :])
      return 0
    lax.fori_loop(0, count, body, 0)
  return kernel


def softmax(v):
  e = jnp.exp(v - jnp.max(v, axis=-1, keepdims=True))
  return e / jnp.sum(e, axis=-1, keepdims=True)


def product(x, y, o):
  def body(i, sum):
    return sum + jnp.dot(x[:, part(i, 128)], y[part(i, 128), :], preferred_element_type=f32)
  o[...] = lax.fori_loop(0, 32, body, jnp.zeros((128, 128), f32))


def total(x, o):
  o[...] = lax.fori_loop(0, 128, lambda i, sum: sum + x[part(i, 8), :], jnp.zeros((8, 128), f32))


def root(x, o):
  value = x[...]
  o[...] = lax.fori_loop(0, 48, lambda i, y: 0.5 * (y + value / y), value)


def recurrence(x, o):
  def body(i, state):
    state = 0.9 * state + x[pl.ds(i, 1), :]
    o[pl.ds(i, 1), :] = state
    return state
  lax.fori_loop(0, 64, body, jnp.zeros((1, 128), f32))


def pick(places, x, o):
  def body(i, _):
    o[pl.ds(i, 1), :] = x[pl.ds(places[i], 1), :]
    return 0
  lax.fori_loop(0, 64, body, 0)


def kernels():
  def call(body, *shape, **options):
    return pl.pallas_call(body, out_shape=S(shape, f32), **options)

  yield "loop, softmax of 8 rows", call(over_rows(64, 8, softmax), 512, 256), [S((512, 256), f32)]
  yield "loop, gelu of 32 rows", call(over_rows(32, 32, jax.nn.gelu), 1024, 512), [S((1024, 512), f32)]
  yield "loop, product", call(product, 128, 128), [S((128, 4096), f32), S((4096, 128), f32)]
  yield "loop, sum", call(total, 8, 128), [S((1024, 128), f32)]
  yield "loop, square root", call(root, 8, 128), [S((8, 128), f32)]
  yield "loop, recurrence", call(recurrence, 64, 128), [S((64, 128), f32)]
  specs = [pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec()]
  yield "loop, rows by index", call(pick, 64, 128, in_specs=specs), [S((64,), i32), S((256, 128), f32)]
