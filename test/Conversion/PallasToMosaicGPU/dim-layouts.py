# RUN: %python %s %root %S/dim-layouts.mlir %t

"""Executes reductions and broadcasts, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(12)
x = rng.standard_normal((8, 64)).astype(np.float32)
n = rng.integers(-128, 127, (8, 64)).astype(np.int8)
e = np.exp(x - x.max(1, keepdims=True))
expected = e / e.sum(1, keepdims=True), x - x.sum(), n.min(0), x.reshape(8, 4, 16).max(2)
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    results = gpu_stage.execute(module, (x, n), len(expected), work, *options)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5, err_msg=f"{module} {options} result {number}")
print("both stages reduce and broadcast as NumPy does")
