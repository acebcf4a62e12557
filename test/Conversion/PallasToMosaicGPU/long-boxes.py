# RUN: %python %s %root %S/long-boxes.mlir %t

"""Executes a kernel whose blocks are copied in parts, also from the stage that it is lowered to."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.random.default_rng(0).standard_normal((10, 512)).astype(np.float32)
for module in source, gpu_stage.lower(source, work):
  (out,) = gpu_stage.execute(module, [x], 1, work)
  np.testing.assert_array_equal(out, x + x, err_msg=module)
print("both stages yield what NumPy does")
