# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a package of GPU kernels, for `gpu_replay.py` on a machine with a GPU.

  ./dev bench gpu_package [FILE]

Each kernel is in it twice, of our lowering and of JAX's: machine code, tensor maps and launch, all made by JAX's compiler
without a GPU. The file is build-release/gpu-package.zip unless another one is named.
"""

import json
import math
import os
import re
import sys
import tempfile
import zipfile

import common

sys.path.insert(0, str(common.ROOT / "test" / "Inputs"))
os.environ.setdefault("GPU_COMPILER", str(common.ROOT / ".venv-gpu-compiler"))
import gpu_assembler as assembler
import gpu_compiler
import gpu_lowering
import mosaic_gpu as m
import mosaic_gpu_kernels as k

import pallas_mlir

ARCH = "sm_90a"


BITS = {"bf16": ("bfloat16", 16), "f16": ("float16", 16), "f32": ("float32", 32), "i8": ("int8", 8), "i32": ("int32", 32)}
# Of an H100 or H200; persistent kernels have as many blocks.
MULTIPROCESSORS = 132


def arrays_of(module):
  """The arrays of a kernel in their order, which may not be that of the function. Integers of 32 bits are sizes of groups of
  rows, all alike."""
  found = {}
  for shape, number in re.findall(r"to memref<([^>,]*)[^>]*> \{mosaic_gpu.from_kernel_arg_idx = (\d+)", module):
    *sizes, kind = shape.split("x")
    name, bits = BITS[kind]
    count = math.prod(map(int, sizes))
    found[int(number)] = {"shape": list(map(int, sizes)), "type": name, "bytes": count * bits // 8}
    if name == "int32":
      found[int(number)]["fill"] = 4096 // count
  return [found[number] for number in range(len(found))]


def lower(function, arguments, work):
  path = os.path.join(work, "kernel.mlir")
  with open(path, "w") as file:
    file.write(str(pallas_mlir.export(function, *arguments)))
  module, = gpu_compiler.kernel_modules(m.run("pallas-opt", path, f"--pallas-to-mosaic-gpu=arch={ARCH}").decode())
  return module


def write(path, kernels, work, driver):
  described = []
  with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
    for name, function, arguments in kernels:
      modules = {"ours": lower(function, arguments, work), "jax": m.kernel_modules(function, *arguments)[0]}
      arrays = arrays_of(modules["ours"])
      assert arrays == arrays_of(modules["jax"])
      kernel = {"name": name, "arrays": arrays, "inputs": len(arguments)}
      for maker, module in modules.items():
        code = gpu_compiler.serialize(gpu_compiler.lower(module))
        kernel[maker], image = assembler.record(code, ARCH, work, driver, len(arrays))
        package.writestr(f"{name}/{maker}", image)
      described.append(kernel)
      print(f"packed {name}", flush=True)
    package.writestr("kernels.json", json.dumps(described))


def main(path=str(common.BUILD / "gpu-package.zip")):
  k.hmm.get_num_sms = lambda: MULTIPROCESSORS
  k.device.core_count = MULTIPROCESSORS
  with tempfile.TemporaryDirectory() as work:
    write(path, gpu_lowering.kernels(), work, assembler.build_driver("cc", work))
  print(f"{path}; run benchmarks/gpu_replay.py on it where a GPU is")


if __name__ == "__main__":
  main(*sys.argv[1:])
