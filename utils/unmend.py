#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reverts fixes of bugs, one at a time, and counts the random kernels that find each.

  utils/unmend.py [NAME...] [--kernels=500]    print the table
  utils/unmend.py --check                      see that every patch still applies

A revert is a patch below test/Fuzz/reverts that brings a bug back. Lines in front of the patch say what the cause was, and
which families of kernels are to find it, and at which stages, if that should not take all of them compiled:

  Cause: rows of one buffer were cached by the buffer alone, though operations read it along different dimensions
  Family: reductions
  Stages: passes

Patches are applied and built in a layer over this checkout and its build folder, in a mount namespace of its own: what
is built are the files that a patch changes, and nothing of it is left behind.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

from layered import BUILD, ROOT, layered

REVERTS = ROOT / "test/Fuzz/reverts"
REGRESSIONS = ROOT / "test/Regression"
TARGETS = ["pallas-run", "pallas-opt", "PallasPython"]


def read(path):
  """The cause of a bug, and the families and stages that find it."""
  head = path.read_text().split("diff --git")[0]
  fields = {key: re.sub(r"\s+", " ", value).strip() for key, value in re.findall(r"^(\w+): (.*(?:\n[ \t].*)*)", head, re.M)}
  return fields.get("Cause", path.stem.replace("-", " ")), fields.get("Family", "all"), fields.get("Stages", "compiled")


def check(paths):
  """Prints what is wrong with patches; yields how many are."""
  sys.path.insert(0, str(ROOT / "tools/pallas-smith"))
  from pallas_smith.families import find
  failures = 0
  for path in paths:
    problems = []
    try:
      find(read(path)[1])
    except SystemExit as error:
      problems.append(f"names no family: {error}")
    applied = subprocess.run(["git", "apply", "--check", path], cwd=ROOT, capture_output=True, text=True)
    if applied.returncode:
      problems.append(f"does not apply; write it anew: {applied.stderr.strip()}")
    if "+++ b/lib/CPU/" in path.read_text() and not (REGRESSIONS / f"{path.stem}.mlir").exists():
      problems.append(f"has no test/Regression/{path.stem}.mlir, which shows the pass without the bug")
    for problem in problems:
      print(f"{path.name} {problem}")
    failures += bool(problems)
  print(f"{len(paths)} reverts, {failures} failures")
  return failures


def environment(root):
  return {**os.environ, "PATH": f"{root}/{BUILD}/bin:{os.environ['PATH']}", "PYTHONPATH": f"{root}/{BUILD}/python"}


def execution(stages, *options):
  return [str(ROOT / ".venv-test/bin/python"), "test/Fuzz/execution.py", f"--stages={stages}", "--seconds=120", *options]


def find(path, kernels):
  """How many kernels of its family it takes until one shows the bug, and what that one says."""
  _, family, stages = read(path)
  with tempfile.TemporaryDirectory(prefix="unmend-", dir=os.environ.get("TMPDIR")) as folder:
    command = layered(path, folder, TARGETS, execution(stages, f"--family={family}", f"--kernels={kernels}", "--until-failure"))
    done = subprocess.run(command, capture_output=True, text=True, env=environment(ROOT))
  found = re.search(r"^kernel (\d+): (.*?)(?=^\d+ kernels)", done.stdout, re.M | re.S)
  count = re.search(r"^(\d+) kernels, \d failures", done.stdout, re.M)
  if not count:
    raise SystemExit(f"{path.stem}: no table without this:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
  return int(count[1]), (int(found[1]), found[2]) if found else None


def row(path, kernels):
  """A line of the table, and whether the bug was found and is fixed without the revert."""
  cause, family, stages = read(path)
  count, found = find(path, kernels)
  if not found:
    return f"| `{path.stem}` | {cause} | {family} | none of {count} | |", False
  number, message = found
  # As it is, this checkout has the right answer.
  fixed = subprocess.run(execution(stages, f"--seeds={number}"), cwd=ROOT, capture_output=True, text=True, env=environment(ROOT))
  # Of several lines, the one that names a pass.
  said = next((line for line in message.splitlines() if "changes the answer" in line), message)
  said = re.sub(r"[|\s]+", " ", said).strip()[:100]
  if fixed.returncode:
    return f"| `{path.stem}` | {cause} | {family} | | kernel {number} fails without the revert, too |", False
  return f"| `{path.stem}` | {cause} | {family} | {count} | {said} |", True


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("names", nargs="*", help="reverts to apply; all without any")
  parser.add_argument("--check", action="store_true", help="only see that the patches apply")
  parser.add_argument("--kernels", type=int, default=500, help="how many kernels may be needed")
  options = parser.parse_args()
  paths = [REVERTS / f"{name}.patch" for name in options.names] or sorted(REVERTS.glob("*.patch"))
  missing = [path for path in paths if not path.exists()]
  if missing or not paths:
    raise SystemExit(f"there is no {missing[0].relative_to(ROOT) if missing else 'patch below ' + str(REVERTS)}")
  if options.check:
    return check(paths) != 0
  print("| fix | what was wrong | family | kernels | what the last one says |\n| --- | --- | --- | --- | --- |", flush=True)
  all_found = True
  for path in paths:
    line, is_found = row(path, options.kernels)
    all_found &= is_found
    print(line, flush=True)
  return not all_found


if __name__ == "__main__":
  sys.exit(main())
