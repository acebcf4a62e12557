# RUN: %python %s %root %S/cluster-refs.mlir %S/cluster-arrivals.mlir %t

"""Executes blocks that use memory and barriers of each other, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

neighbours, turns, work = sys.argv[2:]
x = np.random.default_rng(0).integers(-99, 99, (2, 2, 64, 32)).astype(np.int32)
rows = np.arange(3 * 128, dtype=np.float32).reshape(3, 128)
for source, array, expected in (neighbours, x, x + x[::-1, ::-1]), (turns, rows, rows):
  for module in source, gpu_stage.lower(source, work):
    (result,) = gpu_stage.execute(module, (array,), 1, work, "--check")
    np.testing.assert_array_equal(result, expected, err_msg=module)
print("both stages reach the other blocks")
