"""Kernels in the way of Mosaic GPU that reach other devices: stores to all, sums over all, memory of another one; with JAX's own."""

import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas.ops.gpu import all_gather_mgpu, reduce_scatter_mgpu

f32 = jnp.float32
P = jax.sharding.PartitionSpec
N = len(jax.devices())
SEMAPHORE = plgpu.SemaphoreType.REGULAR
# A function of what all devices have together, its argument and result. `whole` means that each device gets all of the argument.
Case = collections.namedtuple("Case", "function array want whole", defaults=(False,))
CASES = {}
numbers = np.random.default_rng(0)
x = numbers.integers(-8, 9, (N * 8, 64)).astype(np.float32)
parts = x.reshape(N, 8, 64)


def on_devices(function, in_specs=P("x"), out_specs=P("x")):
  mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
  return jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False)


def add(name, kernel, rows, want, scratch=(), array=x):
  call = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct(rows, array.dtype), scratch_types=[*scratch, SEMAPHORE, SEMAPHORE])
  CASES[name] = Case(on_devices(call), array, want)


def right():
  return lax.rem(lax.axis_index("x") + 1, N)


def meet(done):
  plgpu.semaphore_signal_multicast(done, collective_axes="x")
  pl.semaphore_wait(done, N)


def stored(x, o, ready, done):
  meet(ready)
  plgpu.multimem_store(x[...] * 2, o.at[pl.ds(lax.axis_index("x") * 8, 8)], "x")
  meet(done)
add("multimem_store", stored, (N * 8, 64), np.tile(x * 2, (N, 1)))


def combined(x, o, ready, done, *, kind):
  meet(ready)
  o[...] = plgpu.layout_cast(plgpu.multimem_load_reduce(x.at[pl.ds(0, 8)], collective_axes="x", reduction_op=kind),
                             plgpu.Layout.WG_STRIDED((8, 64), vec_size=2))
  meet(done)
for kind, reduced in (("add", parts.sum(0)), ("max", parts.max(0)), ("min", parts.min(0))):
  array = x if kind == "add" else x.astype(np.float16)
  add(f"multimem_{kind}", functools.partial(combined, kind=kind), (8, 64), np.tile(reduced, (N, 1)).astype(array.dtype), array=array)
whole = numbers.integers(0, 2**32, (N * 8, 64), np.uint32)
for kind, reduced in (("max", np.maximum.reduce), ("and", np.bitwise_and.reduce), ("xor", np.bitwise_xor.reduce)):
  add(f"multimem_{kind}_unsigned", functools.partial(combined, kind=kind), (8, 64), np.tile(reduced(whole.reshape(N, 8, 64)), (N, 1)), array=whole)


def read_from_the_right(x, o, ready, done):
  meet(ready)
  o[...] = plgpu.remote_ref(x, right())[...]
  meet(done)
add("remote_ref", read_from_the_right, (8, 64), np.roll(x, -8, 0))


def stored_to_the_right(x, o, ready, done):
  meet(ready)
  plgpu.remote_ref(o, right())[pl.ds(0, 8)] = x[...]
  pl.semaphore_signal(done, 1, device_id=right())
  pl.semaphore_wait(done, 1)
add("remote_store", stored_to_the_right, (8, 64), np.roll(x, 8, 0))


def copied_to_all(x, o, shared, ready, done):
  meet(ready)
  shared[...] = x[...]
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(shared, plgpu.multicast_ref(o, "x").at[lax.axis_index("x")])
  plgpu.wait_smem_to_gmem(0)
  meet(done)
add("multicast_ref", copied_to_all, (N, 8, 64), np.tile(parts, (N, 1, 1)), [plgpu.SMEM((8, 64), f32)])


def copied_to_the_right(x, o, first, second, ready, done):
  meet(ready)
  first[...] = x[:, pl.ds(0, 32)]
  second[...] = x[:, pl.ds(32, 32)]
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(first, plgpu.remote_ref(o, right()).at[:, pl.ds(32, 32)])
  plgpu.copy_smem_to_gmem(second, plgpu.remote_ref(o, right()).at[:, pl.ds(0, 32)])
  plgpu.wait_smem_to_gmem(0)
  meet(done)
add("remote_copy", copied_to_the_right, (8, 64), np.roll(np.roll(x, 8, 0), 32, 1), [plgpu.SMEM((8, 32), f32)] * 2)

# Kernels that JAX ships
large = numbers.standard_normal((N * 64, 128), np.float32)
CASES["all_gather"] = Case(on_devices(functools.partial(
    all_gather_mgpu.all_gather, axis_name="x", gather_dimension=0, num_blocks=4, tile_size=1024), out_specs=P(None)), large, large)
CASES["reduce_scatter"] = Case(on_devices(functools.partial(
    reduce_scatter_mgpu.reduce_scatter, axis_name="x", scatter_dimension=0, reduction="add", num_blocks=4, tile_size=1024), in_specs=P(None)),
                               large, large * N, whole=True)
