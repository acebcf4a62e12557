#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the messages of the numbered rules as a table for C++: rule, its text, and what each message of it has.

  rule-messages.py OUT.inc

A check has its rule in a comment, and its message behind that: see check-rules.py.
"""
import ast
import importlib.util
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("check_rules", root / "utils/check-rules.py")
check_rules = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_rules)

# What a condition chooses is not always part of a message.
STRING = re.compile(r'([?:]\s*)?("(?:[^"\\\n]|\\.)*")')
# Helpers that verify get a part of the message.
EMISSION = re.compile(r"\b(emit\w*|error|diag\w*|verify\w*)\b\s*\(")
# How far behind a rule its message may begin.
NEAR = 12
# Shorter ones would be found in messages of other rules.
SHORTEST = 15


def read_statement(lines):
  """The first message behind a comment, up to the end of its statement; nothing where another rule comes first."""
  text = ""
  for number, line in enumerate(lines):
    if check_rules.COMMENT.search(line) or (not text and number >= NEAR):
      return ""
    if not text and not EMISSION.search(line):
      continue
    text += line.split("  //")[0] + "\n"
    if line.rstrip().endswith(";"):
      return text
  return ""


def read_fragments(statement):
  """The literals of a message; those side by side are one."""
  joined = re.sub(r'"\s*\n?\s*"', "", statement)
  literals = [ast.literal_eval(text) for choice, text in STRING.findall(joined) if not choice]
  return [text for text in literals if text.strip()]


def main():
  rules = check_rules.read_rules(root / "docs/Rules.md")
  rows = []
  for path in sorted((root / "lib/Dialect/Pallas").rglob("*.cpp")):
    lines = path.read_text().splitlines()
    for index, line in enumerate(lines):
      comment = check_rules.COMMENT.search(line)
      fragments = read_fragments(read_statement(lines[index + 1:])) if comment else []
      if sum(map(len, fragments)) < SHORTEST:
        continue
      for rule in check_rules.RULE.findall(comment[1]):
        rows.append(f"{{{json.dumps(rule)}, {json.dumps(rules[rule][0])}, {{{', '.join(map(json.dumps, fragments))}}}}},")
  pathlib.Path(sys.argv[1]).write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
  main()
