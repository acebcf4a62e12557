# RUN: %python %s %root %S %t

"""Executes pipelines and the code of warps from the stage that they are lowered to, checked."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_stage
import numpy as np

folder, work = sys.argv[2:]
os.makedirs(work, exist_ok=True)
x = np.random.default_rng(0).standard_normal((128, 64)).astype(np.float32)
half = x[:64]
files = {
    "pipelines.mlir": [(x, x + x), (x, x.reshape(8, 16, 64).sum(axis=0))],
    "warps.mlir": [(half, half + half), (half, half + half)],
}
for name, kernels in files.items():
  modules = gpu_stage.kernel_modules(f"{folder}/{name}")
  assert len(modules) == len(kernels), (name, len(modules))
  for i, (module, (operand, result)) in enumerate(zip(modules, kernels)):
    path = f"{work}/kernel{i}.mlir"
    with open(path, "w") as file:
      file.write(module)
    for options in [], ["--check"]:
      (out,) = gpu_stage.execute(path, [operand], 1, work, *options)
      np.testing.assert_allclose(out, result, rtol=1e-6, atol=1e-6, err_msg=f"{name} {i} {options}")
print("all stages agree")
