# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random copies of parts of arrays, with starts and sizes that are constants or known at run time, as multiples of some number.

The compiler for TPUs takes a part only if it knows that the part consists of whole tiles, or of rows of one tile.
"""
import numpy as np

from .copies import Copies

FIRST = 27_000_000
DTYPES = ("float32", "float32", "bfloat16", "bfloat16", "int32", "int8", "int16")

# Bodies of kernels: `copy` moves the part, `sync_copy` an array as a whole. The output starts as a copy of `y`.
WAYS = (
    ["pltpu.sync_copy(o, buf)", "copy(x, buf)", "pltpu.sync_copy(buf, o)"],
    ["pltpu.sync_copy(x, buf)", "copy(buf, o)"],
    ["copy(x, o)"],
)


class Parts(Copies):
  """A kernel in the making: rows `start` to `start + size` of the source become rows `at` of the output."""

  def __init__(self, seed):
    super().__init__(seed, DTYPES)
    rng = self.rng
    self.lead = rng.choice(((), (), (3,)))
    self.rows, self.lanes = rng.choice((4, 7, 8, 16, 20, 24, 32, 40, 48, 64, 128)), rng.choice((64, 128, 128, 200, 256, 384))
    # The table has an element even if all numbers are constants.
    self.table_of_numbers = [0]

  def number(self, value):
    """How the kernel spells a number: as a constant, or as an element of the table that is a known multiple."""
    if self.rng.random() < .4:
      return str(value)
    self.table_of_numbers.append(value)
    known = self.rng.choice([k for k in (1, 2, 4, 8, 16, 32, 128) if value % k == 0])
    return f"pl.multiple_of(t[{len(self.table_of_numbers) - 1}], {known})"

  def part(self):
    """Size and two starts of rows; multiples of one number more often than not."""
    rng, rows = self.rng, self.rows
    step = rng.choice([k for k in (1, 2, 4, 8, 8, 16, 32) if k <= rows])
    size = step * rng.randrange(1, rows // step + 1) if rng.random() < .5 else rng.choice([k for k in (step, step, 1, 2, 3, rows) if k <= rows])
    starts = [step * rng.randrange((rows - size) // step + 1) for _ in range(2)]
    return size, starts

  def text(self):
    rng = self.rng
    size, (start, at) = self.part()
    width = rng.choice([w for w in (128, 256) if w <= self.lanes] or [self.lanes]) if rng.random() < .2 else self.lanes
    rows, first, second = self.number(size), self.number(start), self.number(at)
    lanes = f", pl.ds(0, {self.number(width)})" if width < self.lanes or rng.random() < .1 else ""
    lead, place = ("1, ", "[1]") if self.lead else ("", "")
    lines = ["def copy(a, b):", f"  part = pltpu.make_async_copy(a.at[{lead}pl.ds({first}, {rows}){lanes}], b.at[{lead}pl.ds({second}, {rows}){lanes}], sem)",
             "  part.start()", "  part.wait()", *rng.choice(WAYS)]
    model = [f"row, lane = jnp.arange({self.rows})[:, None], jnp.arange({self.lanes})",
             f"mine = (row >= {at}) & (row < {at + size}) & (lane < {width})",
             f"part = jnp.where(mine, jnp.roll(x{place}, {at - start}, 0), y{place})",
             f"return {'y.at[1].set(part)' if self.lead else 'part'}"]
    shape = (*self.lead, self.rows, self.lanes)
    self.made.append(np.array(self.table_of_numbers, np.int32))
    self.array(*shape)
    self.array(*shape)
    return self.call(["t", "x", "y", "o", "buf", "sem"], lines, model, inputs=2, output=shape, aliases="2: 0",
                     scratch=[self.vmem(*shape), "pltpu.SemaphoreType.DMA"])
