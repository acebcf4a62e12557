# REQUIRES: pallas-python
# RUN: %devices=4 %python %s
"""Kernels in the way of Mosaic GPU on several devices: stores to all, sums over all, memory of another one; with JAX's own."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from kernels import *
from jax import lax
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import all_gather_mgpu, reduce_scatter_mgpu

t = Table()
f32 = jnp.float32
P = jax.sharding.PartitionSpec
N = len(jax.devices())
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
x = floats(N * 8, 64)
parts = x.reshape(N, 8, 64)
SEMAPHORE = plgpu.SemaphoreType.REGULAR


def on_devices(function, v, in_specs=P("x"), out_specs=P("x")):
  return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)(v)


def add(name, kernel, rows, want, **keywords):
  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(rows, f32), **keywords)
  t.add(name, lambda v, interpret: on_devices(call, v), x, whole_arrays=False, want=want)


def meet(done):
  plgpu.semaphore_signal_multicast(done, collective_axes="x")
  pl.semaphore_wait(done, N)


def stored(x, o, ready, done):
  meet(ready)
  plgpu.multimem_store(x[...] * 2, o.at[pl.ds(lax.axis_index("x") * 8, 8)], "x")
  meet(done)
add("multimem_store", stored, (N * 8, 64), np.tile(x * 2, (N, 1)), scratch_types=[SEMAPHORE] * 2)


def combined(x, o, ready, done, *, kind):
  meet(ready)
  o[...] = plgpu.layout_cast(plgpu.multimem_load_reduce(x.at[pl.ds(0, 8)], collective_axes="x", reduction_op=kind),
                             plgpu.Layout.WG_STRIDED((8, 64), vec_size=2))
  meet(done)
for kind, want in (("add", parts.sum(0)), ("max", parts.max(0)), ("min", parts.min(0))):
  add(f"multimem_{kind}", functools.partial(combined, kind=kind), (8, 64), np.tile(want, (N, 1)), scratch_types=[SEMAPHORE] * 2)


def read_from_the_right(x, o, ready, done):
  meet(ready)
  o[...] = plgpu.remote_ref(x, lax.rem(lax.axis_index("x") + 1, N))[...]
  meet(done)
add("remote_ref", read_from_the_right, (8, 64), np.roll(x, -8, 0), scratch_types=[SEMAPHORE] * 2)


def copied_to_all(x, o, shared, ready, done):
  meet(ready)
  shared[...] = x[...]
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(shared, plgpu.multicast_ref(o, "x").at[lax.axis_index("x")])
  plgpu.wait_smem_to_gmem(0)
  meet(done)
add("multicast_ref", copied_to_all, (N, 8, 64), np.tile(parts, (N, 1, 1)),
    scratch_types=[plgpu.SMEM((8, 64), f32), SEMAPHORE, SEMAPHORE])

# Kernels that JAX ships
large = floats(N * 64, 128)
t.add("all_gather", lambda v, interpret: on_devices(functools.partial(
    all_gather_mgpu.all_gather, axis_name="x", gather_dimension=0, num_blocks=4, tile_size=1024), v, out_specs=P(None)),
      large, whole_arrays=False, want=large)
t.add("reduce_scatter", lambda v, interpret: on_devices(functools.partial(
    reduce_scatter_mgpu.reduce_scatter, axis_name="x", scatter_dimension=0, reduction="add", num_blocks=4, tile_size=1024), v, in_specs=P(None)),
      large, whole_arrays=False, want=large * N)
t.run()
