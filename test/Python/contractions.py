# REQUIRES: pallas-python
# RUN: %python %s
"""Contractions of all pairs of element types, into all kinds of results, as `lax.dot_general` takes them.

Each case is one pair; arguments name those that run alone.
"""
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax

warnings.filterwarnings("ignore", category=RuntimeWarning)
t = Table()

TYPES = [np.dtype(d) for d in (
    np.bool_, ml_dtypes.int4, ml_dtypes.uint4, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.bfloat16, np.float16, np.float32)]
NIBBLES = TYPES[1:3]
RESULTS = [None, np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16), np.dtype(np.int32), np.dtype(np.uint8)]
TOLERANCES = {"float32": 1e-5, "bfloat16": 8e-3, "float16": 1e-3, "float8_e4m3fn": 0.13, "float8_e4m3b11fnuz": 0.13, "float8_e5m2": 0.26}


def is_float(dtype):
  return jnp.issubdtype(dtype, np.floating)


def bits(dtype):
  return 1 if dtype == np.bool_ else (jnp.finfo if is_float(dtype) else jnp.iinfo)(dtype).bits


def factor(dtype, other, shape, seed, wraps=False):
  """Numbers whose products add up without rounding in f32, some of which no narrower type has; or any integers."""
  rng = np.random.default_rng(seed)
  if dtype == np.bool_:
    return rng.integers(0, 2, shape).astype(bool)
  if is_float(dtype):
    fine = rng.integers(-3, 4, shape) / 512 if bits(dtype) >= 16 and dtype != ml_dtypes.bfloat16 else 0
    return (rng.integers(-8, 9, shape) / 4 + fine).astype(dtype)
  info = jnp.iinfo(dtype)
  limit = 2**40 if wraps else 3 if bits(other) == 8 and is_float(other) else 300
  return rng.integers(max(int(info.min), -limit), min(int(info.max), limit), shape, endpoint=True).astype(dtype)


def default_result(lhs, rhs):
  """What JAX takes where nobody prefers anything."""
  shapes = [jax.ShapeDtypeStruct((1, 1), d) for d in (lhs, rhs)]
  return jax.eval_shape(lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ()))), *shapes).dtype


def accepted(lhs, rhs):
  """The results that JAX and XLA for CPUs take. JAX refuses what is narrower than integers; XLA takes nibbles into nibbles only, where both are of one type."""
  default = default_result(lhs, rhs)
  for result in RESULTS:
    if result is not None and not is_float(default) and bits(result) < bits(default):
      continue
    if lhs == rhs and lhs in NIBBLES and result not in (None, *NIBBLES):
      continue
    yield result


def product(results, dims=(((1,), (0,)), ((), ()))):
  return lambda a, b: [lax.dot_general(a, b, dims, preferred_element_type=result) for result in results]


for i, lhs in enumerate(TYPES):
  for rhs in TYPES[i:]:
    # One operand order of each pair, in turns.
    left, right = (lhs, rhs) if (i + TYPES.index(rhs)) % 2 else (rhs, lhs)
    results = list(accepted(left, right))
    if is_float(default_result(left, right)):
      t.add(f"{left.name}_{right.name}", product(results), factor(left, right, (24, 16), 0), factor(right, left, (16, 40), 1), tolerance=TOLERANCES)
      continue
    reals, wholes = ([r for r in results if (r is not None and is_float(r)) == kind] for kind in (True, False))
    t.add(f"{left.name}_{right.name}", lambda a, b, c, d, reals=reals, wholes=wholes: product(reals)(a, b) + product(wholes)(c, d),
          factor(left, right, (24, 16), 0), factor(right, left, (16, 40), 1), factor(left, right, (24, 16), 2, wraps=True),
          factor(right, left, (16, 40), 3, wraps=True), tolerance=TOLERANCES)

# Nibbles of one type, of which XLA for CPUs takes no wider sum.
for dtype in NIBBLES:
  a, b = factor(dtype, dtype, (24, 16), 0), factor(dtype, dtype, (16, 40), 1)
  exact = a.astype(np.int32) @ b.astype(np.int32)
  results = [np.dtype(d) for d in (np.int8, np.int32, np.float32)]
  t.add(f"{dtype.name}_{dtype.name}_wider", product(results), a, b, want=[exact.astype(r) for r in results])

# What is rounded before it is multiplied, and what after: the results differ by a unit of the last place.
above, three = np.full((1, 1), 1 + 2**-8 + 2**-12, np.float32), np.full((1, 1), 3, np.float32)
first = above.astype(ml_dtypes.bfloat16).astype(np.float32) * 3
assert first.astype(ml_dtypes.bfloat16) != (above * 3).astype(ml_dtypes.bfloat16)
t.add("rounds_first", product([ml_dtypes.bfloat16]), above, three.astype(ml_dtypes.bfloat16), tolerance=0, want=[first.astype(ml_dtypes.bfloat16)])
t.add("rounds_last", product([ml_dtypes.bfloat16]), above, three, tolerance=0, want=[(above * 3).astype(ml_dtypes.bfloat16)])
halves = np.full((1, 4), 1.5, np.float32)
t.add("truncates_first", product([jnp.int32]), halves, np.ones((4, 1), np.int8), want=[np.array([[4]], np.int32)])
t.add("truncates_last", product([jnp.int32]), halves * 1.5, halves.T, want=[np.array([[13]], np.int32)])
t.add("scalars", lambda a, b: [lax.dot_general(a[0, 0], b, (((), ()), ((), ())), preferred_element_type=r) for r in (None, jnp.float32, jnp.int32, jnp.bfloat16)],
      halves, np.arange(-3, 3, dtype=np.int8))
t.add("scalars_of_one_type", lambda a, b: [lax.dot_general(a[0, 0], b, (((), ()), ((), ())), preferred_element_type=r) for r in (None, jnp.int32, jnp.float16)],
      halves, halves * 2.5)

# Layouts, and few and many rows and columns, of pairs that are used most.
DIMENSIONS = {
    "rows": ((3, 64), (64, 96), (((1,), (0,)), ((), ()))), "columns": ((64, 32), (32, 3), (((1,), (0,)), ((), ()))),
    "transposed": ((40, 64), (32, 64), (((1,), (1,)), ((), ()))), "both": ((64, 40), (96, 64), (((0,), (1,)), ((), ()))),
    "left": ((64, 40), (64, 96), (((0,), (0,)), ((), ()))), "batch": ((2, 20, 32), (2, 32, 48), (((2,), (1,)), ((0,), (0,)))),
    "vector": ((64,), (64, 32), (((0,), (0,)), ((), ()))), "odd": ((37, 53), (53, 71), (((1,), (0,)), ((), ()))), "outer": ((5,), (7,), (((), ()), ((), ()))),
    "two": ((6, 4, 8), (8, 4, 10), (((1, 2), (1, 0)), ((), ())))}
PAIRS = [("bfloat16", "int8", "float32"), ("float32", "uint8", "float32"), ("float8_e5m2", "bfloat16", "bfloat16"),
         ("int8", "int4", "int32")]
for lhs, rhs, result in PAIRS:
  lhs, rhs, result = (np.dtype(getattr(ml_dtypes, d, d)) for d in (lhs, rhs, result))
  for name, (left, right, dims) in DIMENSIONS.items():
    t.add(f"{name}_{lhs.name}_{rhs.name}", product([result], dims), factor(lhs, rhs, left, 4), factor(rhs, lhs, right, 5), tolerance=TOLERANCES)


# A sum that is kept between the steps of a grid.
def accumulated(x, w, interpret=False):
  def kernel(x, w, o):
    @pl.when(pl.program_id(2) == 0)
    def _():
      o[...] = jnp.zeros_like(o)
    o[...] += jnp.dot(x[...], w[...], preferred_element_type=jnp.float32)
  return pl.pallas_call(
      kernel, out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32), grid=(2, 2, 4), interpret=interpret,
      in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 64), lambda i, j, k: (k, j))],
      out_specs=pl.BlockSpec((32, 64), lambda i, j, k: (i, j)))(x, w)


for lhs, rhs in ((ml_dtypes.bfloat16, np.int8), (np.float32, np.uint8), (np.float32, ml_dtypes.bfloat16)):
  lhs, rhs = np.dtype(lhs), np.dtype(rhs)
  t.add(f"accumulated_{lhs.name}_{rhs.name}", accumulated, factor(lhs, rhs, (64, 128), 6), factor(rhs, lhs, (128, 128), 7), whole_arrays=False)

t.run()
