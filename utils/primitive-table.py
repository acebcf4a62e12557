#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of JAX primitives: where each is exported, and which test does it.

  PYTHONPATH=build/python utils/primitive-table.py > docs/Primitives.md
  PYTHONPATH=build/python utils/primitive-table.py --check

A test counts for a primitive when exporting its kernels meets that primitive, so
writing the table takes minutes. The check compares what is exported, and where.
"""
import collections
import contextlib
import os
import re
import runpy
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "test", "Python")
TABLES = ("arithmetic", "shapes", "control_flow", "references", "special_functions", "linear_algebra", "numpy_functions", "numpy_shapes",
          "block_specs", "primitives", "rare_primitives", "complex_numbers", "dtypes",
          "gpu_kernels", "gpu_devices", "tensor_memory", "tpu_kernels", "sparse_core", "triton", "printing", "callbacks", "mosaic_gpu", "errors")


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


def met() -> dict[str, set[str]]:
  """The tests whose kernels hold each primitive."""
  sys.path.insert(0, os.path.join(TESTS, "Inputs"))
  import kernels
  import pallas_mlir
  from pallas_mlir.exporting.kernel import KernelExporter

  seen = collections.defaultdict(set)
  current = ""
  original = KernelExporter.equation

  def equation(self, eqn, operands):
    seen[eqn.primitive.name].add(current)
    return original(self, eqn, operands)

  KernelExporter.equation = equation
  kernels.Table.run = lambda table: [pallas_mlir.export(lambda *a, call=call: call(*a, interpret=False), *arrays) for _, call, arrays in table.calls()]
  # What tests print does not belong to the table.
  with contextlib.redirect_stdout(sys.stderr):
    for current in TABLES:
      runpy.run_path(os.path.join(TESTS, f"{current}.py"))

  return seen


def check(rows: dict[str, str]) -> int:
  with open(os.path.join(ROOT, "docs", "Primitives.md")) as page:
    written = dict(re.findall(r"^\| `(\S+)` \| `exporting/(\w+)\.py` \|", page.read(), re.MULTILINE))
  stale = sorted(name for name in rows.keys() | written.keys() if rows.get(name) != written.get(name))
  print(f"{len(rows)} primitives, {len(stale)} with a row that is missing or wrong{': ' if stale else ''}{', '.join(stale)}")
  return len(stale)


def main():
  os.environ.setdefault("JAX_PLATFORMS", "cpu")
  sys.dont_write_bytecode = True
  rows = exported()
  if "--check" in sys.argv[1:]:
    sys.exit(bool(check(rows)))
  seen = met()
  print("# Primitives\n\nWritten by `utils/primitive-table.py`; not edited by hand.\n")
  print("| primitive | exported by | tested by |\n| --- | --- | --- |")
  for name in sorted(rows):
    tests = ", ".join(f"`{t}.py`" for t in sorted(seen[name])) or "-"
    print(f"| `{name}` | `exporting/{rows[name]}.py` | {tests} |")


if __name__ == "__main__":
  main()
