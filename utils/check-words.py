#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the private words that comments, messages and pages still have.

docs/Glossary.md lists them, each with a bound. A count above its bound is an error;
--write lowers bounds to what is left.
"""

import argparse
import io
import re
import sys
import tokenize

from project_files import ROOT, tracked

GLOSSARY = ROOT / "docs/Glossary.md"
FOLDERS = ("lib/", "include/", "python/", "tools/", "docs/", "README.md", "CONTRIBUTING.md")
# Pages that come from the .td files would count twice, and this one names the words.
GENERATED = ("docs/Dialects/", "docs/Passes/", "docs/Targets/", "docs/Glossary.md")
PATTERNS = {
    "nobody, somebody, whoever": r"\b(?:nobody|somebody|whoever)\b",
    "// What": r"(?m)^\s*//+ What\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "anew": r"\banew\b",
    "has against": r"\bha(?:s|ve) against\b",
    "factor": r"(?<!coarsening )\bfactors?\b(?![\"=])",
    "point of a mesh": r"\bpoints? of (?:a |the |its |other )?mesh(?:es)?\b",
    "hand on, hand over, hand out": r"\bhand(?:s|ed|ing)? (?:on|over|out)\b",
    "hang over": r"\bhang(?:s|ing)? over\b",
    "stand": r"\bstands?\b",
    "say": r"\b(?:say|says|said)\b",
    "matrix product": r"\bmatrix products?\b",
    "memory of its own": r"\bmemory of (?:its|their) own\b",
}
ROW = re.compile(r"^\| (.*?) \| (.*?) \| (\d+) \|$", re.MULTILINE)


def prose(path):
  """Comments and strings of a source; all of a page or a .td file."""
  text = path.read_text(errors="replace")
  if path.suffix in (".cpp", ".h", ".c"):
    return "\n".join(re.findall(r'//.*|"(?:[^"\\\n]|\\.)*"', text))
  if path.suffix == ".py":
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(token.string for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING))
  return text if path.suffix in (".td", ".md") else ""


def counts():
  names = [n for n in tracked() if n.startswith(FOLDERS) and not n.startswith(GENERATED) and (ROOT / n).is_file()]
  texts = [prose(ROOT / name) for name in names]
  return {word: sum(len(re.findall(pattern, text, re.IGNORECASE)) for text in texts) for word, pattern in PATTERNS.items()}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--write", action="store_true", help="lower the bounds of docs/Glossary.md")
  write = parser.parse_args().write
  found, page = counts(), GLOSSARY.read_text()
  bounds = {word: int(bound) for word, _, bound in ROW.findall(page) if word in found}
  if write:
    lower = lambda row: f"| {row[1]} | {row[2]} | {min(found[row[1]], bounds[row[1]] or found[row[1]])} |" if row[1] in found else row[0]
    GLOSSARY.write_text(ROW.sub(lower, page))
    return 0
  above = [word for word in found if found[word] > bounds.get(word, 0)]
  for word, count in found.items():
    print(f"{word}: {count} of at most {bounds.get(word, 0)}{'; write what docs/Glossary.md says instead' if word in above else ''}")
  print(f"{sum(found.values())} private words, {len(above)} of {len(found)} above their bounds")
  return bool(above)


if __name__ == "__main__":
  sys.exit(main())
