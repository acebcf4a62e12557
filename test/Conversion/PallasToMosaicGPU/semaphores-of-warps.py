# RUN: %python %s %root %S/semaphores-of-warps.mlir %t

"""Executes warps that wait for each other at semaphores, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
for module in source, gpu_stage.lower(source, work):
  (values,) = gpu_stage.execute(module, (), 1, work)
  np.testing.assert_array_equal(values, [5, 2], err_msg=module)
print("both stages wait for each other")
