"""The second half of JAX's compiler for GPUs: the C++ of its CUDA plugin, and ptxas.

No GPU is needed. `gpu_driver.c` tells which one there would be, and takes the
result. The compiler may abort, so each module has a process of its own.
"""

import ctypes
import functools
import os
import re
import subprocess
import sys

# The folder that test/requirements-gpu-compiler.txt is installed to.
HOME = os.environ["GPU_COMPILER"]
PLUGIN = os.path.join(HOME, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
RUNTIME = os.path.join(HOME, "jax_cuda13_plugin", "libmosaic_gpu_runtime.so")
CUDA = os.path.join(HOME, "nvidia", "cu13")
CAPABILITIES = {"sm_90a": "9.0", "sm_100a": "10.0"}


class Refused(Exception):
  """What the compiler has against a module."""


def build_driver(compiler, work):
  """Compiles the mock and returns its folder."""
  folder = os.path.join(work, "driver")
  os.makedirs(folder, exist_ok=True)
  source = os.path.join(os.path.dirname(__file__), "gpu_driver.c")
  subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", source,
                  "-o", os.path.join(folder, "libcuda.so.1")], check=True)
  return folder


def assemble(bytecode, arch, work, driver):
  """The report of ptxas and the PTX of a module that `gpu_compiler.lower` made."""
  os.makedirs(work, exist_ok=True)
  path = os.path.join(work, "module.mlirbc")
  with open(path, "wb") as file:
    file.write(bytecode)
  for name in os.listdir(work):
    if name.endswith((".ptx", ".ptxas")):
      os.remove(os.path.join(work, name))
  environment = {
      **os.environ, "LD_LIBRARY_PATH": driver, "GPU_CAPABILITY": CAPABILITIES[arch],
      "MOSAIC_GPU_RUNTIME_LIB_PATH": RUNTIME, "MOSAIC_GPU_CUDA_ROOT": CUDA, "MOSAIC_GPU_DUMP_TO": work,
      "MOSAIC_GPU_DUMP_PTX": "1", "MOSAIC_GPU_DUMP_PTXAS": "1"}
  done = subprocess.run([sys.executable, __file__, path, str(_get_distance())], env=environment,
                        capture_output=True, text=True, timeout=300)
  dumps = {ending: "".join(open(os.path.join(work, name)).read()
                           for name in os.listdir(work) if name.endswith(ending))
           for ending in (".ptx", ".ptxas")}
  if done.returncode:
    errors = re.findall(r".*(?:error|fatal).*", dumps[".ptxas"] + done.stderr)
    raise Refused(errors[0] if errors else done.stderr[-1000:])
  return dumps[".ptxas"], dumps[".ptx"]


def get_figures(report, ptx):
  """What a kernel takes of a GPU."""
  number = lambda pattern: max(map(int, re.findall(pattern, report)), default=0)
  return {
      "registers": number(r"Used (\d+) registers"), "stack": number(r"(\d+) bytes stack frame"),
      "spilled": number(r"(\d+) bytes spill"), "products": len(re.findall(r"wgmma\.mma_async|tcgen05\.mma", ptx)),
      "copies": len(re.findall(r"cp\.async\.bulk\.tensor", ptx))}


@functools.cache
def _get_distance():
  """From an exported function of the plugin to a hidden one that has to run first: it makes the target known."""
  symbols = subprocess.run(["llvm-nm", "--defined-only", PLUGIN], check=True, capture_output=True, text=True).stdout
  start, end = (int(re.search(rf"^(\w+) {symbol}$", symbols, re.M)[1], 16) for symbol in (
      "T MosaicGpuCompile", r"t _ZN6mosaic3gpu\d+EnsureLLVMNVPTXTargetIsRegisteredEv"))
  return end - start


def main(path, distance):
  library = ctypes.CDLL(PLUGIN)
  compile_module = library.MosaicGpuCompile
  ctypes.CFUNCTYPE(None)(ctypes.cast(compile_module, ctypes.c_void_p).value + int(distance))()
  with open(path, "rb") as file:
    code = file.read()
  compile_module.argtypes = [ctypes.c_char_p, ctypes.c_int]
  compile_module.restype = ctypes.c_void_p
  return 0 if compile_module(code, len(code)) else 1


if __name__ == "__main__":
  sys.exit(main(*sys.argv[1:]))
