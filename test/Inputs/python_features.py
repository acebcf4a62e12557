# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in JSON what tests can use of Python: packages, their releases, and the flags of XLA for references."""
import importlib.metadata
import importlib.util
import json

# By the names that tests have for them.
PACKAGES = {"jax": "jax", "ipython": "IPython", "playwright": "playwright", "libtpu": "libtpu"}

features = [feature for feature, package in PACKAGES.items() if importlib.util.find_spec(package)]
if "jax" in features:
  from reference_flags import reference_flags
try:
  import pallas_mlir._native
  features.append("pallas-python")
except ImportError:
  pass
print(json.dumps({
    "features": features,
    "versions": {"jax": importlib.metadata.version("jax")} if "jax" in features else {},
    "xla_flags": reference_flags() if "jax" in features else "",
}))
