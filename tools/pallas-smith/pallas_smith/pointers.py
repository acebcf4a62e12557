# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels in the way of Triton: a grid of programs that run at once, on blocks that are pointers.

Programs share blocks of their inputs, walk through arrays that are larger than shared memory, stop at the end of partial
blocks, and write to parts of blocks that several of them have, each to elements of its own. Some count with atomics.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 41_000_000


class Pointers(Rows):
  """Programs `i`, and perhaps `j`, with `rows` x `columns` of the result each."""

  def __init__(self, seed):
    super().__init__(seed)
    rng = self.rng
    self.dtype = rng.choice(("float32", "float32", "int32"))
    self.rows, self.columns = rng.choice((4, 8, 16)), rng.choice((8, 16, 32))
    self.programs, self.inner = rng.randrange(1, 5), rng.choice((0, 1, 2, 2, 3))
    # Rows of the last block that the arrays lack.
    self.missing = rng.randrange(1, self.rows) if rng.random() < .25 else 0
    self.size = (self.rows * self.programs - self.missing, self.columns * max(self.inner, 1))
    self.names = ["i", "j"][:1 + (self.inner > 0)]
    self.inputs, self.specs = [], []

  def spec(self, block, at):
    return f"pl.BlockSpec({block}, lambda {', '.join(self.names)}: ({at}))"

  def input(self, shape, spec):
    self.inputs.append((shape, self.dtype, 0))
    self.specs.append(spec)
    return f"x{len(self.inputs) - 1}"

  def window(self):
    """A block of an array with elements for each program, as a spec, and the place of a program's own in it: all of it, a part
    of the rows or columns that the others next to it have, too, or a part of the array."""
    column = "j" if self.inner else 0
    rows, columns = f"pl.ds(i * {self.rows}, {self.rows})", f"pl.ds({column} * {self.columns}, {self.columns})"
    block, at, place = self.rng.choice((
        ((self.rows, self.columns), f"i, {column}", ":, :"), ((self.rows, self.size[1]), "i, 0", f":, {columns}"),
        ((self.size[0], self.columns), f"0, {column}", f"{rows}, :"), (self.size, "0, 0", f"{rows}, {columns}"), (None, None, f"{rows}, {columns}")))
    return self.spec(block, at) if block else "pl.BlockSpec()", place

  def read(self):
    """A value from the elements that belong to a program."""
    rng = self.rng
    spec, place = self.window()
    name = self.input(self.size, spec)
    # Rows behind the end, in blocks of the array as well, are left out.
    return f"pltr.load({name}.at[{place}], mask=inside, other={rng.randrange(3)})" if self.missing or rng.random() < .15 else f"{name}[{place}]"

  def shared(self):
    """A value computed from rows that all programs see."""
    rng, step = self.rng, self.rng.choice((4, 8, 16))
    # Now and then more than shared memory holds.
    count = rng.choice((1, 2, 3, 5)) if rng.random() < .8 else 40000 // (step * self.columns)
    shape = (step * count, self.columns)
    name = self.input(shape, self.spec(shape, "0, 0"))
    if rng.random() < .3:
      return self.limit(f"{name}[{rng.randrange(step * count)}, :][None, :] + {self.any()}")
    part = f"{name}[pl.ds(k * {step}, {step}), :]"
    what = rng.choice((f"jnp.max({part}, axis=0)[None, :]", f"{self.limit(f'jnp.sum({part}, axis=0)')}[None, :]", f"{part}[:1] * {rng.randrange(2, 4)}"))
    stop = rng.choice((count, count, f"jnp.minimum(i + 1, {count})"))
    return f"lax.fori_loop(0, {stop}, lambda k, c: {self.limit(f'c + {what}')}, {self.any()})"

  def change(self):
    a, b, rng = self.any(), self.any(), self.rng
    return rng.choice((self.limit(f"{a} * {b}"), self.limit(f"{a} - {b}"), f"jnp.maximum({a}, {b})", f"jnp.where(inside, {a}, {b})",
                       self.limit(f"{a} + jnp.max({b}, axis=1, keepdims=True)"), self.limit(f"{a} + i")))

  def write(self, number):
    """Stores a value; returns the spec of the result."""
    rng, value = self.rng, self.any()
    spec, place = self.window()
    ref = f"o{number}[{place}]"
    if self.missing or rng.random() < .2:
      self.lines.append(f"pltr.store(o{number}.at[{place}], {value}, mask=inside)")
    else:
      self.lines.append(f"{ref} = {value}")
      if rng.random() < .3:
        self.lines.append(f"{ref} = {self.limit(f'{ref} + {self.any()}')}")
    return spec

  def draw(self):
    rng = self.rng
    self.lines += [f"{name} = pl.program_id({d})" for d, name in enumerate(self.names)]
    self.lines += [f"inside = (i * {self.rows} + lax.broadcasted_iota(jnp.int32, ({self.rows}, {self.columns}), 0)) < {self.size[0]}"]
    self.define(self.read())
    for _ in range(rng.randrange(1, 6)):
      self.define(rng.choice((self.read, self.shared, self.change, self.change))())
    outs, aliases = [self.write(number) for number in range(rng.randrange(1, 3))], {}
    shapes = [f"jax.ShapeDtypeStruct({self.size}, jnp.{self.dtype})"] * len(outs)
    if rng.random() < .2:
      # What programs count together starts from an input.
      aliases = {len(self.inputs): len(outs)}
      self.inputs.append(((4,), "int32", 4))
      self.specs.append("pl.BlockSpec()")
      name = f"o{len(outs)}"
      outs.append("pl.BlockSpec()")
      shapes.append("jax.ShapeDtypeStruct((4,), jnp.int32)")
      kind, number = rng.choice(("add", "max", "min")), rng.randrange(1, 9)
      self.lines.append(f"pltr.atomic_{kind}({name}, ({rng.choice(('i % 4', f'i * 0 + {rng.randrange(4)}'))},), jnp.int32({number}){rng.choice((' + i', ''))})")
    return self.call(shapes, outs, aliases)

  def call(self, shapes, outs, aliases):
    names = [f"x{i}" for i in range(len(self.inputs))] + [f"o{i}" for i in range(len(outs))]
    grid = (self.programs, self.inner) if self.inner else (self.programs,)
    params = self.rng.choice(("", "", "num_warps=4", "num_warps=8, num_stages=2"))
    body = "\n".join(f"  {line}" for line in self.lines)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=[{', '.join(shapes)}], grid={grid},\n"
              f"    in_specs=[{', '.join(self.specs)}],\n    out_specs=[{', '.join(outs)}], input_output_aliases={aliases},\n"
              f"    compiler_params=pltr.CompilerParams({params}), interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, self.inputs, self.dtype)
