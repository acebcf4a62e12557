# REQUIRES: jax
# RUN: %python %s
"""The bug: where a row is divided by one number, quotients of -0 lost their sign.

They were corrected by what they leave over, and the sum of -0 and 0 is 0.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Integration" / "Inputs"))

import numpy as np
from module_execution import run_module

x = np.full((4, 128), -0.0, np.float32)
x[:, 0] = [2, 2, -2, -2]
x[:, 1] = [0, np.inf, 0, 1e-30]
quotients, = run_module("""func.func @main(%x: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %m = pallas.reduce <add> %x dims [1] : tensor<4x128xf32>
  %all = pallas.broadcast %m dims [0] : tensor<4xf32> -> tensor<4x128xf32>
  %r = arith.divf %x, %all : tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}
""", [x], 1)
with np.errstate(all="ignore"):
  exact = x / x.sum(1, keepdims=True)
np.testing.assert_array_equal(quotients, exact)
np.testing.assert_array_equal(np.signbit(quotients)[~np.isnan(exact)], np.signbit(exact)[~np.isnan(exact)])
