# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels whose steps must not always be joined.

Windows move in all ways: backwards, by several blocks, from the middle, along two dimensions, by elements, or not in every
step. Scratch memory is overwritten in part, behind a read, or in other steps than the first ones. Bodies use what treats
rows alike along one dimension only: rotations, products with batches, slices, tables that are not the same in each row.
"""
from .kernels import HEADER, Kernel
from .steps import Rows

FIRST = 21_000_000

# What a window's index along the rows is in step i of n, and how many blocks of rows the array has.
WALKS = {
    "still": ("0", lambda n: 1),
    "plain": ("i", lambda n: n),
    "behind": ("i + 1", lambda n: n + 1),
    "second": ("i + 2", lambda n: n + 2),
    "strided": ("i * 2", lambda n: 2 * n),
    "reversed": ("{n} - 1 - i", lambda n: n),
    "down": ("{n} - i", lambda n: n + 1),
    "halved": ("i // 2", lambda n: n),
    "next": ("jnp.minimum(i + 1, {n} - 1)", lambda n: n),
    "turned": ("(i + 1) % {n}", lambda n: n),
    "squared": ("i * i", lambda n: n * n),
    "outside": ("i + 2", lambda n: n),
}


class Joins(Rows):
  """`steps` along the rows, and perhaps `inner` ones along columns."""

  def __init__(self, seed):
    super().__init__(seed)
    rng = self.rng
    self.dtype = rng.choice(("float32", "int32", "int32"))
    self.rows, self.columns = rng.choice((1, 2, 4, 8, 8)), rng.choice((4, 8, 8, 16))
    self.steps, self.inner = rng.choice((2, 3, 4, 4, 6)), rng.choice((0, 0, 2, 3))
    # Whether the steps along the rows are the outer ones.
    self.is_outer = rng.random() < .6
    # Calls for each element of a batch have steps that the kernel does not see.
    self.batch = rng.choice((0, 0, 0, 0, 0, 0, 3, 5))
    self.inputs, self.is_silent = [], True

  def axis(self, of):
    """The axis of the grid that walks along rows, 0, or columns, 1."""
    return of if self.is_outer or not self.inner else 1 - of

  def window(self, walk):
    """A window over an array that it walks along in this way; its block, its index map and the array's shape."""
    index, blocks = WALKS[walk]
    index, count = index.format(n=self.steps), blocks(self.steps)
    column, width = ("j", self.inner) if self.inner else ("0", 1)
    if walk == "still" and self.rng.random() < .5:
      column, width = "0", 1
    shape = (self.rows * count, self.columns * width)
    kind = self.rng.random()
    if not self.inner and walk == "plain" and kind < .15:
      # Along both dimensions at once.
      return f"({self.rows}, {self.columns}), lambda {self.ids()}: (i, i)", (shape[0], self.columns * self.steps)
    if kind < .4:
      size = self.rows + self.rng.choice((0, 0, 2))
      shape = (shape[0] + size - self.rows, shape[1])
      block = f"(pl.Element({size}), pl.Element({self.columns}))"
      return f"{block}, lambda {self.ids()}: (({index}) * {self.rows}, {column} * {self.columns})", shape
    return f"({self.rows}, {self.columns}), lambda {self.ids()}: ({index}, {column})", shape

  def ids(self):
    return ("i, j" if self.is_outer else "j, i") if self.inner else "i"

  def read(self):
    """What a further input holds."""
    walk = self.rng.choice(list(WALKS))
    # The checks report such windows; they are moved inside.
    self.is_silent &= walk != "outside"
    spec, shape = self.window(walk)
    self.inputs.append((spec, shape))
    name = f"x{len(self.inputs) - 1}"
    self.define(self.limit(f"{self.any()} + {name}[:{self.rows}, :]" if "Element" in spec else f"{self.any()} + {name}[...]"))

  def whole(self, shape):
    """An input that all steps see as a whole."""
    self.inputs.append((f"{shape}, lambda {self.ids()}: {(0,) * len(shape)}", shape))
    return f"x{len(self.inputs) - 1}"

  def alike(self):
    """A value whose rows depend on the same rows of others only."""
    a, b, rng, c = self.any(), self.any(), self.rng, self.columns
    self.define(rng.choice((
        lambda: self.limit(f"{a} + {b}"), lambda: self.limit(f"{a} - jnp.max({b}, axis=1, keepdims=True)"), lambda: f"jnp.flip({a}, 1)",
        lambda: self.limit(f"{a} + {self.whole((1, c))}[...]"), lambda: f"jnp.roll({a}, 1, 1)"))())

  def mix(self):
    """A value that may depend on other rows, or on the step."""
    a, b, rng, r, c = self.any(), self.any(), self.rng, self.rows, self.columns
    dot, half = f"preferred_element_type=jnp.{self.dtype}", f"{a}.reshape({r}, 2, {c // 2})"
    row = f"pl.program_id({self.axis(0)})"
    kinds = [
        lambda: f"jnp.roll({a}, 1, 0)", lambda: f"jnp.flip({a}, 0)", lambda: f"jnp.sort({a}, axis=0)", lambda: self.limit(f"jnp.cumsum({a}, axis=0)"),
        lambda: f"pltpu.roll({a}, 1, 1, stride=1, stride_axis=0)", lambda: f"pltpu.roll({a}, 1, 0, stride=1, stride_axis=1)",
        lambda: self.limit(f"{half}.max(1).repeat(2, axis=1)"),
        lambda: self.limit(f"{a} + jnp.arange({r * c}, dtype=jnp.int32).reshape({r}, {c}).astype(jnp.{self.dtype}) % 3"),
        lambda: self.limit(f"{a} + {self.whole((r, c))}[...]"), lambda: self.limit(f"{a} + {self.whole((r, 1))}[...]"),
        lambda: self.limit(f"{a} + {self.whole((8,))}[{row} % 8]"),
        lambda: f"jnp.concatenate([{a}[:, 1:], {b}[:, :1]], axis=1)",
        lambda: f"jnp.concatenate([{a}, {b}], axis=0).reshape({r}, {2 * c})[:, {rng.choice((0, c // 2))}:][:, :{c}]",
        lambda: f"{a}[:{r // 2}].reshape({r}, {c // 2}).repeat(2, axis=1)" if r > 1 else f"{a} + {b}",
        lambda: f"lax.fori_loop(0, {row} % 3, lambda k, c: {self.limit(f'c + {a}')}, {b})",
        lambda: f"lax.fori_loop(0, 2, lambda k, c: {self.limit(f'c.T + {a}') if r == c else f'jnp.flip(c, 0)'}, {b})",
        lambda: self.limit(f"{a} + x0.reshape({r * c // 4}, 4)[...].reshape({r}, {c})") if self.inputs[0][1][1] == c else f"-{a}",
        lambda: self.limit(f"{a} + ({row} * 4 < pl.num_programs({self.axis(0)}) * 3).astype(jnp.{self.dtype})"),
        lambda: f"lax.while_loop(lambda c: jnp.max(c) > 2, lambda c: c // 2 - 1, {a})",
        lambda: f"lax.switch({row} % 3, [lambda: {a}, lambda: {b}, lambda: {self.limit(f'{a} + 1')}])",
    ]
    if self.dtype == "int32":
      whole = lambda *shape: f"{self.whole(shape)}[...]"
      kinds += [
          lambda: self.limit(f"lax.dot_general({a}, {whole(c, c)}, ((({1},), ({rng.randrange(2)},)), ((), ())), {dot})"),
          lambda: self.limit(f"lax.dot_general({whole(r, r)}, {a}, ((({rng.randrange(2)},), ({0},)), ((), ())), {dot})"),
          lambda: self.limit(f"lax.dot_general({whole(c, c)}, {a}, ((({0},), ({1},)), ((), ())), {dot}).T"),
          lambda: self.limit(f"lax.dot_general({half}, {half}, ((({2},), ({2},)), (({0},), ({0},))), {dot}).max(2).repeat({c // 2}, axis=1)"),
          lambda: self.limit(f"lax.dot_general({a}, {b}, ((({0},), ({0},)), ((), ())), {dot})" if r == c else f"{a} * {b}"),
          lambda: self.limit(f"{a} + pltpu.bitcast(pltpu.bitcast({a}, jnp.int16) // 3, jnp.int32)"),
          lambda: self.limit(f"{a} + jnp.sum({b}, axis=0, keepdims=True)"),
      ]
    self.define(rng.choice(kinds)())

  def remember(self):
    """Scratch memory that is overwritten first, or nearly so."""
    a, b, name, rng = self.any(), self.any(), f"s{self.scratch}", self.rng
    self.scratch += 1
    row, column = f"pl.program_id({self.axis(0)})", f"pl.program_id({self.axis(1)})"
    first = f"{row} + {column} == 0" if self.inner else f"{row} == 0"
    half = self.columns // 2
    when = lambda condition, *texts: [f"@pl.when({condition})", "def _():", *(f"  {text}" for text in texts)]
    fill = f"{name}[...] = jnp.ones(({self.rows}, {self.columns}), jnp.{self.dtype})"
    add = f"{name}[...] = {self.limit(f'{name}[...] + {a}')}"
    kind = rng.choice(("filled", "late", "swapped", "carried", "switch") + (("start", "second", "row", "part", "part") * 2 if self.inner else ()))
    if kind in ("late", "swapped"):
      # What is there in the first step of all is of no account.
      self.is_silent = False
      old = f"{name}[...]" if kind == "late" else f"jax.ref.swap({name}, ..., {b})"
      self.define(self.limit(f"{a} + jnp.where({first}, 0, {old})"))
      return self.lines.append(f"{name}[...] = {b}")
    self.lines += {
        "filled": lambda: [f"{name}[...] = {a}"],
        "carried": lambda: [*when(first, fill), add],
        "switch": lambda: [f"def b{name}():", f"  {name}[...] = {a}", f"def c{name}():", f"  {name}[...] = {b}", f"lax.switch({row} % 2, [b{name}, c{name}])"],
        "start": lambda: [*when(f"{column} == 0", f"{name}[...] = {b}"), add],
        "second": lambda: [*when(f"{column} == 1", f"{name}[...] = {b}"), *when(first, fill), add],
        "row": lambda: [*when(f"{row} == 0", f"{name}[...] = {b}"), add],
        "part": lambda: [*when(f"{column} == 0", f"{name}[:, :{half}] = {a}[:, :{half}]"), *when(first, f"{name}[:, {half}:] = {a}[:, {half}:]")],
    }[kind]()
    self.define(f"{name}[...]")

  def draw(self):
    rng = self.rng
    spec, shape = self.window("plain") if rng.random() < .3 else (
        f"({self.rows}, {self.columns}), lambda {self.ids()}: (i, {'j' if self.inner else '0'})", (self.rows * self.steps, self.columns * max(self.inner, 1)))
    self.inputs.append((spec, shape))
    self.define(f"x0[:{self.rows}, :]" if "Element" in spec else "x0[...]")
    # Little that forbids joins hides the rest.
    for _ in range(rng.randrange(3)):
      self.alike()
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
      rng.choices((self.mix, self.read, self.remember), (4, 3, 3))[0]()
    walk = rng.choice(("plain", "plain", "plain", "reversed", "turned"))
    index = WALKS[walk][0].format(n=self.steps)
    column = "j" if self.inner else "0"
    total = (self.rows * self.steps, self.columns * max(self.inner, 1))
    if rng.random() < .2:
      out = f"(pl.Element({self.rows}), pl.Element({self.columns})), lambda {self.ids()}: (({index}) * {self.rows}, {column} * {self.columns})"
    else:
      out = f"({self.rows}, {self.columns}), lambda {self.ids()}: ({index}, {column})"
    # Rows behind those that are written keep what an alias has there.
    alias = not self.batch and rng.random() < .25
    if alias:
      total = (total[0] + self.rows, total[1])
      self.inputs.append((out, total))
      self.lines.append(f"o[...] = {self.limit(f'{self.values[-1]} + x{len(self.inputs) - 1}[...]')}")
    else:
      self.lines.append(f"o[...] = {self.values[-1]}")
    grid = (self.steps,) if not self.inner else (self.steps, self.inner) if self.is_outer else (self.inner, self.steps)
    names = [*(f"x{i}" for i in range(len(self.inputs))), "o", *(f"s{i}" for i in range(self.scratch))]
    body = "\n".join(f"  {line}" for line in self.lines)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return {'jax.vmap(' * bool(self.batch)}pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({total}, jnp.{self.dtype}), grid={grid},\n"
              f"    in_specs=[{', '.join(f'pl.BlockSpec({spec})' for spec, _ in self.inputs)}], out_specs=pl.BlockSpec({out}),\n"
              f"    scratch_shapes=[{', '.join([f'pltpu.VMEM(({self.rows}, {self.columns}), jnp.{self.dtype})'] * self.scratch)}],\n"
              f"    input_output_aliases={{{f'{len(self.inputs) - 1}: 0' if alias else ''}}}, interpret=interpret){')' * bool(self.batch)}(*arrays)\n")
    kernel = Kernel(self.seed, source, [((self.batch,) * bool(self.batch) + shape, self.dtype, 0) for _, shape in self.inputs], self.dtype)
    kernel.is_silent = self.is_silent
    return kernel
