# RUN: %python %s %root %S/narrow-tiles.mlir %t

"""Executes copies of parts of bytes to tiles, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x, y = np.random.default_rng(2).integers(-8, 8, (2, 64, 256)).astype(np.int8)
for module in source, gpu_stage.lower(source, work):
  (result,) = gpu_stage.execute(module, (x, y), 1, work)
  np.testing.assert_array_equal(result, x.astype(np.float32) + y, err_msg=module)
print("both stages add")
