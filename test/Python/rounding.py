# REQUIRES: pallas-python
# RUN: %python %s
"""Each operation rounds once, as NumPy's do, and a cast to a narrow type rounds what they give."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *

f32 = np.float32
extremum = lambda m, v: m.max(m.abs(v), axis=1, keepdims=True)
OPERATIONS = {
    "quotient": lambda m, v, s, w: v / s,
    "quotient of a constant": lambda m, v, s, w: v / f32(448),
    "scaled by the extremum": lambda m, v, s, w: v / (extremum(m, v) / f32(448)),
    "scaled by a reciprocal": lambda m, v, s, w: v * (f32(448) / extremum(m, v)),
    "product and sum": lambda m, v, s, w: v * s + w,
    "product and difference": lambda m, v, s, w: v * s - w,
}
NARROW = (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.bfloat16, jnp.float16)


def operands():
  values, scales, others = floats(256, 256), np.abs(floats(256, 1, seed=1)) + f32(0.1), floats(256, 256, seed=2)
  # Quotients of short numbers lie in the middle of two codes more often.
  short = lambda v: v.astype(ml_dtypes.bfloat16).astype(f32)
  return (values, scales, others), (short(values), short(scales), others)


def kernel(operation, v, s, w, wide, *outs):
  result = operation(jnp, v[...], s[...], w[...])
  wide[...] = result
  for out in outs:
    out[...] = result.astype(out.dtype)


for name, operation in OPERATIONS.items():
  for arrays in operands():
    shapes = [jax.ShapeDtypeStruct((256, 256), t) for t in (f32, *NARROW)]
    got = pl.pallas_call(lambda *refs, operation=operation: kernel(operation, *refs), out_shape=shapes)(*arrays)
    want = operation(np, *arrays)
    for array, t in zip(got, (f32, *NARROW)):
      wrong = np.asarray(array).view(np.uint8) != want.astype(t).view(np.uint8)
      assert not wrong.any(), f"{name}: {int(wrong.sum())} bytes of {np.dtype(t).name} differ"

print("all agree")
