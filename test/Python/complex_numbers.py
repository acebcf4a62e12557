# REQUIRES: pallas-python
# RUN: %python %s
# RUN: env JAX_ENABLE_X64=1 %python %s
"""Complex numbers inside of kernels, and as their operands and results."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import tpu as pltpu

t = Table()
S, c64, f32 = jax.ShapeDtypeStruct, jnp.complex64, jnp.float32
x, y = floats(8, 6), floats(8, 6, seed=1)
z, w = x + 1j * y, floats(8, 6, seed=2) - 1j * floats(8, 6, seed=3)
z[0, 0], z[1, 1], z[2, 2], z[3, 3] = 0, -2, 3j, 1e-3j



def check(name, function, *arrays, tolerance=2e-5):
  """Against the function outside of kernels: interpret mode has no complex results."""
  t.add(name, function, *arrays, tolerance=tolerance, want=jax.jit(function)(*arrays))


for function in (jnp.abs, jnp.real, jnp.imag, jnp.conj, jnp.angle, jnp.square, jnp.sqrt, jnp.exp, jnp.exp2, jnp.expm1,
                 jnp.sin, jnp.cos, jnp.tan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.sign, jnp.negative, jnp.isfinite, lax.logistic,
                 lax.reciprocal, jnp.arcsinh, jnp.arccosh, jnp.arctanh, jnp.arcsin, jnp.arccos, jnp.arctan):
  check(function.__name__, function, z * 0.7)
for function in (jnp.log, jnp.log1p, lax.rsqrt):
  check(function.__name__, function, w)
for name, function in {
    "arithmetic": lambda u, v: [u + v, u - v, u * v, u / v, u == v, u != u.conj()], "powers": lambda u, v: [v**3, v**-2, u**0, v**2.5, v**u],
    "mixed": lambda u, v: u * 2.5 + 1j * v.real - (3 + 2j), "select": lambda u, v: jnp.where(u.real > 0, u, v),
    "shapes": lambda u, v: [u.T, u.reshape(4, 12), u[::-1, 1:4], jnp.concatenate([u, v], 1), jnp.pad(u, 1), jnp.tile(v, (2, 1)), jnp.stack([u, v])],
    "sums": lambda u, v: [u.sum(), v.mean(0), jnp.cumsum(u, 1), jnp.linalg.norm(u)], "products": lambda u, v: [u @ v.T, jnp.vdot(u, v), jnp.einsum("ij,kj->ik", u, v)],
    "rows": lambda u, v: [u[jnp.arange(3) * 2], u.at[2].set(v[0]), u.at[jnp.arange(3) // 2].add(v[:3]), lax.dynamic_slice(u, (v.shape[0] // 3, 1), (2, 3))],
    "types": lambda u, v: [u.real.astype(c64), u.astype(f32), lax.complex(u.imag, v.real)],
    "scan": lambda u, v: lax.scan(lambda c, r: (c * r[0] + r[1], c), u[0], (u, v)),
    "loop": lambda u, v: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + v * i, u), "while": lambda u, v: lax.while_loop(lambda c: jnp.abs(c[0, 0]) < 9, lambda c: c * 2 + 1j, u + v),
    "cond": lambda u, v: lax.cond(u[0, 0].real > 0, lambda: u, lambda: v * 1j), "jit": lambda u, v: jax.jit(lambda a: a * v)(u),
    "vmap": lambda u, v: jax.vmap(lambda a, b: a * b.sum())(u, v), "grad": lambda u, v: jax.grad(lambda a: jnp.abs(a * v).sum())(u + 3),
}.items():
  check(name, function, z, w, tolerance=1e-4)


def blocks(x, y, o, total, scratch):
  @pl.when(pl.program_id(0) == 0)
  def _():
    total[...] = jnp.zeros_like(total)
  scratch[...] = x[...] * y[0]
  scratch[1] = scratch[0] * 1j
  total[...] += scratch[...].sum(0)
  o[...] = scratch[...] + x[...].real
row = pl.BlockSpec((2, 6), lambda i: (i, 0))


def add(name, kernel, out, *arrays, want=None, **keywords):
  t.add(name, lambda *v, interpret: pl.pallas_call(kernel, out_shape=out, interpret=interpret, **keywords)(*v), *arrays,
        whole_arrays=False, want=want, tolerance=1e-4)


scaled = z * w[0]
scaled[1::2] = scaled[::2] * 1j
add("blocks", blocks, [S((8, 6), c64), S((6,), c64)], z, w, grid=(4,), in_specs=[row, pl.BlockSpec((1, 6), lambda i: (0, 0))],
    out_specs=[row, pl.BlockSpec((6,), lambda i: (0,))], want=[scaled + z.real, scaled.sum(0)], scratch_shapes=[pltpu.VMEM((2, 6), c64)])
add("alias", lambda n, u, o: o.__setitem__(0, u[1] * n[0]), S((8, 6), c64), np.array([3.0], np.float32), z, want=np.concatenate([z[1:2] * 3, z[1:]]), input_output_aliases={1: 0})
t.add("real_results", lambda u: jnp.abs(u * (1 + 2j)), z)
t.add("batched", lambda u, v, interpret: jax.vmap(pl.pallas_call(lambda a, b, o: o.__setitem__(..., a[...] * b[...]), out_shape=S((6,), c64), interpret=interpret))(u, v),
      z, w, whole_arrays=False, want=z * w)


def copied(x, o, scratch, sem):
  pltpu.async_copy(x, scratch, sem).wait()
  pl.run_scoped(lambda r: (r.__setitem__(..., scratch[...] * 2), pltpu.sync_copy(r, o)) and None, pltpu.VMEM((8, 6), c64))
add("copies", copied, S((8, 6), c64), z, want=z * 2, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_specs=pl.BlockSpec(memory_space=pl.ANY),
    scratch_shapes=[pltpu.VMEM((8, 6), c64), pltpu.SemaphoreType.DMA])


def doubled(u, o):
  o[...] = pl.pallas_call(lambda a, b: b.__setitem__(..., a[...] * 1j), out_shape=S((8, 6), c64))(u[...])
add("nested", doubled, S((8, 6), c64), z, want=z * 1j)


def wide(u, interpret):
  with jax.enable_x64(True):
    return pl.pallas_call(lambda a, o: o.__setitem__(..., jnp.abs(a[...].astype(jnp.complex128) / 3 + 1j)), out_shape=S((8, 6), jnp.float64))(u)
t.add("wide", wide, z, whole_arrays=False, want=np.abs(z.astype(np.complex128) / 3 + 1j), tolerance=1e-14)
t.run()
