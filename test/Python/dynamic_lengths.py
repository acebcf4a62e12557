# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Indexed copies of which only the kernel knows how many rows they move."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import pallas_mlir.jax

N = 32
mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1)
rng = np.random.default_rng(0)
places = rng.permutation(N).astype(np.int32)


def run(body, x, count):
  """Calls `body` with the count, all of x and the places, the output, and buffers of both in vector memory."""
  @pl.kernel(out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), mesh=mesh,
             scratch_types=[pltpu.VMEM((8,), jnp.int32), pltpu.VMEM(x.shape, x.dtype), pltpu.VMEM((N,), jnp.int32)])
  def kernel(count_ref, x_ref, places_ref, zeros_ref, o_ref, n_ref, rows, at):
    pltpu.sync_copy(count_ref, n_ref)
    pltpu.sync_copy(zeros_ref, rows)
    pltpu.sync_copy(rows, o_ref)
    pltpu.sync_copy(places_ref, at)
    body(jnp.max(n_ref[...]), x_ref, o_ref, rows, at)
  return np.asarray(jax.jit(kernel)(jnp.full(8, count, jnp.int32), x, places, np.zeros_like(x)))


def scatter(n, x, o, rows, at):
  pltpu.sync_copy(x, rows)
  pltpu.sync_copy(rows.at[pl.ds(0, n)], o.at[at.at[pl.ds(0, n)]])


def gather(n, x, o, rows, at):
  pltpu.sync_copy(x.at[at.at[pl.ds(0, n)]], rows.at[pl.ds(0, n)])
  pltpu.sync_copy(rows, o)


def scatter_from(n, x, o, rows, at):
  pltpu.sync_copy(x, rows)
  pltpu.sync_copy(rows.at[pl.ds(4, n)], o.at[at.at[pl.ds(8, n)]])


def add(n, x, o, rows, at):
  pltpu.sync_copy(x, rows)
  pltpu.sync_copy(rows, o)
  pltpu.sync_copy(rows.at[pl.ds(0, n)], o.at[at.at[pl.ds(0, n)]], add=True)


def waited(n, x, o, rows, at):
  pltpu.sync_copy(x, rows)

  def scoped(done):
    copy = pltpu.make_async_copy(rows.at[pl.ds(0, n)], o.at[at.at[pl.ds(0, n)]], done)
    copy.start()
    copy.wait()
  pl.run_scoped(scoped, pltpu.SemaphoreType.DMA)


def reference(name, x, n):
  o = np.zeros_like(x)
  if name in ("scatter", "waited"):
    o[places[:n]] = x[:n]
  elif name == "gather":
    o[:n] = x[places[:n]]
  elif name == "scatter_from":
    o[places[8:8 + n]] = x[4:4 + n]
  else:
    o[...] = x
    np.add.at(o, places[:n], x[:n])
  return o


shapes = np.arange(1, N + 1, dtype=np.int32), np.arange(1, N * 16 + 1, dtype=np.float32).reshape(N, 16)
for context, note in (contextlib.nullcontext, ""), (pallas_mlir.jax.checked, ", checked"):
  for body in scatter, gather, scatter_from, add, waited:
    for x in shapes:
      for n in (0, 1, 7, 24) if body is scatter_from else (0, 1, 7, N):
        with context():
          np.testing.assert_array_equal(run(body, x, n), reference(body.__name__, x, n), err_msg=f"{body.__name__} {x.shape} {n}")
    print(body.__name__ + note, "agrees")

# CHECK: scatter agrees
# CHECK: gather agrees
# CHECK: scatter_from agrees
# CHECK: add agrees
# CHECK: waited agrees
# CHECK: scatter, checked agrees
# CHECK: gather, checked agrees
# CHECK: scatter_from, checked agrees
# CHECK: add, checked agrees
# CHECK: waited, checked agrees


# Views of views whose length only the kernel knows.
def transposed(n, x, o):
  pltpu.sync_copy(x.at[pl.ds(2, n)].T, o.at[pl.ds(0, n)].T)


def part_of_part(n, x, o):
  pltpu.sync_copy(x.at[pl.ds(2, n)].at[pl.ds(0, 2)], o.at[pl.ds(0, 2)])


for body, want in (transposed, lambda x: x[2:5]), (part_of_part, lambda x: x[2:4]):
  if body is part_of_part and jax.__version_info__ >= (0, 12):
    print(f"part_of_part is refused by jax {jax.__version__} itself")
    continue
  def kernel(n, x, o, body=body):
    pltpu.sync_copy(x.at[pl.ds(8, 8)], o)
    body(n[0], x, o)
  everywhere = pl.BlockSpec(memory_space=pl.ANY)
  grid_spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(1,), in_specs=[everywhere], out_specs=everywhere)
  x = np.arange(16 * 8, dtype=np.float32).reshape(16, 8)
  got = np.asarray(pl.pallas_call(kernel, grid_spec=grid_spec, out_shape=jax.ShapeDtypeStruct((8, 8), x.dtype))(jnp.array([3], jnp.int32), x))
  np.testing.assert_array_equal(got, np.concatenate([want(x), x[8 + len(want(x)):16]]))
  print(body.__name__, "agrees")

# CHECK: transposed agrees
# CHECK: part_of_part {{agrees|is refused}}


# Lengths beyond what there is are cut, and reported by checks.
# CHECK: too long agrees
np.testing.assert_array_equal(run(scatter, shapes[0], 1000), reference("scatter", shapes[0], N))
print("too long agrees")
# CHECK: dynamic_lengths.py:[[#]]:[[#]]: access out of bounds: 'pallas.slice_ref' accesses indices 0 to 999 in dimension 0 of scratch 1
try:
  with pallas_mlir.jax.checked():
    run(scatter, shapes[0], 1000)
except pallas_mlir.KernelError as error:
  print(error)


# Indices that nothing has written.
def unwritten(n, x, o, rows, at):
  pltpu.sync_copy(x, rows)

  def scoped(mine):
    pltpu.sync_copy(rows.at[pl.ds(0, n)], o.at[mine.at[pl.ds(0, n)]])
  pl.run_scoped(scoped, pltpu.VMEM((N,), jnp.int32))


# CHECK: dynamic_lengths.py:[[#]]:[[#]]: uninitialised read: 'pallas.dma_start' reads element [{{.*}}] of scoped ref 0
try:
  with pallas_mlir.jax.checked():
    run(unwritten, shapes[0] + 1, 4)
except pallas_mlir.KernelError as error:
  print(error)
