#!/usr/bin/env python3
"""Writes the table of JAX primitives: where each is exported, and which test does it.

  PYTHONPATH=build/python utils/primitive-table.py > docs/Primitives.md

A test counts for a primitive when exporting its kernels meets that primitive.
"""
import collections
import contextlib
import os
import runpy
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "test", "Python")
TABLES = ("arithmetic", "shapes", "control_flow", "references", "special_functions", "linear_algebra", "numpy_functions", "numpy_shapes",
          "block_specs", "primitives", "rare_primitives", "complex_numbers", "dtypes",
          "gpu_kernels", "gpu_devices", "tpu_kernels", "sparse_core", "triton", "printing", "mosaic_gpu", "errors")


def main():
  os.environ.setdefault("JAX_PLATFORMS", "cpu")
  sys.path.insert(0, os.path.join(TESTS, "Inputs"))
  sys.dont_write_bytecode = True
  import kernels
  import pallas_mlir
  # Kernels for GPUs are exported once JAX's module of them is there.
  from jax.experimental.pallas import mosaic_gpu
  from jax.experimental.pallas import tpu_sc
  del mosaic_gpu, tpu_sc
  from pallas_mlir.exporting import registry
  from pallas_mlir.exporting.kernel import KernelExporter

  seen = collections.defaultdict(set)
  current = ""
  original = KernelExporter.equation

  def equation(self, eqn, operands):
    seen[eqn.primitive.name].add(current)
    return original(self, eqn, operands)

  KernelExporter.equation = equation
  kernels.Table.run = lambda table: [pallas_mlir.export(lambda *a, call=call: call(*a, interpret=False), *arrays) for _, call, arrays in table.calls()]
  registry.load()
  # What tests print does not belong to the table.
  with contextlib.redirect_stdout(sys.stderr):
    for current in TABLES:
      runpy.run_path(os.path.join(TESTS, f"{current}.py"))

  rows = {}
  for primitive, rule in registry.RULES.items():
    rows[getattr(primitive, "name", primitive)] = rule.__module__.rsplit(".", 1)[1]
  print("# Primitives\n\nWritten by `utils/primitive-table.py`; not edited by hand.\n")
  print("| primitive | exported by | tested by |\n| --- | --- | --- |")
  for name in sorted(rows):
    tests = ", ".join(f"`{t}.py`" for t in sorted(seen[name])) or "-"
    print(f"| `{name}` | `exporting/{rows[name]}.py` | {tests} |")


if __name__ == "__main__":
  main()
