# REQUIRES: pallas-python
# RUN: %python %s 2>&1 | FileCheck %s
"""Errors name the primitive or the rule, and the line of the kernel."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir

x = np.ones((8, 8), np.float32)


def show(kernel):
  try:
    pallas_mlir.export(lambda v: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype))(v), x)
  except pallas_mlir.PallasError as error:
    print(type(error).__name__, error)


def unsupported(x, o):
  o[0] = jnp.linalg.eigvalsh(x[...])


# CHECK: ExportError {{.*}}errors.py:[[@LINE-3]]: primitive 'eigh' has no form in the pallas dialect
show(unsupported)


def complex_numbers(x, o):
  o[...] = jnp.sort(x[...] + 1j).real


# CHECK: ExportError {{.*}}errors.py:[[@LINE-4]]: primitive 'sort' on complex numbers has no form in the pallas dialect; apply it to real and imaginary parts
show(complex_numbers)


def called_back(x, o):
  jax.debug.callback(print, x[0, 0])
  o[...] = x[...]


# CHECK: ExportError {{.*}}errors.py:[[@LINE-4]]: callbacks into Python cannot run inside a kernel; use pl.debug_print
show(called_back)


def at_a_float(x, o):
  o[x[0, 0], 0] = x[0, 0]


# CHECK: VerificationError {{.*}}errors.py:[[@LINE-3]]: an index is an integer, but this one is of type float32; convert it with astype(jnp.int32)
show(at_a_float)


# CHECK: ExportError the function reaches no pallas_call
try:
  pallas_mlir.export(lambda v: v + 1, x)
except pallas_mlir.PallasError as error:
  print(type(error).__name__, error)


# CHECK: is made for jax 0.10.2, but jax 0.11.0 is installed; install jax==0.10.2, or set PALLAS_MLIR_ANY_JAX=1
from pallas_mlir import compatibility

jax.__version__ = "0.11.0"
try:
  compatibility.check()
except ImportError as error:
  print(error)
