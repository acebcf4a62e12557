"""Lit configuration of the text-based tests."""

import os
import subprocess

import lit.formats
import lit.util
from lit.llvm import llvm_config

config.name = "PALLAS"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.pallas_obj_root, "test")

llvm_config.with_system_environment(
    ["HOME", "TMP", "TEMP", "CCACHE_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "PALLAS_CPU"]
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
config.substitutions.append(("%python", config.pallas_python))
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

# Tests that need JAX say so; the everyday environment has it.
if os.system(f"'{config.pallas_python}' -c 'import jax' >/dev/null 2>&1") == 0:
  config.available_features.add("jax")
  # What the tests compare with runs once. `%devices=4` gives a test four devices.
  flags = subprocess.run([config.pallas_python, os.path.join(config.test_source_root, "Inputs", "reference_flags.py")],
                         check=True, capture_output=True, text=True).stdout.strip()
  llvm_config.with_environment("XLA_FLAGS", flags)
  for count in (2, 4):
    config.substitutions.append(
        (f"%devices={count}", f"env XLA_FLAGS='{flags} --xla_force_host_platform_device_count={count}'"))
# What JAX's own compilers write differs between releases; tests of their text know the one of the list of packages.
with open(os.path.join(config.pallas_src_root, "test", "requirements.txt")) as packages:
  listed_jax = next(line.strip().split("==")[1] for line in packages if line.startswith("jax=="))
if os.system(f"""'{config.pallas_python}' -c "import jax; exit(jax.__version__ != '{listed_jax}')" >/dev/null 2>&1""") == 0:
  config.available_features.add("listed-jax")
if os.system(f"PYTHONPATH='{python_path}' '{config.pallas_python}' -c 'import pallas_mlir._native' >/dev/null 2>&1") == 0:
  config.available_features.add("pallas-python")
if os.system(f"'{config.pallas_python}' -c 'import IPython' >/dev/null 2>&1") == 0:
  config.available_features.add("ipython")
# Pages are opened in a browser of Debian, which Playwright steers.
config.pallas_browser = next((p for p in map(lit.util.which, ("chromium-headless-shell", "chromium")) if p), "")
if config.pallas_browser and os.system(f"'{config.pallas_python}' -c 'import playwright' >/dev/null 2>&1") == 0:
  config.available_features.add("browser")
config.substitutions.append(("%browser", config.pallas_browser))
# So do those that need the compiler for TPUs.
if os.system(f"'{config.pallas_python}' -c 'import libtpu' >/dev/null 2>&1") == 0:
  config.available_features.add("libtpu")
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
config.substitutions.append(("%cc", config.c_compiler))
# Emulators of other CPUs, and what makes programs for them.
for tool in ("qemu-x86_64", "qemu-aarch64", "aarch64-linux-gnu-gcc"):
  if lit.util.which(tool):
    config.available_features.add(tool)
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
