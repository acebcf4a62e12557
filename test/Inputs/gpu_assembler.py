"""The second half of JAX's compiler for GPUs: the C++ of its CUDA plugin, and ptxas.

No GPU is needed. `gpu_driver.c` tells which one there would be, and takes the
result. The compiler may abort, so each module has a process of its own.
"""

import ctypes
import functools
import json
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
# Where the arrays of a kernel are that nothing runs.
PLACES, PLACE_BITS = 0x7F0000000000, 36


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


def assemble(bytecode, arch, work, driver, notes=None):
  """The report of ptxas and the PTX of a module that `gpu_compiler.lower` made."""
  os.makedirs(work, exist_ok=True)
  path = os.path.join(work, "module.mlirbc")
  with open(path, "wb") as file:
    file.write(bytecode)
  for name in os.listdir(work):
    if name.endswith((".ptx", ".ptxas")):
      os.remove(os.path.join(work, name))
  environment = {
      **os.environ, "LD_LIBRARY_PATH": driver, "GPU_CAPABILITY": CAPABILITIES[arch], **(notes or {}),
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


def record(bytecode, arch, work, driver, arrays):
  """What it takes to run a kernel of so many arrays elsewhere: machine code, tensor maps and launch, as the mock noted
  them. Array i lies at `PLACES + (i << PLACE_BITS)`."""
  files = {"GPU_IMAGE": os.path.join(work, "image"), "GPU_LAUNCH": os.path.join(work, "launch")}
  for path in files.values():
    if os.path.exists(path):
      os.remove(path)
  _, ptx = assemble(bytecode, arch, work, driver, {**files, "GPU_ARRAYS": str(arrays)})
  with open(files["GPU_LAUNCH"]) as notes, open(files["GPU_IMAGE"], "rb") as image:
    calls = [json.loads(line) for line in notes]
    launch, = [call for call in calls if call["call"] == "launch"]
    return {"entry": re.search(r"\.entry (\w+)", ptx)[1], "maps": [call for call in calls if call["call"] == "map"], **launch}, image.read()


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
  compile_module.restype = ctypes.POINTER(ctypes.c_void_p)
  kernel = compile_module(code, len(code))
  if kernel and "GPU_LAUNCH" in os.environ:
    launch(kernel)
  return 0 if kernel else 1


def launch(kernel):
  """Runs the host code of a kernel: a pair of the code on the device, and a function of it, a stream and arrays."""
  folder = os.environ["MOSAIC_GPU_DUMP_TO"]
  ptx, = [name for name in os.listdir(folder) if name.endswith(".ptx")]
  with open(os.path.join(folder, ptx)) as file:
    parameters = re.findall(r"^\s*\.param (.+)", file.read().partition(".entry")[2].partition("{")[0], re.M)
  # A parameter is one number, `.u64 .ptr .align 256 name`, or bytes, `.align 64 .b8 name[384]`.
  sizes = [re.search(r"\[(\d+)\]", text) or re.search(r"\.[a-z](\d+)", text) for text in parameters]
  os.environ["GPU_PARAMETERS"] = ",".join(str(int(size[1]) // (1 if size[0][0] == "[" else 8)) for size in sizes)
  count = int(os.environ["GPU_ARRAYS"])
  arrays = (ctypes.c_void_p * max(count, 1))(*(PLACES + (i << PLACE_BITS) for i in range(count)))
  run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(kernel[1])
  run(kernel[0], None, ctypes.addressof(arrays))


if __name__ == "__main__":
  sys.exit(main(*sys.argv[1:]))
