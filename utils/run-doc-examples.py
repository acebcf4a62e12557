# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of all pages for readers and compares what they print.

  utils/run-doc-examples.py BUILD [PAGE...]

A page's ```console blocks hold commands behind `$ ` and below each what it
prints, `...` standing for any lines. Commands run in an empty folder that has
the source tree's folders and `build` linked into it; `python` is the interpreter
of the tests. Commands that set up a whole checkout are not run again: `./dev WORD`
must be a word that it knows. Cycles are those of the listed libtpu, so with another
one any numbers will do where a command asks it. A block of Python on a page of the tutorial must
stand, as it is, in a file of examples/jax.
"""

import importlib.metadata
import os
import pathlib
import re
import shutil
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
    elif inside and found and "<<'END'" in found[-1][1] and not found[-1][1].endswith("\nEND"):
      found[-1][1] += "\n" + line
    elif inside and found and found[-1][1].endswith("\\"):
      found[-1][1] = found[-1][1][:-1] + line.strip()
    elif inside:
      found[-1][2].append(line)
  return found


def foreign_snippets(page):
  """Blocks of Python that no example holds."""
  sources = [path.read_text() for path in (ROOT / "examples/jax").glob("*.py")]
  for snippet in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S):
    if not any(snippet in source for source in sources):
      yield snippet.splitlines()[0]


def has_listed_libtpu():
  listed = (ROOT / "test/requirements.txt").read_text().splitlines()
  return f"libtpu=={importlib.metadata.version('libtpu')}" in listed


def matches(command, expected, printed):
  pattern = "".join(
      "(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in expected
  )
  if "pallas_mlir.tuning" in command and "--target=tpu" in command and not has_listed_libtpu():
    pattern = re.sub(r"[0-9][0-9,]*", "[0-9,]+", pattern)
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
  if expected and not matches(command, expected, result.stdout):
    return f"prints\n{result.stdout}"
  return None


def main():
  build = pathlib.Path(sys.argv[1])
  pages = [ROOT / "README.md", ROOT / "python/README.md", *sorted(ROOT.glob("docs/**/*.md"))]
  path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), str(build / "bin"), os.environ["PATH"]])
  environment = dict(os.environ, PYTHONPATH=str(build / "python"), PATH=path, JAX_PLATFORMS="cpu")
  if shutil.which("ccache"):
    # The project of a page is compiled in another folder each time, which must not make it another one.
    environment |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_NOHASHDIR": "1"}
  chosen = sys.argv[2:]
  if chosen:
    pages = [page for page in pages if str(page.relative_to(ROOT)) in chosen]
  else:
    # Pages with patches need them: run-tutorial.py.
    pages = [page for page in pages if "```diff" not in page.read_text()]
  failures = count = 0
  for page in pages:
    for line in foreign_snippets(page) if page.parent.name == "tutorial" else ():
      failures += 1
      print(f"{page}: `{line}` begins a block that no file of examples/jax holds")
    with tempfile.TemporaryDirectory() as folder:
      for entry in ("examples", "test", "utils", "docs", "benchmarks"):
        os.symlink(ROOT / entry, f"{folder}/{entry}")
      os.symlink(build, f"{folder}/build")
      environment["CCACHE_BASEDIR"] = folder
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
