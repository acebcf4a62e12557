# RUN: %python %s %root %S/orders.mlir %t

"""Executes running sums and sorts, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(6)
# Equal keys keep their order, and NaN comes last.
x = rng.integers(-4, 5, (8, 16)).astype(np.float32)
n = np.arange(128, dtype=np.int32).reshape(8, 16)
order = np.argsort(x, axis=1, kind="stable")
expected = (x.cumsum(1), np.maximum.accumulate(x[::-1], 0)[::-1], np.take_along_axis(x, order, 1),
            np.take_along_axis(n, order, 1))
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    results = gpu_stage.execute(module, (x, n), len(expected), work, *options)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_array_equal(out, wanted, err_msg=f"{module} {options} result {number}")
x[3, 2] = np.nan
for module in source, f"{work}/kernel.mlir":
  np.testing.assert_array_equal(gpu_stage.execute(module, (x, n), 4, work)[2], np.sort(x, 1), err_msg=module)
print("both stages order elements as NumPy does")
