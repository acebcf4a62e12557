# RUN: %python %s %root %S %t

"""Executes pipelines whose steps are known at run time from the stage that they are lowered to, checked."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

folder, work = sys.argv[2:]
os.makedirs(work, exist_ok=True)
x = np.random.default_rng(0).standard_normal((128, 64)).astype(np.float32)
blocks = x.reshape(8, 16, 64)


# The rows that are written.
def scaled(rows, columns):
  return 2 * x[:16 * rows]


def summed(rows, columns):
  return blocks[:rows * columns].reshape(rows, columns, 16, 64).sum(axis=1).reshape(-1, 64) if columns else x[:0]


def added(rows, columns):
  return blocks[:rows].sum(axis=0)


# More and fewer steps than blocks under way, and none.
counts = {"scale": (scaled, [(8, 0), (1, 0), (2, 0), (0, 0)]),
          "sums": (summed, [(2, 4), (2, 1), (1, 2), (0, 3), (2, 0)]),
          "specialized": (added, [(8, 0), (3, 0), (1, 0), (0, 0)])}
modules = gpu_stage.kernel_modules(f"{folder}/dynamic-pipelines.mlir")
assert len(modules) == len(counts)
for module, (name, (reference, cases)) in zip(modules, counts.items()):
  path = f"{work}/{name}.mlir"
  with open(path, "w") as file:
    file.write(module)
  for case in cases:
    result = reference(*case)
    for options in [], ["--check", "--allow=output-not-written"]:
      (out,) = gpu_stage.execute(path, [np.array(case, np.int32), x], 1, work, *options)
      np.testing.assert_allclose(out[:len(result)], result, rtol=1e-6, atol=1e-6, err_msg=f"{name} {case} {options}")
print("all stages agree")
