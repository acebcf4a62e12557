# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels with arrays of rank 0 in every memory, or wherever the compiler puts them.

Steps of a grid read scalars, keep running sums and extrema in others, and use both with a block of an array.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 40_000_000

PLACES = ("", "", "pltpu.SMEM", "pltpu.SMEM", "pl.ANY", "pl.ANY", "pltpu.HBM")


class Scalars(Rows):
  """Steps over blocks of `rows` x `columns`, and scalars."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype = self.rng.choice(("int32", "float32"))
    self.rows, self.columns, self.steps = self.rng.choice((1, 8, 16)), self.rng.choice((8, 128)), self.rng.choice((0, 1, 2, 3, 5))
    self.inner = self.rng.choice((0, 0, 2)) if self.steps else 0
    # The first result is an array; every other scalar is one of the steps before.
    self.given, self.kept = self.rng.randrange(1, 4), self.rng.randrange(1, 4)

  def scalar(self):
    return self.rng.choice([f"s{i}[...]" for i in range(self.given)] + [f"o{i + 1}[...]" for i in range(self.kept)])

  def keep(self, i):
    """What a step does with a scalar that it keeps."""
    rng, old = self.rng, f"o{i + 1}[...]"
    part = rng.choice((f"jnp.max({self.any()})", f"jnp.min({self.any()})", f"{self.any()}[0, {rng.randrange(self.columns)}]", self.scalar(), f"-{self.scalar()}"))
    update = [f"{old} = {rng.choice((f'jnp.maximum({old}, {part})', f'jnp.minimum({old}, {part})', self.limit(f'{old} + {part}')))}"]
    if rng.random() < .3:
      update = [f"@pl.when({self.scalar()} > {rng.randrange(-1, 2)})", "def _():", f"  {update[0]}"]
    self.lines += update

  def draw(self):
    rng, ids = self.rng, ["i", "j"][:(self.steps > 0) + (self.inner > 0)]
    first = " & ".join(f"(pl.program_id({k}) == 0)" for k in range(len(ids)))
    start = [f"o{i + 1}[...] = {rng.choice((f's{rng.randrange(self.given)}[...]', f'jnp.array({rng.randrange(-1, 3)}, jnp.{self.dtype})'))}" for i in range(self.kept)]
    self.lines += [f"@pl.when({first})", "def _():", *(f"  {line}" for line in start)] if first else start
    self.define("x[...]")
    for _ in range(rng.randrange(2, 7)):
      if rng.random() < .5:
        self.keep(rng.randrange(self.kept))
      else:
        self.define(self.limit(f"{self.any()} {rng.choice('+-*')} {self.scalar()}"))
    self.lines.append(f"o0[...] = {self.any()}")
    return self.call(ids)

  def call(self, ids):
    block, size = (self.rows, self.columns), (self.rows * max(self.steps, 1), self.columns * max(self.inner, 1))
    window = f"pl.BlockSpec({block}, lambda {', '.join(ids)}: ({'i' if self.steps else 0}, {'j' if self.inner else 0}))"
    spec = lambda place: f"pl.BlockSpec(memory_space={place})" if place else self.rng.choice(("pl.BlockSpec()", f"pl.BlockSpec((), lambda {', '.join(ids)}: ())"))
    ins, outs = ([spec(self.rng.choice(PLACES)) for _ in range(count)] for count in (self.given, self.kept))
    names = ["x", *(f"s{i}" for i in range(self.given)), *(f"o{i}" for i in range(self.kept + 1))]
    body = "\n".join(f"  {line}" for line in self.lines)
    grid = tuple(size for size in (self.steps, self.inner) if size)
    shapes = ", ".join(f"jax.ShapeDtypeStruct({shape}, jnp.{self.dtype})" for shape in (size, *[()] * self.kept))
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=[{shapes}], grid={grid},\n"
              f"    in_specs=[{', '.join([window, *ins])}],\n    out_specs=[{', '.join([window, *outs])}], interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, [(shape, self.dtype, 0) for shape in (size, *[()] * self.given)], self.dtype)
