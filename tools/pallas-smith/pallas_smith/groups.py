# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that work on groups of neighbours in a row: values that are quantized by groups, scales that are
repeated for each element, pairs that are taken apart and put together again.

Groups are a dimension of their own for a while. A compiler wants to compute in the one shape or in the other, without
memory for what lies in between, and short groups need vectors that hold several.
"""
import math

from .values import Draft, shortened

FIRST = 39_000_000
SIZES = (2, 2, 2, 3, 4, 4, 5, 8, 16, 32)


class Groups(Draft):
  """Values are whole numbers, so that each place is compared exactly."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype = self.rng.choice(("float32", "float32", "int32", "bfloat16", "int8"))
    self.whole = True

  def shape(self):
    rng = self.rng
    return shortened(rng, [rng.choice((1, 2, 3, 8, 16)) for _ in range(rng.choice((0, 1, 1, 2)))] + [rng.choice((12, 24, 32, 40, 48, 64, 96, 128, 256, 320))], 4000)

  def grouped(self, v):
    """The value with groups as its last dimension, and their size."""
    size = self.rng.choice([size for size in SIZES if v.shape[-1] % size == 0] or [1])
    shape = (*v.shape[:-1], v.shape[-1] // size, size)
    return f"{v.text}.reshape({shape})", shape, size

  def scale(self, v):
    """Each group gets what is common to it."""
    text, shape, _ = self.grouped(v)
    g = self.define(text, shape, 9, True)
    common = self.rng.choice((f"jnp.max({g.text}, axis=-1, keepdims=True)", f"jnp.min({g.text}, axis=-1, keepdims=True)", f"{g.text}[..., :1]"))
    text = self.rng.choice((f"({g.text} - {common})", f"jnp.minimum({g.text}, -{common})", f"jnp.where({g.text} == {common}, 1, {g.text})"))
    if self.rng.random() < .15:
      return text, shape
    return f"{text}.astype(jnp.{self.dtype}).reshape({v.shape})", v.shape

  def repeat(self, v):
    """Each element several times, beside a value that has all of them."""
    rng, rank = self.rng, len(v.shape)
    axis = rank - 1 if rng.random() < .7 else rng.randrange(rank)
    times = rng.choice([size for size in SIZES if size * math.prod(v.shape) <= 8192] or [1])
    shape = (*v.shape[:axis], v.shape[axis] * times, *v.shape[axis + 1:])
    text = f"jnp.repeat({v.text}, {times}, axis={axis})" if rng.random() < .8 else f"jnp.tile({v.text}, {tuple(times if d == axis else 1 for d in range(rank))})"
    if rng.random() < .7:
      other = self.input(shape, self.dtype)
      text = rng.choice((f"jnp.maximum({text}, {other.text})", f"({text} - {other.text})", f"jnp.where({other.text} > 0, {text}, {other.text})"))
    return text, shape

  def part(self, v):
    """Elements of one place in each group."""
    text, shape, size = self.grouped(v)
    place = self.rng.randrange(size)
    if self.rng.random() < .4:
      return f"{v.text}[..., {place}::{size}]", shape[:-1]
    return f"{text}[..., {place}]", shape[:-1]

  def stack(self, v):
    """Several values element by element in turns."""
    others = [v.text, *(self.rng.choice((f"-{v.text}", f"jnp.maximum({v.text}, 1)", f"jnp.flip({v.text}, {len(v.shape) - 1})", self.input(v.shape, self.dtype).text))
                        for _ in range(self.rng.choice((1, 1, 1, 2, 3))))]
    self.rng.shuffle(others)
    axis = self.rng.choice((-1, -1, -1, -2))
    shape = (*v.shape[:-1], v.shape[-1] * len(others))
    return f"jnp.stack([{', '.join(others)}], axis={axis}).reshape({shape})", shape

  def draw(self):
    rng = self.rng
    v = self.input(self.shape(), self.dtype)
    terms = [v]
    for _ in range(rng.randrange(2, 6)):
      change = rng.choice((self.scale, self.scale, self.repeat, self.repeat, self.part, self.stack))
      if change == self.stack and 4 * math.prod(v.shape) > 8192:
        continue
      text, shape = change(v)
      v = self.define(text, shape, 9, True)
      terms.append(v)
      if v.shape[-1] == 1 or len(v.shape) > 3:
        break
    for term in [v, *rng.sample(terms, rng.choice((0, 0, 1, min(2, len(terms)))))]:
      self.add(f"{self.output(term.shape, self.dtype)}[...] = {term.text}")
    return self.kernel()
