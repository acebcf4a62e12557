#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the sources, and fails where a bar that was reached is not kept.

Counted are the .cpp files below lib. Comment lines leave out the licence and the banner;
an IR example is a comment line that defines an SSA value; lit lines are those of the .mlir
files of the tests of a conversion.
"""

import pathlib
import re
import runpy
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIB = sorted((ROOT / "lib").rglob("*.cpp"))
# A function begins at the indentation of a namespace or class and ends at its brace.
FUNCTION = re.compile(r"^(?P<indent>(?:  ){0,2})(?!\s|namespace|struct|class|enum|union|extern|if|for|while|switch|else|do\b|return|}|#|//|\[).*")
IR = re.compile(r"^\s*//+\s*%[\w$.-]+(?::\d+)? = ")


def functions(path):
  """Length of each function: from its first line to its closing brace."""
  lines, start = path.read_text().splitlines(), None
  for number, line in enumerate(lines):
    if start is None:
      match = FUNCTION.match(line)
      # A declaration may take several lines before its body opens.
      if match and "(" in line and not line.rstrip().endswith(";"):
        start, indent = number, match["indent"]
    if start is not None:
      if line.rstrip() == indent + "}":
        yield number - start + 1
        start = None
      elif line.rstrip().endswith((";", "}")) and len(line) - len(line.lstrip()) <= len(indent) and number > start - 1:
        start = None


def comments(path):
  """Comment lines behind the banner, all lines, and lines of IR in comments."""
  lines = path.read_text().splitlines()
  begin = next((n for n, line in enumerate(lines) if not line.startswith("//")), 0)
  found = [line for line in lines[begin:] if line.lstrip().startswith("//") and not re.match(r"//(===|---)", line.lstrip())]
  return len(found), len(lines) - begin, sum(bool(IR.match(line)) for line in lines)


def lit_lines(conversion):
  """Lines of the tests of a conversion per 100 lines of its sources."""
  tests = (ROOT / "test/Conversion" / conversion).rglob("*.mlir")
  sources = (ROOT / "lib/Conversion" / conversion).rglob("*.cpp")
  count = lambda paths: sum(len(path.read_text().splitlines()) for path in paths)
  return 100 * count(tests) / count(sources)


def passes():
  """How many passes the tables declare, whatever their base class is called."""
  tables = "".join(path.read_text() for path in (ROOT / "include/pallas").rglob("Passes.td"))
  return len(re.findall(r"^def \w+\s*:\s*(?:\w+_)?\w*Pass<", tables, re.MULTILINE))


def measure():
  """Name, value, bar, and whether more is better."""
  sizes = [len(path.read_text().splitlines()) for path in LIB]
  lengths = sorted(length for path in LIB for length in functions(path))
  told = [comments(path) for path in LIB]
  yield "lines of lib per pass", sum(sizes) / passes(), 1190, False
  yield "lines of a file, median", statistics.median(sizes), 195, False
  yield "files of more than 600 lines", sum(size > 600 for size in sizes), 0, False
  yield "lines of a function, median", statistics.median(lengths), 10, False
  yield "functions of more than 80 lines", sum(length > 80 for length in lengths), 0, False
  yield "comment lines, percent", 100 * sum(t[0] for t in told) / sum(t[1] for t in told), 12, True
  yield "lines of IR in comments", sum(t[2] for t in told), 920, True
  for conversion, bar in (
      ("PallasToLinalg", 70), ("PallasToCPU", 70), ("PallasToMosaicTPU", 60), ("PallasToMosaicGPU", 60),
      ("MosaicTPUToPallas", 90), ("MosaicGPUToPallas", 70)):
    yield f"lit lines per 100, {conversion}", lit_lines(conversion), bar, True
  absent = runpy.run_path(str(ROOT / "utils/operation-tests.py"))["missing"]([])
  yield "operations that a conversion does not show", sum(len(names) for _, _, names in absent), 0, False
  unnamed = runpy.run_path(str(ROOT / "utils/message-tests.py"))["missing"]()
  yield "messages that no test names", len(list(unnamed)), 0, False
  words = runpy.run_path(str(ROOT / "utils/check-words.py"))["counts"]()
  yield "private words", sum(words.values()), 0, False


def main():
  failures = 0
  print("| measure | now | bar |\n| --- | ---: | ---: |")
  for name, value, bar, more in measure():
    kept = value >= bar if more else value <= bar
    failures += not kept
    print(f"| {name} | {value:.4g} | {'at least' if more else 'at most'} {bar}{'' if kept else ', not kept'} |")
  print(f"{failures} bars not kept")
  return bool(failures)


if __name__ == "__main__":
  sys.exit(main())
