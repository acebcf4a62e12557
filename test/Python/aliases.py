# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""An input and an output that are aliased and not cut into windows are one piece of memory."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu

import pallas_mlir.jax

x = np.arange(4 * 128, dtype=np.int32).reshape(4, 128)
mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)


def check(name, got, *want):
  for g, w in zip(jax.tree_util.tree_leaves(got), want, strict=True):
    np.testing.assert_array_equal(g, w)
  print(name, "agrees")


# A kernel writes the refs that it is given, not the outputs they are aliased to.
@jax.jit
def swapped(x, y):
  refs = jax.new_ref(x), jax.new_ref(y)

  def body(x, y, one, two):
    pltpu.sync_copy(x, one)
    pltpu.sync_copy(y, two)
    pltpu.sync_copy(one, y)
    pltpu.sync_copy(two, x)

  space = pltpu.VMEM(x.shape, x.dtype)
  pl.kernel(body, mesh=mesh, scratch_types=[space, space])(*refs)
  return [jax.freeze(r) for r in refs]


# CHECK: refs of a mesh agrees
check("refs of a mesh", swapped(x, -x), -x, x)


# What a kernel on a mesh reads after a write is what it wrote.
@jax.jit
def twice(x):
  ref = jax.new_ref(x)

  def body(x, row):
    for _ in range(2):
      pltpu.sync_copy(x, row)
      row[...] += 1
      pltpu.sync_copy(row, x)

  pl.kernel(body, mesh=mesh, scratch_types=[pltpu.VMEM(x.shape, x.dtype)])(ref)
  return jax.freeze(ref)


# CHECK: read after write agrees
check("read after write", twice(x), x + 2)


# Refs of the surroundings become aliased inputs of a call.
@jax.jit
def captured(x):
  def run(refs):
    x, y = refs

    def body(sem):
      copy = pltpu.make_async_copy(x, y, sem)
      copy.start()
      copy.wait()

    pl.pallas_call(body, out_shape=[], scratch_shapes=[pltpu.SemaphoreType.DMA])()

  return pl.run_state(run)((x, jnp.zeros_like(x)))[1]


# CHECK: captured refs agrees
check("captured refs", captured(x), x)


# Windows are copies: what a program reads of the input is what the caller gave.
def windows(x, o):
  o[...] = -x[...]
  o[...] += x[...]


# CHECK: windows agrees
check("windows", jax.jit(lambda x: pl.pallas_call(
    windows, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), input_output_aliases={0: 0})(x))(x), 0 * x)


# Kernels of Triton's kind have pointers to one array, whatever name they write.
def aliased(kernel, **params):
  call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), input_output_aliases={0: 0}, **params)
  return jax.jit(call)(np.arange(8, dtype=np.float32))


TRITON = dict(compiler_params=plgpu.CompilerParams())


def only_input(x, o):
  plgpu.store(x.at[pl.ds(0, 4)], jnp.full(4, 7.))


def both_names(x, o):
  plgpu.store(x.at[pl.ds(0, 4)], jnp.full(4, 7.))
  plgpu.store(o.at[pl.ds(4, 4)], plgpu.load(x.at[pl.ds(2, 4)]))


def counted(x, o):
  plgpu.atomic_add(x, (pl.ds(0, 4),), jnp.full(4, 1.))


for name, context in ("", contextlib.nullcontext), (", checked", pallas_mlir.jax.checked):
  with context():
    # CHECK: a store through the input agrees
    check(f"a store through the input{name}", aliased(only_input), [7, 7, 7, 7, 4, 5, 6, 7])
    # CHECK: of Triton's agrees
    check(f"of Triton's{name}", aliased(only_input, **TRITON), [7, 7, 7, 7, 4, 5, 6, 7])
    # CHECK: stores through both names agrees
    check(f"stores through both names{name}", aliased(both_names, **TRITON), [7, 7, 7, 7, 7, 7, 4, 5])
    # CHECK: an atomic update agrees
    check(f"an atomic update{name}", aliased(counted), [1, 2, 3, 4, 4, 5, 6, 7])
    # CHECK: a store through the input, checked agrees
    # CHECK: of Triton's, checked agrees
    # CHECK: stores through both names, checked agrees
    # CHECK: an atomic update, checked agrees
