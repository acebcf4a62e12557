# REQUIRES: pallas-python
# RUN: %python %s
"""Several reductions of one value, along axes that differ, and stores of its parts."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from itertools import combinations

t = Table()
f32 = jnp.float32
cube, flat = floats(16, 16, 128), floats(16, 12, 8, 64)


def pairwise(left, right, decay, values):
  """Sums over either index of a product that all of them share."""
  e = jnp.exp(decay[:, None, :] - decay[None, :, :])
  rows = lambda m: jnp.sum(m[:, :, None] * e * values[None, :, :], axis=1)
  columns = lambda m: jnp.sum(m[:, :, None] * e * values[:, None, :], axis=0)
  return rows(left), rows(right), columns(left) + columns(right)
t.add("pairwise", pairwise, floats(16, 16), floats(16, 16, seed=1), floats(16, 128, seed=2) * 0.1, floats(16, 128, seed=3),
      tolerance=1e-4)

for first, second in combinations([(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)], 2):
  t.add(f"cube_{first}_{second}", lambda v, a=first, b=second: (v.max(a), (v * 0.5).sum(b)), cube, tolerance=1e-4)
for first, second, third in [((0,), (1,), (3,)), ((1, 3), (0, 3), (0, 1, 3)), ((2,), (0, 2, 3), (1,)), ((0, 1), (1, 2), (2, 3))]:
  t.add(f"four_{first}_{second}_{third}", lambda v, a=first, b=second, c=third: (v.sum(a), v.max(b), (v * v).sum(c)), flat,
        tolerance=1e-4)
t.add("integers", lambda v: (v.max(2), v.astype(f32).sum((2, 0))), (np.arange(8 * 8 * 128, dtype=np.int32) % 37 - 18).reshape(8, 8, 128))
t.add("both_ways", lambda v: (v - v.transpose(1, 0, 2), (v + v.transpose(1, 0, 2)).sum(1)), cube, tolerance=1e-4)


def read_both_ways(x, o):
  o[...] = x[...] - x[...].transpose(1, 0, 2)
window = pl.BlockSpec((8, 8, 64), lambda j: (0, 0, j))
t.add("windows_both_ways", lambda v, interpret=False: pl.pallas_call(
    read_both_ways, grid=(4,), in_specs=[window], out_specs=window, out_shape=jax.ShapeDtypeStruct((8, 8, 256), f32),
    interpret=interpret)(v), floats(8, 8, 256), whole_arrays=False)


def columns(x, c, o):
  """Each column scales a value of its own, which is stored in a narrower type."""
  value = x[...].astype(f32)
  for j in range(c.shape[1]):
    o[:, j * 256:(j + 1) * 256] = (c[:, j:j + 1] * value).astype(o.dtype)
for narrow in (jnp.bfloat16, jnp.float16, f32, jnp.int32):
  t.add(f"columns_{jnp.dtype(narrow).name}", lambda v, c, narrow=narrow, interpret=False: pl.pallas_call(
      columns, out_shape=jax.ShapeDtypeStruct((32, 1024), narrow), interpret=interpret)(v, c),
      floats(32, 256).astype(jnp.bfloat16), floats(32, 4, seed=1), whole_arrays=False)
t.run()
