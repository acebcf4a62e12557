#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which operations of the dialect docs/Rationale.md tells no targets for."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPERATION = re.compile(r'^def Pallas_\w+\s*:\s*Pallas_\w+<"([a-z0-9_]+)"', re.MULTILINE)
# What ends a region is part of the operation around it.
TERMINATORS = {"yield"}


def main():
  sources = (ROOT / "include/pallas/Dialect/Pallas/IR").glob("*.td")
  operations = {name for path in sources for name in OPERATION.findall(path.read_text())} - TERMINATORS
  section = (ROOT / "docs/Rationale.md").read_text().partition("## Adequacy for the targets")[2]
  named = set(re.findall(r"\w+", " ".join(line for line in section.splitlines() if line.startswith("| "))))
  missing = sorted(operations - named)
  print(f"{len(operations)} operations, {len(missing)} without a row{': ' if missing else ''}{', '.join(missing)}")
  return bool(missing)


if __name__ == "__main__":
  sys.exit(main())
