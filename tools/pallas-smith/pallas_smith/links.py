# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that build a value link by link: each link is the one before with a part replaced, and several
links are stored, in any order, or read again.

A compiler wants to compute all links in one place, the memory of the output that the last one is stored to. Links that
are needed later have to be kept from that.
"""
from .values import Draft, Term, shortened

FIRST = 35_000_000


class Links(Draft):
  """Links have one shape, and are whole numbers, so that each place is compared exactly."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype = self.rng.choice(("float32", "float32", "int32", "bfloat16"))
    self.whole = True
    rank = self.rng.choice((1, 1, 2, 2, 3))
    self.shape = shortened(self.rng, [self.rng.choice((2, 3, 4, 8, 9)) for _ in range(rank - 1)] + [self.rng.choice((6, 8, 9, 16, 31, 64, 128))], 3000)
    self.axis = self.rng.randrange(rank)
    self.size = self.shape[self.axis]
    self.links = []

  def part(self, length):
    """Rows of an input or of some link, changed or as they are."""
    rng = self.rng
    source = rng.choice(self.links[-3:] + [self.source])
    start = rng.randrange(self.size - length + 1)
    text = f"lax.slice_in_dim({source.text}, {start}, {start + length}, axis={self.axis})"
    return text if rng.random() < .3 else rng.choice((f"{text} + 1", f"-{text}", f"jnp.maximum({text}, 0)"))

  def start(self):
    """The first link: a constant, rows between zeros, or rows behind each other."""
    rng, length = self.rng, self.rng.randrange(1, self.size + 1)
    self.links = [self.source]
    kind = rng.choice(("fill", "pad", "pad", "join", "input"))
    if kind == "fill":
      return f"jnp.full({self.shape}, {rng.randrange(3)}, jnp.{self.dtype})"
    if kind == "pad":
      front = rng.randrange(self.size - length + 1)
      widths = [(front, self.size - length - front) if axis == self.axis else (0, 0) for axis in range(len(self.shape))]
      return f"jnp.pad({self.part(length)}, {widths})"
    if kind == "join" and length < self.size:
      return f"jnp.concatenate([{self.part(length)}, {self.part(self.size - length)}], axis={self.axis})"
    return self.source.text

  def next(self, link):
    """Most links replace a part of the one before."""
    rng, length = self.rng, self.rng.randrange(1, self.size)
    start = rng.randrange(self.size - length + 1)
    kind = rng.choice(("update",) * 5 + ("add", "where", "roll", "all"))
    if kind == "update":
      return f"lax.dynamic_update_slice_in_dim({link.text}, {self.part(length)}, {start}, axis={self.axis})"
    if kind == "add":
      index = ", ".join(f"{start}:{start + length}" if axis == self.axis else ":" for axis in range(len(self.shape)))
      return f"{link.text}.at[{index}].add({self.part(length)})"
    if kind == "where":
      return f"jnp.where(lax.broadcasted_iota(jnp.int32, {self.shape}, {self.axis}) < {start}, {link.text}, {self.part(self.size)})"
    if kind == "roll":
      return f"jnp.roll({link.text}, {start}, axis={self.axis})"
    return f"{link.text} + {rng.choice(self.links).text}"

  def put(self, link):
    """A link that is stored may be read back."""
    place = f"{self.output(self.shape, self.dtype)}[...]"
    self.add(f"{place} = {link.text}")
    if self.rng.random() < .2:
      self.links.append(self.define(place, self.shape, 9, True))

  def draw(self):
    rng = self.rng
    self.source = self.input(self.shape, self.dtype)
    self.links = [self.define(self.start(), self.shape, 9, True)]
    for _ in range(rng.randrange(1, 5)):
      self.links.append(self.define(self.next(self.links[-1]), self.shape, 9, True))
      if rng.random() < .25:
        self.put(rng.choice(self.links))
    stored: list[Term] = [self.links[-1], *rng.sample(self.links, min(len(self.links), rng.choice((1, 1, 2))))]
    if rng.random() < .3:
      rng.shuffle(stored)
    for link in stored:
      self.put(link)
    return self.kernel()
