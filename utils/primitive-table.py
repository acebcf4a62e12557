#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of JAX primitives: where each is exported, and which test does it.

  PYTHONPATH=build/python utils/primitive-table.py > docs/Primitives.md
  PYTHONPATH=build/python utils/primitive-table.py --check

A test counts for a primitive when exporting its kernels meets that primitive, so
writing the table takes minutes. The check compares what is exported, and where,
and finds tests that the table was written without.
"""
import collections
import contextlib
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "test", "Python")
# Tests that are no tables of kernels, and what they take: the checkout and a folder for files.
SCRIPTS = {"triton": 0, "printing": 0, "callbacks": 0, "mosaic_gpu": 0, "errors": 0, "launch_control": 2}


def exported() -> dict[str, str]:
  """The module with the rule of each primitive, by name."""
  # Kernels for GPUs are exported once JAX's module of them is there.
  from jax.experimental.pallas import mosaic_gpu
  from jax.experimental.pallas import tpu_sc
  del mosaic_gpu, tpu_sc
  from pallas_mlir.exporting import calls, registry
  del calls
  registry.load()
  return {getattr(primitive, "name", primitive): rule.__module__.rsplit(".", 1)[1]
          for primitive, rule in registry.RULES.items()}


def tests() -> list[str]:
  """The tests that say which primitives they hold: all tables of kernels, and some scripts."""
  tables = [path.stem for path in pathlib.Path(TESTS).glob("*.py") if re.search(r"^\w+ = (kernels\.)?Table\(\)", path.read_text(), re.MULTILINE)]
  return sorted({*tables, *SCRIPTS})


def met(test: str) -> set[str]:
  """The primitives in the kernels of a test."""
  sys.path.insert(0, os.path.join(TESTS, "Inputs"))
  import kernels
  import pallas_mlir
  from pallas_mlir.exporting.kernel import KernelExporter

  seen = set()
  original = KernelExporter.equation

  def equation(self, eqn, operands):
    seen.add(eqn.primitive.name)
    return original(self, eqn, operands)

  KernelExporter.equation = equation
  kernels.Table.run = lambda table: [pallas_mlir.export(lambda *a, call=call: call(*a, interpret=False), *arrays) for _, call, arrays in table.calls()]
  path = os.path.join(TESTS, f"{test}.py")
  # What tests print does not belong to the table.
  with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as folder:
    sys.argv = [path, ROOT, folder][:1 + SCRIPTS.get(test, 0)]
    runpy.run_path(path)
  return seen


def met_by_all() -> dict[str, set[str]]:
  """The tests whose kernels hold each primitive. Each test has a process of its own, since some change how JAX traces."""
  seen = collections.defaultdict(set)
  for test in tests():
    result = subprocess.run([sys.executable, __file__, f"--met={test}"], check=True, stdout=subprocess.PIPE, text=True)
    for primitive in result.stdout.split():
      seen[primitive].add(test)
  return seen


def check(rows: dict[str, str]) -> int:
  with open(os.path.join(ROOT, "docs", "Primitives.md")) as page:
    text = page.read()
  written = dict(re.findall(r"^\| `(\S+)` \| `exporting/(\w+)\.py` \|", text, re.MULTILINE))
  stale = sorted(name for name in rows.keys() | written.keys() if rows.get(name) != written.get(name))
  print(f"{len(rows)} primitives, {len(stale)} with a row that is missing or wrong{': ' if stale else ''}{', '.join(stale)}")
  # The listed JAX lacks what the tests of newer ones hold.
  named = {test for row in re.findall(r"^\| `\S+` \| \S+ \| (.*) \|$", text, re.MULTILINE) for test in re.findall(r"`(\w+)\.py`", row)}
  unread = sorted(test for test in named ^ set(tests()) if not test.startswith("newer_"))
  print(f"{len(named)} tests, {len(unread)} that the page leaves out or should not name{': ' if unread else ''}{', '.join(unread)}")
  return len(stale) + len(unread)


def main():
  os.environ.setdefault("JAX_PLATFORMS", "cpu")
  # As many devices as tests ask for.
  os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"
  sys.dont_write_bytecode = True
  for argument in sys.argv[1:]:
    if argument.startswith("--met="):
      print("\n".join(sorted(met(argument.removeprefix("--met=")))))
      return
  rows = exported()
  if "--check" in sys.argv[1:]:
    sys.exit(bool(check(rows)))
  seen = met_by_all()
  print("# Primitives\n\nWritten by `utils/primitive-table.py`; not edited by hand.\n")
  print("| primitive | exported by | tested by |\n| --- | --- | --- |")
  for name in sorted(rows):
    tests = ", ".join(f"`{t}.py`" for t in sorted(seen[name])) or "-"
    print(f"| `{name}` | `exporting/{rows[name]}.py` | {tests} |")


if __name__ == "__main__":
  main()
