# REQUIRES: pallas-python
# RUN: %python %s
"""The bug: a pipeline copies its last block by a length that is rounded up to tiles, and that slice moved inside of the
array, so the block held other rows than those of its place.

Its buffer keeps rows of an earlier block behind these, which the check took for rows with a value.
"""
import functools
import os
import pathlib
import subprocess
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np
import pallas_mlir
import pallas_mlir.jax
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, BLOCK = 45, 16


def kernel(x, y, o, total, rows=ROWS):
  total[...] = jnp.zeros_like(total)

  def body(a, b, c):
    row = pl.program_id(0) * BLOCK + lax.broadcasted_iota(jnp.int32, (BLOCK, 128), 0)
    c[...] = a[...] + b[...] + row.astype(jnp.float32)
    total[...] += jnp.sum(jnp.where(row < rows, a[...], 0), 0, keepdims=True)

  spec = pl.BlockSpec((BLOCK, 128), lambda i: (i, 0))
  pltpu.emit_pipeline(body, grid=(3,), in_specs=[spec, spec], out_specs=[spec])(x, y, o)


def call(x, y, kernel=kernel):
  anywhere = pl.BlockSpec(memory_space=pl.ANY)
  return pl.pallas_call(kernel, out_shape=[jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((1, 128), x.dtype)],
                        in_specs=[anywhere, anywhere], out_specs=[anywhere, pl.BlockSpec(memory_space=pltpu.VMEM)])(x, y)


rng = np.random.default_rng(0)
x, y = (rng.integers(-50, 50, (rows, 128)).astype(np.float32) for rows in (ROWS, 48))
expected = [x + y[:ROWS] + np.arange(ROWS, dtype=np.float32)[:, None], x.sum(0, keepdims=True)]
for found, wanted in zip(jax.jit(call)(x, y), expected, strict=True):
  np.testing.assert_array_equal(found, wanted)

# What a tile has past the end of the array is no mistake of the kernel.
with tempfile.TemporaryDirectory() as folder:
  path = pathlib.Path(folder)
  (path / "module.mlir").write_text(pallas_mlir.export(call, x, y))
  np.save(path / "x.npy", x)
  np.save(path / "y.npy", y)
  for options in (["--check"], ["--diff-passes=pallas-discharge-state"]):
    files = [path / f"out{i}.npy" for i in range(2)]
    subprocess.run(["pallas-run", path / "module.mlir", "--no-cache", f"--in={path / 'x.npy'}", f"--in={path / 'y.npy'}",
                    *(f"--out={file}" for file in files), *options], check=True)
    for file, wanted in zip(files, expected, strict=True):
      np.testing.assert_array_equal(np.load(file), wanted)

for rows in (ROWS, 3 * BLOCK):
  try:
    with pallas_mlir.jax.checked():
      call(x, y, functools.partial(kernel, rows=rows))
    assert rows == ROWS, "rows of an earlier block went into a sum"
  except pallas_mlir.KernelError as error:
    [(_, kind, message, *_)] = error.findings
    assert rows > ROWS and kind == "padding in a result" and "element [0, 13, 0] of scoped ref 0" in message, error
