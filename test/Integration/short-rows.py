# REQUIRES: jax
# RUN: %python %s

"""Reductions of rows that are shorter than a vector, executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from block_kernels import ref, value, write_kernel
from module_execution import Modules

rng = np.random.default_rng(7)
DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i8": np.int8}
REDUCTIONS = {"add": np.sum, "max": np.max, "min": np.min}
modules = Modules()


def numbers(element, *shape):
  """Whole numbers, so that every order of a sum is exact."""
  return rng.integers(-4, 5, shape).astype(DTYPES[element])


def reduce(kind, element, shape, dims, block):
  """Reduces `dims` of an array, cut into blocks of rows."""
  x = numbers(element, *shape)
  result = REDUCTIONS[kind](x.astype(np.float64), axis=tuple(dims)).astype(DTYPES[element])
  window = (block, *shape[1:])
  kept = [size for dim, size in enumerate(window) if dim not in dims]
  body = f"""
    %a = pallas.get %x0r[...] : {ref(element, *window)}
    %b = pallas.reduce <{kind}> %a dims {list(dims)} : {value(element, *window)}
    %c = pallas.swap %o0r[...], %b : {ref(element, *kept)}, {value(element, *kept)}"""
  places = ", ".join(["%i"] + ["0"] * (len(shape) - 1))
  windows = [(window, places), (tuple(kept), ", ".join(["%i"] + ["0"] * (len(kept) - 1)))]
  module = write_kernel(body, [x], [result], (shape[0] // block,), windows)
  modules.add(f"{kind} {element} {shape} {dims}", module, [x], [result])


def products(size):
  """Sums of products of two short rows."""
  x, y = numbers("f32", 6, 50, size), numbers("f32", 6, 50, size)
  result = np.sum(x * y, axis=2)
  window = (3, 50, size)
  body = f"""
    %a = pallas.get %x0r[...] : {ref('f32', *window)}
    %b = pallas.get %x1r[...] : {ref('f32', *window)}
    %c = arith.mulf %a, %b : {value('f32', *window)}
    %d = pallas.reduce <add> %c dims [2] : {value('f32', *window)}
    %e = pallas.swap %o0r[...], %d : {ref('f32', 3, 50)}, {value('f32', 3, 50)}"""
  module = write_kernel(body, [x, y], [result], (2,), [(window, "%i, 0, 0")] * 2 + [((3, 50), "%i, 0")])
  modules.add(f"products of {size}", module, [x, y], [result])


for element in DTYPES:
  for size in range(2, 10):
    reduce("max" if size % 2 else "add", element, (4, 70, size), [2], 2)
  reduce("min", element, (4, 64, 4), [2], 4)
  # Fewer rows than lanes, rows of rows, and several dimensions.
  reduce("add", element, (8, 5, 3), [2], 4)
  reduce("max", element, (4, 3, 40, 4), [3], 2)
  reduce("add", element, (4, 3, 40, 2), [1, 3], 2)
  reduce("max", element, (4, 66, 3, 2), [2, 3], 2)
for size in (2, 3, 5, 8):
  products(size)
modules.run()
