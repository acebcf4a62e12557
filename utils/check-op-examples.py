#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses the examples that the page about the pallas dialect gives.

Every operation must have one whose name alone is not all of its syntax. Examples
use values that they do not define, so that is the one complaint which does not
count; `...` stands for anything.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/Dialects/Pallas.md"
UNDEFINED = "use of undeclared SSA value name"


def examples():
  """Title of an operation, attribute or type, whether it needs one, and its examples."""
  for section in re.split(r"^#{2,3} ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
    is_operation = section.startswith("`pallas.")
    has_syntax = not re.search(r"^operation ::= `[\w.]+` attr-dict$", section, flags=re.MULTILINE)
    yield section.split("\n", 1)[0], is_operation and has_syntax, re.findall(r"^```mlir\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)


def module_of(example):
  """Types and attributes become those of an operation."""
  lines = [line for line in example.splitlines() if line.strip() != "..."]
  if example.startswith("!"):
    return "\n".join(f'"builtin.unrealized_conversion_cast"() : () -> ({line})' for line in lines)
  if example.startswith("#"):
    return "\n".join(f"module attributes {{test.example = {line}}} {{}}" for line in lines)
  return "\n".join(lines)


def main():
  tool = sys.argv[1]
  failures, count = [], 0
  for title, needs_one, texts in examples():
    if needs_one and not texts:
      failures.append(f"{title} has no example")
    for text in texts:
      count += 1
      result = subprocess.run([tool, "-"], input=module_of(text), capture_output=True, text=True)
      errors = [line for line in result.stderr.splitlines() if " error: " in line and UNDEFINED not in line]
      failures += [f"{title}: {line}" for line in errors]
  print("\n".join([*failures, f"{count} examples, {len(failures)} failures"]))
  return bool(failures) or not count


if __name__ == "__main__":
  sys.exit(main())
