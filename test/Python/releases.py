# REQUIRES: pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %t | FileCheck %s
"""A release of JAX that nobody tried, and a Python that the package is not compiled for, are said at import."""
import os
import subprocess
import sys

import pallas_mlir
from pallas_mlir import release

folder, package = sys.argv[1], os.path.dirname(pallas_mlir.__file__)


def run(text, path=(), **variables):
  environment = {**os.environ, **variables}
  environment["PYTHONPATH"] = os.pathsep.join([*path, environment.get("PYTHONPATH", "")])
  done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)
  print(done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1])


# The first kernel is too late to hear of it. What JAX keeps to itself may be gone.
# CHECK: 1 ImportError: pallas_mlir is tested with jax 0.10.2, {{.*}} and 0.12.0.1, but jax 0.99.0 is installed; install jax=={{[0-9.]+}}, or set PALLAS_MLIR_ANY_JAX=1 to try without a promise
unknown = "import jax, sys; jax.__version__ = '0.99.0'; "
run(unknown + "sys.modules['jax._src.pallas'] = None; import pallas_mlir")
# CHECK: 1 ImportError: pallas_mlir is tested with jax 0.10.2
run(unknown + "import pallas_mlir.jax")
# CHECK: 1 ImportError: pallas_mlir is tested with jax 0.10.2
run(unknown + "import pallas_mlir.jax", PALLAS_MLIR_ANY_JAX="0")
# CHECK: 0 tried
run(unknown + "import pallas_mlir.jax; print('tried')", PALLAS_MLIR_ANY_JAX="1")

# CHECK: this one is tested: True
import jax
print("this one is tested:", jax.__version__ in release.TESTED)


def without_native(name):
  """The package with another compiled part than its own."""
  copy = os.path.join(folder, name, "pallas_mlir")
  os.makedirs(copy)
  for file in os.listdir(package):
    if not file.startswith("_native"):
      os.symlink(os.path.realpath(os.path.join(package, file)), os.path.join(copy, file))
  if "." in name:
    open(os.path.join(copy, name), "w").close()
  return os.path.dirname(copy)


# CHECK: 1 ImportError: the compiled part of pallas_mlir in {{.*}} is for cpython-39-x86_64-linux-gnu, but this is CPython 3.{{[0-9]+}}; install the wheel that is for this Python
run("import pallas_mlir", [without_native("_native.cpython-39-x86_64-linux-gnu.so")])
# CHECK: 1 ImportError: the compiled part of pallas_mlir in {{.*}} is for no Python, but this is CPython
run("import pallas_mlir", [without_native("none")])
