# RUN: %python %s %root %S/transposed-parts.mlir %t

"""JAX's compiler takes a kernel that reads parts of transposed memory, and executed from both stages it gives what NumPy does."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_compiler
import gpu_stage
import numpy as np

source, work = sys.argv[2:]
x = np.random.default_rng(5).standard_normal((64, 128)).astype(np.float32)
lowered = gpu_stage.lower(source, work)
with open(lowered) as file:
  for module in gpu_compiler.kernel_modules(file.read()):
    gpu_compiler.lower(module)
for module in source, lowered:
  for out, wanted in zip(gpu_stage.execute(module, (x,), 2, work), (x.T.reshape(4, 32, 64), x[:, 5])):
    np.testing.assert_array_equal(out, wanted, err_msg=module)
print("parts of transposed memory are what NumPy has")
