# REQUIRES: pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t/trace.json | FileCheck %s
# RUN: %python %S/../Runtime/Inputs/check-trace.py %t/trace.json | FileCheck %s --check-prefix=FILE
"""`trace` records when the kernels of a call did what."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir


def add(x, o, s):
  o[...] = x[...] + s[...]  # reads scratch that nothing has written: what a trace shows, and does not complain about


def call(x):
  return pl.pallas_call(add, out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32), grid=(4,),
                        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
                        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)], interpret=True)(x)


x = np.ones((32, 128), np.float32)
trace = pallas_mlir.trace(call, x)
# CHECK: <Trace of 1 device: 12 access, 1 kernel, 4 program>
print(trace)
# CHECK: (32, 128)
print(trace.result.shape)
# Each program reads two blocks and writes one.
# CHECK: ['program (0,)', 'program (1,)', 'program (2,)', 'program (3,)'] [12289, 12289, 12289, 12289]
programs = [e for e in trace.events if e.get("cat") == "program"]
print([e["name"].replace(")", ",)") for e in programs], [e["dur"] for e in programs])
# Lines of the kernel.
# CHECK: trace.py:18
print({e["args"]["place"].rsplit(":", 1)[0] for e in trace.events if e.get("cat") == "access"})
trace.save(sys.argv[1])
# FILE: device 0, core: 12 access, 1 kernel, 4 program

# One call after the other, and nothing of calls before.
# CHECK: <Trace of 1 device: 24 access, 2 kernel, 8 program>
print(pallas_mlir.trace(lambda x: call(call(x)), x))


# Kernels have their names; those of one name are told apart, as on pages.
def small(x):
  return pl.pallas_call(add, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)], interpret=True)(x)


# CHECK: ['add']
# CHECK: ['add (1 of 2)', 'add (2 of 2)', 'add (1 of 2)']
for fn in (lambda x: call(x), lambda x: call(jnp.tile(small(call(x)[:8]), (4, 1)))):
  print([e["name"] for e in pallas_mlir.trace(fn, x).events if e.get("cat") == "kernel"])
# CHECK: <Trace of 0 devices: no kernel ran>
print(pallas_mlir.trace(lambda x: x + 1, x))

# What goes wrong goes on.
try:
  pallas_mlir.trace(lambda x: 1 / 0, x)
except ZeroDivisionError as error:
  # CHECK: ZeroDivisionError
  print(type(error).__name__)
# CHECK: <Trace of 1 device: 12 access
print(pallas_mlir.trace(call, x))
