# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random copies of parts of arrays, with starts and sizes that are constants or known at run time, as multiples of some number.

The compiler for TPUs takes a part only if it knows that the part consists of whole tiles, or of rows of one tile.
"""
import random

import numpy as np

from .kernels import HEADER
from .slots import SlotKernel

FIRST = 27_000_000
DTYPES = ("float32", "float32", "bfloat16", "bfloat16", "int32", "int8", "int16")

# What is copied whole around the copy of a part. `x` is the source and `y` what the output holds before.
WAYS = {
    "into memory": ["pltpu.sync_copy(o, buf)", "copy(x, buf)", "pltpu.sync_copy(buf, o)"],
    "out of memory": ["pltpu.sync_copy(x, buf)", "copy(buf, o)"],
    "between arrays": ["copy(x, o)"],
}


class Parts:
  """A kernel in the making: rows `start` to `start + size` of the source become rows `at` of the output."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    rng = self.rng
    self.dtype = rng.choice(DTYPES)
    self.lead = rng.choice(((), (), (3,)))
    self.rows, self.lanes = rng.choice((4, 7, 8, 16, 20, 24, 32, 40, 48, 64, 128)), rng.choice((64, 128, 128, 200, 256, 384))
    self.table = []

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    kernel = cls(seed)
    numbers = np.random.default_rng(seed)
    source = kernel.source()
    import ml_dtypes
    dtype = getattr(ml_dtypes, kernel.dtype, kernel.dtype)
    shape = (*kernel.lead, kernel.rows, kernel.lanes)
    arrays = [np.array(kernel.table, np.int32), *(numbers.integers(-9, 10, shape).astype(dtype) for _ in range(2))]
    return SlotKernel(seed, f"{HEADER}\n{source}", [], kernel.dtype, arrays)

  def number(self, value):
    """How the kernel spells a number: as a constant, or as an element of the table that is a known multiple."""
    if self.rng.random() < .4:
      return str(value)
    self.table.append(value)
    known = self.rng.choice([k for k in (1, 2, 4, 8, 16, 32, 128) if value % k == 0])
    return f"pl.multiple_of(t[{len(self.table) - 1}], {known})"

  def part(self):
    """Size and two starts of rows; multiples of one number more often than not."""
    rng, rows = self.rng, self.rows
    step = rng.choice([k for k in (1, 2, 4, 8, 8, 16, 32) if k <= rows])
    size = step * rng.randrange(1, rows // step + 1) if rng.random() < .5 else rng.choice([k for k in (step, step, 1, 2, 3, rows) if k <= rows])
    starts = [step * rng.randrange((rows - size) // step + 1) for _ in range(2)]
    return size, starts

  def source(self):
    rng = self.rng
    size, (start, at) = self.part()
    width = rng.choice([w for w in (128, 256) if w <= self.lanes] or [self.lanes]) if rng.random() < .2 else self.lanes
    rows, first, second = self.number(size), self.number(start), self.number(at)
    lanes = f", pl.ds(0, {self.number(width)})" if width < self.lanes or rng.random() < .1 else ""
    lead = "1, " if self.lead else ""
    way = rng.choice(list(WAYS))
    copy = ["def copy(a, b):", f"  part = pltpu.make_async_copy(a.at[{lead}pl.ds({first}, {rows}){lanes}], b.at[{lead}pl.ds({second}, {rows}){lanes}], sem)",
            "  part.start()", "  part.wait()"]
    body = "".join(f"  {line}\n" for line in copy + WAYS[way])
    shape = (*self.lead, self.rows, self.lanes)
    place = "[1]" if self.lead else ""
    # The table has an element even if all numbers are constants.
    self.table.append(0)
    return (f"def kernel(t, x, y, o, buf, sem):\n{body}\n"
            f"def model(t, x, y):\n"
            f"  row, lane = jnp.arange({self.rows})[:, None], jnp.arange({self.lanes})\n"
            f"  mine = (row >= {at}) & (row < {at + size}) & (lane < {width})\n"
            f"  part = jnp.where(mine, jnp.roll(x{place}, {at - start}, 0), y{place})\n"
            f"  return {'y.at[1].set(part)' if self.lead else 'part'}\n\n"
            f"def call(t, x, y, interpret=False):\n  if interpret:\n    return model(t, x, y)\n"
            f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(), in_specs=[pl.BlockSpec(memory_space=pl.ANY)] * 2,\n"
            f"    out_specs=pl.BlockSpec(memory_space=pl.ANY), scratch_shapes=[pltpu.VMEM({shape}, jnp.{self.dtype}), pltpu.SemaphoreType.DMA])\n"
            f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({shape}, jnp.{self.dtype}), grid_spec=spec,\n"
            f"    input_output_aliases={{2: 0}})(t, x, y)\n")
