# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in several block sizes, as written and with the coarsening factors that the compiler chooses: cycles that the compiler for
TPUs estimates, which are deterministic. A block is small if others of its row group take fewer cycles; with the choice each is to be
within a factor of the best of its group.

  tpu_small_blocks.py [--chips=v5e,v6e] [--bound=1.25] [--reassociate]

With `--bound` it ends with status 1 where a block takes more than that times the best of its group, or more than as written. With
`--reassociate` sums may be added up in another order."""

import argparse
import subprocess
import sys

import common
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import pallas_mlir
from pallas_mlir.tuning.libtpu import Compiler
from small_blocks import elements, product, rows

S, f32, bf16 = jax.ShapeDtypeStruct, jnp.float32, jnp.bfloat16
SIZE = 1024


def add_in_parts(rows, columns, part):
  """A loop in the kernel walks the block in parts of so many rows."""
  def body(x, y, o):
    def one(i, _):
      at = pl.ds(pl.multiple_of(i * part, part), part)
      o[at, :] = x[at, :] + y[at, :]
      return 0

    jax.lax.fori_loop(0, rows // part, one, 0)

  spec = pl.BlockSpec((rows, columns), lambda i, j: (i, j))
  call = pl.pallas_call(body, grid=(SIZE // rows, SIZE // columns), in_specs=[spec] * 2, out_specs=spec, out_shape=S((SIZE, SIZE), f32))
  return call, [S((SIZE, SIZE), f32)] * 2


def softmax(x):
  e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
  return e / jnp.sum(e, axis=-1, keepdims=True)


GROUPS = {
    "add": {
        **{f"{rows}x{columns}": elements(jnp.add, (rows, columns), 2) for rows, columns in ((8, 128), (64, 128), (256, 1024))},
        "256x128 in parts of 8": add_in_parts(256, 128, 8),
    },
    "softmax": {f"{block} rows": rows(softmax, SIZE, block, count=SIZE) for block in (8, 64, 256)},
    "matmul": {f"blocks of {block}": product(block, block, block, bf16, SIZE) for block in (128, 256, 512)},
}


def estimate(compiler, text, chip, flags):
  program = subprocess.run([common.BUILD / "bin/pallas-translate", "--to-tpu-custom-call", "--chip", chip, *flags, "-"], input=text, check=True,
                           capture_output=True, text=True).stdout
  return compiler.cycles(program)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--chips", default="v5e,v6e")
  parser.add_argument("--bound", type=float, default=float("inf"))
  parser.add_argument("--reassociate", action="store_true")
  options = parser.parse_args()
  forms = [["--coarsen=off"], ["--coarsen=auto", *["--reassociate"] * options.reassociate]]
  failed = False
  for chip in options.chips.split(","):
    compiler = Compiler(chip)
    print(f"| kernel | block | {chip}, as written | coarsened | of the best |\n| --- | --- | ---: | ---: | ---: |", flush=True)
    for name, group in GROUPS.items():
      texts = {block: pallas_mlir.export(call, *types) for block, (call, types) in group.items()}
      cycles = {block: [estimate(compiler, text, chip, flags) for flags in forms] for block, text in texts.items()}
      best = min(min(pair) for pair in cycles.values())
      for block, (written, coarsened) in cycles.items():
        failed |= coarsened > options.bound * best or (options.bound < float("inf") and coarsened > written)
        print(f"| {name} | {block} | {written:,} | {coarsened:,} | {coarsened / best:.2f} |", flush=True)
    compiler.close()
  return failed


if __name__ == "__main__":
  sys.exit(main())
