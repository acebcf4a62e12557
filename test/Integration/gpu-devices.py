# REQUIRES: listed-jax, pallas-python, gpu-compiler
# RUN: %devices=4 %gpu_compiler %python %s %root %t %cc

"""Kernels that reach other devices, lowered for GPUs.

Executed on four devices from there, under the checks, they give what they should; and
JAX's compiler for GPUs takes them down to machine code.
"""

import os
import sys

root, work, cc = sys.argv[1:4]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_assembler as assembler
import gpu_compiler
import mosaic_gpu as m
import numpy as np
import pallas_mlir
from gpu_device_kernels import CASES, N

# JAX's kernels touch their operand, which comes before the result then.
WRITES_OPERAND = {"all_gather"}
failures = 0
os.makedirs(work, exist_ok=True)
driver = assembler.build_driver(cc, work)


def execute(name, case, path):
  """The result of the module as it was lowered, in one array for all devices."""
  arrays = [case.array] * N if case.whole else np.split(case.array, N)
  for device, array in enumerate(arrays):
    np.save(f"{work}/{name}-in{device}.npy", array)
  outputs = [f"{work}/{name}-out{i}.npy" for i in range(1 + (name in WRITES_OPERAND))]
  m.run("pallas-run", path, f"--devices={N}", "--check", "--no-cache", f"--in={work}/{name}-in{{}}.npy", *(f"--out={o}" for o in outputs))
  return np.load(outputs[-1])


def check(name, case):
  path = f"{work}/{name}.mlir"
  with open(path, "w") as file:
    file.write(str(pallas_mlir.export(case.function, case.array)))
  module, = gpu_compiler.kernel_modules(m.run("pallas-opt", path, "--pallas-to-mosaic-gpu=arch=sm_90a").decode())
  lowered = f"{work}/{name}-lowered.mlir"
  with open(lowered, "w") as file:
    file.write(module)
  found = execute(name, case, lowered)
  # A result that is the same everywhere is there once for each device.
  want = np.tile(case.want, (len(found) // len(case.want),) + (1,) * (case.want.ndim - 1))
  np.testing.assert_allclose(found.view(want.dtype), want, rtol=1e-6)
  figures = assembler.get_figures(*assembler.assemble(gpu_compiler.serialize(gpu_compiler.lower(module)), "sm_90a", f"{work}/{name}", driver))
  print(name, figures, flush=True)
  assert not figures["stack"] and figures["registers"], figures


for name, case in CASES.items():
  try:
    check(name, case)
  except Exception as error:
    failures += 1
    print(f"{name}: {type(error).__name__}: {error}", flush=True)
sys.exit(failures != 0)
