# RUN: %python %s %root %S/contractions.mlir %t

"""Executes contractions, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(8)
# Small integers, whose products are exact.
a, b, c, d, e = (rng.integers(-3, 4, shape).astype(dtype) for shape, dtype in (
    ((64, 64), np.float16), ((64, 64), np.float16), ((2, 3, 4, 8), np.float32), ((2, 8, 3, 8), np.float32),
    ((2, 4, 8), np.float32)))
expected = a.astype(np.float32) @ b.astype(np.float32).T, e + np.einsum("bkmn,bnkp->bmp", c, d)
for module in source, gpu_stage.lower(source, work):
  for options in [], ["--check"]:
    results = gpu_stage.execute(module, (a, b, c, d, e), len(expected), work, *options)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_array_equal(out, wanted, err_msg=f"{module} {options} result {number}")
print("both stages contract as NumPy does")
