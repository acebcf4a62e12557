# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of all pages for readers and compares what they print.

  utils/run-doc-examples.py BUILD

A page's ```console blocks hold commands behind `$ ` and below each what it
prints, `...` standing for any lines. Commands run in an empty folder that has
the source tree's folders and `build` linked into it. Commands that set up a
whole checkout are not run again: `./dev WORD` must be a word that it knows.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def examples(page):
  """Line number, command and expected lines of every command of a page."""
  inside = False
  found = []
  for number, line in enumerate(page.read_text().splitlines(), 1):
    if line.startswith("```"):
      inside = line.strip() == "```console"
    elif inside and line.startswith("$ "):
      found.append([number, line[2:], []])
    elif inside and found and found[-1][1].endswith("\\"):
      found[-1][1] = found[-1][1][:-1] + line.strip()
    elif inside:
      found[-1][2].append(line)
  return found


def matches(expected, printed):
  pattern = "".join(
      "(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in expected
  )
  return re.fullmatch(pattern, printed) is not None


def problem_of(command, expected, folder, environment):
  if command.startswith("git clone"):
    return None
  if command.startswith("./dev"):
    word = (command.split() + ["help"])[1]
    known = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True).stdout
    return None if re.search(rf"^  {word}\b", known, re.M) else f"./dev has no command {word}"
  result = subprocess.run(
      ["bash", "-c", command], cwd=folder, env=environment, text=True,
      stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
  )
  if result.returncode != 0 and not expected:
    return f"exits with {result.returncode}:\n{result.stdout}"
  if expected and not matches(expected, result.stdout):
    return f"prints\n{result.stdout}"
  return None


def main():
  build = pathlib.Path(sys.argv[1])
  pages = [ROOT / "README.md", ROOT / "python/README.md", *sorted(ROOT.glob("docs/**/*.md"))]
  environment = dict(os.environ, PYTHONPATH=str(build / "python"))
  failures = count = 0
  for page in pages:
    with tempfile.TemporaryDirectory() as folder:
      for entry in ("examples", "test", "utils", "docs", "benchmarks"):
        os.symlink(ROOT / entry, f"{folder}/{entry}")
      os.symlink(build, f"{folder}/build")
      for number, command, expected in examples(page):
        count += 1
        problem = problem_of(command, expected, folder, environment)
        if problem:
          failures += 1
          print(f"{page}:{number}: `{command}` {problem}")
  print(f"{count} commands, {failures} failures")
  return 1 if failures or not count else 0


if __name__ == "__main__":
  sys.exit(main())
