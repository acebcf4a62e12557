# REQUIRES: pallas-python
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s | FileCheck %s
"""Pages are refused for times that are none, and kernels with long names get files."""
import pathlib

import jax
import pallas_mlir
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def call(name):
  return lambda x: pl.pallas_call(double, out_shape=x, name=name)(x)


x = jax.numpy.ones((8, 128))
for seconds in (0, -1, "a", None):
  try:
    pallas_mlir.view(call("double"), x, seconds=seconds)
  except ValueError as error:
    print(error)
# CHECK: seconds=0 is no time that kernels may run; give a number above 0
# CHECK-NEXT: seconds=-1 is no time
# CHECK-NEXT: seconds='a' is no time
# CHECK-NEXT: seconds=None is no time

pallas_mlir.view(call("long" * 100), x)
print([len(path.name) for path in pathlib.Path().glob("*.html")])
# CHECK-NEXT: [205]
