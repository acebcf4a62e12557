# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels whose branches and loops repeat earlier expressions, or only move elements.

Common subexpressions and moves of registers let a compiler find that both branches yield values from outside. Only
their stores need the branches then. The statements are those of `control`.
"""
import re

from .control import Control
from .times import COLUMNS, ROWS

FIRST = 42_000_000

NAME = re.compile(r"\b(?:v_x\d|[a-z]?v\d+)\b")


class Again(Control):
  """Repeats expressions whose names are still in reach."""

  def __init__(self, seed):
    super().__init__(seed)
    self.earlier = []

  def within_reach(self, names, index):
    """Earlier expressions whose names are all defined here."""
    reach = {*names, *NAME.findall(index)}
    return [text for text in self.earlier if reach.issuperset(NAME.findall(text))]

  def expression(self, names, index):
    rng, again = self.rng, self.within_reach(names, index)
    if again and rng.random() < .4:
      return rng.choice(again)
    text = self.move(*rng.choices(names, k=2)) if rng.random() < .3 else super().expression(names, index)
    self.earlier.append(text)
    return text

  def move(self, a, b):
    """Elements in other places."""
    rng = self.rng
    row, column = rng.randrange(ROWS), rng.randrange(COLUMNS)
    return rng.choice((a, f"jnp.broadcast_to({a}[{row}:{row + 1}], {a}.shape)", f"jnp.broadcast_to({a}[:, {column}:{column + 1}], {a}.shape)",
                       f"jnp.concatenate([{a}[{row}:], {b}[:{row}]])", f"jnp.flip({a}, {rng.randrange(2)})",
                       f"jnp.roll({a}.reshape(2, {ROWS // 2}, {COLUMNS}), 1, 0).reshape({ROWS}, {COLUMNS})",
                       f"jnp.stack([{a}, {b}])[{rng.randrange(2)}]", f"jnp.full_like({a}, {rng.randrange(3)})"))

  def statement(self, lines, names, index, depth):
    if self.rng.random() < .3:
      self.budget -= 1
      return self.choose(lines, names, index)
    super().statement(lines, names, index, depth)

  def choose(self, lines, names, index):
    """A `lax.cond` that yields earlier values, repeated expressions or moved elements; its branches may store, too."""
    rng, functions = self.rng, [f"case{self.name()}" for _ in range(2)]
    results = rng.randrange(1, 3)
    for function in functions:
      values = [rng.choice((rng.choice(names), self.move(*rng.choices(names, k=2)), *self.within_reach(names, index)[-3:])) for _ in range(results)]
      stored = [f"  {rng.choice(self.refs)}[...] = {rng.choice(names)}"] if rng.random() < .5 else []
      lines += [f"def {function}():", *stored, f"  return {', '.join(values)},"]
    defined = [self.name() for _ in range(results)]
    lines.append(f"{', '.join(defined)}, = lax.cond({self.condition(index)}, {', '.join(functions)})")
    names += defined
