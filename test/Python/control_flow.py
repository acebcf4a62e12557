# REQUIRES: pallas-python
# RUN: %python %s
# RUN: env JAX_ENABLE_X64=1 %python %s
"""Loops, branches and calls on values and on refs."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax

t = Table()
x, n = floats(8, 16), np.array([5], np.int32)

t.add("fori", lambda v: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i.astype(jnp.float32), v), x)
t.add("fori_from_two", lambda v: lax.fori_loop(2, 5, lambda i, c: c + i.astype(jnp.float32), v), x)
t.add("fori_dynamic", lambda v, m: lax.fori_loop(0, m[0], lambda i, c: c + i.astype(jnp.float32), v), x, n)
t.add("fori_empty", lambda v, m: lax.fori_loop(m[0], 3, lambda i, c: c + 1, v), x, n)
t.add("scan_stacked", lambda v: lax.scan(lambda c, r: (c + r, c * r), v[0], v), x, tolerance=1e-4)
t.add("scan_reversed", lambda v: lax.scan(lambda c, r: (c + r, c), v[0], v, reverse=True), x, tolerance=1e-4)
t.add("while_vector", lambda v: lax.while_loop(lambda c: jnp.any(c > 0.1), lambda c: c * 0.5, jnp.abs(v)), x)
t.add("while_scalar", lambda m: lax.while_loop(lambda c: c[0] < 100, lambda c: (c[0] * 3, c[1] + 1), (m[0], 0))[1].reshape(1), n)
def rotate(i, c):
  return c[2], c[0], c[1] * 2
t.add("fori_rotating", lambda v: lax.fori_loop(0, 4, rotate, (v, v + 1, v * 3)), x)
t.add("while_rotating", lambda v: lax.while_loop(
    lambda c: (c[0] < 9) & c[1], lambda c: (c[0] + 1, jnp.any(c[2] < 50), c[4], c[2] * 2, c[3] + 1), (0, True, v, v, v + 1))[2:], x)
t.add("cond", lambda v, m: lax.cond(m[0] > 3, lambda a: a + 1, lambda a: a * 2, v), x, n)
t.add("switch", lambda v, m: lax.switch(m[0] - 3, [lambda a: a, lambda a: a + 1, lambda a: -a, lambda a: a * a], v), x, n)
t.add("switch_outside", lambda v, m: lax.switch(m[0] + 30, [lambda a: a, lambda a: a + 1, lambda a: -a], v), x, n)
t.add("nested_jit", lambda v: jax.jit(lambda a: jnp.sin(a) + 1)(v) * 2, x)
t.add("custom_jvp", jax.nn.relu, x)
t.add("checkpoint", lambda v: jax.checkpoint(lambda a: jnp.tanh(a) * a)(v), x)
t.add("associative_scan", lambda v: lax.associative_scan(jnp.add, v, axis=1), x, tolerance=1e-4)
t.add("map", lambda v: lax.map(lambda r: r * r.sum(), v), x, tolerance=1e-4)


def carries(body, count, start=lambda v: (v,)):
  """A loop that carries values through branches."""
  t.add(body.__name__, lambda v: lax.fori_loop(0, count, lambda i, c: body(v, i, *c), start(v)), x)


def carried_or_loaded(v, i, b):
  return (lax.cond(i == 1, lambda: v, lambda: b) * 2,)
carries(carried_or_loaded, 4)


def carried_or_loaded_itself(v, i, b):
  return (lax.cond(i == 1, lambda: v, lambda: b),)
carries(carried_or_loaded_itself, 3, lambda v: (jnp.zeros_like(v),))


def carried_or_constant(v, i, b):
  return (lax.cond(i == 1, lambda: jnp.full_like(b, 0.5), lambda: b) - v,)
carries(carried_or_constant, 4)


def carried_or_updated(v, i, b):
  return (lax.cond(i % 2 == 1, lambda: b.at[i].set(v[0]), lambda: b),)
carries(carried_or_updated, 6)


def carried_or_exchanged(v, i, a, b, c):
  a, b, c = lax.switch(i % 3, [lambda: (a, b, c), lambda: (b, a, v), lambda: (c, c, a)])
  return b, c, a
carries(carried_or_exchanged, 5, lambda v: (v, v * 2, v * 3))


def carried_or_nested(v, i, a, b):
  inner = lambda: lax.cond(i == 2, lambda: (b, v), lambda: (v * 3, a))
  a, b = lax.cond(i % 2 == 0, inner, lambda: (b, v))
  return a + b, a
carries(carried_or_nested, 5, lambda v: (v, v * 2))


def carried_or_shared(v, i, a, b, c):
  """One value under two names, one of which may be that of a carried value."""
  def loop():
    m, n = lax.fori_loop(0, 3, lambda _, c: (c[1], c[0]), (c * 0, b))
    return m, m
  m, n = lax.cond(i == 1, loop, lambda: (a, jnp.zeros_like(a)))
  return n, n, m
carries(carried_or_shared, 4, lambda v: (v, v * 2, v * 3))


def carried_in_two_loops(v, i, a, b):
  def step(k, c):
    return lax.cond(k == i, lambda: a, lambda: c[1]), lax.cond(k > 1, lambda: c[0], lambda: v)
  return lax.fori_loop(0, 3, step, (b, a))
carries(carried_in_two_loops, 4, lambda v: (v, v * 2))


def carried_by_while(v):
  def step(c):
    i, a, b = c
    return i + 1, *lax.cond(i == 1, lambda: (v, a), lambda: (b, a * 2))
  return lax.while_loop(lambda c: (c[0] < 5) & jnp.any(c[1] < 1e3), step, (0, v * 2, v * 3))[1:]
t.add("carried_by_while", carried_by_while, x)


def loaded_in_branch(v, o):
  o[...] = lax.fori_loop(0, 4, lambda i, b: lax.cond(i == 1, lambda: v[...], lambda: b) * 2, jnp.ones((8, 16), jnp.float32))
t.add("loaded_in_branch", lambda v, interpret=False: pl.pallas_call(
    loaded_in_branch, out_shape=jax.ShapeDtypeStruct((8, 16), jnp.float32), interpret=interpret)(v), x, whole_arrays=False)
# Counters of 64 bits, within 32 bits and around their ends; the number behind the last is a result, too.
if jax.config.jax_enable_x64:
  for start in (-3, 2**31 - 4, 2**31 - 3, 2**31 - 2, -2**31, -2**31 - 1):
    t.add(f"counter_from_{start}", lambda v, start=start: lax.scan(
        lambda c, _: ((c[0] + 1, c[1] * 0.5 + (c[0] % 7).astype(v.dtype)), None), (np.int64(start), v), length=3), x)
t.run()
