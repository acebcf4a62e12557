# RUN: %python %s %root %S/atomics.mlir %t

"""Executes atomic updates of elements, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(3)
bins = rng.integers(-128, 140, 256).astype(np.int32)
x = rng.standard_normal(128).astype(np.float32)
m = rng.integers(0, 2, 128).astype(bool)
wrapped = np.where(bins < 0, bins + 128, bins)
histogram = np.bincount(wrapped[wrapped < 128], minlength=128)
most = np.where(m, np.maximum(x, np.float32(0.5)), np.float32(0.5))
expected = [0, 2, 9, 9], histogram, most, np.where(m, np.float32(0.5), x), most[::2]
arrays = bins, x, m, np.zeros(4, np.int32)
# The kernel has the counters once more as a result that it reads.
for module, arrays in (source, arrays), (gpu_stage.lower(source, work), (*arrays, arrays[-1])):
  results = gpu_stage.execute(module, arrays, len(expected), work)
  for number, (out, wanted) in enumerate(zip(results, expected)):
    np.testing.assert_array_equal(out, wanted, err_msg=f"{module} result {number}")
print("both stages update elements as NumPy does")
