# RUN: %python %s %root %S/bounds.mlir %t

"""Executes a kernel, and the module that it is lowered to, with starts inside and outside of its refs."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
lowered = gpu_stage.lower(source, work)
base = np.arange(128, dtype=np.float32)


def inside(start, size):
  return max(min(start + size if start < 0 else start, size - 128), 0)


def check(module, start):
  arrays = np.arange(512, dtype=np.float32), np.array([start], np.int32)
  o, p = gpu_stage.execute(module, arrays, 2, work)
  near, far = inside(start, 256), inside(start, 512)
  for row in 0, 256:
    np.testing.assert_array_equal(o[row:row + 128], base + far + base + near, err_msg=f"{module} {start}")
  # The copy stays in place; what lies outside of the array is not written.
  if -128 < start < 512:
    first, last = max(start, 0), min(start + 128, 512)
    np.testing.assert_array_equal(p[first:last], (base + near)[first - start:last - start],
                                  err_msg=f"{module} {start}")


for start in 0, 5, 100, 200, 384, 385, 512, 100000, -1, -128, -130, -600, -(2**31), 2**31 - 1:
  for module in source, lowered:
    check(module, start)
print("both stages move accesses inside")
