# REQUIRES: pallas-python
# RUN: %python %s
"""Whatever made an operation of a kernel, a mistake there has a place in this file."""
import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc
from jax.experimental.pallas import triton as plgpu

import pallas_mlir
from pallas_mlir import jax as compiled

x = np.ones((16, 128), np.float32)
ANY = pl.BlockSpec(memory_space=pl.ANY)
SCRATCH = dict(scratch_shapes=[pltpu.VMEM((16, 128), jnp.float32)])


def lines_of(function):
  while isinstance(function, functools.partial):
    function = function.func
  code = function.__code__
  return range(code.co_firstlineno, max(line for *_, line in code.co_lines() if line) + 1)


def finds(rule, function, *arrays, within):
  """The call has a mistake, at a line of the function `within`."""
  try:
    with compiled.checked():
      function(*arrays)
  except pallas_mlir.KernelError as error:
    assert any(r == rule for _, r, *_ in error.findings), error
    for place, *_ in error.findings:
      match = re.fullmatch(r"(.*):(\d+):\d+", place)
      assert match and match[1] == __file__ and int(match[2]) in lines_of(within), error
  else:
    raise AssertionError(f"no {rule}")


def call(kernel, **params):
  return lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32), **params)(x)


def unset(x, o, s):
  o[...] = x[...] + s[...]


UNINITIALISED, NOT_WRITTEN, RACE, OUTSIDE = "uninitialised read", "output not written", "data race", "access out of bounds"
finds(UNINITIALISED, call(unset, **SCRATCH), x, within=unset)
finds(UNINITIALISED, jax.vmap(call(unset, **SCRATCH)), x[None], within=unset)
finds(UNINITIALISED, jax.jit(jax.grad(lambda v: jnp.sum(call(unset, **SCRATCH)(x) * v))), x, within=unset)
finds(UNINITIALISED, lambda x: lax.scan(lambda c, _: (call(unset, **SCRATCH)(c), None), x, None, 3)[0], x, within=unset)


# A kernel that is no function of its own.
def scaled(factor, x, o):
  @pl.when(x[0, 0] > 5)
  def _():
    o[...] = factor * x[...]


class Kernel:
  def __call__(self, x, o, s):
    o[...] = x[...] + s[...]


class Idle:
  def __call__(self, x, o):
    pass



finds(NOT_WRITTEN, call(functools.partial(scaled, 2)), x, within=scaled)
finds(UNINITIALISED, call(Kernel(), **SCRATCH), x, within=Kernel.__call__)
finds(NOT_WRITTEN, lambda x: call(Idle())(x), x, within=call)


# Loops, branches and scopes.
def nested(x, o):
  def scope(s):
    def step(i, total):
      return lax.cond(i > 1, lambda: total + jnp.sum(s[pl.ds(i, 1)]), lambda: total)
    o[...] = jnp.full((16, 128), lax.fori_loop(0, 4, step, 0.0))
  pl.run_scoped(scope, pltpu.VMEM((16, 128), jnp.float32))


finds(UNINITIALISED, call(nested), x, within=nested)


# Index maps.
def copied(x, o):
  o[...] = x[...]


def shifted():
  table = np.arange(1, 3, dtype=np.int32)
  spec = pl.BlockSpec((8, 128), lambda i, t: (t[i + 1] - 1, 0))
  grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(2,), in_specs=[spec], out_specs=pl.BlockSpec((8, 128), lambda i, t: (i, 0)))
  return pl.pallas_call(lambda t, x, o: copied(x, o), grid_spec=grid, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32))(table, x)


finds(OUTSIDE, shifted, within=shifted)


# Pipelines, whose body JAX traces.
def piped(x, o):
  def body(x, o):
    o[...] = 2 * x[...]
  pltpu.emit_pipeline(body, grid=(1,), in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
                      out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))])(x, o)


finds(NOT_WRITTEN, call(piped, in_specs=[ANY], out_specs=ANY), x, within=piped)


# Every subcore of both cores copies the same rows.
def gathered(x, rows):
  @pl.kernel(out_type=jax.ShapeDtypeStruct((16, 128), jnp.float32), mesh=plsc.VectorSubcoreMesh(
      core_axis_name="core", subcore_axis_name="subcore", num_cores=2, num_subcores=16))
  def kernel(x, rows, o):
    def body(rows, o):
      pltpu.sync_copy(x.at[rows.at[0]], o)
    pltpu.emit_pipeline(body, grid=(2,), in_specs=[pl.BlockSpec((1, 8), lambda i: (0, i))],
                        out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], core_axis_name="subcore",
                        dimension_semantics=(pltpu.PARALLEL,))(rows, o)
  return kernel(x, rows)


finds(RACE, jax.jit(gathered), x, np.arange(16, dtype=np.int32)[None] % 4, within=gathered)


# Cores of a TensorCore whose copies write the same rows, each waited for by its own core.
def both(x):
  @pl.kernel(out_type=jax.ShapeDtypeStruct((2, 16, 128), jnp.float32), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2),
             scratch_types=[pltpu.VMEM((16, 128), jnp.float32), pltpu.SemaphoreType.DMA])
  def kernel(x, o, s, done):
    for copy in pltpu.make_async_copy(x, s, done), pltpu.make_async_copy(s, o.at[0], done):
      copy.start()
      copy.wait()
  return kernel(x)


finds(RACE, jax.jit(both), x, within=both)


# Programs of one call that race in an array without windows: each core of a TPU writes all rows, and Triton's run at once.
def all_rows(x, o):
  pltpu.sync_copy(x, o)


def counted(x, o):
  plgpu.store(o.at[pl.ds(0, 8)], plgpu.load(x.at[pl.ds(0, 8)]) + pl.program_id(0))


finds(RACE, call(all_rows, grid=(2,), in_specs=[ANY], out_specs=ANY,
                 compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",))), x, within=all_rows)
finds(RACE, pl.pallas_call(counted, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), grid=(2,), compiler_params=plgpu.CompilerParams()),
      x[0, :8], within=counted)


# Two slots, one semaphore: the copy of the second one may end first.
def slots(x, o, buffer, done):
  copies = [pltpu.make_async_copy(x.at[pl.ds(8 * i, 8)], buffer.at[i], done) for i in range(2)]
  for copy in copies:
    copy.start()
  for i, copy in enumerate(copies):
    copy.wait()
    o[pl.ds(8 * i, 8)] = buffer[i]


finds(RACE, call(slots, in_specs=[ANY], scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA]), x, within=slots)
