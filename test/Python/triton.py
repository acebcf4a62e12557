# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Kernels in the way of Triton: locks, assembly, barriers, single lanes."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

import pallas_mlir.jax


def check(name, got, *want, tolerance=0.0):
  for g, w in zip(jax.tree_util.tree_leaves(got), want, strict=True):
    np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)
  print(name, "agrees")


def shape(*dims, dtype=jnp.float32):
  return jax.ShapeDtypeStruct(dims, dtype)


# A condition that writes: every program waits until it gets the lock.
def locked(_, lock_in, count_in, lock, count):
  lax.while_loop(lambda _: plgpu.atomic_cas(lock, 0, 1) == 1, lambda v: v, 0)
  count[...] += pl.program_id(0)
  plgpu.atomic_xchg(lock, (), 0)


# CHECK: lock agrees
zero = jnp.int32(0)
check("lock", pl.pallas_call(locked, out_shape=[shape(dtype=jnp.int32)] * 2, grid=(5,), input_output_aliases={1: 0, 2: 1})(
    zero, zero, zero), 0, 10)


# A condition that reads what it writes, and a value that goes around.
def drained(x, left, turns):
  left[...] = x[...]

  def condition(_):
    return plgpu.atomic_add(left, (), jnp.int32(-1)) > 3
  turns[...] = lax.while_loop(condition, lambda n: n + 2, jnp.int32(0))


# CHECK: condition that counts agrees
check("condition that counts", pl.pallas_call(drained, out_shape=[shape(dtype=jnp.int32)] * 2)(jnp.int32(8)), 2, 10)


def approximate(x, o, p):
  o[...] = plgpu.approx_tanh(x[...])
  [p[...]] = plgpu.elementwise_inline_asm("ex2.approx.ftz.f32 $0, $1;", args=[x[...]], constraints="=f,f", pack=1,
                                          result_shape_dtypes=[shape(*x.shape)])
  plgpu.debug_barrier()


# CHECK: assembly agrees
x = np.linspace(-3, 3, 33, dtype=np.float32)
check("assembly", pl.pallas_call(approximate, out_shape=[shape(33)] * 2)(x), np.tanh(x), np.exp2(x), tolerance=1e-5)


def unknown(x, o):
  [o[...]] = plgpu.elementwise_inline_asm("mov.b32 $0, $1;", args=[x[...]], constraints="=f,f", pack=1,
                                          result_shape_dtypes=[shape(*x.shape)])


# CHECK: triton.py:{{[0-9]+}}: assembly 'mov.b32 $0, $1;' is not known
try:
  pl.pallas_call(unknown, out_shape=shape(33))(x)
except NotImplementedError as error:
  print(error)


# One lane per program, selected by an array of one index.
def lane(x, o):
  at = pl.program_id(0) * 1 + jnp.arange(1, dtype=jnp.int32)
  inside = at < x.shape[0]
  plgpu.store(o.at[at], plgpu.load(x.at[at], mask=inside) + 1, mask=inside)


# CHECK: single lanes agrees
check("single lanes", pl.pallas_call(lane, out_shape=shape(33), grid=33)(x), x + 1)


# Blocks are pointers, also of a kernel that leaves Triton's parameters at their defaults: programs come back to a block and add to it.
def striped(x, o):
  i = pl.program_id(0)
  o[pl.ds(i * 4, 4)] = x[pl.ds(i * 4, 4)] * 2


# CHECK: default parameters agrees
block = pl.BlockSpec((8,), lambda i, j: (j,))
with pallas_mlir.jax.checked():
  check("default parameters", pl.pallas_call(striped, out_shape=shape(16), grid=(2, 2), in_specs=[block], out_specs=block,
                                             compiler_params=plgpu.CompilerParams())(x[:16]), x[:16] * 2)
