# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels whose index maps choose, divide, clip and look up tables that are known before the grid starts.

Blocks are counted in blocks or in elements, some dimensions are gone from them, and steps come back to blocks of the
output right after one another.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 23_000_000


class Maps(Rows):
  """A grid of `outer` x `steps`; inputs of `blocks` blocks are read where a map points, and added to the output."""

  def __init__(self, seed):
    super().__init__(seed)
    rng = self.rng
    self.dtype = rng.choice(("float32", "int32"))
    self.rows, self.columns = rng.choice((1, 2, 4, 8)), rng.choice((4, 8, 16))
    self.steps, self.outer, self.blocks = rng.randrange(2, 7), rng.randrange(1, 4), rng.randrange(2, 6)
    # How many steps in a row have the same block of the output.
    self.visits = rng.choice((1, 2, 3, self.steps))

  def index(self, depth=2):
    """An expression of a map, of any sign and size that small numbers give."""
    rng = self.rng
    if depth == 0 or rng.random() < .1:
      return rng.choice(("i", "j", "i", str(rng.randrange(4)), f"t[i % {self.blocks}]", f"t[(i + j) % {self.blocks}]"))
    one, two = self.index(depth - 1), self.index(depth - 1)
    return rng.choice((f"({one} + {two})", f"({one} - {two})", f"({one} * {rng.randrange(2, 4)})", f"jnp.minimum({one}, {two})",
                       f"jnp.maximum({one}, {two})", f"({one} // {rng.randrange(2, 4)})", f"({one} % {rng.randrange(2, 5)})",
                       f"jnp.where({one} < {two}, {two}, {one} + 1)", f"jnp.where(({one}) % 2 == 0, {two}, 0)",
                       f"jnp.clip({one}, 0, {rng.randrange(1, 4)})", f"t[jnp.clip({one}, 0, {self.blocks - 1})]"))

  def inside(self, count):
    """An index of one of `count` places."""
    text = self.index(self.rng.choice((1, 2, 2, 3)))
    return self.rng.choice((f"jnp.clip({text}, 0, {count - 1})", f"({text}) % {count}"))

  def input(self):
    """The shape of an array, and the spec of a block of rows and columns in it."""
    rng, rows, columns = self.rng, self.rows, self.columns
    kind = rng.choice(("blocks", "elements", "squeezed", "none"))
    total = rows * self.blocks
    if kind == "blocks":
      return (total, columns * 2), f"({rows}, {columns}), lambda j, i, t: ({self.inside(self.blocks)}, {self.inside(2)})"
    if kind == "elements":
      return (total, columns), f"(pl.Element({rows}), pl.Element({columns})), lambda j, i, t: ({self.inside(total - rows + 1)}, 0)"
    gone = "pl.Squeezed()" if kind == "squeezed" else "None"
    return (self.blocks, rows, columns), f"({gone}, {rows}, {columns}), lambda j, i, t: ({self.inside(self.blocks)}, 0, 0)"

  def draw(self):
    rng = self.rng
    inputs = [self.input() for _ in range(rng.choice((1, 2, 2, 3)))]
    names = [f"x{n}" for n in range(len(inputs))]
    self.lines += ["j, i = pl.program_id(0), pl.program_id(1)", f"@pl.when(i % {self.visits} == 0)", "def _():",
                   f"  o[...] = jnp.full(({self.rows}, {self.columns}), {rng.randrange(4)}, jnp.{self.dtype})"]
    for name in names:
      scale = rng.choice(("1", "2", "(i + 1)", f"t[i % {self.blocks}]"))
      self.lines.append(f"o[...] = {self.limit(f'o[...] + {name}[...] * ({scale})')}")
    groups = -(-self.steps // self.visits)
    shape = (self.outer * self.rows, groups * self.columns)
    specs = ", ".join(f"pl.BlockSpec({spec})" for _, spec in inputs)
    body = "\n".join(f"  {line}" for line in self.lines)
    source = (f"{HEADER}\ndef kernel(t, {', '.join(names)}, o):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=({self.outer}, {self.steps}),\n"
              f"    in_specs=[{specs}],\n"
              f"    out_specs=pl.BlockSpec(({self.rows}, {self.columns}), lambda j, i, t: (j, i // {self.visits})))\n"
              f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({shape}, jnp.{self.dtype}), grid_spec=spec, interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, [((self.blocks,), "int32", self.blocks), *((shape, self.dtype, 0) for shape, _ in inputs)], self.dtype)
