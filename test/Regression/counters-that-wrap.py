# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""The bug: a scan that adds one to its first carried value had no rounds where that number wraps around.

It counted from that number to the sum of it and the length, which lies in front of it then.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir.jax

x = np.ones((8, 8), np.float32)
last = np.array([2**31 - 3], np.int32)


def rounds(start, rows):
  (count, total), marked = lax.scan(lambda c, row: ((c[0] + 1, c[1] + 1), row * (c[0] > 0)), (start, 0.0), rows)
  return marked + total + (count < 0)


def read(n, x, o):
  o[...] = rounds(n[0], x[...])


def known(n, x, o):
  o[...] = rounds(jnp.int32(2**31 - 3), x[...])


def inside(n, x, o):
  o[...] = rounds(jnp.int32(2**31 - 9), x[...])


# CHECK: read [10. 10. 10.  9.  9.  9.  9.  9.]
# CHECK: known [10. 10. 10.  9.  9.  9.  9.  9.]
# CHECK: inside [9. 9. 9. 9. 9. 9. 9. 9.]
for kernel in (read, known, inside):
  call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 8), jnp.float32))
  print(kernel.__name__, np.asarray(call(last, x))[:, 0])
