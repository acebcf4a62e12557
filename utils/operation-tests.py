#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists, for each conversion, the operations that no FileCheck test shows.

The operations come from the ODS. An operation is shown if it occurs in the input
of a RUN line that runs the conversion and pipes its output to FileCheck, in a
function that has CHECK lines of its own (inside of it, or as comments right above
it). An operation that a conversion refuses counts if it occurs in a function with
an expected-error, in a file with `invalid` or `refused` in its name whose RUN line
runs the conversion with --verify-diagnostics.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-22")
DIALECTS = {
    "pallas": "include/pallas/Dialect/Pallas/IR/PallasOps.td",
    "tpu": "include/pallas/Dialect/MosaicTPU/IR/TPUOps.td",
    "mosaic_gpu": "include/pallas/Dialect/MosaicGPU/IR/MosaicGPUOps.td",
}
# Operations on values have this class; checked code, and grids and meshes that are loops, have tables. All others of the dialect are about refs, kernels
# and grids.
VALUES = "Pallas_ComputeOp"
KINDS = {
    "include/pallas/Dialect/Pallas/IR/PallasCheckOps.td": "check",
    "include/pallas/Dialect/Pallas/IR/PallasMeshOps.td": "mesh",
    "include/pallas/Dialect/Pallas/IR/PallasWindowOps.td": "window",
}


class Conversion:
  """A conversion, and the kinds of operations of `dialect` that it `takes`."""

  def __init__(self, name, options, dialect, takes=("value", "ref")):
    self.name, self.dialect, self.takes = name, dialect, takes
    self.option = re.compile(rf"(?:--?|[(,]\s*)(?:{options})(?![\w-])")


CONVERSIONS = [
    Conversion("PallasToLinalg", "convert-pallas-to-linalg", "pallas", ("value",)),
    Conversion("PallasToCPU", "convert-pallas-to-cpu", "pallas", ("ref", "check", "mesh", "window")),
    Conversion("PallasToMosaicTPU", "convert-pallas-to-mosaic-tpu|pallas-to-mosaic-tpu", "pallas"),
    Conversion("MosaicTPUToPallas", "convert-mosaic-tpu-to-pallas", "tpu"),
    Conversion("PallasToMosaicGPU", "convert-pallas-to-mosaic-gpu|pallas-to-mosaic-gpu", "pallas"),
    Conversion("MosaicGPUToPallas", "convert-mosaic-gpu-to-pallas", "mosaic_gpu"),
    Conversion("Discharge", "pallas-discharge-state", "pallas", ("ref",)),
]

FUNCTION = re.compile(r"(?:func\.func|module)\b")
CHECK = re.compile(r"//\s*([A-Z][A-Z0-9_-]*?)(?:-(?:LABEL|NEXT|SAME|DAG|NOT|EMPTY|COUNT-\d+))?:")


def records_of(source):
  command = [LLVM / "bin/llvm-tblgen", "--dump-json", "-I", ROOT / "include", "-I", LLVM / "include", ROOT / source]
  return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def tables():
  """The tables of the pallas dialect: each has a header of its own."""
  folder = pathlib.Path(DIALECTS["pallas"]).parent
  return [str(folder / name) for name in re.findall(r"pallas_add_tablegen\((\w+Ops\.td)", (ROOT / folder / "CMakeLists.txt").read_text())]


def operations(dialect):
  """Name -> kind, for all operations of the ODS."""
  found = {}
  for source in tables() if dialect == "pallas" else [DIALECTS[dialect]]:
    records = records_of(source)
    for name in records["!instanceof"]["Op"]:
      record = records[name]
      if records[record["opDialect"]["def"]]["name"] == dialect:
        is_value = VALUES in record["!superclasses"]
        found[record["opName"]] = KINDS.get(source, "value" if is_value else "ref")
  return found


def run_lines(text):
  """RUN lines, continued ones joined."""
  lines = re.findall(r"^\s*(?://|#)?\s*RUN: (.*)$", text, re.MULTILINE)
  return " \n".join(lines).replace("\\ \n", " ").splitlines()


def prefixes(line):
  """Prefixes that the FileCheck commands of a RUN line look for."""
  found = set()
  for command in re.split(r"[|;]|&&", line):
    if "FileCheck" in command:
      named = re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", command)
      found |= {prefix for names in named for prefix in names.split(",")} or {"CHECK"}
  return found


def functions(text):
  """Top-level functions and modules with the comments above them."""
  start, chunks, lines = 0, [], text.splitlines()
  for index, line in enumerate(lines):
    new = FUNCTION.match(line)
    if not new and not line.startswith("// -----"):
      continue
    begin = index
    while new and begin > start and lines[begin - 1].startswith("//") and "RUN:" not in lines[begin - 1]:
      begin -= 1
    chunks.append(lines[start:begin])
    start = begin
  return ["\n".join(chunk) for chunk in [*chunks, lines[start:]]]


def shown(path, text, conversion, names):
  """Operations that a file shows for a conversion."""
  lines = [line for line in run_lines(text) if conversion.option.search(line)]
  checked = set().union(*(prefixes(line) for line in lines))
  refused = any("verify-diagnostics" in line for line in lines) and re.search("invalid|refused", path.name)
  found = set()
  for function in functions(text) if checked or refused else []:
    has_checks = any(match.group(1) in checked for match in CHECK.finditer(function))
    if has_checks or (refused and "expected-error" in function):
      code = re.sub(r"//.*", "", function)
      found |= {name for name in re.findall(rf"\b{conversion.dialect}\.(\w[\w.]*)", code) if name in names}
  return found


def missing(hidden):
  """Name of each conversion, number of its operations, and those without a test."""
  paths = [path for path in sorted((ROOT / "test").rglob("*.mlir")) if "Inputs" not in path.parts]
  texts = {path: path.read_text() for path in paths if path.relative_to(ROOT) not in hidden}
  for conversion in CONVERSIONS:
    names = {name for name, kind in operations(conversion.dialect).items() if kind in conversion.takes}
    found = set().union(*(shown(path, text, conversion, names) for path, text in texts.items()))
    yield conversion.name, len(names), sorted(names - found)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--without", metavar="FILE", type=pathlib.Path, nargs="*", default=[],
                      help="leave out tests, to see what only they show")
  failures = 0
  for name, count, absent in missing(parser.parse_args().without):
    failures += len(absent)
    print(f"{name}: {count} operations, {len(absent)} without a test{': ' if absent else ''}{', '.join(absent)}")
  return bool(failures)


if __name__ == "__main__":
  sys.exit(main())
