# REQUIRES: listed-jax, pallas-python
# RUN: %python %s %root

"""JAX's layout inference and dialect lowering take what we make of kernels for GPUs.

The kernels are those of JAX's own text tests, exported, and those of the tests of
the lowering. JAX lowers the first ones itself: both modules ask for the same
products, stores and waits. JAX unrolls the loads before a loop, which the C++ that
follows does for ours.
"""

import os
import re
import sys

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_compiler
import mosaic_gpu as m
import pallas_mlir

failures = []


def counts(lowered):
  """How many instructions of the hardware a lowered module asks for."""
  return {name: len(re.findall(pattern, lowered)) for name, pattern in {
      "products": r"wgmma\.mma_async", "stores": r"cp\.async\.bulk\.tensor\.global",
      "waits": r"mbarrier\.try_wait"}.items()}


def check(name, text):
  made = m.run("pallas-opt", "-", "--pallas-to-mosaic-gpu", stdin=text.encode()).decode()
  modules = list(gpu_compiler.kernel_modules(made))
  if not modules:
    failures.append(name)
    print(f"{name}: no kernel module in\n{made}")
  results = []
  for module in modules:
    try:
      results.append(gpu_compiler.lower(module))
    except Exception as error:
      failures.append(name)
      print(f"{name}: {type(error).__name__}: {error}\n{module}")
  return results


for name, (function, arguments) in m.KERNELS.items():
  ours = check(name, str(pallas_mlir.export(function, *arguments)))
  theirs = [gpu_compiler.lower(text) for text in m.kernel_modules(function, *arguments)]
  if [counts(module) for module in ours] != [counts(module) for module in theirs]:
    failures.append(name)
    print(f"{name}: ours has {[counts(x) for x in ours]}, JAX's {[counts(x) for x in theirs]}")

for path in "Conversion/PallasToMosaicGPU/copies.mlir", "Regression/transposes-into-tiles-on-gpus.mlir":
  check(path, open(os.path.join(root, "test", path)).read())

sys.exit(bool(failures))
