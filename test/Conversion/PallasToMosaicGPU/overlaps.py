# RUN: %python %s %root %S/overlaps.mlir %t

"""Executes writes of what their ref has held before, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(3)
x = rng.standard_normal(128).astype(np.float32)
i = rng.permutation(128).astype(np.int32)
m = rng.integers(0, 2, 100).astype(bool)
scattered, spread, permuted, moved = x.copy(), x.copy(), i.copy(), x.copy()
scattered[i] = x
spread[::2] = x[:64]
permuted[i] = i
moved[28:] = np.where(m, x[:100], x[28:])
expected = scattered, spread, permuted, moved
for module in source, gpu_stage.lower(source, work):
  results = gpu_stage.execute(module, (x, i, m), len(expected), work)
  for number, (out, wanted) in enumerate(zip(results, expected)):
    np.testing.assert_array_equal(out, wanted, err_msg=f"{module} result {number}")
print("both stages read all elements before they write")
