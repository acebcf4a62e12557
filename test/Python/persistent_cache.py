# REQUIRES: pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: env PALLAS_CACHE_DIR=%t/objects JAX_COMPILATION_CACHE_DIR=%t/executables %python %s first %t | FileCheck %s --check-prefix=FIRST
# RUN: env PALLAS_CACHE_DIR=%t/objects JAX_COMPILATION_CACHE_DIR=%t/executables %python %s second %t | FileCheck %s --check-prefix=SECOND
# RUN: env PALLAS_CACHE_DIR=%t/objects JAX_COMPILATION_CACHE_DIR=%t/executables %python %s third %t | FileCheck %s --check-prefix=THIRD
"""Executables that hold kernels go into JAX's persistent cache and into files, and other processes run them."""
import os
import pickle
import sys

import jax
import numpy as np
from jax._src import monitoring
from jax.experimental import pallas as pl
from jax.experimental import serialize_executable

import pallas_mlir.jax

jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
hits = []
monitoring.register_event_listener(lambda event, **_: hits.append(event) if event.endswith("compilation_cache/cache_hits") else None)

which, folder = sys.argv[1:]
# The third process has another kernel under the same name.
factor = 5.0 if which == "third" else 3.0


def scale(x, o):
  o[...] = x[...] * factor


x = np.arange(8, dtype=np.float32)
call = jax.jit(lambda v: pl.pallas_call(scale, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype))(v) + 1)
kept = os.path.join(folder, "executable")
if which == "first":
  with open(kept, "wb") as file:
    pickle.dump(serialize_executable.serialize(call.lower(x).compile()), file)
if which == "second":
  # Nothing has been lowered yet: the executable brings its kernel along.
  with open(kept, "rb") as file:
    loaded = serialize_executable.deserialize_and_load(*pickle.load(file))
  np.testing.assert_allclose(loaded(x), x * 3 + 1)
  print("an executable from a file runs")
np.testing.assert_allclose(call(x), x * factor + 1)
print("hits", len(hits))
# FIRST: hits 0
# SECOND: an executable from a file runs
# SECOND-NEXT: hits {{[1-9]}}
# THIRD: hits 0
