# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random kernels, writes them, and looks for one that a command finds something in."""
from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

from .families import FAMILIES, SmithError, add_arguments, chosen, draw, family_of, parse_sizes


def write_module(case) -> str:
  """A kernel as a module of the pallas dialect."""
  if not hasattr(case, "source"):
    return case.module()
  os.environ.setdefault("JAX_PLATFORMS", "cpu")
  try:
    import pallas_mlir
  except ImportError as error:
    raise SmithError(f"modules are exported by the Python package, which isn't there: {error}") from error
  return pallas_mlir.export(case.load(), *case.arrays())


def text_of(case, form: str) -> str:
  if form == "python":
    if not hasattr(case, "source"):
      raise SmithError("the family refs draws modules; use --emit=mlir")
    return case.source
  return write_module(case)


def find_first(seeds, command: list[str], folder: pathlib.Path, tiles, seconds: float) -> int:
  """Runs a command on the module of each number until it ends with status 0."""
  tried = skipped = 0
  for seed in seeds:
    path = folder / f"kernel-{seed}.mlir"
    try:
      path.write_text(write_module(draw(seed, tiles)))
    except SystemExit:
      raise
    except Exception as error:
      # The exporter does not support some kernels, and tells so.
      print(f"kernel {seed} is left out: {str(error).splitlines()[0] if str(error) else type(error).__name__}", file=sys.stderr)
      skipped += 1
      continue
    tried += 1
    try:
      done = subprocess.run([*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=seconds)
      status = done.returncode
      if status == 2:
        # What a misspelt option ends with, which is nothing about the kernel.
        raise SmithError(f"{command[0]} cannot be asked: {done.stderr.strip()[-500:]}")
    except subprocess.TimeoutExpired:
      print(f"kernel {seed}: the command takes longer than {seconds:g} seconds", file=sys.stderr)
      status = None
    except OSError as error:
      raise SmithError(f"{command[0]}: {error.strerror}") from error
    if status == 0:
      print(f"kernel {seed} of the family {family_of(seed).name}, the {tried}. that was tried: {path}")
      return 0
    path.unlink()
  print(f"none of {tried} kernels{f'; {skipped} were left out' if skipped else ''}")
  return 1


def main(argv=None) -> int:
  parser = argparse.ArgumentParser(prog="pallas-smith", description="Draw random Pallas kernels by number.")
  add_arguments(parser, count=1)
  parser.add_argument("--sizes", metavar="ROWSxCOLUMNS", help="lengths of blocks along the last two axes, such as 8x128 for TPUs, instead of small ones")
  parser.add_argument("--emit", choices=("python", "mlir"), default="python",
                      help="the text that a person could run, or the module that it is exported to (default: %(default)s)")
  parser.add_argument("--out-dir", metavar="DIR", help="write each kernel to a file of its own there")
  parser.add_argument("--find", metavar="COMMAND", help="run COMMAND FILE on the module of each kernel until it ends with status 0; status 2 means that it cannot be asked")
  parser.add_argument("--time-limit", type=float, default=300, metavar="SECONDS", help="how long the command of --find may run (default: %(default)s)")
  parser.add_argument("--list", action="store_true", help="list the families with their numbers and weights")
  options = parser.parse_args(argv)
  if options.list:
    for family in FAMILIES:
      print(f"{family.name:<12}  {family.first:>8}  {family.weight}  {family.about}")
    return 0
  tiles = parse_sizes(options.sizes)
  seeds = chosen(options)
  folder = pathlib.Path(options.out_dir) if options.out_dir else None
  if folder:
    folder.mkdir(parents=True, exist_ok=True)
  if options.find:
    command = shlex.split(options.find)
    if not command:
      raise SmithError("--find needs a command")
    return find_first(seeds, command, folder or pathlib.Path(tempfile.mkdtemp(prefix="pallas-smith-")), tiles, options.time_limit)
  for seed in seeds:
    text = text_of(draw(seed, tiles), options.emit)
    if folder:
      path = folder / f"kernel-{seed}.{'py' if options.emit == 'python' else 'mlir'}"
      path.write_text(text)
      print(path)
    else:
      print(text)
  return 0
