# RUN: %python %s %root %S/empty-parts.mlir %t

"""Executes parts without elements and parts that lie apart, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.random.default_rng(2).standard_normal((32, 4)).astype(np.float32)
expected = x.copy()
expected[:, 1::2] += x[:, ::2]
for module, arrays in (source, (x,)), (gpu_stage.lower(source, work), (x,)):
  for out, wanted in zip(gpu_stage.execute(module, arrays, 2, work), (expected, x)):
    np.testing.assert_array_equal(out, wanted, err_msg=module)
print("both stages give what NumPy does")
