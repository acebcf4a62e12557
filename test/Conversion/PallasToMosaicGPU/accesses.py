# RUN: %python %s %root %S/accesses.mlir %t

"""Executes accesses by masks and index arrays, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(9)
x = rng.standard_normal((8, 16)).astype(np.float32)
m = rng.integers(0, 2, (8, 16)).astype(bool)
i = np.array([5, 0, 7, 5], np.int32)
masked = np.where(m, x, np.float32(-1))
expected = masked, masked, x[i], x[:, 1::2], x > 0
for module in source, gpu_stage.lower(source, work):
  results = gpu_stage.execute(module, (x, m, i), len(expected), work)
  for number, (out, wanted) in enumerate(zip(results, expected)):
    np.testing.assert_array_equal(np.asarray(out).astype(wanted.dtype), wanted, err_msg=f"{module} result {number}")
print("both stages access elements as NumPy does")
