# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Kernels print through Python's stdout: values, refs, placeholders in any order."""
import contextlib
import io

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify
from jax.experimental import pallas as pl

import pallas_mlir.jax


said = io.StringIO()


def printed(kernel, *arrays):
  said.seek(said.truncate(0))
  with contextlib.redirect_stdout(said):
    jax.block_until_ready(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((2,), jnp.float32))(*arrays))
  return said.getvalue()


x, n = np.array([4.2, 2.4], np.float32), np.array([3, 250], np.uint8)


def kernel(x, n, o):
  o[...] = x[...]
  jax.debug.print("ref {}", x)
  jax.debug.print("{1} before {0}", n[1], x[0])
  jax.debug.print("{name} is {value:>4}", name=n[0], value=7)
  pl.debug_print("no placeholder", x[1])


# CHECK: ref [4.2 2.4]
# CHECK-NEXT: 4.2 before 250
# CHECK-NEXT: 3 is    7
# CHECK-NEXT: no placeholder 2.4
print(printed(kernel, x, n))


def braced(x, o):
  o[...] = x[...]
  jax.debug.print("{{}} of {{x}} is {}", x[0])
  pl.debug_print("{{}}")
  pl.debug_print("{{}}", x[1])


# A doubled brace is one, and no place.
# CHECK: {} of {x} is 4.2
# CHECK-NEXT: {{^[{][}]$}}
# CHECK-NEXT: {{^[{][}] 2.4$}}
print(printed(braced, x))


def formatted(x, n, o):
  o[...] = x[...]
  jax.debug.print("{:.3f}, {n:04x}, {x.shape}, {x}", x[0], n=n[1], x=x[...] * 10)
  pl.debug_print("{:>8.1e}|", x[1])


# Python formats what is more than a place.
# CHECK: 4.200, 00fa, (2,), [42. 24.]
# CHECK-NEXT: 2.4e+00|
print(printed(formatted, x, n))


def exact(x, o):
  pl.debug_print("{}", x[0])
  pl.debug_print("{}", x[...])
  o[...] = jnp.zeros_like(o)


# As many digits as tell a number from all others of its type.
# CHECK: 0.1
# CHECK-NEXT: [0.1 16777216 1234567.9 1e+16 1.5e-05 3.1415927 -0 -inf nan]
# CHECK: 0.1
# CHECK-NEXT: [0.1 0.3333 2050 6e-08]
# CHECK: 0.1
# CHECK-NEXT: [0.1 0.334 2048 1e-30]
print(printed(exact, np.array([0.1, 16777216, 1234567.9, 1e16, 1.5e-5, np.pi, -0.0, -np.inf, np.nan], np.float32)))
print(printed(exact, np.array([0.1, 1 / 3, 2050, 6e-8], np.float16)))
print(printed(exact, np.array([0.1, 1 / 3, 2050, 1e-30], jnp.bfloat16)))


def checked(n, o):
  pl.debug_check(n[0] < 2, "too many")
  o[...] = jnp.zeros_like(o)


# Checks of a kernel count while they are enabled.
# CHECK: silent
printed(checked, n)
print("silent")
# CHECK: printing.py:{{[0-9]+}}:{{[0-9]+}}: too many
with pl.enable_debug_checks(True):
  try:
    printed(checked, n)
  except jax.errors.JaxRuntimeError as error:
    print(error)


# `debug=True` prints what is compiled.
def looped(n, o):
  jax.lax.fori_loop(0, 3, lambda i, _: o.__setitem__(..., o[...] + 1), None)


# CHECK: The jaxpr of the kernel looped at {{.*}}printing.py:{{[0-9]+}}:
# CHECK: { lambda ; {{.*}}Ref
# CHECK: The module of the call of looped:
# CHECK: func.func @looped
# CHECK: scf.for
text = io.StringIO()
with contextlib.redirect_stdout(text):
  pl.pallas_call(looped, out_shape=jax.ShapeDtypeStruct((2,), jnp.float32), debug=True)(n)
print(text.getvalue())


def checked_values(x, n, o):
  checkify.debug_check(n[0] < 2, "{b} before {}", n[0], b=x[...])
  o[...] = x[...]


# What a check says of its values is printed before it fails.
# CHECK: [4.2 2.4] before 3
# CHECK: {b} before {}
with pl.enable_debug_checks(True):
  try:
    print(printed(checked_values, x, n))
  except jax.errors.JaxRuntimeError as error:
    print(said.getvalue(), error)
