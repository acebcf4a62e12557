# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that do something in some steps only: in the first or the last one, or in others.

Branches come before, between and behind other accesses to scratch memory, to the output and to inputs that the kernel
writes to, so that what may leave a loop over steps is mixed with what has to stay.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 22_000_000


class Ends(Rows):
  """Steps along the last dimension of the grid, and perhaps others around them."""

  def __init__(self, seed):
    super().__init__(seed)
    rng = self.rng
    self.dtype = rng.choice(("float32", "int32"))
    self.rows, self.columns = rng.choice((1, 2, 4, 8)), rng.choice((4, 8, 16))
    self.steps, self.outer = rng.choice((2, 3, 4, 5, 5, 7, 8)), rng.choice((0, 0, 2, 3))
    self.axis = 1 if self.outer else 0
    # The output holds all steps, or each step has a part of its own.
    self.shares_output = rng.random() < .5
    self.alias = not self.shares_output and rng.random() < .6
    self.refs = ["s0", "s1", "o"]

  def condition(self):
    step, last, rng = "k", self.steps - 1, self.rng
    plain = rng.choice((f"{step} == 0",) * 4 + (f"{step} == {last}",) * 4 + (f"{step} < 1", f"{step} >= pl.num_programs({self.axis}) - 1", f"{step} != 0",
                       f"{step} == {rng.randrange(self.steps)}", f"{step} % {rng.randrange(2, 4)} == {rng.randrange(2)}", f"{step} > {rng.randrange(self.steps)}"))
    return f"({plain}) & (j == {rng.randrange(self.outer)})" if self.outer and rng.random() < .2 else plain

  def place(self, ref):
    """All of a ref, or a row that the step chooses."""
    return f"{ref}[pl.ds(k % {self.rows}, 1), :]" if self.rng.random() < .25 else f"{ref}[...]"

  def access(self):
    """A statement that reads some memory and writes to some."""
    rng = self.rng
    target, source = rng.choice(self.refs), rng.choice((*self.refs, "x0", "x1"))
    to, of = self.place(target), self.place(source)
    if ("ds" in to) != ("ds" in of):
      of = f"{of}[:1]" if "ds" in to else f"{source}[...]"
    operand = self.any() if rng.random() < .3 and "ds" not in to else of
    return rng.choice((f"{to} = {operand}", f"{to} = {self.limit(f'{to} + {operand}')}", f"{to} = {self.limit(f'{operand} * 3 - {to}')}"))

  def statement(self):
    rng = self.rng
    kind = rng.random()
    if kind < .15:
      return self.define(self.limit(f"{rng.choice((*self.refs, 'x0'))}[...] + {self.any()}"))
    if kind < .4:
      return self.lines.append(self.access())
    self.lines += [f"@pl.when({self.condition()})", "def _():", *(f"  {self.access()}" for _ in range(rng.choice((1, 1, 2))))]

  def draw(self):
    rng = self.rng
    # The interpreter has no ids inside of branches.
    self.lines += ["j, k = pl.program_id(0), pl.program_id(%d)" % self.axis]
    self.define("x0[...]")
    fill = lambda ref: f"{ref}[...] = jnp.full(({self.rows}, {self.columns}), {rng.randrange(4)}, jnp.{self.dtype})"
    start = [fill(ref) for ref in self.refs]
    # An alias has to be read before the output is written.
    if self.alias:
      self.define("x2[...]")
    self.lines += ["@pl.when(k == 0)", "def _():", *(f"  {line}" for line in start[:2 + (self.shares_output or self.alias)])]
    if self.alias:
      self.lines += ["@pl.when(k != 0)", "def _():", f"  o[...] = {self.values[-1]}"]
    elif not self.shares_output:
      self.lines.append(start[2])
    for _ in range(rng.randrange(2, 7)):
      self.statement()
    ids, at = ("j, i", "j") if self.outer else ("i", "0")
    block = f"({self.rows}, {self.columns}), lambda {ids}:"
    own = f"{block} (i, {at})"
    shared = f"{block} (0, {at})"
    total = (self.rows * self.steps, self.columns * max(self.outer, 1))
    out, array = (shared, (self.rows, total[1])) if self.shares_output else (own, total)
    inputs = [own, shared if rng.random() < .5 else own]
    shapes = [total, (self.rows, total[1]) if inputs[1] is shared else total]
    names = ["x0", "x1"]
    if self.alias:
      inputs, shapes, names = [*inputs, own], [*shapes, total], [*names, "x2"]
    body = "\n".join(f"  {line}" for line in self.lines)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}, o, s0, s1):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({array}, jnp.{self.dtype}), grid={(self.outer, self.steps) if self.outer else (self.steps,)},\n"
              f"    in_specs=[{', '.join(f'pl.BlockSpec({spec})' for spec in inputs)}], out_specs=pl.BlockSpec({out}),\n"
              f"    scratch_shapes=[pltpu.VMEM(({self.rows}, {self.columns}), jnp.{self.dtype})] * 2,\n"
              f"    input_output_aliases={{{'2: 0' if self.alias else ''}}}, interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, [(shape, self.dtype, 0) for shape in shapes], self.dtype)
