# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""What a target has against a kernel and what it takes; the stages of its compilation."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir

a, b = np.ones((256, 512), np.float32), np.ones((512, 256), np.float32)


def matmul(x, y, o, acc):
  @pl.when(pl.program_id(2) == 0)
  def _():
    acc[...] = jnp.zeros_like(acc)
  acc[...] += x[...] @ y[...]
  o[...] = acc[...]


def call(x, y, rows=100):
  return pl.pallas_call(
      matmul, grid=(2, 2, 4), out_shape=jax.ShapeDtypeStruct((256, 256), jnp.float32),
      in_specs=[pl.BlockSpec((rows, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((rows, 128), lambda i, j, k: (i, j)), scratch_shapes=[pltpu.VMEM((rows, 128), jnp.float32)])(x, y)


# CHECK: matmul ({{.*}}explanation.py:{{[0-9]+}}) on tpu:v5e
# CHECK-NEXT: warning | block 0 (args[0]) has size 100 in dimension 0 of size 256, {{.*}}sizes near it that need no copy are 96, 104 and 256
# CHECK-NEXT: warning | block 2
# CHECK: vmem | 51200 bytes (scratch 0: 51200)
# CHECK-NEXT: cost | {{[0-9]+}} operations, 0 transcendental, 1310720 bytes of arrays, {{[0-9]+}} bytes moved
# CHECK-NEXT: coverage | output 0: 4 of 6 blocks are visited
explained = pallas_mlir.explain(call, a, b, target="tpu:v5e")
print(explained)
# CHECK: True 51200
print(len(explained.calls[0].violations) >= 2, explained.calls[0].memory["bytes"]["vmem"])

# Each call has its own table, and a legal one no violations.
# CHECK: matmul
# CHECK: matmul
# CHECK: [0, 0]
twice = pallas_mlir.explain(lambda x, y: call(x, y, 128) + call(x + 1, y, 128), a, b)
print(twice)
print([len(c.violations) for c in twice.calls])


# What the kernel waits for on a chip; the parts add up to the cycles.
# CHECK: cycles {{ *}}| about {{[0-9]+}} in 16 steps; waits for copies most
# CHECK-NEXT:   copies {{ *}}| {{[0-9]+}} ({{[0-9]+}}%)
# CHECK: roofline {{ *}}| {{[0-9]+}} cycles to compute, {{[0-9]+}} to copy 2359296 bytes of windows
# CHECK: True 16
# CHECK: {} {}
predicted = pallas_mlir.explain(lambda x, y: call(x, y, 128), a, b, target="tpu:v6e")
print(predicted)
cycles = predicted.calls[0].cycles
print(abs(sum(cycles["parts"].values()) - cycles["cycles"]) < 10, cycles["steps"])
print(twice.calls[0].cycles, pallas_mlir.explain(call, a, b, target="tpu:v4").calls[0].cycles)

# CHECK: target 'vpu' is unknown; use tpu
try:
  pallas_mlir.explain(call, a, b, target="vpu")
except ValueError as error:
  print(error)

# CHECK: // As exported
# CHECK: pallas.pallas_call
# CHECK: IR Dump After ConvertPallasToCPU
# CHECK: llvm.func @matmul
print(pallas_mlir.show(call, a, b))
