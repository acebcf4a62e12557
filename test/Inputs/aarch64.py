"""Kernels as objects for aarch64, called by a C program in an emulator."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTEGRATION = ROOT / "test/Integration/Inputs"
sys.path.insert(0, str(INTEGRATION))

import numpy as np
from object_symbols import foreign_symbols

CPUS = ["cortex-a76", "neoverse-v1"]
COMPILER = ["clang++-22", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-static"]
# Of Debian's packages for that machine; `./dev setup` gets them.
LIBRARIES = [ROOT / ".venv-aarch64" / name for name in ("libLLVMSupport.a", "libLLVMDemangle.a", "libz.a", "libzstd.a")]


def runtime():
  """The runtime of kernels for that machine, which the build makes."""
  tool = subprocess.run(["bash", "-c", "command -v pallas-run"], check=True, capture_output=True, text=True).stdout.strip()
  return pathlib.Path(tool).parents[1] / "lib/libPallasRuntimeAArch64.a"


def build(folder, source, entry, cpu):
  """A program that calls `entry`."""
  path = folder / f"{cpu}.o"
  options = [f"--cpu={cpu}", "--emit=obj", "-o", str(path), "--pipeline-options=parallel=false"]
  subprocess.run(["pallas-run", str(source), *options], check=True, capture_output=True, text=True)
  if foreign := foreign_symbols(path):
    raise ValueError(f"needs {', '.join(foreign)}")
  program = folder / "program"
  sources = ["-x", "c", str(INTEGRATION / "call-kernel.c"), "-x", "none", str(path), str(runtime())]
  subprocess.run([*COMPILER, "-O1", f"-DENTRY=_pallas_packed_{entry}", f"-I{ROOT / 'include'}", *sources, *map(str, LIBRARIES), "-o", str(program)],
                 check=True, capture_output=True, text=True)
  return program


def call(folder, program, inputs, outputs, devices=None):
  """What the program leaves for outputs like these. Each device has its part of all arrays, along their first dimension."""
  command = ["qemu-aarch64", "-cpu", "max", str(program), str(devices or "-"), str(devices or 1)]
  paths = [[] for _ in outputs]
  for device in range(devices or 1):
    for index, array in enumerate([*inputs, *outputs]):
      part = np.split(array, devices)[device] if devices else array
      path = folder / f"array{device}.{index}"
      if index < len(inputs):
        path.write_bytes(np.ascontiguousarray(part).tobytes())
      else:
        paths[index - len(inputs)].append(path)
      command += ["<" if index < len(inputs) else ">", str(path), str(part.nbytes), ",".join(map(str, part.shape))]
  subprocess.run(command, check=True, capture_output=True, text=True)
  return [np.frombuffer(b"".join(path.read_bytes() for path in parts), array.dtype).reshape(array.shape) for parts, array in zip(paths, outputs)]
