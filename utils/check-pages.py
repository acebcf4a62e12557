# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what the pages for readers refer to.

Links lead to files and sections that exist, paths in the text exist, filters of
`./dev test` match a test, and every pass has an example (which
run-doc-examples.py runs).
"""

import re
import sys

from project_files import ROOT, tracked

FOLDERS = "benchmarks|cmake|docs|examples|include|lib|python|test|tools|utils"


def anchors(text):
  """What links call the sections of a page."""
  titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
  return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(page, text):
  for path, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
    if path.startswith("http"):
      continue
    target = page.parent / path if path else page
    if not target.exists():
      yield f"leads to {path}, which does not exist"
    elif anchor and anchor not in anchors(target.read_text()):
      yield f"leads to the section {anchor} of {target.name}, which it does not have"


def broken_paths(text):
  for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)[ `]", text):
    if not (ROOT / path).exists():
      yield f"names {path}, which does not exist"


def broken_filters(text, tests):
  for filter in re.findall(r"\./dev (?:test|asan) ([\w/.-]+)", text):
    if not any(re.search(filter, test) for test in tests):
      yield f"says ./dev test {filter}, which no test matches"


def passes_without_example(page, text):
  if page.parent.name != "Passes":
    return
  for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
    if "```console" not in section:
      yield f"has no example of {section.splitlines()[0]}"


def main():
  files = tracked()
  tests = [name for name in files if name.startswith("test/") and "/Inputs/" not in name]
  pages = [ROOT / name for name in files if name.endswith(".md")]
  failures = []
  for page in pages:
    text = page.read_text()
    problems = [*broken_links(page, text), *broken_paths(text), *broken_filters(text, tests),
                *passes_without_example(page, text)]
    failures += [f"{page.relative_to(ROOT)} {problem}" for problem in problems]
  print("\n".join([*failures, f"{len(pages)} pages, {len(failures)} failures"]))
  return bool(failures) or not pages


if __name__ == "__main__":
  sys.exit(main())
