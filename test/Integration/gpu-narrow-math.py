# REQUIRES: listed-jax, pallas-python
# RUN: %python %s %root %t

"""Arithmetic on elements of 8 bits, of which kernels for GPUs compute on wider ones.

Each kernel gives the values of NumPy, before it is lowered and executed from the `mosaic_gpu` stage, and JAX's layout
inference and lowering take it. All pairs of numbers come up, those whose result is too large for its type included.
"""

import os
import sys

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_compiler
import gpu_stage
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pallas_mlir
from jax import lax
from jax.experimental import pallas as pl


def signed(x, y, sums, quotients, shifts, absolutes, largest, total):
  u, v = x[...], y[...]
  sums[...] = u + v * u - jnp.maximum(u, v)
  quotients[...] = jnp.where(u < v, u, lax.div(u, jnp.where(v == 0, jnp.int8(1), v)))
  shifts[...] = lax.shift_right_arithmetic(u, jnp.int8(3)) ^ lax.shift_left(v, jnp.int8(2))
  absolutes[...] = jnp.abs(u) & v
  largest[...] = jnp.max(u, axis=1)
  total[...] = jnp.zeros((1,), jnp.int8) + jnp.min(u)


def signed_numpy(u, v):
  q = np.trunc(u / np.where(v == 0, 1, v).astype(np.float32)).astype(np.int32).astype(np.int8)
  total = np.stack([part.min()[None] for part in np.split(u, 8)]).reshape(-1)
  return (u + v * u - np.maximum(u, v), np.where(u < v, u, q), (u >> 3) ^ (v << 2).astype(np.int8), np.abs(u) & v,
          u.max(axis=1), total)


def unsigned(x, y, sums, rests):
  u, v = x[...], y[...]
  sums[...] = jnp.minimum(u, v) + lax.shift_right_logical(v, jnp.uint8(1))
  rests[...] = lax.rem(u, jnp.where(v == 0, jnp.uint8(1), v))


def unsigned_numpy(u, v):
  return np.minimum(u, v) + (v >> 1), u % np.where(v == 0, 1, v).astype(np.uint8)


def floats(x, y, sums, products, quotients, halves):
  u, v = x[...], y[...]
  sums[...] = u + v
  products[...] = u * v
  quotients[...] = jnp.where(u < v, u, v / u)
  halves[...] = (-u).astype(jnp.bfloat16).astype(u.dtype)


def floats_numpy(u, v):
  a, b = u.astype(np.float32), v.astype(np.float32)
  with np.errstate(all="ignore"):
    return [value.astype(u.dtype) for value in (a + b, a * b, np.where(a < b, a, b / a), -a)]


def call(kernel, dtype, shapes):
  def spec(shape):
    return pl.BlockSpec((shape[0] // 8, *shape[1:]), lambda i: (i, *[0] * (len(shape) - 1)))
  return pl.pallas_call(kernel, grid=(8,), in_specs=[spec((256, 256))] * 2, out_specs=[spec(shape) for shape in shapes],
                        out_shape=[jax.ShapeDtypeStruct(shape, dtype) for shape in shapes])


BOX = (256, 256)
CASES = {
    "signed": (signed, signed_numpy, np.int8, [BOX] * 4 + [(256,), (8,)]),
    "unsigned": (unsigned, unsigned_numpy, np.uint8, [BOX] * 2),
    "f8E4M3FN": (floats, floats_numpy, ml_dtypes.float8_e4m3fn, [BOX] * 4),
    "f8E5M2": (floats, floats_numpy, ml_dtypes.float8_e5m2, [BOX] * 4),
}
failures = []


def compare(name, found, wanted):
  for index, (left, right) in enumerate(zip(found, wanted, strict=True)):
    left = left.view(right.dtype)
    same = (left == right) | ((left != left) & (right != right))
    if not same.all():
      at = tuple(np.argwhere(~same)[0])
      failures.append(name)
      print(f"{name}: result {index} is {left[at]} instead of {right[at]} at {at}")


every = np.arange(256, dtype=np.uint8)
for name, (kernel, reference, dtype, shapes) in CASES.items():
  x, y = (array.astype(np.uint8).view(dtype) for array in np.meshgrid(every, every, indexing="ij"))
  folder = f"{work}/{name}"
  os.makedirs(folder, exist_ok=True)
  source = f"{folder}/exported.mlir"
  with open(source, "w") as file:
    file.write(str(pallas_mlir.export(call(kernel, dtype, shapes), x, y)))
  wanted = reference(x, y)
  lowered = gpu_stage.lower(source, folder)
  for module in source, lowered:
    compare(f"{name} of {os.path.basename(module)}", gpu_stage.execute(module, (x, y), len(shapes), folder), wanted)
  with open(lowered) as file:
    gpu_compiler.lower(file.read())
print("failed:" if failures else "all right", *failures)
sys.exit(bool(failures))
