# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: a window of a TPU was taken to hold what the input that it is aliased to has, so its first read passed checks."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
from pallas_mlir import jax as compiled

x, table = np.ones((24, 128), np.float32), np.ones((8, 128), np.float32)
rows = (np.arange(24) % 8).astype(np.int32)


def add_rows(starts):
  def kernel(rows, x, before, after):
    if starts:
      @pl.when(pl.program_id(0) == 0)
      def _():
        after[...] = before[...]
    for i in range(8):
      after[pl.ds(rows[pl.program_id(0) * 8 + i], 1), :] += x[pl.ds(i, 1), :]
  whole = pl.BlockSpec((8, 128), lambda i, rows: (0, 0))
  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(3,),
                                      in_specs=[pl.BlockSpec((8, 128), lambda i, rows: (i, 0)), whole], out_specs=whole)
  return jax.jit(pl.pallas_call(kernel, grid_spec=spec, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
                                input_output_aliases={2: 0}))


with compiled.checked():
  np.testing.assert_array_equal(add_rows(True)(rows, x, table), 4 * table)
try:
  with compiled.checked():
    jax.block_until_ready(add_rows(False)(rows, x, table))
except pallas_mlir.KernelError as error:
  assert {rule for _, rule, *_ in error.findings} == {"uninitialised read"}, error
else:
  raise AssertionError("nothing has filled the window")
