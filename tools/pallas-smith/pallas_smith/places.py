# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that name places by integers of every type, on axes longer than some of these count.

Starts of slices and updates, elements, and lists of places to gather from and to scatter to; each may be negative or behind
the end, and is clipped, filled or dropped.
"""
from .values import Draft

FIRST = 30_000_000

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
# Around what eight bits count to.
LENGTHS = (5, 100, 126, 128, 129, 200, 255, 256, 257, 300, 400)

# XLA, as references are compiled, writes in front of an array where the last start wraps around in the type of the start.
FUNCTIONS = """
def wide(places, interpret):
  return places.astype(jnp.int32) if interpret and places.dtype.itemsize < 4 else places


def gathered(v, places, mode):
  numbers = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
  fill = {"fill_value": 7} if mode == "fill" else {}
  return lax.gather(v, places[:, None], numbers, (1, v.shape[1]), mode=mode, **fill)


def scattered(v, places, updates, add, mode):
  numbers = lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
  return (lax.scatter_add if add else lax.scatter_max)(v, places[:, None], updates, numbers, mode=mode)

"""


class Places(Draft):
  """A value `v` of some rows, and lists of places among them."""

  def __init__(self, seed):
    super().__init__(seed)
    # Sums of whole numbers do not depend on the order in which places that coincide are added to.
    self.dtype, self.whole, self.grid = self.rng.choice(("float32", "int32")), True, 0
    self.length, self.columns = self.rng.choice(LENGTHS), self.rng.choice((1, 3, 8))

  def list_of_places(self):
    dtype, count = self.rng.choice(INTEGERS), self.rng.choice((1, 2, 5, 8))
    self.inputs.append(((count,), dtype, self.length, False))
    return self.define(f"wide(x{len(self.inputs) - 1}[...], interpret)", (count,), self.length, True, dtype)

  def from_places(self, v, places):
    """Something of the rows that places name."""
    rng, [count], size = self.rng, places.shape, self.rng.randrange(1, 5)
    # JAX counts negative starts from the end, in their own type.
    one = f"jnp.maximum({places.text}[{rng.randrange(count)}], 0)"
    kind = rng.choice(("slice", "index", "update", "gather", "gather", "scatter", "scatter"))
    if kind == "slice":
      return f"lax.dynamic_slice_in_dim({v.text}, {one}, {size}, 0)", (size, self.columns)
    if kind == "index":
      return f"lax.dynamic_index_in_dim({v.text}, {one}, keepdims=True)", (1, self.columns)
    if kind == "update":
      return f"lax.dynamic_update_slice_in_dim({v.text}, {v.text}[:{size}] + 1, {one}, 0)", v.shape
    if kind == "gather":
      return f"gathered({v.text}, {places.text}, '{rng.choice(('clip', 'fill'))}')", (count, self.columns)
    updates = f"{v.text}[:{count}]" if count <= self.length else f"jnp.ones(({count}, {self.columns}), jnp.{self.dtype})"
    return f"scattered({v.text}, {places.text}, {updates}, {rng.random() < .5}, '{rng.choice(('clip', 'drop'))}')", v.shape

  def draw(self):
    v = self.input((self.length, self.columns), self.dtype, bound=50)
    lists = [self.list_of_places() for _ in range(self.rng.randrange(1, 4))]
    for _ in range(self.rng.randrange(2, 6)):
      text, shape = self.from_places(v, self.rng.choice(lists))
      found = self.define(text, shape, 200, True)
      self.add(f"{self.output(shape, self.dtype)}[...] = {found.text}")
    return self.kernel()

  def kernel(self):
    kernel = super().kernel()
    kernel.source = kernel.source.replace("\ndef kernel(", f"{FUNCTIONS}\ndef kernel(interpret, ", 1)
    kernel.source = kernel.source.replace("pallas_call(kernel,", "pallas_call(lambda *refs: kernel(interpret, *refs),", 1)
    return kernel
