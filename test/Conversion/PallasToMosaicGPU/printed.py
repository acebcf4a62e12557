# RUN: %python %s %root %S %t

"""Kernels print the same before and after they are lowered, and fail the same checks."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage

folder, work = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
work.mkdir(parents=True, exist_ok=True)


def printed(module, *options):
  run = subprocess.run(["pallas-run", str(module), "--no-cache", *options], capture_output=True, text=True, timeout=60)
  return run.returncode, run.stdout, "the second block fails" in run.stderr


def compare(source, *entries):
  for entry, text in zip(entries, gpu_stage.kernel_modules(source), strict=True):
    lowered = work / f"{entry}.mlir"
    lowered.write_text(text)
    expected = printed(source, f"--entry={entry}")
    assert printed(lowered) == expected, (entry, expected, printed(lowered))
    assert expected[1] or expected[2], entry


compare(folder / "debug.mlir", "prints", "checks")
compare(folder / "elementwise.mlir", "values", "updates", "near", "sums")
compare(folder / "gather.mlir", "gather")
compare(folder / "semaphore-arrays.mlir", "words")
compare(folder / "shapes.mlir", "counts", "shapes", "layouts")
print("both stages print the same")
