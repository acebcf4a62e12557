# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: checked code was never split, so kernels of hundreds of statements took LLVM minutes."""
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
from pallas_mlir import jax as compiled

STATEMENTS = 100


def rows(forgets):
  """Statements on rows; the last but one that writes a row of the scratch forgets to, or none."""
  def kernel(x, y, o, scratch):
    o[...] = jnp.zeros_like(o)
    for i in range(STATEMENTS):
      if not forgets or i != STATEMENTS - 2:
        scratch[i] = x[i % 7] * y[i % 5]
      o[i % 16] += scratch[i]
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 8, 128), jnp.float32),
                        scratch_shapes=[pltpu.VMEM((STATEMENTS, 8, 128), jnp.float32)])


x, y = np.random.default_rng(0).integers(-4, 5, (2, 16, 8, 128)).astype(np.float32)
expected = np.zeros_like(x)
for i in range(STATEMENTS):
  expected[i % 16] += x[i % 7] * y[i % 5]
with compiled.checked():
  np.testing.assert_array_equal(rows(False)(x, y), expected)
try:
  with compiled.checked():
    jax.block_until_ready(rows(True)(x, y))
except pallas_mlir.KernelError as error:
  (_, rule, message, *_), = error.findings
  assert rule == "uninitialised read" and f"[{STATEMENTS - 2}, 0, 0]" in message, error
else:
  raise AssertionError("nothing has written the row")

module = str(pallas_mlir.export(rows(False), x, y))
lowered = subprocess.run(["pallas-opt", "--pallas-to-llvm=checked"], input=module, capture_output=True, text=True, check=True).stdout
blocks = [len(re.findall(r"^ *\^bb", function, re.M)) for function in re.split(r"^ *llvm.func ", lowered, flags=re.M)]
assert sum(blocks) > 3 * max(blocks), blocks
