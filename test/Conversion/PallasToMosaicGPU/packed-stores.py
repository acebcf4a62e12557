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
rows = rng.integers(-8, 8, (8, 128)).astype(ml_dtypes.int4)
places, chosen = (64 + rng.permutation(64)).astype(np.int32), rng.integers(0, 2, 64).astype(bool)
ends = np.zeros((8, 128), np.int32)
ends[:, 0], ends[:, 1:64] = rows[:, 7], rows[:, :63]
ends[:, places] = np.where(chosen, rows[:, 64:], 5)
single = np.zeros((8, 16), np.int32)
single[range(8), range(0, 16, 2)] = rows[:, 7]
below = (x - x.max(1, keepdims=True)).astype(np.int32)
cases = (((x,), (np.clip(x, -8, 7),)), ((x,), ((below + 8) % 16 - 8,)), ((packed,), (packed,)), ((x,), (np.full_like(x, -3),)),
         ((rows, places, chosen), (ends, single)))
os.makedirs(work, exist_ok=True)
for number, (module, (arrays, wanted)) in enumerate(zip(gpu_stage.kernel_modules(source), cases)):
  gpu_compiler.lower(module)
  path = f"{work}/kernel{number}.mlir"
  with open(path, "w") as file:
    file.write(module)
  outs = gpu_stage.execute(path, arrays, len(wanted), work)
  for out, expected in zip(outs, wanted):
    np.testing.assert_array_equal(out.view(ml_dtypes.int4).astype(np.int32), expected.astype(np.int32), err_msg=str(number))
print("packed elements are stored as NumPy does")
