#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists errors, warnings and remarks of lib that no test names.

A message counts as tested if a test, or a page that the tests run, has one of its clauses of 8
characters or more, or two of its parts with a number or a type between them. Clauses end at
commas, colons and semicolons, since tests may quote only some of them.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMITTED = re.compile(r"emit(?:Op)?Error\(|emitRemark\(|emitWarning\(|InFlightDiagnostic ")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CLAUSE = re.compile(r"[,:;]")

# A builder or an earlier verifier has to be wrong for these to come up.
INTERNAL = {
    "uses a barrier that no run_scoped around it makes",
    "uses an accumulator that no run_scoped or run_state around it makes",
    "uses a semaphore that no get_global or run_scoped of this kernel makes",
    "must have been bufferized",
    "has no form on TPUs that needs no other form",
    "yields a value that can't leave a region on TPUs; yield numbers and arrays only",
    "holds a value that no TPU has",
    "ref dimension must not be negative, but is ",
}
# A function adds the message itself.
PREFIXES = {"stays a pallas_call: ", "stays an mpmd_map: "}
# Only damaged bytecode has these; test/Target/StableMosaic/damaged-bytes.py draws some.
DAMAGED = re.compile(r"affine map ")


def messages(path):
  """Line and text of what each statement of a file emits; literals are joined as the compiler joins them."""
  source = path.read_text()
  for match in EMITTED.finditer(source):
    statement = source[match.start():].split(";\n", 1)[0][:1000]
    literals = [text.replace('\\"', '"') for text in LITERAL.findall(re.sub(r'"\s*\n\s*"', "", statement))]
    if literals:
      yield source[:match.start()].count("\n") + 1, literals


def clauses(literals):
  return [clause.strip(" .'") for text in literals for clause in CLAUSE.split(text) if len(clause.strip(" .'")) >= 8]


def is_tested(literals, text):
  """Whether `text` has a clause, or two literals on one line with up to 200 characters between."""
  if any(clause in text for clause in clauses(literals)):
    return True
  pairs = zip(literals, literals[1:])
  return any(re.search(re.escape(a) + r"[^\n]{1,200}?" + re.escape(b), text) for a, b in pairs if len(a) + len(b) >= 8)


def missing(without=""):
  """(file, line, message) of each message that no test names."""
  tests = [path for folder in ("test", "docs") for path in (ROOT / folder).rglob("*")
           if path.suffix in (".mlir", ".py", ".test", ".cpp", ".md", ".txt") and path.relative_to(ROOT).as_posix() != without]
  text = "\n".join(path.read_text(errors="ignore") for path in tests)
  for path in sorted((ROOT / "lib").rglob("*.cpp")):
    for line, literals in messages(path):
      known = (INTERNAL | PREFIXES).intersection(literals) or DAMAGED.match(literals[0])
      if clauses(literals) and not known and not is_tested(literals, text):
        yield path.relative_to(ROOT), line, "...".join(literals)


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--without", default="", metavar="FILE", help="look at the other tests only")
  options = parser.parse_args()
  found = list(missing(options.without))
  for path, line, text in found:
    print(f"{path}:{line}: {text}")
  print(f"{len(found)} messages that no test names")
  return bool(found)


if __name__ == "__main__":
  sys.exit(main())
