# REQUIRES: jax, qemu-aarch64, aarch64-libraries
# RUN: %python %s %root

"""Kernels of the corpus as objects for aarch64, linked with the runtime and called by a C program in an emulator."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "Inputs"), str(HERE.parent / "Inputs")]

import numpy as np
from aarch64 import CPUS, build, call
from corpus import CASES, DEVICES
from module_execution import TYPES, compare, random_array, run_module

# Products by instructions that only some CPUs have, with and without a rest.
PRODUCTS = [("bf16", "f32"), ("i8", "i32"), ("f16", "f32"), ("f32", "f32")]
SIZES = [(33, 40, 64), (16, 64, 33)]


def products():
  """A module, and what its functions take and yield."""
  text, cases = "", {}
  for narrow, wide in PRODUCTS:
    for m, n, k in SIZES:
      entry = f"product_{narrow}_{k}"
      types = f"tensor<{m}x{k}x{narrow}>", f"tensor<{k}x{n}x{narrow}>", f"tensor<{m}x{n}x{wide}>"
      text += (f"func.func @{entry}(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n"
               f"  %r = pallas.dot_general %a, %b contract [1] x [0] : {types[0]}, {types[1]} -> {types[2]}\n  return %r : {types[2]}\n}}\n")

      def make(rng, narrow=narrow, wide=wide, m=m, n=n, k=k):
        a, b = random_array(rng, narrow, (m, k), -128, 128), random_array(rng, narrow, (k, n), -128, 128)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        return [a, b], [exact.astype(TYPES[wide])]
      cases[entry] = make
  return text, cases


def check(source, entry, make, cpu, devices):
  """What is wrong, if anything is."""
  inputs, expected = make(np.random.default_rng(5))
  inputs = [np.asarray(array) for array in inputs]
  with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    program = build(folder, source, entry, cpu)
    # Of results for which anything goes, the shapes.
    options = [f"--entry={entry}"] + ([f"--devices={devices}"] if devices else [])
    here = run_module(source.read_text(), inputs, len(expected), options)
    found = call(folder, program, inputs, here, devices)
  messages = [compare(f, np.asarray(e, order="C"), exact=False) for f, e in zip(found, expected) if e is not None]
  return next((m for m in messages if m), "")


def modules(folder, root):
  """Files with their cases, as (entry, make) pairs with the CPUs to be tried."""
  for path in sorted((root / "test/Dialect/Pallas/IR/kernels").glob("*.mlir")):
    yield path, [(entry, make, CPUS[i % len(CPUS)]) for i, (entry, make) in enumerate(CASES[path.stem].items())]
  text, cases = products()
  path = folder / "products.mlir"
  path.write_text(text)
  yield path, [(entry, make, cpu) for entry, make in cases.items() for cpu in CPUS]


def main():
  os.environ.pop("PALLAS_CPU", None)
  failures, run = 0, 0
  with tempfile.TemporaryDirectory() as folder:
    for path, cases in modules(pathlib.Path(folder), pathlib.Path(sys.argv[1])):
      for entry, make, cpu in cases:
        try:
          message = check(path, entry, make, cpu, DEVICES.get(path.stem))
        except subprocess.CalledProcessError as error:
          message = f"{error} {error.stderr[-500:]}"
        except ValueError as error:
          message = str(error)
        run += 1
        if message:
          failures += 1
          print(f"{path.stem}, @{entry}, {cpu}: {message}", flush=True)
  print(f"{run} calls run, {failures} failures")
  sys.exit(bool(failures))


main()
