# RUN: %python %s %root %S/warp-copies.mlir %t

"""Executes a warp that copies and counts, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.arange(7, 135, dtype=np.int32)
counted = x.copy()
counted[0] += 1
for module in source, gpu_stage.lower(source, work):
  for number, (out, wanted) in enumerate(zip(gpu_stage.execute(module, (x,), 2, work), (x, counted))):
    np.testing.assert_array_equal(out, wanted, err_msg=f"{module} result {number}")
print("both stages copy and count in one warp")
