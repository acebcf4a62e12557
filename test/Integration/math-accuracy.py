# REQUIRES: jax
# RUN: %python %s

"""How far math functions on f32 are from the exact results, in units in the last place.

Arguments are spread over all bit patterns, so that every exponent is seen, and
the specials are among them.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from module_execution import run_module
from scipy.special import erf, erfc

COUNT = 1 << 17
SPECIAL = np.array([0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38, 1, -1],
                   np.float32)


def arguments(low, high):
  """Every exponent, and more of the range in which results are neither 0 nor infinite."""
  step = (1 << 32) // COUNT
  bits = (np.arange(COUNT, dtype=np.uint64) * step + 12345 % step).astype(np.uint32)
  everywhere = bits.view(np.float32)
  # A signaling NaN to the power of 0 is NaN, a quiet one is 1.
  everywhere = np.where(np.isnan(everywhere), np.float32(np.nan), everywhere)
  inside = np.linspace(low, high, COUNT - SPECIAL.size, dtype=np.float32)
  return np.concatenate([SPECIAL, everywhere, inside])


def units(found, exact):
  """Errors in units of the last place; equal infinities and NaN have none."""
  with np.errstate(all="ignore"):
    rounded = exact.astype(np.float32)
    unit = np.spacing(np.abs(rounded)).astype(np.longdouble)
    error = np.abs(found.astype(np.longdouble) - exact) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(exact))
  return np.where(same, 0, np.where(np.isnan(error), np.inf, error)).astype(np.float64)


def check(name, text, function, bound, x, y=None, flushes=False):
  """`bound` is a number, or a function of the arguments. With `flushes`, code without AVX-512 may
  have zeros for subnormal results."""
  inputs = [x] if y is None else [x, y]
  kind = f"tensor<{x.size}xf32>"
  names = ", ".join(f"%{n}: {kind}" for n in "xy"[:len(inputs)])
  module = f"func.func @main({names}) -> {kind} {{\n{text.replace('TYPE', kind)}\n  return %r : {kind}\n}}\n"
  with np.errstate(all="ignore"):
    exact = function(*[a.astype(np.longdouble) for a in inputs])
  found, = run_module(module, inputs, 1)
  if found is None:
    return
  error = units(found, exact)
  limit = bound(x) if callable(bound) else np.full(x.size, bound)
  with np.errstate(all="ignore"):
    if flushes:
      limit = np.where((found == 0) & (np.abs(exact) < np.finfo(np.float32).tiny), np.inf, limit)
    wrong = ~(error <= limit)
  if wrong.any():
    at = np.flatnonzero(wrong)[np.argmax(error[wrong])]
    raise SystemExit(f"{name}: {x[at]!r} gives {found[at]!r} instead of {exact[at]!r}, "
                     f"{error[at]:.3g} units off, {limit[at]:.3g} allowed")


def check_distances(name, function, low, high):
  """Exponentials of distances from the largest argument, which have an expansion of their own."""
  x = arguments(low, high)
  x = x[x <= high]

  def of_distances(_):
    return function((x - x.max()).astype(np.longdouble))

  check(f"{name} of distances", f"""  %m = pallas.reduce <max> %x dims [0] : TYPE
  %all = pallas.broadcast %m : f32 -> TYPE
  %d = arith.subf %x, %all : TYPE
  %r = math.{name} %d : TYPE""", of_distances, 2 if SPLIT else 1, x, flushes=True)


def one_plus_tanh(x):
  """Exact also where the sum with tanh has no digits left."""
  return 2 / (1 + np.exp(-2 * x))


def near_one(x):
  """Five units, of those of 1 where the result is smaller: a sum with tanh has no more."""
  with np.errstate(all="ignore"):
    exact = one_plus_tanh(x.astype(np.longdouble)).astype(np.float32)
    return 5 * np.fmax(1, 2.0**-23 / np.spacing(exact).astype(np.float64))


# Sums of products are rounded twice there.
SPLIT = os.environ.get("PALLAS_CPU") in ("x86-64", "x86-64-v2")
check("exp", "  %r = math.exp %x : TYPE", np.exp, 2 if SPLIT else 1, arguments(-104, 89), flushes=True)
check("exp2", "  %r = math.exp2 %x : TYPE", np.exp2, 2 if SPLIT else 1, arguments(-150, 128), flushes=True)
for low, high in [(-160, 0), (-10, 3)]:
  check_distances("exp", np.exp, low, high)
  check_distances("exp2", np.exp2, low, high)
check("tanh", "  %r = math.tanh %x : TYPE", np.tanh, 6, arguments(-10, 10))
check("1 + tanh", """  %one = arith.constant dense<1.0> : TYPE
  %t = math.tanh %x : TYPE
  %r = arith.addf %t, %one : TYPE""", one_plus_tanh, near_one, arguments(-20, 20))
check("atan", "  %r = math.atan %x : TYPE", np.arctan, 2, arguments(-4, 4))
check("atan2", "  %r = math.atan2 %x, %y : TYPE", np.arctan2, 2, *map(np.ravel, np.meshgrid(SPECIAL, SPECIAL)))
check("atan2", "  %r = math.atan2 %x, %y : TYPE", np.arctan2, 2, *np.random.default_rng(3).normal(size=(2, COUNT)).astype(np.float32))
check("erf", "  %r = math.erf %x : TYPE", lambda x: erf(x.astype(np.float64)).astype(np.longdouble),
      6 if SPLIT else 5, arguments(-4, 4))
check("erfc", "  %r = math.erfc %x : TYPE", lambda x: erfc(x.astype(np.float64)).astype(np.longdouble),
      (lambda x: 6 * np.fmax(1, x * x)) if SPLIT else 6, arguments(-4, 10), flushes=True)
for low, high in [(-4, 4), (-70000, 70000)]:
  check("sin", "  %r = math.sin %x : TYPE", np.sin, 2, arguments(low, high))
  check("cos", "  %r = math.cos %x : TYPE", np.cos, 2, arguments(low, high))
for name, function, low, high in [
    ("sinh", np.sinh, -2, 2), ("sinh", np.sinh, -90, 90), ("cosh", np.cosh, -90, 90), ("tan", np.tan, -10, 10),
    ("asin", np.arcsin, -1, 1), ("acos", np.arccos, -1, 1), ("atan", np.arctan, -4, 4), ("asinh", np.arcsinh, -10, 10),
    ("acosh", np.arccosh, 1, 3), ("atanh", np.arctanh, -1, 1), ("cbrt", np.cbrt, -9, 9)]:
  check(name, f"  %r = math.{name} %x : TYPE", function, 4 if SPLIT else 3, arguments(low, high))
rng = np.random.default_rng(1)
positive = rng.permutation(arguments(0, 50))
powers = rng.permutation(arguments(-10, 10))
near_one_base = 1 + rng.uniform(-1e-4, 1e-4, COUNT).astype(np.float32)
pow = "  %r = math.powf %x, %y : TYPE"
# Whole vectors without anything special, and all kinds in one.
check("pow", pow, np.power, 1, np.abs(positive), powers)
check("pow", pow, np.power, 1, near_one_base, rng.uniform(-9e5, 9e5, COUNT).astype(np.float32))
check("pow", pow, np.power, 1, rng.uniform(1e-30, 50, COUNT).astype(np.float32),
      rng.uniform(-30, 30, COUNT).astype(np.float32))
check("pow", pow, np.power, 1, powers, np.round(positive))
for a in SPECIAL:
  check("pow", pow, np.power, 1, np.full(SPECIAL.size, a), SPECIAL)
