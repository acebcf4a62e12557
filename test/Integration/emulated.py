# REQUIRES: jax, qemu-x86_64
# RUN: %python %s

"""Code that a CPU makes for itself, on CPUs that this machine is not.

pallas-run finds out what the emulated CPU has, compiles for that and runs the
kernels. What the CPU lacks is named.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from module_execution import Suite

# Emulated CPUs with the least level that each lacks, and a feature of that.
CPUS = {"qemu64": ("x86-64-v2", "sse4.2"), "Nehalem": ("x86-64-v3", "avx2"), "Haswell": ("x86-64-v4", "avx512f")}
rng = np.random.default_rng(3)


def add_cases(suite):
  for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, np.int8):
    a, b = ((10 * rng.standard_normal((9, 37))).astype(dtype) for _ in range(2))
    suite.add(f"%r = arith.add{'i' if dtype == np.int8 else 'f'} %a, %b : {{a}}", [a, b], a + b)
  a, b = (rng.standard_normal((33, 64)).astype(np.float32) for _ in range(2))
  suite.add("%r = pallas.dot_general %a, %b contract [1] x [1] : {a}, {b} -> {r}", [a, b], a @ b.T)
  suite.add("%r = math.sin %a : {a}", [100 * a], np.sin(100 * a))
  suite.add("%r = math.exp %a : {a}", [a], np.exp(a))
  halves = (4 * a).astype(np.float16)
  suite.add("%r = arith.extf %a : {a} to {r}", [halves], halves.astype(np.float32), exact=True)
  suite.add("%r = arith.truncf %a : {a} to {r}", [a], a.astype(np.float16), exact=True)


def check_refusal(name, level, feature):
  module = "func.func @f() -> i32 { %0 = arith.constant 1 : i32 return %0 : i32 }"
  command = [*os.environ["PALLAS_TEST_RUNNER"].split(), "-", "--no-cache", f"--cpu={level}"]
  result = subprocess.run(command, input=module, text=True, capture_output=True)
  if result.returncode != 1 or f"the CPU '{level}' has " not in result.stderr or feature not in result.stderr:
    raise SystemExit(f"{name}: --cpu={level} says {result.stderr}")


# Code is for the CPU that is emulated.
os.environ.pop("PALLAS_CPU", None)
for name, (level, feature) in CPUS.items():
  tool = subprocess.run(["which", "pallas-run"], check=True, capture_output=True, text=True).stdout.strip()
  os.environ["PALLAS_TEST_RUNNER"] = f"qemu-x86_64 -cpu {name} {tool}"
  check_refusal(name, level, feature)
  suite = Suite()
  add_cases(suite)
  failures = suite.failures()
  print(f"{name}: {len(suite.cases)} cases, {len(failures)} failures")
  if failures:
    raise SystemExit("\n".join(f"FAILED {case}: {failure}" for case, failure in failures.items()))
