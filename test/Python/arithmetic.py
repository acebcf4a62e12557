# REQUIRES: pallas-python
# RUN: %python %s
# RUN: env JAX_ENABLE_X64=1 %python %s
"""Elementwise primitives, the corners of integer arithmetic included, also where JAX's numbers have 64 bits."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax

t = Table()
x, y = floats(8, 16), floats(8, 16, seed=1)
special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1e-40, 2.5, -2.5, 3.5], np.float32)
pairs = np.array(np.meshgrid(special, special)).reshape(2, -1)
a, b = integers(-50, 50, 8, 16), integers(-4, 5, 8, 16, seed=1)
edge = np.array([0, 1, -1, 2**31 - 1, -2**31, 7, -7, 31, 32, 33], np.int32)
ea, eb = np.array(np.meshgrid(edge, edge)).reshape(2, -1).astype(np.int32)

for name in ("exp", "exp2", "log1p", "expm1", "sin", "cos", "tan", "tanh", "atan", "sinh", "cosh", "asinh", "logistic",
             "erf", "erfc", "cbrt", "floor", "ceil", "neg", "abs", "sign", "square", "is_finite"):
  t.add(name, getattr(lax, name), x, tolerance=2e-5)
for name in ("floor", "ceil", "neg", "abs", "sign", "is_finite", "sqrt"):
  t.add(f"{name}_special", getattr(lax, name), special)
for name in ("log", "sqrt", "rsqrt", "acosh", "lgamma", "digamma", "bessel_i0e"):
  t.add(name, getattr(lax, name), np.abs(x) + 1.1, tolerance=5e-5)
for name in ("asin", "acos", "atanh", "erf_inv"):
  t.add(name, getattr(lax, name), np.tanh(x) * 0.9, tolerance=5e-5)
for name in ("add", "sub", "mul", "div", "max", "min", "atan2", "nextafter", "rem"):
  t.add(name, getattr(lax, name), x, y, tolerance=2e-5)
for name in ("max", "min", "eq", "ne", "lt", "le", "gt", "ge", "nextafter"):
  t.add(f"{name}_special", getattr(lax, name), *pairs)
angles = np.array(np.meshgrid(*[[0, -0.0, 1, -2, np.inf, -np.inf, np.nan]] * 2), np.float32).reshape(2, -1)
t.add("atan2_special", lax.atan2, *angles)
for name in ("add", "sub", "mul", "div", "rem", "max", "min", "eq", "lt", "bitwise_and", "bitwise_or", "bitwise_xor",
             "shift_left", "shift_right_logical", "shift_right_arithmetic"):
  t.add(f"{name}_int_edges", getattr(lax, name), ea, eb)
  t.add(f"{name}_unsigned_edges", getattr(lax, name), ea.view(np.uint32), eb.view(np.uint32))
for name in ("neg", "abs", "sign", "bitwise_not", "population_count", "clz"):
  t.add(f"{name}_int", getattr(lax, name), edge)
t.add("round_even", lambda v: lax.round(v, lax.RoundingMethod.TO_NEAREST_EVEN), special)
t.add("round_away", lambda v: lax.round(v, lax.RoundingMethod.AWAY_FROM_ZERO), special)
t.add("pow", lambda v: lax.pow(jnp.abs(v), np.float32(1.7)), x)
t.add("pow_int", lambda v: lax.pow(v, 3), x)
for power in (-2, 0, 1, 5):
  t.add(f"integer_pow_{power}", lambda v, p=power: lax.integer_pow(v, p), x, tolerance=1e-4)
t.add("clamp", lambda v: lax.clamp(np.float32(-0.5), v, np.float32(0.7)), x)
t.add("clamp_int", lambda v: lax.clamp(np.int32(-5), v, np.int32(7)), a)
t.add("floor_divide", lambda p, q: (p // q, p % q), a, np.where(b == 0, 3, b))
# Rows of 13 leave a rest, whose masked lanes would divide by zero.
t.add("floor_divide_rest", lambda p, q: (p // q, p % q, lax.rem(p, q), lax.div(p, q), p // 7, p % -3), integers(-50, 50, 3, 13),
      integers(1, 9, 3, 13, seed=2))
t.add("select_three", lambda p, v, w: lax.select_n(jnp.abs(p) % 3, v, w, v + w), a, x, y)
t.add("where_scalar", lambda v: jnp.where(v.sum() > 0, v, -v), x)
t.add("reduce_precision", lambda v: lax.reduce_precision(v, 8, 7), x)
t.add("nan_to_num", jnp.nan_to_num, special)

dtypes = [np.float32, ml_dtypes.bfloat16, np.float16, np.int32, np.int8, np.uint8, np.int16, np.uint32, np.bool_]
for source in dtypes:
  for target in dtypes:
    low = 0 if np.dtype(target).kind == "u" or np.dtype(source).kind == "u" else -5
    t.add(f"convert_{np.dtype(source).name}_{np.dtype(target).name}", lambda v, d=target: v.astype(d),
          integers(low, 6, 4, 16).astype(source))
for target in (np.int32, np.int8, np.uint8):
  t.add(f"convert_saturating_{np.dtype(target).name}", lambda v, d=target: v.astype(d),
        np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 300.0, -300.0, 1.9, -1.9], np.float32))
t.run()
