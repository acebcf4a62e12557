# RUN: %python %s %root %S/packed-stores.mlir %t

"""JAX's compiler takes kernels that store elements which share a byte, and executed from the stage they give what NumPy does."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import gpu_compiler
import gpu_stage
import ml_dtypes
import numpy as np

source, work = sys.argv[2:]
rng = np.random.default_rng(6)
x = rng.integers(-12, 12, (64, 128)).astype(np.float32)
packed = rng.integers(-8, 8, (64, 128)).astype(ml_dtypes.int4)
below = (x - x.max(1, keepdims=True)).astype(np.int32)
cases = ((x, np.clip(x, -8, 7)), (x, (below + 8) % 16 - 8), (packed, packed), (x, np.full_like(x, -3)))
os.makedirs(work, exist_ok=True)
for number, (module, (array, wanted)) in enumerate(zip(gpu_stage.kernel_modules(source), cases)):
  gpu_compiler.lower(module)
  path = f"{work}/kernel{number}.mlir"
  with open(path, "w") as file:
    file.write(module)
  out, = gpu_stage.execute(path, (array,), 1, work)
  np.testing.assert_array_equal(out.view(ml_dtypes.int4).astype(np.int32), wanted.astype(np.int32), err_msg=str(number))
print("packed elements are stored as NumPy does")
