# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""What already waits for a kernel that never ends, when `view` gives that one up, raises as what comes later does."""
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import jax
from endless import add, call, compile_checked, go_on, x

import pallas_mlir
import pallas_mlir.jax

compiled = compile_checked(x)
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
