#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the includes of the sources with the table "Who includes whom" of docs/Contributing.md.

Each folder has a row, and includes from the folders that its row names, all of which stand in rows above. A conversion is
named after the dialects that it knows. A row that names folders of LLVM or MLIR includes from no others of these."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/Contributing.md"
SOURCES = ("include", "lib", "tools", "python", "benchmarks")
ROW = re.compile(r"^\| `([\w/]+)` \|(.*)\|$")
UPSTREAM = ("llvm/", "mlir/")
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:pallas|llvm|mlir)/[\w/.-]+|\.\./[^"]*)"', re.M)


def read_table(text):
  """Folder -> folders that it may include from, in the order of the rows."""
  section = text.split("## Who includes whom", 1)[-1].split("\n## ", 1)[0]
  return {row[1]: re.findall(r"`([\w/]+)`", row[2]) for row in map(ROW.match, section.splitlines()) if row}


def folder_of(path):
  parts = path.relative_to(ROOT).parts[:-1]
  if parts[0] == "include":
    return "/".join(parts[2:]) or "Register"
  return "/".join(parts[1:]) if parts[0] == "lib" else parts[0]


def read_arrows():
  """Pairs of folders -> a file that makes the arrow, and its include."""
  arrows = {}
  for source in SOURCES:
    for path in sorted((ROOT / source).rglob("*")):
      if path.suffix not in (".h", ".cpp", ".td") or "pallas-c" in path.parts:
        continue
      folder = folder_of(path)
      for name in INCLUDE.findall(path.read_text()):
        # What is generated for a folder is a part of it.
        if name.startswith(UPSTREAM):
          arrows.setdefault((folder, name.rpartition("/")[0]), (path.relative_to(ROOT), name))
        elif name.startswith("../"):
          target = folder_of((path.parent / name).resolve())
          arrows.setdefault((folder, target), (path.relative_to(ROOT), name))
        elif not name.endswith(".inc"):
          target = "/".join(name.split("/")[1:-1]) or "Register"
          if target != folder:
            arrows.setdefault((folder, target), (path.relative_to(ROOT), name))
  return arrows


def check_table(table):
  above = []
  for folder, targets in table.items():
    for target in targets:
      if target not in above and not target.startswith(UPSTREAM):
        yield f"{PAGE}: `{folder}` includes from `{target}`, which no row above it has; arrows go one way"
    dialects = {target.split("/")[1] for target in targets if target.startswith("Dialect/")}
    if folder == "Conversion/Utils" and len(dialects) < 2:
      pass  # Shared by the conversions of that dialect.
    elif folder.startswith("Conversion/"):
      for dialect in sorted(dialects):
        if dialect not in folder:
          yield f"{PAGE}: `{folder}` knows the dialect {dialect}, which is not in its name"
    elif folder.startswith("Dialect/") and dialects - {folder.split("/")[1]}:
      yield f"{PAGE}: `{folder}` knows another dialect"
    above.append(folder)


def is_drawn(table, folder, target):
  if target.startswith(UPSTREAM):
    return target in table[folder] or not any(name.startswith(UPSTREAM) for name in table[folder])
  return target in table[folder]


def main():
  table = read_table((ROOT / PAGE).read_text())
  problems = list(check_table(table))
  arrows = read_arrows()
  for (folder, target), (path, name) in sorted(arrows.items()):
    if folder not in table:
      problems.append(f"{path}: the folder `{folder}` has no row in {PAGE}; add one")
    elif not is_drawn(table, folder, target):
      problems.append(f'{path}: includes "{name}", but {PAGE} draws no arrow from `{folder}` to `{target}`')
  problems += [f"{PAGE}: nothing in `{folder}` includes from `{target}`; take the arrow away"
               for folder, targets in table.items() for target in targets if (folder, target) not in arrows]
  print(*problems, sep="\n", end="\n" if problems else "")
  print(f"{len(table)} folders, {len(arrows)} arrows, {len(problems)} problems")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
