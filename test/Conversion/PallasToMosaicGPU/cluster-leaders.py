# RUN: %python %s %root %S/cluster-leaders.mlir %t

"""Executes blocks that arrive at the barrier of the first one, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
for module in source, gpu_stage.lower(source, work, "arch=sm_100a"):
  (values,) = gpu_stage.execute(module, (), 1, work)
  np.testing.assert_array_equal(values, [42, 43], err_msg=module)
print("the first blocks have waited for the others")
