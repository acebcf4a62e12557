# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPUs that tests make code for.

A level that this machine has is executed; of the others, objects are made and
their symbols looked at. As a script: says which are which.
"""

import functools
import os
import subprocess
import sys

# Beside the machine's own CPU, for which every test runs.
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids", "cortex-a76", "neoverse-v1", "apple-m1"]
# Those that whole suites are repeated at; the others differ in few instructions.
REPEATED = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


@functools.cache
def runs_here(level, tool="pallas-run"):
  module = "func.func @f() -> i32 { %0 = arith.constant 1 : i32 return %0 : i32 }"
  environment = {k: v for k, v in os.environ.items() if k != "PALLAS_CPU"}
  result = subprocess.run([tool, "-", f"--cpu={level}", "--no-cache"], input=module, text=True, capture_output=True, env=environment)
  if result.returncode and "which this machine lacks" not in result.stderr and "is one of" not in result.stderr:
    raise RuntimeError(f"{tool} --cpu={level}: {result.stderr}")
  return result.returncode == 0


def main():
  here = [level for level in LEVELS if runs_here(level)]
  others = [level for level in LEVELS if level not in here]
  print("levels that run here: native, " + ", ".join(here))
  print("levels that are only compiled: " + (", ".join(others) or "none"))


if __name__ == "__main__":
  sys.exit(main())
