# %% [markdown]
# # A kernel, from the first draft to the chip
#
# Run this file as a whole, or cell by cell in an editor that knows `# %%`.

# %% A first draft: sums of rows, 100 rows per program
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir
import pallas_mlir.jax  # every pl.pallas_call on the CPU now runs compiled

x = np.random.default_rng(0).standard_normal((256, 512)).astype(np.float32)


def draft(x_ref, o_ref, total_ref):
  total_ref[...] += x_ref[...]

  @pl.when(pl.program_id(1) == pl.num_programs(1) - 1)
  def _():
    o_ref[...] = jnp.sum(total_ref[...], axis=1, keepdims=True)


def row_sums(x, kernel=draft, rows=100):
  return pl.pallas_call(
      kernel,
      grid=(pl.cdiv(256, rows), 4),
      in_specs=[pl.BlockSpec((rows, 128), lambda i, j: (i, j))],
      out_specs=pl.BlockSpec((rows, 1), lambda i, j: (i, 0)),
      out_shape=jax.ShapeDtypeStruct((256, 1), jnp.float32),
      scratch_shapes=[pltpu.VMEM((rows, 128), jnp.float32)],
      name="row_sums",
  )(x)


# %% It runs, but is it right? The checked mode follows every element
try:
  with pallas_mlir.jax.checked():
    row_sums(x)
except pallas_mlir.KernelError as error:
  print("checked:", error)


# %% The scratch memory was never set, and keeps the sums of the rows before
def better(x_ref, o_ref, total_ref):
  @pl.when(pl.program_id(1) == 0)
  def _():
    total_ref[...] = jnp.zeros_like(total_ref)

  draft(x_ref, o_ref, total_ref)


with pallas_mlir.jax.checked():
  np.testing.assert_allclose(row_sums(x, better), x.sum(1, keepdims=True), atol=1e-4)
print("checked: nothing to report, and the sums are right")

# %% What would a TPU say? Blocks of 100 rows are no whole tiles
print(pallas_mlir.explain(lambda x: row_sums(x, better), x, target="tpu:v5e"))

# %% With 128 rows there is nothing left to say
explained = pallas_mlir.explain(lambda x: row_sums(x, better, rows=128), x, target="tpu:v5e")
print(explained)
print("left for block 0:", [v.text for c in explained.calls for v in c.violations if "block 0" in v.text])

# %% The kernel as a module, for `pallas-opt` and everything behind it
print(pallas_mlir.export(lambda x: row_sums(x, better, rows=128), x))
