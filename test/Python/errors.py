# REQUIRES: pallas-python
# RUN: %python %s 2>&1 | FileCheck %s
"""Errors name the primitive or the rule, and the line of the kernel."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
import pallas_mlir.jax

x = np.ones((8, 8), np.float32)


def show(kernel):
  try:
    pallas_mlir.export(lambda v: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype))(v), x)
  except pallas_mlir.PallasError as error:
    print(type(error).__name__, error)


def unsupported(x, o):
  o[...] = lax.linalg.hessenberg(x[...])[0]


# CHECK: ExportError {{.*}}errors.py:[[@LINE-3]]: primitive 'hessenberg' has no form in the pallas dialect
show(unsupported)


def complex_numbers(x, o):
  o[...] = lax.cumlogsumexp(x[...] + 1j).real


# CHECK: ExportError {{.*}}errors.py:[[@LINE-3]]: primitive 'cumlogsumexp' on complex numbers has no form in the pallas dialect; apply it to real and imaginary parts
show(complex_numbers)


def at_a_float(x, o):
  o[x[0, 0], 0] = x[0, 0]


# CHECK: VerificationError {{.*}}errors.py:[[@LINE-3]]: an index is an integer, but this one is of type float32; convert it with astype(jnp.int32)
show(at_a_float)


def eigenvalues(x, o):
  o[0] = jnp.linalg.eig(x[...])[0].real


# CHECK: ExportError {{.*}}errors.py:[[@LINE-3]]: primitive 'eig' on complex numbers has no form in the pallas dialect; do what it does outside of the kernel
show(eigenvalues)


def far_away(x, o):
  o[...] = x[...] + x[20]


# CHECK: VerificationError {{.*}}errors.py:[[@LINE-3]]: 'pallas.get' op index 0 is 20, out of bounds for a dimension of size 8; count from 0, and from the front
show(far_away)


def captured(x, o):
  o[...] = x[...] + numbers


numbers = jnp.arange(8.0)
# CHECK: ValueError {{.*}}captures constants [f32[8]]. You should pass them as inputs.
try:
  show(captured)
except ValueError as error:
  print("ValueError", error)


def copied(x, o):
  o[...] = x[...]


rows = pl.BlockSpec((4, 8), lambda i: (i, 0))


def call(block=rows, **keywords):
  return lambda v: pl.pallas_call(copied, grid=(2,), in_specs=[block], out_specs=rows, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype), **keywords)(v)


def show_call(function, *arrays):
  try:
    pallas_mlir.export(function, *arrays)
  except (pallas_mlir.PallasError, ValueError) as error:
    print(type(error).__name__, error)


# CHECK: VerificationError {{.*}}errors.py:{{[0-9]+}}: 'pallas.pallas_call' op has 2 dimension semantics, but 1 grid dimensions
show_call(call(compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary"))), x)
# CHECK: VerificationError {{.*}}errors.py:{{[0-9]+}}: {{.*}}block dimension 0 of input 0 (args[0]) is bounded, which only pallas.emit_pipeline supports
show_call(call(pl.BlockSpec((pl.BoundedSlice(4), 8), lambda i: (pl.ds(i * 4, 4), 0))), x)
# CHECK: VerificationError {{.*}}errors.py:{{[0-9]+}}: block size must be at least 1, but is 0 in the block of args[0], whose array has shape (0, 8); give blocks at least one element
show_call(lambda v: pl.pallas_call(copied, out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype))(v), x[:0])
# CHECK: ValueError Index map function {{.*}} must return 2 values
show_call(call(pl.BlockSpec((4, 8), lambda i: i)), x)
# CHECK: ExportError {{.*}}errors.py:{{[0-9]+}}: an array of shape (n, 8) has the symbolic dimension n; call the kernel with static shapes
show_call(call(), jax.ShapeDtypeStruct((jax.export.symbolic_shape("n")[0], 8), jnp.float32))


# What only a run shows, checked calls say: an index map that leaves the array.
# CHECK: KernelError {{.*}}errors.py:{{[0-9]+}}:{{.*}} window out of bounds: {{.*}} at [8, 0] at grid point (1), outside of the array, which has size 8 in dimension 0
try:
  with pallas_mlir.jax.checked():
    call(pl.BlockSpec((4, 8), lambda i: (i * 2, 0)))(x)
except pallas_mlir.PallasError as error:
  print(type(error).__name__, error)


# JAX's derivative of a call with an integer has blocks without operands.
# CHECK: ExportError {{.*}}errors.py:{{[0-9]+}}: the call has 3 operands, but its grid has 4, as jax.jvp and jax.grad make calls with operands that have no tangent, such as integers; give
def scaled(x, i, o):
  o[...] = x[...] * i[...]


show_call(lambda v: jax.jvp(lambda v: pl.pallas_call(scaled, out_shape=v)(v, jnp.ones(v.shape, jnp.int32)), (v,), (v,)), x)


# CHECK: ExportError the function reaches no pallas_call
try:
  pallas_mlir.export(lambda v: v + 1, x)
except pallas_mlir.PallasError as error:
  print(type(error).__name__, error)


# A parameter that a newer JAX may add is refused, not dropped.
# CHECK: ExportError {{.*}}errors.py:{{[0-9]+}}: the rule of 'get' does not read its parameter 'mode', which is 'saturate'; leave it out
from pallas_mlir.exporting import registry


class NewerParams(registry.Params):
  """Those of a release in which each primitive has one more."""
  def __init__(self, params):
    super().__init__({**params, "mode": "saturate"})


def copied(x, o):
  o[...] = x[...]


registry.Params, params = NewerParams, registry.Params
show(copied)
registry.Params = params


# JAX's own compiler has no rule for it either.
# CHECK: ExportError {{.*}}errors.py:[[@LINE+4]]: program_id in the code of warps would count the warps or the blocks; ask for either by lax.axis_index, or take it around the warps
def in_warps(o):
  @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
  def _():
    o[pl.program_id(0)] = jnp.int32(1)


try:
  pallas_mlir.export(plgpu.kernel(in_warps, out_type=jax.ShapeDtypeStruct((6,), jnp.int32), grid=(3,), grid_names=("i",), cluster=(2,), cluster_names=("c",)))
except pallas_mlir.PallasError as error:
  print(type(error).__name__, error)
