# REQUIRES: jax
# RUN: %python %s

"""A kernel that copies its blocks whole, so that their padding becomes its result: the same at every stage."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from block_kernels import ref, value, write_kernel
from module_execution import run_module

STAGES = {
    "written": [],
    "discharged": ["--pallas-discharge-state", "--convert-pallas-to-linalg"],
    "lowered to a TPU": ["--pallas-to-mosaic-tpu"],
}
# Rows and columns of an array, and of its blocks: both ragged, one ragged, an array smaller than a block.
SIZES = [((12, 200), (8, 128)), ((16, 200), (8, 128)), ((13, 128), (8, 128)), ((3, 40), (8, 128))]
ELEMENTS = [(np.float32, "f32", np.nan), (np.int32, "i32", np.iinfo(np.int32).min), (ml_dtypes.bfloat16, "bf16", np.nan)]


def at_stage(module, passes):
  if not passes:
    return module
  return subprocess.run(["pallas-opt", *passes, "-"], input=module, check=True, capture_output=True, text=True).stdout


failures, count = [], 0
for shape, block in SIZES:
  grid = tuple(-(-size // part) for size, part in zip(shape, block))
  padded = [parts * size for parts, size in zip(grid, block)]
  for dtype, element, padding in ELEMENTS:
    x = np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)
    want = np.full(padded, padding, dtype)
    want[:shape[0], :shape[1]] = x
    body = f"""
    %a = pallas.get %x0r[...] : {ref(element, *block)}
    pallas.swap %o0r[...], %a : {ref(element, *block)}, {value(element, *block)}"""
    module = write_kernel(body, [x], [want], grid, [(block, "%i, %j")] * 2)
    for stage, passes in STAGES.items():
      found, = run_module(at_stage(module, passes), [x], 1)
      count += 1
      if not np.array_equal(found.view(dtype).astype(np.float64), want.astype(np.float64), equal_nan=True):
        failures.append(f"{element} {shape} in blocks of {block}, {stage}: {found}")
print(f"{count} cases, {len(failures)} failures")
for failure in failures:
  print(failure)
sys.exit(bool(failures))
