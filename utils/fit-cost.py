#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the constants of the cost model of TPU kernels to what libtpu estimates, and judges the fit by kernels that it has not seen.

Kernels are drawn by number (test/Inputs/cost_kernels.py), compiled by libtpu ahead of time, and analyzed by `tpu-analyze-cost`, which
says by how much each constant counts. Every module is compiled once: answers stay in ~/.cache/pallas-mlir-cost.

With `--modules` it judges the constants by modules of other origin, such as those that `pallas-smith --emit=mlir --out-dir` or
`benchmarks/tuned.py --write` leave in a folder."""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("PALLAS_BUILD", ROOT / "build-release"))
TABLE = ROOT / "include/pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "pallas-mlir-cost"
sys.path[:0] = [str(ROOT / "test/Inputs"), str(BUILD / "python")]

import libtpu_cycles

CHIPS = ("v5e", "v6e", "tpu7x")
ROW = re.compile(r"^TPU_COST_TERM\((\w+), (\w+), (\w+), ([-+.\de]+), ([-+.\de]+), ([-+.\de]+)\)$", re.M)
# Every fourth kernel judges the fit.
HELD_OUT = 4


def read_table():
  """Term -> cycles per chip, in the order of the file."""
  return {row[0]: dict(zip(CHIPS, map(float, row[3:]))) for row in ROW.findall(TABLE.read_text())}


def write_table(table):
  def spell(row):
    numbers = ", ".join(f"{table[row[1]][chip]:.4g}" for chip in CHIPS)
    return f"TPU_COST_TERM({row[1]}, {row[2]}, {row[3]}, {numbers})"
  TABLE.write_text(ROW.sub(spell, TABLE.read_text()))


# ---------------------------------------------------------------- kernels
def export(number):
  """The module of a kernel, by number or in a file, or None where JAX or the export refuses it."""
  if isinstance(number, pathlib.Path):
    return number.read_text()
  source = (ROOT / "test/Inputs/cost_kernels.py").read_bytes()
  path = CACHE / "cost-kernels" / hashlib.sha256(source).hexdigest()[:16] / f"{number}.mlir"
  if not path.exists():
    import cost_kernels
    import pallas_mlir
    try:
      function, arguments, _ = cost_kernels.draw(number)
      text = str(pallas_mlir.export(function, *arguments))
    except Exception as error:
      print(f"kernel {number}: {str(error)[:200]}", file=sys.stderr)
      return None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
  return path.read_text()


def family(number):
  if isinstance(number, pathlib.Path):
    return number.parent.name
  import cost_kernels
  return cost_kernels.family_of(number).__name__


def is_held_out(number):
  return not isinstance(number, pathlib.Path) and number % HELD_OUT == 0


def judge(chip, numbers, known_only):
  """Number -> module and cycles, for the kernels that libtpu has figures for."""
  judge = libtpu_cycles.Judge(chip, CACHE / f"cycles-{chip}.jsonl")
  import importlib.metadata
  release = importlib.metadata.version("libtpu")
  judged = {}
  for number in numbers:
    module = export(number)
    call = module and subprocess.run([BUILD / "bin/pallas-translate", "--to-tpu-custom-call", f"--libtpu={release}", "--chip", chip, "--coarsen=off", "-"],
                                     input=module, capture_output=True, text=True)
    if not call or call.returncode:
      continue
    cycles = judge.known(call.stdout) if known_only else judge.cycles(call.stdout)
    if cycles:
      judged[number] = (module, cycles)
  judge.close()
  return judged


# ---------------------------------------------------------------- the model
def analyze(modules, chip, constants=None):
  """What the pass reports on modules of one call each, in their order."""
  options = f"chip={chip} json=- counts"
  if constants:
    options += " constants=" + ",".join(f"{name}={float(value):.6g}" for name, value in constants.items())
  done = subprocess.run([BUILD / "bin/pallas-opt", "-", "--split-input-file", f"--pallas-to-mosaic-tpu=chip={chip} coarsen=off",
                         f"--tpu-analyze-cost={options}", "-o", os.devnull],
                        input="\n// -----\n".join(modules), capture_output=True, text=True)
  if done.returncode:
    raise RuntimeError(done.stderr[-2000:])
  decoder, text, reports = json.JSONDecoder(), done.stdout.strip(), []
  while text:
    report, end = decoder.raw_decode(text)
    reports.append(report["calls"])
    text = text[end:].lstrip()
  return [{"cycles": sum(c["cycles"] for c in calls), "calls": calls} for calls in reports]


def counts(report, names):
  return [sum(call["counts"].get(name, 0) for call in report["calls"]) for name in names]


def fit(chip, judged, rounds, terms):
  """Constants of `terms`, a pattern of names, such that predictions come close, relative to the cycles; what is at work at the same time as something slower counts
  less, so that counts change with the constants, in rounds."""
  import numpy as np
  from scipy.optimize import nnls
  table = read_table()
  names = list(table)
  constants = np.array([table[name][chip] for name in names])
  free = np.array([bool(re.fullmatch(terms, name)) for name in names])
  modules, cycles = [m for m, _ in judged.values()], np.array([c for _, c in judged.values()], float)
  best, best_error = constants, float("inf")
  for _ in range(rounds):
    reports = analyze(modules, chip, dict(zip(names, constants)))
    matrix = np.array([counts(r, names) for r in reports])
    predicted = matrix @ constants
    errors = np.abs(np.log(predicted / cycles))
    loss = np.mean(np.minimum(errors, 1)) + 0.2 * np.quantile(errors, 0.95)
    if loss < best_error:
      best, best_error = constants, loss
    # Outliers weigh less, and constants that few kernels tell about stay where they are.
    weights = 1 / np.maximum(errors, 0.03) ** 0.5
    weights *= 1 / np.maximum(cycles, predicted) ** 1.0
    stay = 0.02 * np.sqrt(len(cycles))
    before = constants[free]
    scale = np.maximum(before, 0.02)
    left = np.vstack([matrix[:, free] * scale * weights[:, None], np.eye(len(before)) * stay])
    right = np.concatenate([(cycles - matrix[:, ~free] @ constants[~free]) * weights, stay * before / scale])
    solved = nnls(left, right, maxiter=20000)[0] * scale
    constants = constants.copy()
    constants[free] = 0.5 * before + 0.5 * np.clip(solved, before / 3, before * 3 + 0.02)
  return dict(zip(names, best))


def measure(predicted, cycles):
  import numpy as np
  from scipy.stats import spearmanr
  errors = np.abs(np.array(predicted) / np.array(cycles) - 1)
  return spearmanr(predicted, cycles).statistic, np.median(errors), np.quantile(errors, 0.95)


def show(chip, judged, table, worst, bounds=None):
  """Prints how good predictions are; whether they keep the bounds."""
  if not judged:
    return bounds is None
  numbers = list(judged)
  reports = analyze([judged[n][0] for n in numbers], chip, {name: row[chip] for name, row in table.items()})
  predicted, cycles = [r["cycles"] for r in reports], [judged[n][1] for n in numbers]
  rank, median, tail = measure(predicted, cycles)
  print(f"  {len(cycles)} kernels, rank correlation {rank:.4f}, median error {median:.1%}, 95th percentile {tail:.1%}")
  order = sorted(range(len(numbers)), key=lambda i: -abs(predicted[i] / cycles[i] - 1))[:worst]
  for i in order:
    parts = ", ".join(f"{part} {count}" for part, count in sorted(reports[i]["calls"][0]["parts"].items(), key=lambda p: -p[1])[:4])
    name = numbers[i].stem if isinstance(numbers[i], pathlib.Path) else numbers[i]
    print(f"    kernel {name} ({family(numbers[i])}): {predicted[i]} for {cycles[i]} ({predicted[i] / cycles[i] - 1:+.0%}): {parts}")
  return not bounds or (rank >= bounds[0] and median <= bounds[1] and tail <= bounds[2])


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--kernels", type=int, default=400)
  parser.add_argument("--first", type=int, default=0)
  parser.add_argument("--modules", nargs="+", type=pathlib.Path, metavar="FILE", help="judge by these modules instead; implies --rounds=0")
  parser.add_argument("--fit-to", nargs="+", type=pathlib.Path, default=[], metavar="FILE", help="fit to these modules as well")
  parser.add_argument("--products", type=int, default=64, help="how many products by themselves to add")
  parser.add_argument("--families", default=".*", metavar="REGEX", help="use the kernels of these families only")
  parser.add_argument("--terms", default=".*", metavar="REGEX", help="fit these constants and leave the others")
  parser.add_argument("--chips", default=",".join(CHIPS))
  parser.add_argument("--rounds", type=int, default=30, help="rounds of the fit; 0 only judges the constants as they are")
  parser.add_argument("--known", action="store_true", help="use the kernels only that libtpu has judged before")
  parser.add_argument("--worst", type=int, default=10, help="how many kernels with the largest errors to print")
  parser.add_argument("--held-out", action="store_true", help="only the kernels that no fit has seen")
  parser.add_argument("--bounds", type=lambda text: tuple(map(float, text.split(","))), metavar="RANK,MEDIAN,TAIL",
                      help="fail if the rank correlation is below or an error above, as in 0.95,0.1,0.4")
  parser.add_argument("--write", action="store_true", help="write the table")
  options = parser.parse_args()
  import cost_kernels
  numbers = [*range(options.first, options.first + options.kernels),
             *range(cost_kernels.FIRST_PRODUCT, cost_kernels.FIRST_PRODUCT + options.products)]
  numbers = [number for number in numbers if re.fullmatch(options.families, family(number))]
  numbers += options.fit_to
  if options.modules:
    options.rounds, numbers = 0, options.modules
  if options.held_out:
    # There is nothing to fit to.
    options.rounds = 0
    numbers = [number for number in numbers if is_held_out(number)]
  chips = options.chips.split(",")
  table = read_table()
  for number in numbers:
    if not options.known:
      export(number)
  # One process of the compiler per chip.
  with concurrent.futures.ThreadPoolExecutor(2) as pool:
    judged = dict(zip(chips, pool.map(lambda chip: judge(chip, numbers, options.known), chips)))
  kept = True
  for chip in chips:
    unseen = {n: j for n, j in judged[chip].items() if options.rounds and is_held_out(n)}
    seen = {n: j for n, j in judged[chip].items() if n not in unseen}
    if options.rounds:
      for name, value in fit(chip, seen, options.rounds, options.terms).items():
        table[name][chip] = value
    print(f"{chip}: fitted to" if options.rounds else f"{chip}: as it is")
    kept &= show(chip, seen, table, 0 if unseen else options.worst, None if unseen else options.bounds)
    if unseen:
      print(f"{chip}: not seen")
      kept &= show(chip, unseen, table, options.worst, options.bounds)
  if options.write:
    write_table(table)
  return not kept


if __name__ == "__main__":
  sys.exit(main())
