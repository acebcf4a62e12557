# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random refs under other shapes: parts of arrays whose dimensions are joined and split, once or twice, read, written and copied.

The compiler for TPUs takes a view only if whole tiles stay where they are.
"""
import math

from .copies import Copies

FIRST = 29_000_000
DTYPES = ("float32", "float32", "bfloat16", "int8", "int32")

# `copied` is read by a copy, `read` from memory of the kernel, `written` there.
WAYS = {
    "copied": ["copy(view(x), o)"],
    "read": ["copy(x, buf)", "out[...] = view(buf)[...]", "copy(out, o)"],
    "written": ["copy(x, buf)", "copy(y, out)", "view(buf)[...] = out[...]", "copy(buf, o)"],
}


class Views(Copies):
  """A kernel in the making: the part `index` of an array of `shape` under the last of `shapes`."""

  def __init__(self, seed):
    super().__init__(seed, DTYPES)
    rng = self.rng
    rank = rng.choice((2, 2, 3, 3, 4))
    self.shape = [rng.choice((1, 2, 4, 6)) for _ in range(rank - 2)] + [rng.choice((1, 2, 4, 8, 16, 20, 24, 32, 48, 64)), rng.choice((64, 128, 128, 256))]
    self.index = [(0, n) for n in self.shape]
    self.cut(rng.choice(("nothing", "nothing", "leading", "rows", "lanes", "one", "one row")))
    part = [n for _, n in self.index if n]
    self.shapes = [self.other(part) for _ in range(rng.choice((1, 1, 1, 2)))]

  def cut(self, what):
    """Takes some of the array only; an index has no length."""
    rng, (*lead, rows, lanes) = self.rng, self.shape
    if what == "rows":
      size = rng.choice([n for n in (1, 2, 4, 8, 16, 24) if n <= rows])
      self.index[-2] = (rng.choice([n for n in (0, 8, 16, 3) if n + size <= rows]), size)
    elif what == "lanes" and lanes == 256:
      self.index[-1] = (128, 128)
    elif what == "leading" and lead and lead[0] > 1:
      self.index[0] = (1, lead[0] - 1)
    elif what == "one" and lead:
      self.index[0] = (rng.randrange(lead[0]), 0)
    elif what == "one row" and lead:
      self.index[-2] = (rng.randrange(rows), 0)

  def is_one_piece(self):
    """Whether the elements of the part follow each other in memory: behind the first dimension that is longer than one, all is whole."""
    longer = next((i for i, (_, size) in enumerate(self.index) if size > 1), 0)
    return all((0, n) == taken for n, taken in list(zip(self.shape, self.index))[longer + 1:])

  def other(self, shape):
    """Another shape of as many elements, mostly with the same last dimension. Only what is one piece can be joined."""
    rng, count, last = self.rng, math.prod(shape), shape[-1]
    if not self.is_one_piece():
      at = rng.randrange(len(shape))
      factor = rng.choice([n for n in (1, 2, 4, 8, 16) if shape[at] % n == 0])
      return [*shape[:at], shape[at] // factor, factor, *shape[at + 1:]]
    if rng.random() < .2:
      last = rng.choice([n for n in (64, 128, 256, 512) if count % n == 0] or [last])
    left, sizes = count // last, []
    for _ in range(rng.choice((0, 1, 1, 2))):
      sizes.append(rng.choice([n for n in (1, 2, 3, 4, 8, 16, 32) if left % n == 0]))
      left //= sizes[-1]
    sizes.append(left)
    rng.shuffle(sizes)
    return [*sizes, last]

  def text(self):
    way = self.rng.choice(tuple(WAYS))
    refs = ", ".join(f"pl.ds({start}, {size})" if size else str(start) for start, size in self.index)
    values = ", ".join(f"{start}:{start + size}" if size else str(start) for start, size in self.index)
    whole = self.index == [(0, n) for n in self.shape]
    shape, last = tuple(self.shape), tuple(self.shapes[-1])
    part = tuple(n for _, n in self.index if n)
    lines = ["def copy(a, b):", "  moved = pltpu.make_async_copy(a, b, sem)", "  moved.start()", "  moved.wait()",
             f"view = lambda a: a{'' if whole else f'.at[{refs}]'}{''.join(f'.reshape{tuple(s)}' for s in self.shapes)}", *WAYS[way]]
    model = [f"return x.at[{values}].set(y.reshape{part})" if way == "written" else f"return x[{values}].reshape{last}"]
    self.table(1, below=1)
    self.array(*shape)
    self.array(*last)
    return self.call(["t", "x", "y", "o", "buf", "out", "sem"], lines, model, inputs=2, output=shape if way == "written" else last,
                     scratch=[self.vmem(*shape), self.vmem(*last), "pltpu.SemaphoreType.DMA"])
