# RUN: %python %s %root %S/scatters.mlir %t

"""Executes a kernel that changes elements, rows and windows of values, before and after the lowering, and compares both with NumPy."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_compiler
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(9)
x, u = (rng.integers(-9, 10, (n, 128)).astype(np.float32) for n in (8, 4))
lowered = gpu_stage.lower(source, work)
with open(lowered) as file:
  gpu_compiler.lower(file.read())
# Two of one place, none at all of them, a part outside, and below zero.
for at in [3, 5, 3, 7], [4, 64, 0, 8], [5, 65, -1, 2]:
  rows, element, window, flags = x.copy(), x.copy(), x.copy(), np.zeros(8, np.int32)
  for place, row in zip(at, u):
    if 0 <= place < 8:
      rows[place] += row
      flags[place] = 1
  element[at[0], at[1]] = 9
  if at[0] <= 4 and at[1] <= 64:
    part = window[at[0]:at[0] + 4, at[1]:at[1] + 64]
    part[...] = np.maximum(part, u[:, :64])
  for module in source, lowered:
    for options in [], ["--check"]:
      results = gpu_stage.execute(module, (x, u, np.array(at, np.int32)), 4, work, *options)
      for number, (out, wanted) in enumerate(zip(results, (rows, element, window, flags))):
        np.testing.assert_array_equal(out, wanted, err_msg=f"{module} {options} {at} result {number}")
print("both stages scatter as NumPy does")
