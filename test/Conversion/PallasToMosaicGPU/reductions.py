# RUN: %python %s %root %S/reductions.mlir %t

"""Executes reductions of all kinds, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(11)
x = rng.choice([-2.0, -1.0, 1.0, 2.0], (8, 16)).astype(np.float32)
n = rng.integers(-20, 20, (8, 16)).astype(np.int32)
expected = (x.prod(1), np.bitwise_xor.reduce(n, 0), (n == 3).any(1).astype(np.int32), n.max(1))
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    results = gpu_stage.execute(module, (x, n), len(expected), work, *options)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_array_equal(out, wanted, err_msg=f"{module} {options} result {number}")
print("both stages reduce as NumPy does")
