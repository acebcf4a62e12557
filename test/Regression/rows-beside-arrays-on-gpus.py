# RUN: %python %s %root %S/rows-beside-arrays-on-gpus.mlir %t

"""Executes accesses by a row and an index array, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.arange(80 * 16, dtype=np.float32).reshape(80, 16)
i = np.random.default_rng(0).integers(0, 16, 64).astype(np.int32)
for module in source, gpu_stage.lower(source, work):
  for out, row in zip(gpu_stage.execute(module, (x, i), 2, work), (2, i[5])):
    np.testing.assert_array_equal(out, x[row, i], err_msg=module)
print("both stages stay in the row")
