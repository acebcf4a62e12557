# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that convert between element types of all widths, of four and of eight bits as well.

Values are multiples of an eighth, so many lie in the middle of two numbers of a narrow type, and no other rounding has to
do with them.
"""
from .values import Draft

FIRST = 32_000_000

# Element types of floats and the largest magnitude that stays finite in them.
NARROW = {"float4_e2m1fn": 6, "float8_e4m3fn": 200, "float8_e5m2": 200, "float8_e4m3b11fnuz": 20, "float8_e4m3fnuz": 200, "float8_e5m2fnuz": 200,
          "float8_e3m4": 15, "float8_e4m3": 200, "bfloat16": 200, "float16": 200}
INTEGERS = {"int4": 7, "uint4": 15, "int8": 100, "uint8": 200, "int16": 200, "int32": 200}


class Casts(Draft):
  """Values of f32 that go through other element types, and meet again."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype, self.whole, self.grid = "float32", True, self.rng.choice((0, 0, 2))
    self.shape = (self.rng.choice((1, 3, 8, 16)), self.rng.choice((5, 16, 33, 128)))

  def through(self, v):
    """A value rounded to a narrow type, by way of another one now and then."""
    rng = self.rng
    if rng.random() < .25:
      dtype = rng.choice(list(INTEGERS))
      low = 0 if dtype.startswith("u") else -INTEGERS[dtype]
      # Casts of floats that leave the type are left open.
      return self.define(f"jnp.clip({v.text}, {low}, {INTEGERS[dtype]}).astype(jnp.{dtype}).astype(jnp.float32)", self.shape, min(v.bound, INTEGERS[dtype]), True)
    dtype = rng.choice(list(NARROW))
    first = f".astype(jnp.{rng.choice(('bfloat16', 'float16'))})" if rng.random() < .3 else ""
    last = f".astype(jnp.{rng.choice(('bfloat16', 'float16'))})" if rng.random() < .3 else ""
    limit = NARROW[dtype] * (2 if dtype == "float4_e2m1fn" else 1)
    return self.define(f"jnp.clip({v.text}, -{limit}, {limit}){first}.astype(jnp.{dtype}){last}.astype(jnp.float32)", self.shape, limit, True)

  def draw(self):
    rng = self.rng
    values = []
    for _ in range(rng.randrange(1, 3)):
      bound = rng.choice((8, 40, 120))
      x = self.input(self.shape, "int16", bound)
      values.append(self.define(f"{x.text} * {rng.choice((.125, .25, .5))}", self.shape, bound / 2, True))
    for _ in range(rng.randrange(2, 6)):
      v = self.through(rng.choice(values))
      other = rng.choice(values)
      values.append(v)
      text = rng.choice((f"jnp.maximum({v.text}, {other.text})", f"jnp.where({v.text} > {other.text}, {v.text}, -{other.text})", f"({v.text} * .5)", v.text,
                         f"({v.text} + .25)"))
      values.append(self.define(text, self.shape, 200, True))
    for v in values[-rng.randrange(1, 4):]:
      dtype = rng.choice(("float32", "float32", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8"))
      clipped = f"jnp.clip({v.text}, -100, 100)"
      self.add(f"{self.output(self.shape, dtype)}[...] = {clipped}.astype(jnp.{dtype})")
    return self.kernel()
