# REQUIRES: pallas-python
# RUN: %python %s
"""The same functions over all types of elements, and over odd shapes."""
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax, nn
from jax.experimental.pallas import tpu as pltpu

warnings.filterwarnings("ignore", category=RuntimeWarning)
t = Table()
x, y = floats(5, 9), floats(5, 9, seed=1)

UNARY = ("exp exp2 log1p expm1 sin cos tan tanh arctan sinh cosh arcsinh floor ceil rint trunc sign square abs negative isnan isfinite "
         "signbit cbrt sqrt log log2 log10 reciprocal round nan_to_num positive sinc arcsin arccos arctanh").split()
POSITIVE = ("sqrt", "log", "log2", "log10", "arcsin", "arccos", "arctanh", "reciprocal")
BINARY = ("add subtract multiply divide floor_divide mod fmod remainder power arctan2 maximum minimum fmax fmin hypot logaddexp copysign "
          "nextafter equal less greater_equal not_equal heaviside divmod logical_and").split()
INTEGER_UNARY = "abs negative sign square invert bitwise_count positive isnan signbit logical_not".split()
INTEGER_BINARY = ("add subtract multiply floor_divide mod fmod maximum minimum bitwise_and bitwise_or bitwise_xor left_shift right_shift "
                  "equal less greater divmod gcd power logical_and").split()


def arrays(*results):
  return [jnp.atleast_1d(leaf) for leaf in jax.tree_util.tree_leaves(results)]


for dtype, tolerance in ((ml_dtypes.bfloat16, 3e-2), (np.float16, 6e-3)):
  name = np.dtype(dtype).name
  for i in range(0, len(UNARY), 8):
    t.add(f"unary_{i}_{name}", lambda v, n=UNARY[i:i + 8]: [getattr(jnp, f)(jnp.abs(v) * 0.5 + 0.2 if f in POSITIVE else v) for f in n],
          (x * 0.8).clip(-1.5, 1.5).astype(dtype), tolerance=tolerance)
  for i in range(0, len(BINARY), 8):
    t.add(f"binary_{i}_{name}", lambda v, w, n=BINARY[i:i + 8]: arrays(*[getattr(jnp, f)(jnp.abs(v) + 0.5 if f == "power" else v, w) for f in n]),
          x.astype(dtype), (np.abs(y) + 0.5).astype(dtype), tolerance=tolerance)


def integer_functions(v):
  return arrays(*[getattr(jnp, f)(v) for f in INTEGER_UNARY], v.sum(), v.max(0), v.min(), jnp.cumsum(v, 1), jnp.argmax(v, 0), v.mean(),
                jnp.sort(v, 0), v @ v.T, jnp.any(v > 3), v.astype(jnp.bfloat16), v.astype(jnp.float32) / 3, v.prod(1))


for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
  name = np.dtype(dtype).name
  a, b = integers(0 if np.dtype(dtype).kind == "u" else -100, 100, 5, 9).astype(dtype), integers(1, 7, 5, 9, seed=1).astype(dtype)
  t.add(f"binary_{name}", lambda v, w: arrays(*[getattr(jnp, f)(v, w) for f in INTEGER_BINARY]), a, b)
  t.add(f"functions_{name}", integer_functions, a)


def narrow_functions(v):
  return arrays(v.astype(jnp.float32), v.astype(jnp.bfloat16), v.astype(jnp.float16), v + v, v * v, jnp.where(v > 0, v, -v), v.astype(jnp.int32),
                jnp.max(v, 0), lax.dot_general(v, v, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32), lax.bitcast_convert_type(v, jnp.uint8),
                jnp.abs(v), lax.sign(v), lax.floor(v), lax.round(v), lax.sqrt(jnp.abs(v)), lax.rsqrt(jnp.abs(v)), lax.is_finite(v), lax.tanh(v), jnp.exp(v),
                lax.pad(v[0, 0], v[0, 1], []))


for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz,
              ml_dtypes.float8_e4m3, ml_dtypes.float8_e3m4):
  t.add(f"functions_{np.dtype(dtype).name}", narrow_functions, x.astype(dtype), tolerance=5e-2)
# Powers of two, and what lies between them, out of their range, or has another sign.
powers = np.array([0, -0.0, 1, -1, 1.4, 1.5, 1.6, 3, 6, np.inf, -np.inf, np.nan, 2.0**-127, 2.0**-128, 1.5 * 2.0**-127, 3.3e38, 1e-45], np.float32)
t.add("to_powers", lambda v: arrays(v.astype(ml_dtypes.float8_e8m0fnu), v[:12].astype(jnp.bfloat16).astype(ml_dtypes.float8_e8m0fnu)), powers)
t.add("powers", lambda v: arrays(v.astype(jnp.float32), v.astype(jnp.bfloat16), v.astype(bool), lax.is_finite(v), jnp.exp(v), lax.top_k(v, 9), lax.reduce(v[3], v[4], lax.add, ())),
      np.array([0, 1, 3, 90, 126, 127, 128, 131, 250, 254], np.uint8).view(ml_dtypes.float8_e8m0fnu))
for dtype, low in ((ml_dtypes.int4, -8), (ml_dtypes.uint4, 0)):
  t.add(f"functions_{np.dtype(dtype).name}", lambda v: arrays(
      v.astype(jnp.int8), v.astype(jnp.float32), jnp.where(v.astype(jnp.int32) > 2, v, jnp.zeros_like(v)), v.T, v[::2], jnp.concatenate([v, v])),
        integers(low, low + 15, 5, 9).astype(dtype))
t.add("functions_bool", lambda v: arrays(
    v.sum(0), v.any(1), v.all(0), jnp.cumsum(v, 1), jnp.argmax(v, 1), jnp.sort(v, 1), v.astype(jnp.bfloat16), jnp.maximum(v, ~v), v == ~v, v < ~v,
    jnp.where(v, v, ~v), v.reshape(9, 5), jnp.concatenate([v, v]), jnp.pad(v, 1), jnp.roll(v, 1, 0), jnp.flip(v, 1), jnp.repeat(v, 2, 0)),
      integers(0, 2, 5, 9).astype(bool))


def shape_functions(v):
  return arrays(v.sum(), v.max(-1), jnp.cumsum(v, -1), jnp.sort(v, -1), jnp.argmax(v, -1), jnp.exp(v) * 2, nn.softmax(v, -1), v[..., ::-1],
                jnp.pad(v, [(0, 1)] * v.ndim), v.T, jnp.roll(v, 1, -1), jnp.concatenate([v, v], -1), v.astype(jnp.bfloat16), jnp.where(v > 0, v, 0),
                v.reshape(-1), jnp.tile(v, 2), jnp.var(v), lax.top_k(v, 1)[0])


for shape in ((1,), (1, 1), (3, 1), (1, 7), (2, 1, 5), (17,), (129,), (33, 65)):
  t.add(f"shape_{'x'.join(map(str, shape))}", shape_functions, floats(*shape), tolerance=1e-4)
t.add("scalars", lambda v: arrays(
    v[0] + 1, jnp.sin(v[0]), v[0] * v[0], v[0].astype(jnp.int32), v[0] > 0, jnp.maximum(v[0], 2.0), lax.cond(v[0] > 0, lambda: v[0], lambda: -v[0]),
    nn.gelu(v[0]), v[0] ** 2.5), np.array([1.7], np.float32))

# Numbers that are subnormal as bf16, or round to such ones, and what is next to infinity.
x = np.array([1e-39, -1e-39, 1e-40, 9.2e-41, 4.5e-41, 4.6e-41, 1e-45, 1.17e-38, 1.1754942e-38, -0.0, 3.39e38, 3.4e38, -np.inf] * 3, np.float32)
t.add("to_subnormal", lambda v: arrays(lax.bitcast_convert_type(v.astype(jnp.bfloat16), jnp.int16), lax.bitcast_convert_type(v[3].astype(jnp.bfloat16), jnp.int16)),
      x, want=[x.astype(ml_dtypes.bfloat16).view(np.int16), x[3:4].astype(ml_dtypes.bfloat16).view(np.int16)])


# Memory of floats of four bits has one layout, however much an access takes, and so have arrays.
def quarters(x, y, o, p, s):
  s[...] = x[...].astype(s.dtype)
  for i in range(3):
    o[:, i:i + 1] = s[:, i:i + 1].astype(np.float32)
  o[:, 3:] = s[:, 3:].astype(np.float32) + y[:, 3:].astype(np.float32)
  p[...] = s[...]
narrow = ml_dtypes.float4_e2m1fn
wide, more = np.random.default_rng(5).integers(-4, 5, (2, 8, 19)).astype(narrow)
sums = wide.astype(np.float32)
sums[:, 3:] += more[:, 3:].astype(np.float32)
t.add("quarters", lambda *v, interpret: pl.pallas_call(
    quarters, out_shape=[jax.ShapeDtypeStruct(wide.shape, d) for d in (np.float32, narrow)],
    scratch_shapes=[pltpu.VMEM(wide.shape, narrow)])(*v),
    wide.astype(np.float32), more, whole_arrays=False, want=[sums, wide])
t.run()
