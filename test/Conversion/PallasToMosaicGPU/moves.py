# RUN: %python %s %root %S/moves.mlir %t

"""Executes kernels that move elements, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(5)
x = rng.integers(-4, 5, (8, 16)).astype(np.float32)
i = rng.integers(0, 8, (4, 16)).astype(np.int32)
expected = (x.T, x[:, ::-1], np.roll(x, 3, 1), np.take_along_axis(x, i, 0), x.argmax(1).astype(np.int32),
            np.concatenate([x, x[:, ::-1]]), x[2:6, 4:12], x[1::2, ::2])
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    results = gpu_stage.execute(module, (x, i), len(expected), work, *options)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_array_equal(out, wanted, err_msg=f"{module} {options} result {number}")
print("both stages move elements as NumPy does")
