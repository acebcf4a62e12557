"""Runs the first module of the test, and compares its results with numpy's."""

import subprocess
import sys
import tempfile

import numpy as np

rng = np.random.default_rng(0)
x = rng.uniform(-4, 4, (8, 128)).astype(np.float32)
# Ties, what f16 can't hold, and what it holds with fewer bits.
x[0, :8] = [1 + 2**-11, 1 + 3 * 2.0**-11, 70000, -70000, 2.0**-15, -(2.0**-14), np.inf, 65519]
x[1, 0] = np.nan
i = rng.integers(-100, 100, (8, 128)).astype(np.int32)


def to_half(x):
  """f16 without its subnormal numbers."""
  half = x.astype(np.float16).astype(np.float32)
  return np.where(np.abs(half) < 2.0**-14, np.copysign(np.float32(0), half), half)


with np.errstate(over="ignore"), tempfile.TemporaryDirectory() as folder:
  module = open(sys.argv[1]).read().split("// -----")[0]
  open(f"{folder}/m.mlir", "w").write(module)
  np.save(f"{folder}/x.npy", x)
  np.save(f"{folder}/i.npy", i)
  command = ["pallas-run", f"{folder}/m.mlir", "--in", f"{folder}/x.npy", "--in", f"{folder}/i.npy"]
  for n in range(6):
    command += ["--out", f"{folder}/{n}.npy"]
  subprocess.run(command, check=True)
  results = [np.load(f"{folder}/{n}.npy") for n in range(6)]
  truth = 1 / (1 + np.exp(-x.astype(np.float64)))
  expected = [
      np.max(x, 1, keepdims=True),
      np.max(i, 0, keepdims=True),
      np.min(i.view(np.uint32), 0, keepdims=True).view(np.int32),
      truth.astype(np.float32),
      to_half(x),
  ]
  # Three bits of mantissa, rounded to nearest even.
  bits = x.view(np.uint32).astype(np.uint64)
  rounded = (bits + (1 << 19) - 1 + ((bits >> 20) & 1)) & ~np.uint64((1 << 20) - 1)
  expected.append(np.where(np.isnan(x), x, rounded.astype(np.uint32).view(np.float32)))

for n, (got, want) in enumerate(zip(results, expected)):
  tolerance = 1e-6 if n == 3 else 0
  if not np.allclose(got, want, rtol=tolerance, atol=0, equal_nan=True):
    wrong = np.argwhere(~np.isclose(got, want, rtol=tolerance, atol=0, equal_nan=True))[0]
    sys.exit(f"result {n} at {wrong}: {got[tuple(wrong)]!r} instead of {want[tuple(wrong)]!r}")
