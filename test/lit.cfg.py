"""Lit configuration of the text-based tests."""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zlib

import lit.util
from lit.llvm import llvm_config

sys.path.append(os.path.join(os.path.dirname(__file__), "Inputs"))
from timed import TimedTest


def is_whole(data):
  """Whether an entry of JAX's cache was written to its end: a test may end before that. JAX warns of others, and keeps them."""
  stream = zlib.decompressobj()
  try:
    stream.decompress(data)
  except zlib.error:
    return False
  return stream.eof


def tidy(folder, limit=512 << 20):
  """Drops damaged entries of the cache in a folder, and all of them when they have more bytes than `limit`."""
  files = list(pathlib.Path(folder).glob("*-cache"))
  if sum(file.stat().st_size for file in files) > limit:
    shutil.rmtree(folder)
    return
  for file in files:
    data = file.read_bytes()
    # With the package zstandard JAX writes another format, which begins otherwise.
    if not data or (data[0] == 0x78 and not is_whole(data)):
      file.unlink()


config.name = "PALLAS"
config.test_format = TimedTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.pallas_obj_root, "test")

llvm_config.with_system_environment(
    ["HOME", "TMP", "TEMP", "CCACHE_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "PALLAS_CPU", "PALLAS_TEST_PICTURES"]
)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.pallas_tools_dir, append_path=True)

# Tests say by which tools they run; each stands in PATH under its own name.
# The stock optimizer goes by the name that Debian gives it.
stock = os.path.join(config.llvm_tools_dir, "mlir-opt")
config.substitutions.append(("mlir-opt-22", stock))
config.substitutions.append(("%plugin", os.path.join(config.pallas_lib_dir, "PallasPlugin.so")))
config.substitutions.append(("%guard", os.path.join(config.pallas_lib_dir, "PallasGuardedMalloc.so")))
config.substitutions.append(("%crash", os.path.join(config.pallas_lib_dir, "PallasCrash.so")))
config.substitutions.append(("%root", config.pallas_src_root))
config.substitutions.append(("%build", config.pallas_obj_root))
# Programs in Python run in forks of one interpreter.
forked_python = os.path.join(config.test_source_root, "Inputs", "forked_python.py")
config.substitutions.append(("%python", f"/usr/bin/python3 -I -S {forked_python} {config.pallas_python}"))
# A consumer project is compiled as this one is.
config.substitutions.append(
    (
        "%cmake_flags",
        f"-DCMAKE_C_COMPILER={config.c_compiler} -DCMAKE_CXX_COMPILER={config.cxx_compiler}"
        f" '-DCMAKE_EXE_LINKER_FLAGS={config.linker_flags}'"
        f" -DCMAKE_CXX_COMPILER_LAUNCHER={config.compiler_launcher}",
    )
)
python_path = os.path.join(config.pallas_obj_root, "python")
llvm_config.with_environment("PYTHONPATH", python_path, append_path=True)

# Tests say what they need of Python; the everyday environment has all of it.
found = json.loads(subprocess.run(
    [config.pallas_python, os.path.join(config.test_source_root, "Inputs", "python_features.py")],
    env={**os.environ, "PYTHONPATH": python_path}, check=True, capture_output=True, text=True).stdout)
config.available_features.update(found["features"])
if "jax" in config.available_features:
  # What the tests compare with runs once. `%devices=4` gives a test four devices.
  flags = found["xla_flags"]
  llvm_config.with_environment("XLA_FLAGS", flags)
  # It is compiled again only when it changes. What is compiled of ours is a call of it, by its text: the kernel is not kept.
  executables = os.path.join(config.test_exec_root, "executables")
  tidy(executables)
  llvm_config.with_environment("JAX_COMPILATION_CACHE_DIR", executables)
  llvm_config.with_environment("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
  llvm_config.with_environment("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
  for count in (2, 4):
    config.substitutions.append(
        (f"%devices={count}", f"env XLA_FLAGS='{flags} --xla_force_host_platform_device_count={count}'"))
# What JAX's own compilers write differs between releases; tests of their text know the one of the list of packages.
with open(os.path.join(config.pallas_src_root, "test", "requirements.txt")) as packages:
  if f"jax=={found['versions'].get('jax')}" in packages.read().split():
    config.available_features.add("listed-jax")
# Pages are opened in a browser of Debian, which Playwright steers.
config.pallas_browser = next((p for p in map(lit.util.which, ("chromium-headless-shell", "chromium")) if p), "")
if config.pallas_browser and "playwright" in found["features"]:
  config.available_features.add("browser")
config.substitutions.append(("%browser", config.pallas_browser))
# A later release of that compiler has a folder of its own, and XLA's flags are others there.
newer_libtpu = os.path.join(config.pallas_src_root, ".venv-newer-libtpu")
if os.path.isdir(os.path.join(newer_libtpu, "libtpu")):
  config.available_features.add("newer-libtpu")
config.substitutions.append(("%newer_libtpu", f"env -u XLA_FLAGS PYTHONPATH='{newer_libtpu}:{python_path}'"))
# The second half of JAX's compiler for GPUs, which needs none, has one, too.
gpu_compiler = os.path.join(config.pallas_src_root, ".venv-gpu-compiler")
if os.path.isdir(os.path.join(gpu_compiler, "jax_plugins")):
  config.available_features.add("gpu-compiler")
config.substitutions.append(("%gpu_compiler", f"env GPU_COMPILER='{gpu_compiler}'"))
# So have the judges of tools: a client of language servers, and a reader of traces that a browser runs.
judges = os.path.join(config.pallas_src_root, ".venv-tools")
for package in ("perfetto", "pygls"):
  if os.path.isdir(os.path.join(judges, package)):
    config.available_features.add(package)
config.substitutions.append(("%judges", judges))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%cxx", config.cxx_compiler))
# Emulators of other CPUs, and what makes programs for them.
for tool in ("qemu-x86_64", "qemu-aarch64"):
  if lit.util.which(tool):
    config.available_features.add(tool)
# The runtime for aarch64, and what it takes from LLVM.
if (os.path.exists(os.path.join(config.pallas_src_root, ".venv-aarch64", "installed"))
    and os.path.exists(os.path.join(config.pallas_obj_root, "lib", "libPallasRuntimeAArch64.a"))):
  config.available_features.add("aarch64-libraries")
# A patch can be tried in a layer over the checkout and its build.
if (os.path.basename(config.pallas_obj_root) == "build-release"
    and os.system("unshare --user --map-root-user --mount true >/dev/null 2>&1") == 0):
  config.available_features.add("layers")
if config.pallas_sanitizers or os.path.exists(config.asan_runtime):
  config.available_features.add("asan-runtime")
  # How `./dev sanitize` runs tests.
  llvm_config.with_system_environment(["PALLAS_SANITIZE", "LD_PRELOAD"])
if config.pallas_sanitizers:
  config.available_features.add("asan")
  llvm_config.with_environment("ASAN_OPTIONS", config.asan_options)
  llvm_config.with_environment("PALLAS_SANITIZE", "address")
# Not under sanitizers: a program that crashes under them tells of itself alone.
if "jax" in config.available_features and not config.pallas_sanitizers and "LD_PRELOAD" not in config.environment:
  socket = f"@pallas-tests-{os.getpid()}"
  times = tempfile.NamedTemporaryFile(prefix="pallas-tests-")
  forks = subprocess.Popen([config.pallas_python, forked_python, "--serve", socket, times.name], stdin=subprocess.PIPE, env=config.environment)
  # It ends when no process has the other end of the pipe any longer.
  atexit.register(lambda: (forks.stdin.close(), times.close()))
  llvm_config.with_environment("PALLAS_TEST_FORKS", socket)
  llvm_config.with_environment("PALLAS_TEST_FORK_TIMES", times.name)
