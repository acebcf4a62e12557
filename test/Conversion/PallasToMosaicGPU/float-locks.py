# RUN: %python %s %root %S/float-locks.mlir %t

"""Executes compare-and-swap of floats, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import ml_dtypes
import numpy as np

source, work = sys.argv[2:]
x = np.array([1.5, np.nan, 2.5, -0.0], np.float32)
expected = np.array([1.5, np.nan, 3.5, 0.0], np.float32)
halves = np.array([3, 1], ml_dtypes.bfloat16)
wanted = np.array([7, 7, 2.5, -0.0], np.float32), x, np.array([1, 2], ml_dtypes.bfloat16)
for module, arrays in (source, (x, expected, halves)), (gpu_stage.lower(source, work), (x, expected, halves, x)):
  results = gpu_stage.execute(module, arrays, len(wanted), work)
  for number, (out, want) in enumerate(zip(results, wanted)):
    bits = np.uint16 if want.dtype.itemsize == 2 else np.uint32
    np.testing.assert_array_equal(np.asarray(out).view(bits), want.view(bits), err_msg=f"{module} result {number}")
print("both stages compare floats by their bits")
