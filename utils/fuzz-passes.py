#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates modules of the tests and runs passes on them; none may end the process.

Sizes and element types change, so most mutants break a rule or hold what a pass
does not do. Both are errors with a location. `--first` draws a mutant again.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("test/Dialect/Pallas", "test/Conversion", "test/CPU", "examples")
ELEMENTS = ("f32 bf16 f16 f64 i0 i1 i4 i8 i16 i32 i64 i128 index ui32 f4E2M1FN f8E4M3FN "
            "complex<f32>").split()
SIZES = "0 1 2 3 7 8 16 128 129 ? 4294967297 1000000000000".split()
PASSES = """--pallas-to-llvm --pallas-to-mosaic-tpu --pallas-discharge-state --canonicalize
--pallas-grids-to-loops --pallas-meshes-to-loops --convert-pallas-to-cpu --convert-pallas-to-linalg --pallas-floats-to-ring
--pallas-analyze-cost --pallas-analyze-coverage --pallas-analyze-memory
--pallas-check-target=target=tpu --pallas-hoist-scalar-prefetch --pallas-call-to-mpmd
--pallas-mpmd-to-call --pallas-expand-pipelines --pallas-fold-transposed-views
--pallas-clamp-masked-slices --pallas-decompose-gather-scatter --pallas-resolve-device-mesh""".split()


def functions():
  """The functions of all modules, each with the aliases that stand before it."""
  found = []
  for folder in FOLDERS:
    for path in sorted((ROOT / folder).rglob("*.mlir")):
      if "invalid" in path.name or "error" in path.name:
        continue
      for chunk in path.read_text().split("// -----"):
        lines = [line for line in chunk.splitlines() if not line.strip().startswith("//")]
        aliases = [line for line in lines if re.match(r"[#!]\w+ =", line)]
        for part in re.split(r"(?=^func\.func )", "\n".join(lines), flags=re.M):
          if part.startswith("func") and len(part) < 6000:
            found.append("\n".join([*aliases, part]))
  return found


def mutate(text, rng):
  if rng.random() < 0.5:
    elements = re.findall(r"(?<=[x<: ])(f32|bf16|f16|i32|i8|i1|i64|index)\b", text)
    if elements:
      text = re.sub(rf"(?<=[x<: ]){rng.choice(elements)}\b", rng.choice(ELEMENTS), text)
  if rng.random() < 0.6:
    sizes = re.findall(r"(?<![\w.%@#])(\d+)(?=[x,\]\)> ])", text)
    if sizes:
      text = re.sub(rf"(?<![\w.%@#]){rng.choice(sizes)}(?=[x,\]\)> ])", rng.choice(SIZES), text)
  return text


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--opt", default=ROOT / "build/bin/pallas-opt")
  parser.add_argument("--mutants", type=int, default=1000)
  parser.add_argument("--first", type=int, default=0)
  options = parser.parse_args()
  sources, ended = functions(), 0
  for number in range(options.first, options.first + options.mutants):
    rng = random.Random(number)
    text = mutate(rng.choice(sources), rng)
    for option in rng.sample(PASSES, 3):
      try:
        done = subprocess.run(
            [options.opt, option, "--allow-unregistered-dialect", "-o", "/dev/null"],
            input=text, capture_output=True, text=True, timeout=120)
        said, bad = done.stderr, done.returncode not in (0, 1)
      except subprocess.TimeoutExpired:
        said, bad = "runs for more than two minutes", True
      if bad:
        ended += 1
        print(f"mutant {number}, {option}:\n{text}\n{said[:1500]}\n", flush=True)
  print(f"{options.mutants} mutants, {ended} end a pass")
  return 1 if ended else 0


if __name__ == "__main__":
  sys.exit(main())
