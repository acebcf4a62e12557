# REQUIRES: pallas-python
# RUN: env JAX_ENABLE_X64=1 %python %s | FileCheck %s
# RUN: env JAX_ENABLE_X64=1 %python %s | pallas-opt --pallas-to-mosaic-tpu | FileCheck %s --check-prefix=TPU
"""Where JAX's numbers have 64 bits, loops count in 32 bits as long as these suffice: a TPU has no others."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

import pallas_mlir

# CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}}  : i32
# CHECK: arith.extsi %[[I]] : i32 to i64
# TPU: scf.for
# TPU-NOT: i64
# TPU: return
def running(x, o):
  def row(i, total):
    total = total + x[pl.ds(i, 1)]
    o[pl.ds(i, 1)] = total
    return total
  lax.fori_loop(0, 1024, row, jnp.zeros((1, 128), jnp.float32))


print(pallas_mlir.export(lambda x: pl.pallas_call(running, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x), np.zeros((1024, 128), np.float32)))
