"""Kernels lowered for GPUs, and executed from there on the CPU."""

import os
import re
import subprocess

import numpy as np


def kernel_modules(source, *options):
  """Text of the modules that pallas-to-mosaic-gpu gives to the kernels of a file."""
  pipeline = "--pallas-to-mosaic-gpu" + "".join(f"={option}" for option in options)
  text = subprocess.run(["pallas-opt", source, pipeline], check=True, capture_output=True, text=True).stdout
  return [re.sub("^  ", "", module, flags=re.M)
          for module in re.findall(r"^  module @.*?^  \}$", text, flags=re.M | re.S)]


def execute(module, arrays, results, work, *options):
  """Runs the file `module` on arrays and yields `results` arrays."""
  os.makedirs(work, exist_ok=True)
  command = ["pallas-run", module, "--no-cache", *options]
  for i, array in enumerate(arrays):
    np.save(f"{work}/in{i}.npy", array)
    command += ["--in", f"{work}/in{i}.npy"]
  for i in range(results):
    command += ["--out", f"{work}/out{i}.npy"]
  subprocess.run(command, check=True)
  return [np.load(f"{work}/out{i}.npy") for i in range(results)]


def lower(source, work, *options):
  """Writes the module of the only kernel of a file, and yields its path."""
  os.makedirs(work, exist_ok=True)
  (module,) = kernel_modules(source, *options)
  path = f"{work}/kernel.mlir"
  with open(path, "w") as file:
    file.write(module)
  return path
