# RUN: %python %s %S %t

"""Modules of the mosaic_gpu dialect, written by hand, run on the CPU."""

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
  np.save(f"{work}/y.npy", y := np.arange(32, dtype=np.float32).reshape(8, 4))
  subprocess.run(["pallas-run", f"{folder}/copies.mlir", "--entry=round_trip", "--no-cache", *options,
                  "--in", f"{work}/y.npy", "--out", f"{work}/z.npy"], check=True)
  np.testing.assert_array_equal(np.load(f"{work}/z.npy")[[0, 2, 3]], 2.5)
  np.testing.assert_array_equal(np.load(f"{work}/z.npy")[[1, 4, 5, 6, 7]], y[[1, 4, 5, 6, 7]])
  # The second of three phases has the parity 1; the sum starts at 5.
  subprocess.run(["pallas-run", f"{folder}/warps.mlir", "--no-cache", *options,
                  "--out", f"{work}/w.npy"], check=True, timeout=60)
  np.testing.assert_array_equal(np.load(f"{work}/w.npy"), [6, 6])
print("kernels.mlir doubles its array")
