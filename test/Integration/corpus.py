# REQUIRES: jax
# RUN: %python %s %root

"""All kernels of the corpus run as written, with their refs as values, and
lowered, and give what NumPy gives. Discharged, they are modules that stock
mlir-opt takes, but for those that wait for each other.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from corpus import CASES, DEVICES
from module_execution import compare, run_module

# Discharge makes loops that run programs one after the other, so these stay
# kernels: their programs wait for each other or for other devices. What they
# allocate for themselves becomes values; what they share stays memory, and no
# other operations on memory are left than these. (Semaphores and copies of
# other devices are no values of one function.)
COPY = {"dma_start", "dma_wait"}
ACCESS = {"get", "swap", "slice_ref"}
WAITING = {
    "all_gather": {"slice_ref", "semaphore_signal", "semaphore_wait"} | COPY,
    "collective_matmul": ACCESS | {"remote_ref", "semaphore_signal", "semaphore_wait", "wait_smem_to_gmem", "accumulator_deref"},
    "gpu_attention": ACCESS | {"transpose_ref", "run_scoped", "copy_gmem_to_smem", "copy_smem_to_gmem", "wait_smem_to_gmem", "commit_smem",
                               "barrier_arrive", "barrier_wait", "wgmma", "wgmma_wait", "accumulator_deref", "set_max_registers"},
    "sparsecore": ACCESS | {"run_scoped", "semaphore_signal", "semaphore_wait"},
}
# Who they are, where they run, and their frame.
PLACE = {"pallas_call", "mpmd_map", "axis_index", "get_barrier_semaphore", "yield"}
PASSES = {"written": [], "discharged": ["--pallas-discharge-state", "--convert-pallas-to-linalg"], "lowered": ["--pallas-to-llvm"]}


def transform(path, stage):
  if not PASSES[stage]:
    return path.read_text()
  text = subprocess.run(["pallas-opt", str(path), *PASSES[stage]], check=True, capture_output=True, text=True).stdout
  if stage != "discharged":
    return text
  left = set(re.findall(r"pallas\.(\w+)[ \n]", text))
  allowed = WAITING[path.stem] | PLACE if path.stem in WAITING else set()
  if left - allowed:
    raise ValueError(f"still holds {sorted(left - allowed)}")
  if not left:
    text = subprocess.run(["mlir-opt", "--canonicalize", "--cse"], input=text, check=True, capture_output=True, text=True).stdout
  return text


def results_of(text, entry, inputs, expected, devices):
  options = [f"--entry={entry}"] + ([f"--devices={devices}"] if devices else [])
  found = run_module(text, inputs, len(expected), options)
  messages = [compare(f, np.asarray(e, order="C"), exact=False) for f, e in zip(found, expected) if e is not None]
  return next((m for m in messages if m), None)


def check(path, stage, entries):
  """Yields what is wrong."""
  if not entries:
    yield "has no reference"
  try:
    text = transform(path, stage)
    for entry, make in entries.items():
      inputs, expected = make(np.random.default_rng(5))
      if message := results_of(text, entry, inputs, expected, DEVICES.get(path.stem)):
        yield f"@{entry}: {message}"
  except subprocess.CalledProcessError as error:
    yield error.stderr[-500:]
  except ValueError as error:
    yield str(error)


folder = pathlib.Path(sys.argv[1]) / "test/Dialect/Pallas/IR/kernels"
names = sys.argv[2:] or sorted(path.stem for path in folder.glob("*.mlir"))
failures = 0
for name in names:
  for stage in PASSES:
    for message in check(folder / f"{name}.mlir", stage, CASES.get(name, {})):
      failures += 1
      print(f"{name}, {stage}: {message}", flush=True)
print(f"{len(names)} kernels, {failures} failures")
sys.exit(bool(failures))
