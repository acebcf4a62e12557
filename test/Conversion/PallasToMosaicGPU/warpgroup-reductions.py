# RUN: %python %s %root %S/warpgroup-reductions.mlir %t

"""Executes reductions of two warpgroups, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.random.default_rng(5).standard_normal((2, 64, 64)).astype(np.float32)
for module in source, gpu_stage.lower(source, work):
  columns, rows = gpu_stage.execute(module, (x,), 2, work)
  np.testing.assert_allclose(columns, x.sum(1), rtol=1e-5, atol=1e-5, err_msg=module)
  np.testing.assert_allclose(rows, x.sum(2), rtol=1e-5, atol=1e-5, err_msg=module)
print("both stages reduce in two warpgroups")
