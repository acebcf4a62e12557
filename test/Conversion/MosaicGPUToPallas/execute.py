# RUN: %python %s %S %t

"""A module of the mosaic_gpu dialect, written by hand, runs on the CPU."""

import os
import subprocess
import sys

import numpy as np

folder, work = sys.argv[1:]
os.makedirs(work, exist_ok=True)
x = np.arange(128 * 32, dtype=np.float32).reshape(128, 32)
np.save(f"{work}/x.npy", x)
for options in [], ["--check"]:
  subprocess.run(["pallas-run", f"{folder}/kernels.mlir", "--no-cache", *options,
                  "--in", f"{work}/x.npy", "--out", f"{work}/o.npy"], check=True)
  np.testing.assert_array_equal(np.load(f"{work}/o.npy"), x + x)
print("kernels.mlir doubles its array")
