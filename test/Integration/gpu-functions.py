# RUN: %python %s %root %t

"""Functions that Mosaic GPU lacks on vectors, executed from the `mosaic_gpu` stage: as exact as those of the C library, or 3 units
of the last place away, infinities, NaN and zeros included."""

import os
import sys

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_stage
import numpy as np

rng = np.random.default_rng(1)
COUNT = 4096


def run(function, *arrays):
  """What the lowered function gives for f32."""
  size, names = arrays[0].size, range(len(arrays))
  value, ref = f"tensor<{size}xf32>", f"!pallas.ref<{size}xf32, gmem>"
  lines = [f"func.func @f({', '.join(f'%x{i}: {value}' for i in names)}) -> {value} {{", "  %0 = pallas.mpmd_map",
           *(f"      in(%x{i} : {value})" for i in names), f"      out({value})",
           f'      kernel @kernel on <gpu, [<grid "i" = 1>]> ({", ".join(f"%r{i}: {ref}" for i in names)}, %o: {ref}) {{',
           *(f"    %v{i} = pallas.get %r{i}[...] : {ref}" for i in names),
           f"    %y = {function} {', '.join(f'%v{i}' for i in names)} : {value}", f"    pallas.swap %o[...], %y : {ref}, {value}",
           "  }", f"  return %0 : {value}", "}"]
  os.makedirs(work, exist_ok=True)
  path = os.path.join(work, f"{function}.mlir")
  with open(path, "w") as file:
    file.write("\n".join(lines))
  return gpu_stage.execute(gpu_stage.lower(path, work), arrays, 1, work)[0]


def compare(function, reference, *arrays):
  size = -(-max(map(len, arrays)) // 1024) * 1024
  arrays = [np.resize(np.asarray(array, np.float32), size) for array in arrays]
  found = run(function, *arrays)
  with np.errstate(all="ignore"):
    exact = reference(*(array.astype(np.float64) for array in arrays))
    wanted = exact.astype(np.float32)
    step = np.maximum(np.spacing(np.abs(wanted)), np.float32(2**-149)).astype(np.float64)
    error = np.abs(found.astype(np.float64) - exact) / step
  error = np.where((found == wanted) | (np.isnan(found) & np.isnan(wanted)), 0, error)
  error = np.where(np.isfinite(found) == np.isfinite(wanted), error, np.inf)
  worst = np.argmax(np.where(np.isnan(error), np.inf, error))
  assert error[worst] < 3, f"{function}({[array[worst] for array in arrays]}) = {found[worst]}, not {wanted[worst]}"


special = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2, -2, .5, -.5, 3, -3, 1e-38, -1e-38, 3e38, -3e38, 2**24, 2**24 + 2, 1 - 2**24,
           2**23 + 1, 1e-45, 1 + 2**-23, 1 - 2**-24, 150, -150, 1.5, -2.5, 88.9, -89, 20, 1e-30, 1e20]
pairs = np.meshgrid(special, special)
compare("math.powf", np.power, *(pair.ravel() for pair in pairs))
bases = np.exp(rng.uniform(-80, 80, COUNT))
compare("math.powf", np.power, bases, rng.uniform(-100, 100, COUNT) / np.maximum(np.abs(np.log(bases)), 1))
compare("math.powf", np.power, np.exp(rng.uniform(-1, 1, COUNT)), rng.uniform(-100, 100, COUNT))
small, some = rng.uniform(-1, 1, COUNT), rng.uniform(-10, 10, COUNT)
many = np.concatenate([special, some, some * 8.9, some * 1e-4, rng.standard_normal(COUNT) * 10.0 ** rng.uniform(-10, 30, COUNT)])
for name, reference in ("asin", np.arcsin), ("acos", np.arccos), ("atanh", np.arctanh):
  compare(f"math.{name}", reference, np.concatenate([special, small]))
for name, reference in ("sinh", np.sinh), ("cosh", np.cosh), ("asinh", np.arcsinh), ("atan", np.arctan), ("cbrt", np.cbrt):
  compare(f"math.{name}", reference, many)
compare("math.acosh", np.arccosh, np.concatenate([special, np.abs(many) + 1, 1 + 10.0 ** rng.uniform(-7, 0, COUNT)]))
compare("math.tan", np.tan, np.concatenate([special[:16], some, some * 10]))
# Remainders are exact, however large the quotient is. Numbers below 2^-126 are zeros on GPUs.
compare("arith.remf", np.fmod, *(pair.ravel() for pair in np.meshgrid(*[[x for x in special if x == 0 or not abs(x) < 1e-37]] * 2)))
compare("arith.remf", np.fmod, rng.uniform(-100, 100, COUNT), rng.uniform(-10, 10, COUNT))
compare("arith.remf", np.fmod, *(rng.standard_normal(COUNT) * 10.0 ** rng.uniform(-30, 30, COUNT) for _ in range(2)))
divisors = rng.uniform(.1, 10, COUNT).astype(np.float32)
compare("arith.remf", np.fmod, rng.integers(1, 5000, COUNT) * divisors, divisors)
print("functions are exact")
