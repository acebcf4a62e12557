# REQUIRES: pallas-python
# RUN: %devices=4 %python %s | FileCheck %s
"""Compiled kernels under jit, vmap, grad, scan, shard_map and several threads."""
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir
import pallas_mlir.jax

x = np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32)


def triple_kernel(x, o):
  o[...] = x[...] * 3


def triple(v, interpret=False):
  return pl.pallas_call(triple_kernel, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype), interpret=interpret)(v)


def check(name, got, want):
  np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
  print(name, "agrees")


# CHECK: eager agrees
check("eager", triple(x), x * 3)
# CHECK: jit agrees
check("jit", jax.jit(lambda v: triple(v + 1) * 2)(x), (x + 1) * 6)
# CHECK: vmap agrees
check("vmap", jax.vmap(triple)(x), x * 3)
# CHECK: vmap of vmap agrees
check("vmap of vmap", jax.vmap(jax.vmap(triple))(x[None]), x[None] * 3)
# CHECK: jvp agrees
check("jvp", jax.jvp(triple, (x,), (np.ones_like(x),))[1], np.full_like(x, 3))


@jax.custom_vjp
def cube(v):
  return v * triple(v * v) / 3


cube.defvjp(lambda v: (cube(v), v), lambda v, g: (g * triple(v * v),))
# CHECK: custom_vjp agrees
check("custom_vjp", jax.grad(lambda v: cube(v).sum())(x), 3 * x * x)
# CHECK: scan agrees
check("scan", jax.lax.scan(lambda c, r: (triple(c) * 0.3 + r, c.sum()), x[0], x)[0],
      jax.lax.scan(lambda c, r: (c * 0.9 + r, c.sum()), x[0], x)[0])
# CHECK: shard_map agrees
mesh = jax.sharding.Mesh(np.array(jax.devices()[:4]), ("d",))
P = jax.sharding.PartitionSpec
check("shard_map", jax.jit(jax.shard_map(triple, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))(x), x * 3)


# CHECK: cond and while agree
check("cond and while", jax.jit(lambda v: jax.lax.cond(v[0, 0] > 100, triple, lambda w: jax.lax.while_loop(
    lambda c: c[0] < 3, lambda c: (c[0] + 1, triple(c[1])), (0, w))[1], v))(x), x * 27)
# CHECK: donation agrees
check("donation", jax.jit(triple, donate_argnums=0)(jnp.array(x)), x * 3)
# CHECK: vmap of columns agrees
check("vmap of columns", jax.vmap(triple, in_axes=1, out_axes=1)(x), x * 3)
# CHECK: double precision agrees
with jax.enable_x64(True):
  wide = x.astype(np.float64) / 3
  result = jax.jit(triple)(wide)
  assert result.dtype == np.float64
  np.testing.assert_allclose(result, wide * 3, rtol=1e-15)
  check("double precision", jax.vmap(triple)(np.arange(6).reshape(2, 3)), np.arange(6).reshape(2, 3) * 3)
# CHECK: an export agrees
exported = jax.export.export(jax.jit(triple), disabled_checks=[jax.export.DisabledSafetyCheck.custom_call(pallas_mlir.jax.TARGET)])(x)
check("an export", exported.call(x), x * 3)


# What was exported can be called, and what was called can be exported.
# CHECK: after export agrees
named = jax.jit(lambda v: triple(v) + 2)
assert "pallas.pallas_call" in pallas_mlir.export(named, x)
check("after export", named(x), x * 3 + 2)
assert "pallas.pallas_call" in pallas_mlir.export(named, x)


# CHECK: threads agree
shared = jax.jit(triple)


def work(seed, errors):
  """Compiles kernels of its own and ones that others compile too, and calls a common one in between."""
  try:
    for size in range(1, 5):
      for width in (seed + 2, 5):
        v = np.full((size, width), seed, np.float32)
        np.testing.assert_allclose(jax.jit(triple)(v), v * 3)
        np.testing.assert_allclose(shared(x + seed), (x + seed) * 3, rtol=1e-5)
      assert "pallas.pallas_call" in pallas_mlir.export(triple, v)
  except Exception as error:
    errors.append(error)


errors = []
threads = [threading.Thread(target=work, args=(seed, errors)) for seed in range(12)]
for thread in threads:
  thread.start()
for thread in threads:
  thread.join()
assert not errors, errors
print("threads agree")

# Calls in interpret mode are JAX's until they are asked for.
# CHECK: interpret 0
# CHECK: redirected 1
calls = lambda: jax.jit(lambda v: triple(v, interpret=True)).lower(x).as_text().count(pallas_mlir.jax.TARGET)
print("interpret", calls())
pallas_mlir.jax.install(interpret=True)
jax.clear_caches()
print("redirected", calls())
