# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
# RUN: env PALLAS_MLIR_CHECKED=1 %python %s environment | FileCheck %s --check-prefix=ENV
"""Checked kernels raise at the Python line of their mistake; checks of the kernel itself raise always."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
import pallas_mlir.jax

x = np.ones(8, np.float32)


def unset(x, o, s):
  o[...] = x[...] + s[...]  # reads scratch


def call(kernel, v):
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), scratch_shapes=[pltpu.VMEM((8,), jnp.float32)])(v)


add = jax.jit(lambda v: call(unset, v))

# ENV: failed: {{.*}}checked.py:[[@LINE-9]]:{{[0-9]+}}: error: uninitialised read
if sys.argv[1:]:
  try:
    jax.block_until_ready(add(x))
  except jax.errors.JaxRuntimeError as error:
    print("failed:", error)
  sys.exit()

# CHECK: runs (8,)
print("runs", add(x).shape)


def attempt(function, *arrays):
  try:
    with pallas_mlir.jax.checked():
      function(*arrays)
    print("no mistakes")
  except pallas_mlir.KernelError as error:
    print(type(error).__name__, error)


# What JAX compiled unchecked is not used.
# CHECK: KernelError {{.*}}checked.py:[[@LINE-31]]:{{[0-9]+}}: uninitialised read: 'pallas.get' reads element [0] of scratch 0, which nothing has written
attempt(add, x)
# CHECK: KernelError {{.*}}checked.py:[[@LINE-33]]
attempt(jax.vmap(add), x[None])


def outside(x, o, s):
  i = x[0].astype(jnp.int32) * 9
  o[...] = x[...]
  o[i] = 2.0  # out of bounds


# CHECK: KernelError {{.*}}checked.py:[[@LINE-3]]:{{[0-9]+}}: {{.*}}out of bounds
attempt(lambda v: call(outside, v), x)


def right(x, o, s):
  s[...] = x[...]
  o[...] = s[...] + 1


# CHECK: no mistakes
attempt(lambda v: call(right, v), x)
# CHECK: runs again (8,)
print("runs again", add(x).shape)

# CHECK: installed KernelError
pallas_mlir.jax.install(checked=True)
try:
  with pallas_mlir.jax.checked():
    add(x)
except pallas_mlir.KernelError as error:
  print("installed", type(error).__name__)
pallas_mlir.jax.install(checked=False)


def guarded(x, o, s):
  pl.debug_check(x[0] > 5, "the first one is too small")
  o[...] = x[...]


# CHECK: not enabled: runs (8,)
print("not enabled: runs", call(guarded, x).shape)
# CHECK: JaxRuntimeError {{.*}}checked.py:[[@LINE-6]]:{{[0-9]+}}: the first one is too small
with pl.enable_debug_checks(True):
  try:
    jax.block_until_ready(call(guarded, x))
  except jax.errors.JaxRuntimeError as error:
    print(type(error).__name__, error)
  # CHECK: enabled: runs (8,)
  print("enabled: runs", jax.block_until_ready(call(guarded, x * 9)).shape)
