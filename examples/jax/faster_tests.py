# %% [markdown]
# # A test suite that asks for interpret mode, compiled
#
# Many test suites call their kernels with `interpret=True`, since a CI machine
# has no accelerator. `install(interpret=True)`, or `PALLAS_MLIR_INTERPRET=1` in
# the environment, runs the same calls compiled. No test changes.

# %% A kernel and its test, as somebody wrote them
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def layer_norm_kernel(x_ref, scale_ref, o_ref):
  x = x_ref[...]
  centered = x - jnp.mean(x, axis=1, keepdims=True)
  o_ref[...] = centered * jax.lax.rsqrt(jnp.mean(centered * centered, axis=1, keepdims=True) + 1e-6) * scale_ref[...]


def layer_norm(x, scale):
  rows, width = x.shape
  return pl.pallas_call(
      layer_norm_kernel,
      grid=(rows // 8,),
      in_specs=[pl.BlockSpec((8, width), lambda i: (i, 0)), pl.BlockSpec((1, width), lambda i: (0, 0))],
      out_specs=pl.BlockSpec((8, width), lambda i: (i, 0)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, scale)


def test_layer_norm():
  x = np.random.default_rng(0).standard_normal((4096, 256)).astype(np.float32)
  got = layer_norm(x, np.full((1, 256), 2, np.float32))
  want = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-6) * 2
  np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def seconds(test):
  start = time.perf_counter()
  test()
  return time.perf_counter() - start


# %% In JAX's interpret mode
test_layer_norm()
interpreted = seconds(test_layer_norm)

# %% Compiled: the same test
import pallas_mlir.jax

pallas_mlir.jax.install(interpret=True)
test_layer_norm()
compiled = seconds(test_layer_norm)
print(f"interpreted: {interpreted * 1e3:.0f} ms, compiled: {compiled * 1e3:.0f} ms")

# %% With mistakes of kernels as failures of tests
pallas_mlir.jax.install(checked=True)
test_layer_norm()
print("the checked test passes")
