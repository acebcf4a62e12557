# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pallas-tune`: searches how the grids of a module are coarsened best."""
from __future__ import annotations

import argparse
import json
import pathlib
import sys

from . import tune_module


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(prog="pallas-tune", description="Search the coarsening factors of the grids of a module for the fastest.")
  parser.add_argument("file", help="module of the pallas dialect in text, or - for the standard input")
  parser.add_argument("--target", default="cpu", help="cpu, or a chip such as tpu:v5e, whose judge is libtpu (default: %(default)s)")
  parser.add_argument("--in", dest="inputs", action="append", metavar="FILE.npy", help="an argument to time the module with, in their order (default: random floats, zeros)")
  parser.add_argument("--reassociate", action="store_true", help="let steps of a sum become one longer contraction, which adds floats in another order")
  parser.add_argument("--budget", type=int, help="how many candidates the judge measures (default: 20, on the cpu all)")
  parser.add_argument("--seconds", type=float, default=120, help="how long one may take (default: %(default)g)")
  parser.add_argument("--jobs", type=int, help="how many processes predict and judge at the same time (default: one per processor)")
  parser.add_argument("--cluster", metavar="ADDRESS", help="judge on this Ray cluster, or local for one on this machine")
  parser.add_argument("--cache", metavar="DIR", help="where answers are kept (default: below ~/.cache)")
  parser.add_argument("-o", dest="output", metavar="FILE.mlir", help="where to put the module that was chosen")
  parser.add_argument("--json", metavar="FILE", help="where to put the result for scripts, or - for the standard output")
  parser.add_argument("--picture", metavar="FILE.svg", help="where to draw predicted against measured")
  parser.add_argument("--quiet", action="store_true", help="show no progress")
  options = parser.parse_args(argv)
  try:
    text = sys.stdin.read() if options.file == "-" else pathlib.Path(options.file).read_text()
    arrays = None
    if options.inputs:
      import numpy as np
      arrays = [np.load(path) for path in options.inputs]
    result = tune_module(text, target=options.target, arrays=arrays, budget=options.budget, seconds=options.seconds, cache=options.cache,
                         jobs=options.jobs, cluster=options.cluster, reassociate=options.reassociate, progress=not options.quiet and sys.stderr.isatty())
    if options.json == "-":
      print(json.dumps(result.to_json(), indent=2))
    else:
      print(result)
      if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result.to_json(), indent=2) + "\n")
    if options.picture:
      result.save_picture(options.picture)
    if result.best is None:
      raise ValueError("no candidate works; the table has the reasons")
    if options.output:
      pathlib.Path(options.output).write_text(result.best.text)
  except (OSError, ValueError) as error:
    print(f"pallas-tune: {error}", file=sys.stderr)
    return 1
  return 0 if result.complete else 130


if __name__ == "__main__":
  sys.exit(main())
