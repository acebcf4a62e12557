# RUN: %python %s %root %S/blocks-that-wrap-around-on-gpus.mlir %t

"""Executes a kernel whose result moves around by one block, as written and from the `mosaic_gpu` stage."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
os.makedirs(work, exist_ok=True)
with open(source) as file:
  around = file.read().split("// -----")[0]
path = os.path.join(work, "around.mlir")
with open(path, "w") as file:
  file.write(around)
x = np.arange(24 * 32, dtype=np.int32).reshape(24, 32)
for module in path, gpu_stage.lower(path, work):
  (result,) = gpu_stage.execute(module, (x,), 1, work)
  np.testing.assert_array_equal(result, np.roll(x, 8, 1), err_msg=module)
