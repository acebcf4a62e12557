"""Draws one case per number, checks each, and says which fail."""
import argparse
import pathlib
import sys
import tempfile


def arguments(noun):
  """Parser of the options that say which cases to draw."""
  parser = argparse.ArgumentParser()
  parser.add_argument(f"--{noun}s", dest="count", type=int, default=100)
  parser.add_argument("--first", type=int, default=0, help=f"number of the first {noun}")
  parser.add_argument("--print", action="store_true", help=f"print {noun}s that fail")
  return parser


def sweep(noun, check, show, after=lambda seed: None):
  """Exits with 1 if `check` has a message for any case; `show` prints one."""
  parser = arguments(noun)
  parser.add_argument("--seeds", help=f"numbers of {noun}s, with commas between: those that failed once")
  options = parser.parse_args()
  seeds = range(options.first, options.first + options.count)
  if options.seeds:
    seeds = [int(seed) for seed in options.seeds.split(",")]
  failed = 0
  for seed in seeds:
    with tempfile.TemporaryDirectory() as folder:
      message = check(seed, pathlib.Path(folder))
    if message:
      failed += 1
      print(f"{noun} {seed}: {message}", flush=True)
      if options.print:
        print(show(seed), flush=True)
    after(seed)
  print(f"{len(seeds)} {noun}s, {failed} failures")
  sys.exit(bool(failed))
