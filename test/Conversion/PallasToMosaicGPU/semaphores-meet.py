# RUN: %python %s %root %S/semaphores-meet.mlir %t

"""Executes blocks and warpgroups that wait at semaphores, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
for module in source, gpu_stage.lower(source, work):
  (counts,) = gpu_stage.execute(module, (), 1, work)
  np.testing.assert_array_equal(counts, [5, 7, 2, 3], err_msg=module)
print("both stages wait for each other")
