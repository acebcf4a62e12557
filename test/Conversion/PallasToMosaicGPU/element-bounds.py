# RUN: %python %s %root %S/element-bounds.mlir %t

"""Executes accesses element by element that leave their refs, before and after the lowering."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
lowered = gpu_stage.lower(source, work)
x = np.arange(1, 129, dtype=np.float32)
i = np.array([0, -1, 5, 200, -300, 127, 3, -128], np.int32)
wrapped = np.where(i < 0, i + 128, i)
for start in 0, 34, 35, 120, 200, -1, -5, -40, -200:
  first = max(min(start + 128 if start < 0 else start, 34), 0)
  strided = x[first:first + 94:3]
  scattered, spread, kept = np.zeros((3, 128), np.float32)
  scattered[wrapped[(wrapped >= 0) & (wrapped < 128)]] = 1
  spread[first:first + 94:3] = strided
  places = start + np.arange(32)
  isInside = (places >= 0) & (places < 128)
  kept[places[isInside]] = strided[isInside]
  expected = strided, x[np.clip(wrapped, 0, 127)], scattered, spread, kept
  for module in source, lowered:
    results = gpu_stage.execute(module, (x, np.full(4, start, np.int32), i), len(expected), work)
    for number, (out, wanted) in enumerate(zip(results, expected)):
      np.testing.assert_array_equal(out, wanted, err_msg=f"{module} start {start} result {number}")
print("both stages move, keep and drop elements alike")
