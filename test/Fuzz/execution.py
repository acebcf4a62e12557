# REQUIRES: pallas-python
# RUN: %python %s --first=100 --kernels=90
# RUN: %python %s --first=10000 --kernels=10
# RUN: %python %s --first=20000 --kernels=12
# RUN: %python %s --first=100000 --kernels=25
# RUN: %python %s --first=9000000 --kernels=25
# RUN: %python %s --seeds=29,336,611,1010,1192,1748,10010
"""Random kernels give one answer: in JAX's interpreter, compiled, with their refs as values, and lowered."""
import os
import pathlib
import subprocess
import sys
import traceback

os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import jax
import ml_dtypes
import numpy as np
from jax._src.pallas.mosaic import tpu_info

import pallas_mlir
import pallas_mlir.jax
import random_edges
import random_forms
import random_kernels
from sweep import sweep

# Pipelines inside of kernels ask for the chip while they are traced.
tpu_info.get_device_kind, tpu_info.get_num_device_cores = (lambda: "TPU v5e"), (lambda: 1)

# Sums run in another order, and functions have errors of their own; values stay near 1.
TOLERANCE = {"float32": 2e-4, "bfloat16": 6e-2, "float16": 1e-2}


def difference(found, expected, dtype):
  """None, or how two results differ."""
  found, expected = np.asarray(found), np.asarray(expected)
  if dtype not in TOLERANCE:
    wrong = found != expected
  else:
    left, right = found.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
      wrong = ~((left == right) | (np.isnan(left) & np.isnan(right)) | (np.abs(left - right) <= TOLERANCE[dtype] * (1 + np.abs(right))))
  if not wrong.any():
    return None
  place = tuple(int(i) for i in np.argwhere(wrong)[0])
  return f"{wrong.sum()} of {wrong.size} elements differ; at {place} {found[place]} instead of {expected[place]}"


def run_module(folder, name, text, arrays, dtype, *options):
  path = folder / f"{name}.mlir"
  path.write_text(text)
  command = ["pallas-run", str(path), "--no-cache", f"--out={folder / 'out.npy'}", *options]
  for index, array in enumerate(arrays):
    np.save(folder / f"in{index}.npy", array)
    command.append(f"--in={folder / f'in{index}.npy'}")
  subprocess.run(command, check=True, capture_output=True, text=True)
  return np.load(folder / "out.npy").view(getattr(ml_dtypes, dtype, dtype))


def transformed(text, *passes):
  return subprocess.run(["pallas-opt", "-", *passes], input=text, check=True, capture_output=True, text=True).stdout


def stages(call, arrays, dtype, folder, is_silent):
  """Yields the name of each stage and its result."""
  yield "compiled in JAX", jax.jit(call)(*arrays)
  module = pallas_mlir.export(call, *arrays)
  yield "exported", run_module(folder, "exported", module, arrays, dtype)
  # Of kernels that make no mistakes the checks say nothing.
  if is_silent:
    yield "checked", run_module(folder, "exported", module, arrays, dtype, "--check")
  yield "discharged", run_module(folder, "discharged", transformed(module, "--pallas-discharge-state", "--canonicalize", "--cse"), arrays, dtype)
  yield "lowered", run_module(folder, "lowered", transformed(module, "--pallas-to-llvm"), arrays, dtype)


def draw(seed):
  if seed >= random_edges.FIRST:
    return random_edges.make(seed)
  return (random_forms if seed >= random_forms.FIRST else random_kernels).make(seed)


def check(seed, folder):
  """None, or what is wrong with this kernel."""
  kernel = draw(seed)
  call, arrays = kernel.load(), kernel.arrays()
  expected = jax.jit(lambda *a: call(*a, interpret=True))(*arrays)
  stage = "compiled in JAX"
  try:
    for stage, found in stages(call, arrays, kernel.dtype, folder, getattr(kernel, "is_silent", True)):
      if message := difference(found, expected, kernel.dtype):
        return f"{stage}: {message}"
  except subprocess.CalledProcessError as error:
    return f"after '{stage}': {error.stderr[-600:]}"
  except Exception as error:
    return f"after '{stage}': {''.join(traceback.format_exception_only(error))[-600:]}"
  return None


def clear(seed):
  # Executables of kernels that nobody calls again.
  if seed % 50 == 49:
    jax.clear_caches()


sweep("kernel", check, lambda seed: draw(seed).source, after=clear)
