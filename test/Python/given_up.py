# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""A kernel that never ends, which `view` has given up: what would wait for it raises at once, and other calls run."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import jax
from endless import add, call, compile_checked, go_on, x

import pallas_mlir
import pallas_mlir.jax

compiled = compile_checked(x)
# CHECK: The run failed: the kernels have not ended within 3 seconds
print(pallas_mlir.view(call(go_on), x, seconds=3).summary)


def checked():
  with pallas_mlir.jax.checked():
    call(add)(x)


# CHECK: trace: StillRunning: a timeline would wait for the kernel that view() gave up{{.*}}; restart the process
# CHECK: checked: StillRunning: a checked call would wait for the kernel that view() gave up
for name, run in (("trace", lambda: pallas_mlir.trace(call(add), x)), ("checked", checked)):
  try:
    run()
  except pallas_mlir.StillRunning as error:
    print(f"{name}: {type(error).__name__}: {error}")
# CHECK: The run failed: not run: a timeline would wait
print(pallas_mlir.view(call(add), x, seconds=3).summary)
# CHECK: plain: 2.0
print("plain:", float(jax.jit(call(add))(x)[0, 0]))
# Checked kernels take turns.
# CHECK: checked for good: StillRunning: a checked kernel would wait
pallas_mlir.jax.install(checked=True)
try:
  jax.jit(call(add))(x)
except pallas_mlir.StillRunning as error:
  print(f"checked for good: {type(error).__name__}: {error}", flush=True)
# So do those that were compiled before, at their begin. The exception is the one that XLA makes of an error.
# CHECK: compiled before: {{.*}}a checked kernel would wait for the kernel that view() gave up{{.*}}; restart the process
try:
  compiled(x).block_until_ready()
except (ValueError, jax.errors.JaxRuntimeError) as error:
  print(f"compiled before: {error}", flush=True)
