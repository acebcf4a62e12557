# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Calls that ask for one of JAX's interpreters get it, until `install` says otherwise."""
import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir.jax

x = np.arange(16 * 128, dtype=np.float32).reshape(16, 128)
out = jax.ShapeDtypeStruct(x.shape, x.dtype)


def kernel(x, o):
  o[...] = x[...] * 2


def on_cores(x, o):
  pl.run_scoped(lambda buffer: (pltpu.sync_copy(x, buffer), buffer.__setitem__(..., buffer[...] * 2), pltpu.sync_copy(buffer, o)) and None,
                pltpu.VMEM(x.shape, x.dtype))


mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)
calls = {"call": lambda i: pl.pallas_call(kernel, out_shape=out, interpret=i), "mesh": lambda i: pl.kernel(on_cores, out_type=out, mesh=mesh, interpret=i)}
modes = {"compiled": False, "hlo": True, "tpu": pltpu.InterpretParams()}


def run():
  for name, call in calls.items():
    for mode, interpret in modes.items():
      if (name, mode) == ("mesh", "hlo"):
        continue
      f = jax.jit(lambda x: call(interpret)(x))
      np.testing.assert_array_equal(f(x), x * 2)
      print(name, mode, "compiled" if "pallas_mlir_call" in f.lower(x).as_text() else "interpreted")


# CHECK: call compiled compiled
# CHECK-NEXT: call hlo interpreted
# CHECK-NEXT: call tpu interpreted
# CHECK-NEXT: mesh compiled compiled
# CHECK-NEXT: mesh tpu interpreted
run()

# CHECK-NEXT: call compiled compiled
# CHECK-NEXT: call hlo compiled
# CHECK-NEXT: call tpu compiled
# CHECK-NEXT: mesh compiled compiled
# CHECK-NEXT: mesh tpu compiled
pallas_mlir.jax.install(interpret=True)
run()
