# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What coarsening adds to the lowering to Mosaic, in instructions, which other work on the machine leaves alone: from the first
pass to the bytes, the mean of eight runs after two in the same process. valgrind counts, once per kernel, form and number of runs.

Joining steps is work for coarsening factors given by hand, too, and a kernel on larger blocks takes longer to lower. So each
kernel is lowered in three forms: with coarsen=off, with the coarsening factors of coarsen=auto given as attributes, and with
auto. The choice is the ratio of the third to the second.

  coarsening_cost.py [--chip=v5e] [--bound=1.25]

fails if the median of the choice's ratios is above the bound."""

import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import common
import tpu_lowering

import pallas_mlir

RUNS = (2, 10)
FORMS = ("off", "chosen", "auto")
# Runs under valgrind, so it imports little.
LOWER = f"""
import ctypes, pathlib, sys
library, folder, chip = sys.argv[1:]
lower = ctypes.CDLL(library).pallas_bench_lower_tpu
lower.restype = ctypes.c_double
for path in sorted(pathlib.Path(folder).glob("*.mlir")):
  for form in {FORMS}:
    for runs in {RUNS}:
      if lower(path.read_bytes(), chip.encode(), form.encode(), ctypes.c_bool(False), runs) < 0:
        sys.exit(f"{{path.stem}} has no lowering")
"""


def count(folder, chip):
  """Instructions of each call of the engine, in order. What a call has collected is written at the start of the next one."""
  command = ["valgrind", "--tool=callgrind", "--toggle-collect=mlir::PassManager::run(mlir::Operation*)",
             "--toggle-collect=mlir::tpu::serializeStableMosaic*", "--dump-before=lower(llvm*",
             f"--callgrind-out-file={folder / 'out'}",
             sys.executable, "-c", LOWER, str(common.BUILD / "lib" / "libPallasBench.so"), str(folder), chip]
  found = subprocess.run(command, capture_output=True, text=True, check=False)
  if found.returncode:
    sys.exit(found.stderr)
  parts = sorted(folder.glob("out.*"), key=lambda path: int(path.suffix[1:]))
  if (folder / "out").exists():
    parts.append(folder / "out")
  return [int(re.search(r"^(?:summary|totals): (\d+)", part.read_text(), re.M)[1]) for part in parts[1:]]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--chip", default="v5e")
  parser.add_argument("--bound", type=float)
  options = parser.parse_args()
  if not shutil.which("valgrind"):
    sys.exit("needs valgrind, which counts the instructions")
  with tempfile.TemporaryDirectory() as name:
    folder, names = pathlib.Path(name), []
    for kernel, function, arguments in tpu_lowering.kernels():
      (folder / f"{len(names):02}.mlir").write_text(pallas_mlir.export(function, *arguments))
      names.append(kernel)
    counts = iter(count(folder, options.chip))
  choices, totals = [], []
  for kernel in names:
    off, chosen, auto = ((-next(counts) + next(counts)) / (RUNS[1] - RUNS[0]) for _ in FORMS)
    choices.append(auto / chosen)
    totals.append(auto / off)
    print(f"{kernel:28s} {off:10,.0f} instructions with coarsen=off, {chosen / off:.3f} times with its choice given, "
          f"{totals[-1]:.3f} with auto; the choice {choices[-1]:.3f}")
  median = statistics.median(choices)
  print(f"median of the choice {median:.3f}, highest {max(choices):.3f}; of auto to off {statistics.median(totals):.3f}")
  if options.bound and median > options.bound:
    sys.exit(f"the median is above {options.bound}")


if __name__ == "__main__":
  main()
