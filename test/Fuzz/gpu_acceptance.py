# REQUIRES: listed-jax, pallas-python
# RUN: %python %s --families=gpus --kernels=8
# RUN: %python %s --families=kernels,columns,joins,reductions,functions,contractions,casts --first=70 --kernels=14
# RUN: %python %s --seeds=46,78,6000033,10000040,10000045,11000035,20000095,21000034,21000048,28000040,28000052,28000083
"""What passes for legal on a GPU is legal: JAX's layout inference and lowering take every random kernel that is not refused before."""
import argparse
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent / "Inputs"), str(here.parents[1] / "tools/pallas-smith")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import gpu_compiler
import pallas_mlir
from pallas_smith.families import add_arguments, chosen, draw


def judge(seed, arch, keep):
  """What becomes of a kernel, and why."""
  kernel = draw(seed)
  if not getattr(kernel, "is_one_call", True):
    return "left out", None
  module = str(pallas_mlir.export(kernel.load(), *kernel.arrays()))
  lowered = subprocess.run(["pallas-opt", "-", f"--pallas-to-mosaic-gpu=arch={arch}"], input=module, capture_output=True, text=True)
  if keep:
    (keep / f"{seed}.mlir").write_text(module)
    (keep / f"{seed}.py").write_text(kernel.source)
    (keep / f"{seed}.gpu.mlir").write_text(lowered.stdout)
  if lowered.returncode:
    # A refusal says why, at a place.
    is_refused = lowered.returncode == 1 and "error: " in lowered.stderr and not getattr(kernel, "is_for_gpus", False)
    return "refused" if is_refused else "failed", lowered.stderr
  try:
    for text in gpu_compiler.kernel_modules(lowered.stdout):
      gpu_compiler.lower(text)
  except Exception as error:
    return "failed", f"{type(error).__name__}: {error}"
  return "accepted", None


def main():
  parser = argparse.ArgumentParser()
  add_arguments(parser)
  parser.add_argument("--print", action="store_true", help="print kernels that fail")
  parser.add_argument("--arch", default="sm_90a")
  parser.add_argument("--keep", type=pathlib.Path, help="write the modules to this folder")
  options = parser.parse_args()
  if options.keep:
    options.keep.mkdir(parents=True, exist_ok=True)
  counts = {"accepted": 0, "refused": 0, "failed": 0, "left out": 0}
  for seed in chosen(options):
    outcome, message = judge(seed, options.arch, options.keep)
    counts[outcome] += 1
    if message:
      print(f"kernel {seed} {outcome}: {' '.join(message.split())[:400]}", flush=True)
    if outcome == "failed" and options.print:
      print(draw(seed).source, flush=True)
  print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
  return counts["failed"] != 0


sys.exit(main())
