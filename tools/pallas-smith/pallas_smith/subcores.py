# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels of SparseCores whose subcores add rows to memory that they share.

A subcore copies rows in, in order or by a list of indices, and may add others to them on the way. It adds them to rows of
shared memory or of the result, meets the others, and copies its part out. Lists are permutations of all rows, and subcores
meet between additions, so that no two add to one row at a time.
"""
import random

from .kernels import Kernel
from .sparse_core import LANES, SUBCORES, SparseCoreKernel

# Numbers of kernels of these forms.
FIRST = 38000000


class AddingKernel(SparseCoreKernel):

  def __init__(self, rng):
    super().__init__(rng)
    # Memory is shared by the subcores of one core.
    self.cores, self.workers = 1, SUBCORES
    self.dtype, self.rows, self.width = rng.choice(("int32", "float32")), rng.choice((8, 16)), rng.choice((128, 256))
    self.lanes, self.is_float = LANES, self.dtype == "float32"

  def parts(self):
    """Starts and lengths of the parts of this subcore's list. Some starts are known at run time only."""
    size = self.rng.choice((self.rows, self.rows, 8, self.rows // 2, 2))
    text = self.rng.choice(("{}", "{}", "pl.multiple_of(subcore * 0 + {}, 8)" if size % 8 == 0 else "{}", "(subcore * 0 + {})"))
    return [(text.format(first), size) for first in range(0, self.rows, size)]

  def add(self, source, target, where, from_rows):
    """Adds rows of a buffer to rows that a list selects, or the other way."""
    kind = self.rng.choice(("whole", "whole", "parts", "parts", "vector", "all"))
    if kind == "all":
      # No list: rows in order.
      rows = self.own_rows(source if from_rows else target)
      return self.copy(*((rows, target) if from_rows else (source, rows)), add=True)
    if kind == "whole":
      parts = [(where, source, target)]
    elif kind == "vector":
      parts = [(f"{where}[pl.ds({k}, {LANES})]", k, LANES) for k in range(0, self.rows, LANES)]
    else:
      parts = [(f"{where}.at[pl.ds({start}, {size})]", start, size) for start, size in self.parts()]
    lines = []
    for index, start, size in parts:
      own = (target if from_rows else source) if kind == "whole" else f"{target if from_rows else source}.at[pl.ds({start}, {size})]"
      far = f"{source if from_rows else target}.at[{index}]"
      lines += self.copy(*((far, own) if from_rows else (own, far)), add=True)
    return lines

  def source(self):
    rng = self.rng
    buffer = self.memory("pltpu.VMEM", (self.rows, self.width))
    shared = self.memory("pltpu.VMEM_SHARED", (self.workers * self.rows, self.width))
    where, fetched = self.places()
    lines = ["subcore = lax.axis_index('subcore')", f"base = subcore * {self.rows}", *fetched, *self.copy(self.own_rows("x"), buffer)]
    target = rng.choice((shared, shared, shared, "o"))
    meet = ["plsc.subcore_barrier()"]
    lines += self.copy(self.own_rows("x"), self.own_rows(target)) + meet
    if rng.random() < .4:
      lines += self.add("x", buffer, where, from_rows=True)
    if rng.random() < .4:
      lines += self.over_rows(buffer)
    for _ in range(rng.choice((1, 1, 2))):
      lines += self.add(buffer, target, where, from_rows=False) + meet
    if target == shared:
      lines += self.copy(self.own_rows(shared), self.own_rows("o"))
    return self.text(lines, f"pltpu.CompilerParams(needs_layout_passes={self.needs_layout})")


def make(seed: int) -> Kernel:
  """The kernel with this number, always the same one."""
  return AddingKernel(random.Random(seed)).kernel(seed)
