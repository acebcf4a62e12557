# REQUIRES: pallas-python
# RUN: %devices=4 %python %s
"""Kernels as programs have them: recurrences, optimizers, stencils, searches; under derivatives, maps and meshes of devices."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import tpu as pltpu

t = Table()
f32, S, P = jnp.float32, jax.ShapeDtypeStruct, jax.sharding.PartitionSpec
x, y = floats(32, 64), floats(32, 64, seed=1)


def add(name, kernel, out, *arrays, tolerance=1e-4, **keywords):
  t.add(name, lambda *v, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*v),
        *arrays, tolerance=tolerance, whole_arrays=False)


def recurrence(x, decay, b, c, o, state):
  @pl.when(pl.program_id(0) == 0)
  def _():
    state[...] = jnp.zeros_like(state)

  def step(i, _):
    state[...] = state[...] * decay[...] + b[i][None, :] * x[i][:, None]
    o[i, :] = (state[...] * c[i][None, :]).sum(1)
  lax.fori_loop(0, 8, step, None)
times = lambda width: pl.BlockSpec((8, width), lambda i: (i, 0))
add("recurrence", recurrence, S((32, 8), f32), floats(32, 8), np.abs(np.tanh(floats(8, 4))), floats(32, 4, seed=1), floats(32, 4, seed=2),
    grid=(4,), in_specs=[times(8), pl.BlockSpec((8, 4), lambda i: (0, 0)), times(4), times(4)], out_specs=times(8),
    scratch_shapes=[pltpu.VMEM((8, 4), f32)])


def rotated(x, cosines, sines, o):
  a, b = jnp.split(x[...], 2, -1)
  o[...] = jnp.concatenate([a * cosines[...] - b * sines[...], b * cosines[...] + a * sines[...]], -1)
add("rotary", rotated, S((32, 64), f32), x, floats(32, 32), floats(32, 32, seed=1))


def adam(p, g, m, v, rate, new_p, new_m, new_v):
  new_m[...] = 0.9 * m[...] + 0.1 * g[...]
  new_v[...] = 0.99 * v[...] + 0.01 * g[...]**2
  new_p[...] = p[...] - rate[0] * new_m[...] / (jnp.sqrt(new_v[...]) + 1e-8)
part = pl.BlockSpec((16,), lambda i: (i,))
add("adam", adam, [S((64,), f32)] * 3, x[0], x[1], x[2], np.abs(x[3]), np.array([0.1], np.float32), grid=(4,),
    in_specs=[part] * 4 + [pl.BlockSpec((1,), lambda i: (0,))], out_specs=[part] * 3, input_output_aliases={0: 0, 2: 1, 3: 2})


def stencil(x, w, o):
  o[...] = sum(x[i:i + 8, j:j + 16] * w[i, j] for i in range(3) for j in range(3))
add("stencil", stencil, S((16, 16), f32), floats(18, 18), floats(3, 3), grid=(2,),
    in_specs=[pl.BlockSpec((pl.Element(10), pl.Element(18)), lambda i: (i * 8, 0)), pl.BlockSpec((3, 3), lambda i: (0, 0))],
    out_specs=pl.BlockSpec((8, 16), lambda i: (i, 0)))


def life(x, o):
  near = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
  neighbours = sum(jnp.roll(x[...], shift, (0, 1)) for shift in near)
  o[...] = ((neighbours == 3) | (x[...] == 1) & (neighbours == 2)).astype(o.dtype)
for dtype in (np.int8, np.uint8, np.int32):
  add(f"life_{np.dtype(dtype)}", life, S((16, 16), dtype), integers(0, 2, 16, 16, dtype=dtype))


def bitonic(x, o):
  v, at = x[...], jnp.arange(16)
  for size in (2, 4, 8, 16):
    for distance in [1 << i for i in reversed(range(size.bit_length() - 1))]:
      other = jnp.take(v, at ^ distance, axis=1)
      first = ((at & size) == 0) == (at < at ^ distance)
      v = jnp.where(first, jnp.minimum(v, other), jnp.maximum(v, other))
  o[...] = v
add("bitonic", bitonic, S((4, 16), f32), floats(4, 16))


def collatz(x, o):
  def step(state):
    n, count = state
    active = n != 1
    return jnp.where(active, jnp.where(n % 2 == 0, n // 2, 3 * n + 1), n), count + active
  o[...] = lax.while_loop(lambda state: (state[0] != 1).any(), step, (x[...], jnp.zeros_like(x[...])))[1]
add("collatz", collatz, S((8,), jnp.int32), integers(1, 50, 8))


def inverse(a, o):
  def step(i, m):
    row = lax.dynamic_slice(m, (i, 0), (1, 12))
    row = row / lax.dynamic_slice(row, (0, i), (1, 1))
    factor = jnp.where(jnp.arange(6)[:, None] == i, 0.0, lax.dynamic_slice(m, (0, i), (6, 1)))
    return lax.dynamic_update_slice(m - factor * row, row, (i, 0))
  o[...] = lax.fori_loop(0, 6, step, jnp.concatenate([a[...], jnp.eye(6)], 1))[:, 6:]
add("gauss_jordan", inverse, S((6, 6), f32), floats(6, 6) + 6 * np.eye(6, dtype=np.float32), tolerance=1e-3)


def histogram(x, o):
  o[...] = jnp.zeros_like(o)
  lax.fori_loop(0, 64, lambda i, _: o.__setitem__(x[i], o[x[i]] + 1), None)
add("histogram", histogram, S((10,), jnp.int32), integers(0, 10, 64))


def grown(x, y, o):
  o[...] = x[...] * pl.num_programs(0) + pl.program_id(1)
tile = pl.BlockSpec((8, 32), lambda i, j: (i, j))
t.add("dynamic_grid", lambda n, x, interpret: pl.pallas_call(
    grown, out_shape=S(x.shape, f32), grid=(n, 2), in_specs=[tile] * 2, out_specs=tile, input_output_aliases={1: 0}, interpret=interpret)(
        x, jnp.zeros_like(x)), np.int32(3), x, whole_arrays=False)


# Derivatives that are kernels, forgotten and computed again, on a mesh
def squares(interpret):
  def call(kernel, *arrays):
    return pl.pallas_call(kernel, out_shape=S(arrays[0].shape, f32), interpret=interpret)(*arrays)

  @jax.custom_vjp
  def square(x):
    return call(lambda x, o: o.__setitem__(..., x[...]**2), x)
  square.defvjp(lambda x: (square(x), x), lambda x, g: (call(lambda x, g, o: o.__setitem__(..., 2 * x[...] * g[...]), x, g),))
  return square


def loss(x, interpret):
  mesh = jax.sharding.Mesh(np.array(jax.devices()[:4]), ("d",))
  body = lambda x: lax.psum(jax.checkpoint(squares(interpret))(x).sum(), "d")
  return jax.shard_map(body, mesh=mesh, in_specs=P("d"), out_specs=P(), check_vma=False)(x)
t.add("sharded_gradient", lambda x, interpret: jax.grad(lambda v: loss(v, interpret))(x), x, whole_arrays=False, want=2 * x)
t.add("forward_mode", lambda x, interpret: jax.jvp(pl.pallas_call(lambda x, o: o.__setitem__(..., jnp.sin(x[...]) * x[...]), out_shape=S(x.shape, f32), interpret=interpret),
                                                   (x,), (x + 1,)), x, whole_arrays=False)
t.add("pmap", lambda x, interpret: jax.pmap(squares(interpret))(x.reshape(4, 8, 64)), x, whole_arrays=False)

# Ahead of time, and in double precision
compiled = jax.jit(squares(False)).lower(S((32, 64), f32)).compile()
np.testing.assert_allclose(compiled(x), x * x, rtol=1e-6)
with jax.enable_x64(True):
  wide = x.astype(np.float64)
  for kernel in (lambda x, o: o.__setitem__(..., jnp.cumsum(jnp.exp(x[...]), 1) + lax.erf(x[...])),
                 lambda x, o: o.__setitem__(..., jnp.sort(x[...], 1) + jax.random.uniform(jax.random.key(3), x.shape, jnp.float64))):
    got, want = (pl.pallas_call(kernel, out_shape=S(x.shape, np.float64), interpret=interpret)(wide) for interpret in (False, True))
    np.testing.assert_allclose(got, want, rtol=1e-12)
  # Sizes of grids have 64 bits, too.
  rows = pl.BlockSpec((8, 64), lambda i: (i, 0))
  got, want = (pl.pallas_call(lambda x, o: o.__setitem__(..., x[...] * 2), grid=(np.int64(3) + jnp.int64(x.shape[0] // 32),), in_specs=[rows], out_specs=rows,
                              out_shape=S(x.shape, f32), interpret=interpret)(x) for interpret in (False, True))
  np.testing.assert_array_equal(got, want)
t.run()
