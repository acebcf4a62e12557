# REQUIRES: jax
# RUN: %python %s

"""Conversions between floats round once, to the nearest, ties to even.

The reference searches among all numbers of the narrow type, so that no library's
own roundings matter (some go through f32).
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import warnings

import ml_dtypes
import numpy as np
from module_execution import Suite

warnings.simplefilter("ignore", RuntimeWarning)
rng = np.random.default_rng(11)
suite = Suite()
BITS = {np.float64: np.uint64, np.float32: np.uint32}
NARROW = [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]


def every(dtype):
  size = np.dtype(dtype).itemsize
  return np.arange(1 << 8 * size, dtype=np.dtype(f"u{size}")).view(dtype)


def nearest(values, dtype):
  """Of the number next to zero and the one behind it, that with an even last bit on a tie."""
  codes = every(dtype)
  positive = codes[:codes.size // 2]
  finite = positive[np.isfinite(positive.astype(np.float64))]
  numbers = finite.astype(np.float64)
  # Where the next number would be, infinity is.
  numbers = np.append(numbers, 2 * numbers[-1] - numbers[-2])
  results = np.append(finite, np.array(np.inf, dtype))
  magnitude = np.abs(values.astype(np.float64))
  low = np.clip(np.searchsorted(numbers, magnitude, side="right") - 1, 0, numbers.size - 2)
  # Halves of a sum of two neighbors are exact.
  middle = (numbers[low] + numbers[low + 1]) / 2
  up = (magnitude > middle) | ((magnitude == middle) & (low % 2 == 1))
  rounded = results[low + up].astype(np.float64)
  rounded = np.where(np.isnan(values), np.nan, np.copysign(rounded, values.astype(np.float64)))
  return rounded.astype(dtype)


def arguments(wide, narrow):
  """All exponents, what lies between two neighbors, and what lies next to that."""
  word = BITS[wide]
  bits = rng.integers(0, np.iinfo(word).max, 20000, dtype=word, endpoint=True)
  anywhere = bits.view(wide)
  with np.errstate(all="ignore"):
    numbers = every(narrow).astype(np.float64)
    numbers = np.sort(numbers[np.isfinite(numbers)])
    middle = ((numbers[:-1] + numbers[1:]) / 2).astype(wide)
    inside = rng.uniform(numbers[0], numbers[-1], 5000).astype(wide)
  beside = [np.nextafter(middle, wide(side * np.inf)) for side in (-1, 1)]
  special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 65519.999, 65520, 3.3e38, -3.4e38, 1e-45, 1e-300, 1e300], np.float64)
  with np.errstate(all="ignore"):
    return np.concatenate([anywhere, numbers.astype(wide), middle, *beside, inside, special.astype(wide)])


for wide in (np.float64, np.float32):
  for narrow in NARROW:
    values = arguments(wide, narrow)
    expected = nearest(values, narrow)
    suite.add("%r = arith.truncf %a : {a} to {r}", [values], expected, exact=True)
    for index in rng.permutation(values.size)[:10]:
      suite.add("%r = arith.truncf %a : {a} to {r}", [values[index]], expected[index], exact=True)
    with np.errstate(all="ignore"):
      suite.add("%r = arith.extf %a : {a} to {r}", [every(narrow)], every(narrow).astype(wide), exact=True)
    for code in every(narrow)[rng.permutation(every(narrow).size)[:5]]:
      suite.add("%r = arith.extf %a : {a} to {r}", [code], np.asarray(code).astype(wide), exact=True)

suite.run()
