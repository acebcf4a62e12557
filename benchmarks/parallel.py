# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two threads against one on a grid with parallel dimensions, and OpenBLAS doing the same for comparison."""

import os

os.environ["OMP_NUM_THREADS"] = "2"

import common
import ctypes
import numpy as np
from matmul import kernel


def main():
  rng = np.random.default_rng(0)
  n, block = 2048, 256
  x, y = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
  out = np.empty_like(x)
  one, two = (common.Kernel(kernel(n, block), f"parallel={flag}").bind(x, y, out) for flag in ("false", "true"))
  two_ms, one_ms = common.race(two, one, seconds=6)
  common.report("matmul", f"{n}, blocks of {block}", "f32", "2 threads", "1 thread", two_ms, one_ms, 1.9)
  library = ctypes.CDLL("libopenblas.so.0")
  a, b, c = (ctypes.c_void_p(v.ctypes.data) for v in (x, y, out))
  alpha, beta = ctypes.c_float(1), ctypes.c_float(0)

  def sgemm(threads):
    library.openblas_set_num_threads(threads)
    library.cblas_sgemm(101, 111, 111, n, n, n, alpha, a, n, b, n, beta, c, n)

  two_ms, one_ms = common.race(lambda: sgemm(2), lambda: sgemm(1), seconds=6)
  common.report("(OpenBLAS itself)", f"{n}", "f32", "2 threads", "1 thread", two_ms, one_ms, 0)


if __name__ == "__main__":
  main()
