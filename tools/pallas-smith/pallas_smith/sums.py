# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that add up over the steps of a grid, or nearly.

A step multiplies or reduces its parts of the inputs and adds the result to scratch memory, which the first step fills and the
last one stores. Most kernels depart from that in one place: what is added is no sum over the parts, memory is not only added
to, it is read before all is in it, or other steps than the first and the last take a branch.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 31_000_000


class Sums(Rows):
  """Steps of `depth` elements of a sum of `rows` x `columns`; perhaps other steps around them, or between."""

  def __init__(self, seed):
    super().__init__(seed)
    rng = self.rng
    self.dtype = rng.choice(("int32", "int32", "float32"))
    self.rows, self.columns = rng.choice((2, 4, 8)), rng.choice((4, 8, 16))
    self.depth = rng.choice((1, 2, 4, 8, self.rows))
    self.steps = rng.choice((2, 3, 4, 4, 5, 6, 8))
    self.outer, self.inner = rng.choice((0, 0, 2)), rng.choice((0, 0, 0, 0, 0, 0, 2))
    self.is_turned = rng.random() < .3
    self.departs = rng.choice(("", "part", "part", "update", "update", "between", "start", "end"))

  def dot(self, a="a", b="b"):
    return f"lax.dot_general({a}, {b}, ((({0 if self.is_turned else 1},), (0,)), ((), ())), preferred_element_type=jnp.{self.dtype})"

  def part(self):
    """What a step adds, from its parts `a` and `b` of the inputs."""
    rng, shape, axis = self.rng, (self.rows, self.columns), 0 if self.is_turned else 1
    spread = lambda text: f"jnp.broadcast_to({text}, {shape})"
    alike = [self.dot(), self.dot(), f"-{self.dot()}", f"{self.dot()} * 3", f"{self.dot()} * w[...]", f"{self.dot()} - {self.dot('a + 1')}",
             spread("jnp.sum(b, axis=0, keepdims=True)"), f"{self.dot('a * 2', 'jnp.flip(b, 1)')}"]
    if self.departs != "part":
      return rng.choice(alike)
    place = f"lax.broadcasted_iota(jnp.int32, a.shape, {axis})"
    others = [f"{self.dot()} + w[...]", f"{self.dot()} + 1", f"{self.dot()} * k.astype(jnp.{self.dtype})", f"{self.dot()} + k.astype(jnp.{self.dtype})",
              f"jnp.maximum({self.dot()}, 0)", f"{self.dot()} * {self.dot()}", spread("jnp.max(b, axis=0, keepdims=True)"),
              spread("jnp.min(b, axis=0, keepdims=True)"), self.dot(f"jnp.flip(a, {axis})"), self.dot("a", "jnp.cumsum(b, axis=0)"),
              self.dot(f"a * ({place} + k * {self.depth} < {rng.randrange(1, self.depth * self.steps + 1)}).astype(jnp.{self.dtype})"),
              self.dot(f"a * ({place} < {rng.randrange(1, self.depth + 1)}).astype(jnp.{self.dtype})"), self.dot("a", "b[:, :1] + b")]
    if self.depth == self.rows:
      others += [spread("jnp.sum(b, axis=1, keepdims=True)")] * 3 + ["b", f"{self.dot()} + b"]
    return rng.choice(others)

  def update(self, part):
    """Statements that add the part to `acc`."""
    plain = [[f"acc[...] += {part}"], [f"acc[...] = {part} + acc[...]"], [f"acc[...] -= {part}"]]
    if self.departs != "update":
      return self.rng.choice(plain)
    half = self.rows // 2
    upper = self.dot(f"a[:, :{half}]" if self.is_turned else f"a[:{half}]")
    first, last = (lambda text: self.when("k == 0", text)), (lambda text: self.when(f"k == {self.steps - 1}", text))
    return self.rng.choice((
        [f"acc[...] = {part} - acc[...]"], [f"acc[...] = acc[...] * 2 + {part}"], [f"acc[...] = other[...] + {part}"], [f"acc[...] = x2[...] + {part}"],
        ["before = acc[...]", "acc[...] = w[...]", f"acc[...] = before + {part}"],
        ["before = acc[...]", f"acc[...] = {part}", "acc[...] = before + acc[...]"],
        ["before = acc[...]", f"acc[...] = before + {part}", *last("other[...] += before")],
        ["before = acc[...]", f"acc[...] += {part}", *last("other[...] += before")],
        [f"before = jax.ref.swap(acc, ..., acc[...] + {part})", *last("other[...] += before")],
        [f"now = acc[...] + {part}", "acc[...] = now", *first("other[...] = now")],
        [f"now = acc[...] + {part}", "acc[...] = now", "other[...] += now"],
        [f"acc[:{half}, :] = acc[{half}:, :] + {upper}"], [f"acc[:{half}, :] = acc[:{half}, :] + {upper}"],
        [f"acc[...] += {part}", "acc[...] = acc[...] & 63" if self.dtype == "int32" else "acc[...] = jnp.clip(acc[...], -4, 4)"]))

  def when(self, condition, *statements):
    return [f"@pl.when({condition})", "def _():", *(f"  {statement}" for statement in statements)]

  def draw(self):
    rng, last = self.rng, self.steps - 1
    fill = lambda ref: f"{ref}[...] = jnp.full(({self.rows}, {self.columns}), {rng.randrange(3)}, jnp.{self.dtype})"
    # Other steps between those of a sum see what these have left there.
    first = "(k == 0) & (pl.program_id(%d) == 0)" % (self.axis() + 1) if self.inner else "k == 0"
    lines = self.when(first, fill("acc"), fill("other"))
    store = "o[...] = acc[...] + other[...]"
    some = rng.choice((f"k % {rng.choice((2, 3))} == 0", "k < 2", f"k == {rng.randrange(self.steps)}", "k != 0", f"k % 2 == {last % 2}", f"k >= {rng.randrange(self.steps)}"))
    if self.departs == "start":
      lines += self.when(some, rng.choice(("acc[...] = w[...]", "acc[...] += w[...]", "other[...] += w[...]")))
    update = self.update(self.part())
    lines += update
    if self.departs == "between":
      lines += rng.choice((["other[...] = acc[...]"], ["other[...] += acc[...]"], self.when(f"k == {last}", store), self.when("k == 0", fill("acc")),
                           self.when("k == 0", "other[...] = acc[...]"), self.when(some, "other[...] = acc[...]")))
      lines += update if rng.random() < .3 else []
    if self.departs == "end":
      lines += self.when(some, rng.choice(("other[...] += acc[...]", "acc[...] = w[...]", store)))
    lines += [store] if self.inner or rng.random() < .1 else self.when(f"k == {last}", store)
    return self.call(["a, b = x0[...], x1[...]", *lines])

  def axis(self):
    return 1 if self.outer else 0

  def call(self, lines):
    ids = ", ".join([*("j" for _ in [0] if self.outer), "i", *("n" for _ in [0] if self.inner)])
    row, rows = ("j", self.rows * self.outer) if self.outer else ("0", self.rows)
    column, columns = ("n", self.columns * self.inner) if self.inner else ("0", self.columns)
    depth, block = self.depth * self.steps, (self.rows, self.columns)
    left = ((self.depth, self.rows), f"(i, {row})", (depth, rows)) if self.is_turned else ((self.rows, self.depth), f"({row}, i)", (rows, depth))
    windows = [left, ((self.depth, self.columns), f"(i, {column})", (depth, columns)), (block, f"({row}, {column})", (rows, columns)),
               (block, f"({row}, {column})", (rows, columns))]
    spec = lambda window: f"pl.BlockSpec({window[0]}, lambda {ids}: {window[1]})"
    grid = tuple(size for size in (self.outer, self.steps, self.inner) if size)
    body = "\n".join(f"  {line}" for line in ["k = pl.program_id(%d)" % self.axis(), *lines])
    source = (f"{HEADER}\ndef kernel(x0, x1, x2, w, o, acc, other):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({(rows, columns)}, jnp.{self.dtype}), grid={grid},\n"
              f"    in_specs=[{', '.join(map(spec, windows))}],\n    out_specs={spec(windows[-1])},\n"
              f"    scratch_shapes=[pltpu.VMEM({block}, jnp.{self.dtype})] * 2, interpret=interpret)(*arrays)\n")
    kernel = Kernel(self.seed, source, [(window[2], self.dtype, 0) for window in windows], self.dtype)
    # The checks report windows of results that are left and come back.
    kernel.is_silent = not self.inner
    return kernel
