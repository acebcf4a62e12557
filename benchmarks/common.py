# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: calling kernels, timing them next to a peer, and printing ratios."""

import ctypes
import os
import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("PALLAS_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))

# XLA reads these when it starts, so they come before any import of jax.
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def use_one_thread():
  """Keeps this process, the peers included, on one core."""
  # Whoever holds XLA to a level of CPU says so in the same variable.
  os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                             " --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
  os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
  os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def has_wide_vectors():
  """Whether kernels are made for AVX-512, on this machine or by PALLAS_CPU."""
  level = os.environ.get("PALLAS_CPU", "native")
  if level == "native":
    return "avx512f" in pathlib.Path("/proc/cpuinfo").read_text().split()
  return level not in ("x86-64", "x86-64-v2", "x86-64-v3")


class Kernel:
  """A module in text, compiled."""

  _library = None

  def __init__(self, text, options="parallel=false", opt_level=2):
    if Kernel._library is None:
      library = ctypes.CDLL(str(BUILD / "lib" / "libPallasBench.so"))
      library.pallas_bench_error.restype = ctypes.c_char_p
      library.pallas_bench_compile.restype = ctypes.c_void_p
      library.pallas_bench_call.restype = ctypes.c_bool
      library.pallas_bench_call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
      library.pallas_bench_free.argtypes = [ctypes.c_void_p]
      Kernel._library = library
    self.handle = self._library.pallas_bench_compile(text.encode(), options.encode(), opt_level)
    if not self.handle:
      raise RuntimeError(self._library.pallas_bench_error().decode())

  def __del__(self):
    if getattr(self, "handle", None):
      self._library.pallas_bench_free(self.handle)

  def bind(self, *arrays):
    """A function that calls the kernel on these inputs and outputs."""
    pointers = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])

    def call():
      if not self._library.pallas_bench_call(self.handle, pointers):
        raise RuntimeError(self._library.pallas_bench_error().decode())

    call.keep = arrays
    return call


def race(*functions, seconds=2.0, rounds=6):
  """The fastest run of each, in milliseconds, taking turns so that all see the same machine."""
  best = [float("inf")] * len(functions)
  for function in functions:
    function()
  for _ in range(rounds):
    for i, function in enumerate(functions):
      end = time.perf_counter() + seconds / rounds / len(functions)
      while True:
        start = time.perf_counter()
        function()
        now = time.perf_counter()
        best[i] = min(best[i], now - start)
        if now >= end:
          break
  return [1e3 * t for t in best]


def report(work, shape, dtype, own, peer, own_ms, peer_ms, goal):
  """One line of the table; the ratio is how many times as fast as the peer."""
  ratio = peer_ms / own_ms
  verdict = "ok" if ratio >= goal else "MISSED"
  print(f"{work:24} {shape:28} {dtype:10} {own_ms:10.3f} ms {peer_ms:10.3f} ms {peer:22} "
        f"{ratio:6.2f} (goal {goal:.2f}) {verdict}", flush=True)
  return ratio


def check(own, reference, tolerance):
  """A fast wrong answer is no result."""
  scale = np.abs(reference.astype(np.float64)).max()
  error = np.abs(own.astype(np.float64) - reference.astype(np.float64)).max() / scale
  if not error <= tolerance:
    raise SystemExit(f"wrong result: the largest error is {error:.3g} of the largest value")
