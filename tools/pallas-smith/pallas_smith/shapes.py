# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that change the shape of a value several times: dimensions of one element come and go, others are
joined and cut, and exchanged, broadcast, reduced and halved in between.

For the compiler for TPUs shapes are layouts of registers. It joins changes that follow each other, so it judges what they
are together.
"""
import math

from .values import Draft

FIRST = 33_000_000
FIRST_REPEATS = 34_000_000

# Of one register or several, of parts of one, and with rows that fill none.
SHAPES = ((8, 128), (8, 128), (1024,), (16, 64), (2, 8, 128), (5, 7), (4, 32), (1, 256), (256, 1), (3, 8, 16), (128, 8), (2, 3, 4, 128), (24, 128), (4, 2, 128))
COMMON = (1, 2, 4, 8, 64, 128)


class Shapes(Draft):
  """One value, which takes one shape after the other."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype = self.rng.choice(("float32", "float32", "int32", "bfloat16", "int8", "int16"))
    self.whole, self.grid = True, 0

  def cut(self, count, rank):
    """Some shape of `rank` dimensions with `count` elements, with common sizes more often than not."""
    sizes = []
    for _ in range(rank - 1):
      divisors = [d for d in range(1, count + 1) if count % d == 0]
      sizes.append(self.rng.choice([d for d in divisors if d in COMMON] if self.rng.random() < .7 else divisors))
      count //= sizes[-1]
    sizes.append(count)
    if self.rng.random() < .4:
      self.rng.shuffle(sizes)
    return tuple(sizes)

  def change(self, v):
    """The value in another shape, or nothing where this shape has no such change."""
    rng, shape = self.rng, v.shape
    axis = rng.randrange(len(shape))
    kind = rng.choice(("reshape",) * 6 + ("expand",) * 4 + ("twice", "max", "exchange", "broadcast", "half"))
    others = (*shape[:axis], *shape[axis + 1:])
    if kind == "reshape":
      shape = self.cut(math.prod(shape), rng.choice((1, 1, 1, 2, 2, 2, 3, 3, 4)))
      return f"{v.text}.reshape({shape})", shape
    if kind == "expand" and len(shape) < 5:
      # Columns are what most often has no way.
      axis = rng.choice((axis, len(shape)))
      return f"jnp.expand_dims({v.text}, {axis})", (*shape[:axis], 1, *shape[axis:])
    if kind == "twice":
      return f"jnp.maximum({v.text}, -{v.text})", shape
    if kind == "max" and math.prod(others) > 1:
      return f"jnp.max({v.text}, axis={axis})", others
    if kind == "exchange" and axis + 1 < len(shape):
      return f"jnp.swapaxes({v.text}, {axis}, {axis + 1})", (*shape[:axis], shape[axis + 1], shape[axis], *shape[axis + 2:])
    if kind == "broadcast" and shape[axis] == 1 and math.prod(shape) < 4096:
      shape = (*shape[:axis], 4, *shape[axis + 1:])
      return f"jnp.broadcast_to({v.text}, {shape})", shape
    if kind == "half" and shape[axis] > 1:
      size = shape[axis] - shape[axis] // 2
      return f"lax.slice_in_dim({v.text}, {shape[axis] // 2}, {shape[axis]}, axis={axis})", (*shape[:axis], size, *shape[axis + 1:])
    return None

  def draw(self):
    v = self.input(self.rng.choice(SHAPES), self.dtype, 9)
    for _ in range(self.rng.randrange(2, 7)):
      if changed := self.change(v):
        v = self.define(changed[0], changed[1], 9, True)
    self.add(f"{self.output(v.shape, self.dtype)}[...] = {v.text}")
    return self.kernel()


class Repeats(Shapes):
  """Elements are repeated in between, as jnp.repeat does, but that the result has any shape, or is reduced."""

  def change(self, v):
    rng, shape = self.rng, v.shape
    units = [axis for axis, size in enumerate(shape) if size == 1]
    if math.prod(shape) >= 1024 or rng.random() < .5:
      return super().change(v)
    axis = rng.choice(units) if units and rng.random() < .5 else len(shape)
    others = shape if axis == len(shape) else (*shape[:axis], *shape[axis + 1:])
    repeated = (*others[:axis], rng.choice((2, 3, 4, 16)), *others[axis:])
    text = f"jnp.broadcast_to({v.text + '[..., None]' if axis == len(shape) else v.text}, {repeated})"
    kind = rng.choice(("plain", "reshape", "reshape", "max", "argmax"))
    if kind == "plain":
      return text, repeated
    if kind == "reshape":
      shape = self.cut(math.prod(repeated), rng.choice((1, 1, 2, 3)))
      return f"{text}.reshape({shape})", shape
    axis = rng.randrange(len(repeated))
    shape = (*repeated[:axis], *repeated[axis + 1:])
    if math.prod(shape) == 1:
      return None
    return f"jnp.{kind}({text}, axis={axis})" + (f".astype(jnp.{self.dtype})" if kind == "argmax" else ""), shape
