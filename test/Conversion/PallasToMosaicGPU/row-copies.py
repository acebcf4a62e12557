# RUN: %python %s %root %S/row-copies.mlir %t

"""Copies rows that vectors name, before and after the lowering; what is outside is zero, or stays."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(0)
x = rng.standard_normal((32, 128)).astype(np.float32)
inside = rng.integers(0, 32, 12).astype(np.int32), rng.permutation(12).astype(np.int32)
outside = [rows.copy() for rows in inside]
outside[0][3], outside[1][7] = 32, 12
padded = np.concatenate([x, np.zeros((1, 128), np.float32)])[:, 64:]
for module in source, gpu_stage.lower(source, work, "arch=sm_100a"):
  for (start, end), options in (inside, ["--check"]), (outside, []):
    (result,) = gpu_stage.execute(module, (x, start, end), 1, work, *options)
    written = end < 12
    np.testing.assert_array_equal(result[end[written]], padded[start[written]], err_msg=module)
print("both stages move rows")
