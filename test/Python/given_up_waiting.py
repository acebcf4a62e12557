# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""What already waits for a kernel that never ends, when `view` gives that one up, raises as what comes later does."""
import faulthandler
import os
import tempfile
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir
import pallas_mlir.jax

# A hang is a failure, and names its place.
faulthandler.dump_traceback_later(120, exit=True)
os.chdir(tempfile.mkdtemp())


def go_on(x, o):
  o[...] = jax.lax.while_loop(lambda v: jnp.all(v >= 0), jnp.abs, x[...])


def add(x, o):
  o[...] = x[...] + 1


def call(kernel):
  return lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), interpret=True)(x)


x = np.ones((8, 128), np.float32)
pallas_mlir.jax.install(interpret=True)
compiled = jax.jit(call(add))
with pallas_mlir.jax.checked():
  compiled(x)
begun, told = threading.Event(), {}


def checked():
  with pallas_mlir.jax.checked():
    begun.wait()
    compiled(x).block_until_ready()


def trace():
  begun.wait()
  pallas_mlir.trace(call(add), x)


def run(name, wait):
  start = time.monotonic()
  try:
    wait()
    told[name] = "ended"
  except (pallas_mlir.StillRunning, ValueError, jax.errors.JaxRuntimeError) as error:
    # XLA's error of the call is that of its kernel.
    told[name] = f"{type(error).__name__}: {error}; {error.__context__}"
  assert time.monotonic() - start > 1, f"{name} did not wait"


waiting = [threading.Thread(target=run, args=pair, daemon=True) for pair in
           (("checked", checked), ("trace", trace))]
for thread in waiting:
  thread.start()
# The kernel runs by then.
threading.Timer(2, begun.set).start()
# CHECK: The run failed: the kernels have not ended within 6 seconds
print(pallas_mlir.view(call(go_on), x, seconds=6).summary)
for thread in waiting:
  thread.join()
# CHECK: checked: StillRunning: {{.*}} would wait for the kernel that view() gave up and that still runs in this process, perhaps without end; restart the process, or try again when the kernel has ended; {{.*}}a checked kernel would wait for the kernel that view() gave up
# CHECK: trace: StillRunning: a timeline would wait for the kernel that view() gave up
for name in ("checked", "trace"):
  print(f"{name}: {told[name]}", flush=True)
