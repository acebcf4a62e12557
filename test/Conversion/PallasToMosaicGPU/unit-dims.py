# RUN: %python %s %root %S/unit-dims.mlir %t

"""Executes a kernel, and the module that it is lowered to, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(3)
x, bias, scale = (rng.standard_normal(shape).astype(np.float32) for shape in ((8, 20), (1, 20), (1, 1)))
expected = (x - x.max(axis=1, keepdims=True) + bias) * scale
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    (out,) = gpu_stage.execute(module, (x, bias, scale), 1, work, *options)
    np.testing.assert_array_equal(out, expected, err_msg=module)
print("both stages yield what NumPy does")
