# RUN: %python %s %root %S/conditions.mlir %t

"""Executes a loop whose condition reduces a vector, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
# From below 1, where the loop never turns, to nine turns.
for scale in 0.5, 3.0, 300.0:
  x = (np.random.default_rng(3).random((8, 128)) * scale).astype(np.float32)
  halved, turns = x.copy(), np.zeros(x.shape, np.int32)
  while (halved > 1).any():
    turns += halved > 1
    halved = np.where(halved > 1, halved * np.float32(0.5), halved)
  for module in source, gpu_stage.lower(source, work):
    for options in [], ["--check"]:
      found = gpu_stage.execute(module, (x,), 2, work, *options)
      for result, wanted in zip(found, (halved, turns)):
        np.testing.assert_array_equal(result, wanted, err_msg=f"{module} {options}")
print("both stages halve as NumPy does")
