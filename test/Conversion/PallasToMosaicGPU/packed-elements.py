# RUN: %python %s %root %S/packed-elements.mlir %t

"""Executes reads of elements that share a byte, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import ml_dtypes
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(4)
x = rng.integers(-8, 8, (8, 256)).astype(ml_dtypes.int4)
z = rng.integers(-8, 8, 8).astype(ml_dtypes.int4)
i = rng.integers(0, 256, 64).astype(np.int32)
m = rng.integers(0, 2, 32).astype(bool)
whole, offset = x.astype(np.float32), z.astype(np.float32)
expected = (np.stack([whole[p, p:p + 32] - offset[p] for p in range(4)]), whole.reshape(8, 4, 64).swapaxes(0, 1), whole[2, i],
            np.stack([np.where(m, whole[p, p + 1:p + 33], np.float32(-3)) for p in range(4)]))
for module in source, gpu_stage.lower(source, work):
  results = gpu_stage.execute(module, (x, z, i, m), len(expected), work)
  for number, (out, wanted) in enumerate(zip(results, expected)):
    np.testing.assert_array_equal(out, wanted, err_msg=f"{module} result {number}")
print("both stages read packed elements as NumPy does")
