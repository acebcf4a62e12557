"""Kernels as objects for aarch64, called by a C program in an emulator."""

import pathlib
import subprocess
import sys

INTEGRATION = pathlib.Path(__file__).resolve().parents[1] / "Integration/Inputs"
sys.path.insert(0, str(INTEGRATION))

import numpy as np
from object_symbols import foreign_symbols, undefined_symbols

CPUS = ["cortex-a76", "neoverse-v1"]
COMPILER = "aarch64-linux-gnu-gcc"


def build(folder, source, entry, cpu):
  """A program that calls `entry`; None if it would call the runtime."""
  path = folder / f"{cpu}.o"
  options = [f"--cpu={cpu}", "--emit=obj", "-o", str(path), "--pipeline-options=parallel=false"]
  subprocess.run(["pallas-run", str(source), *options], check=True, capture_output=True, text=True)
  if foreign := foreign_symbols(path):
    raise ValueError(f"needs {', '.join(foreign)}")
  if any(symbol.startswith("pallas_") for symbol in undefined_symbols(path)):
    return None
  program = folder / "program"
  subprocess.run([COMPILER, "-static", "-O1", f"-DENTRY=_pallas_packed_{entry}", str(INTEGRATION / "call-kernel.c"), str(path), "-o", str(program), "-lm"],
                 check=True, capture_output=True, text=True)
  return program


def call(folder, program, inputs, outputs):
  """What the program leaves for outputs like these."""
  command = ["qemu-aarch64", "-cpu", "max", str(program)]
  paths = []
  for index, array in enumerate([*inputs, *outputs]):
    path = folder / f"array{index}"
    if index < len(inputs):
      path.write_bytes(np.ascontiguousarray(array).tobytes())
    else:
      paths.append(path)
    command += ["<" if index < len(inputs) else ">", str(path), str(array.nbytes), ",".join(map(str, array.shape))]
  subprocess.run(command, check=True, capture_output=True, text=True)
  return [np.frombuffer(path.read_bytes(), array.dtype).reshape(array.shape) for path, array in zip(paths, outputs)]
