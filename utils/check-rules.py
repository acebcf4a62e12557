#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derives rule -> check -> test from the sources and says what is missing.

Rules stand in docs/Rules.md. A check is a comment such as `// J4` or
`// D2, E2` in lib/; a test is the same comment beside an expected error.
"""

import argparse
import collections
import pathlib
import re
import sys

ROW = re.compile(r"^\| ([A-Z]\d+) \| (.*) \| (.*) \|$")
RULE = re.compile(r"\b([A-Z]\d+)\b")
COMMENT = re.compile(r"//\s*((?:[A-Z]\d+)(?:\s*,\s*[A-Z]\d+)*)\s*(?:;|:|$|\()")


def read_rules(path):
  """Number -> (text, how it holds)."""
  rules = {}
  for line in path.read_text().splitlines():
    row = ROW.match(line)
    if row:
      rules[row.group(1)] = (row.group(2), row.group(3))
  return rules


def find_comments(paths, near=None):
  """Number -> places of comments that name it, within 3 lines of `near`."""
  found = collections.defaultdict(list)
  for path in sorted(paths):
    lines = path.read_text().splitlines()
    for index, line in enumerate(lines):
      comment = COMMENT.search(line)
      if not comment:
        continue
      if near and not any(near in other for other in lines[max(0, index - 3):index + 4]):
        continue
      for rule in RULE.findall(comment.group(1)):
        found[rule].append(f"{path.name}:{index + 1}")
  return found


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--root", type=pathlib.Path,
                      default=pathlib.Path(__file__).resolve().parent.parent)
  parser.add_argument("--table", action="store_true", help="print where each rule is checked and tested")
  options = parser.parse_args()
  root = options.root

  rules = read_rules(root / "docs" / "Rules.md")
  checks = find_comments((root / "lib" / "Dialect" / "Pallas").rglob("*.cpp"))
  tests = find_comments((root / "test" / "Dialect" / "Pallas").rglob("*.mlir"), near="expected-error")

  problems, counts = [], collections.Counter()
  for rule, (_, how) in rules.items():
    if how == "checked":
      # Operand types and isolation are checked by what the .td files declare.
      declared = rule in {"A5", "B7", "B10", "D10"}
      if not checks.get(rule) and not declared and rule != "C5":
        problems.append(f"{rule} is marked checked, but no check names it")
      if not tests.get(rule):
        problems.append(f"{rule} is marked checked, but no test sees its message")
      counts["checked and tested"] += 1
    elif how.startswith("checked by"):
      if not tests.get(rule):
        problems.append(f"{rule} is {how.split(':')[0]}, but no test sees its message")
      counts["held by types or syntax, and tested"] += 1
    elif how.startswith("not in the IR: "):
      counts["justified"] += 1
    else:
      problems.append(f"{rule} says neither how it is checked nor why it is not: {how!r}")
  for kind, found in (("check", checks), ("test", tests)):
    for rule in sorted(found.keys() - rules.keys()):
      problems.append(f"{kind} {found[rule][0]} names {rule}, which docs/Rules.md lacks")

  if options.table:
    for rule in rules:
      print(f"{rule:4} check: {', '.join(checks.get(rule, ['-']))}  test: {', '.join(tests.get(rule, ['-']))}")
  for problem in problems:
    print(f"error: {problem}", file=sys.stderr)
  print(f"{len(rules)} rules: " + ", ".join(f"{count} {what}" for what, count in counts.items())
        + f"; {len(problems)} problems")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
