#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds types of one name in one namespace: programs that link both mix up their members, without a word from the linker.
Types in unnamed namespaces, in functions and in other types have no such name."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
TOKEN = re.compile(r"[{};()]|[^{};()]+")
SCOPE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class|\s+struct)?)\s+([\w:]+)\s*(?:final\s*)?(?::(?!:).*)?$",
                  re.S)


def types(text):
  """The full names of the types that a file defines."""
  stack, head = [], ""
  for token in TOKEN.findall(NOISE.sub(" ", text)):
    if token == "{":
      scope, kind = SCOPE.search(head), TYPE.match(head.strip())
      if scope:
        stack.append(scope[1] or "(unnamed)")
      else:
        if kind and None not in stack and "(unnamed)" not in stack:
          yield "::".join([*stack, kind[1]]) if not kind[1].startswith("mlir::") else kind[1]
        stack.append(None)
      head = ""
    elif token == "}":
      if stack:
        stack.pop()
      head = ""
    elif token == ";":
      head = ""
    else:
      head += token


def main():
  places = collections.defaultdict(list)
  for folder in ("include", "lib", "tools", "python", "test"):
    for path in sorted((ROOT / folder).rglob("*")):
      if path.suffix in (".h", ".cpp") and path.is_file():
        for name in types(path.read_text()):
          places[name].append(str(path.relative_to(ROOT)))
  twice = {name: files for name, files in places.items() if len(files) > 1}
  for name, files in sorted(twice.items()):
    print(f"{name} is defined in {' and '.join(files)}; rename one, or move it into an unnamed namespace")
  print(f"{len(places)} types, {len(twice)} names that several have")
  return 1 if twice else 0


if __name__ == "__main__":
  sys.exit(main())
