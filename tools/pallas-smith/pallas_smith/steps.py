"""Random Pallas kernels over rows, for what joins steps of a grid: most of what they do treats the rows of a block alike.

Each statement is of a kind that some rule of the join has to know: rows counted from the start of the block or of the
array, reductions and products that leave rows alone or mix them, scratch memory that is filled again or carried on,
branches and tables that ask which step it is.
"""
import random

from .kernels import HEADER, Kernel, Limited

FIRST = 15_000_000
FIRST_CUT = 20_000_000


class Rows(Limited):
  """A kernel in the making: values of `rows` x `columns` in steps of a grid. Subclasses choose `dtype`, `rows`, `columns` and
  `steps`."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    self.lines, self.values, self.scratch, self.count = [], [], 0, 0

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    return cls(seed).draw()

  def define(self, text):
    self.count += 1
    self.lines.append(f"v{self.count} = {text}")
    self.values.append(f"v{self.count}")

  def any(self):
    return self.rng.choice(self.values[-3:])


class Steps(Rows):
  """Steps along the first dimension, and perhaps a second one."""

  def __init__(self, seed):
    super().__init__(seed)
    self.dtype = self.rng.choice(("float32", "float32", "int32"))
    self.rows, self.columns = self.rng.choice((1, 2, 4, 8, 8, 16, 3)), self.rng.choice((8, 16, 128))
    self.steps, self.inner = self.rng.choice((2, 3, 4, 6, 8)), self.rng.choice((0, 0, 0, 2, 4))
    # Rows of the last block that the array lacks. CPUs sum the floats of a row in another order where a block is cut off.
    self.missing = self.rng.randrange(self.rows) if self.dtype == "int32" and self.rng.random() < .4 else 0
    self.squeezed = not self.missing and self.rng.random() < .15
    self.extra = []

  def cast(self, text):
    return f"({text}).astype(jnp.{self.dtype})"

  def input(self, shape, spec):
    """An input that all steps see as a whole."""
    name = f"w{len(self.extra)}"
    self.extra.append((shape, spec))
    return name

  def iota(self, axis):
    return f"lax.broadcasted_iota(jnp.int32, ({self.rows}, {self.columns}), {axis})"

  def alike(self):
    """A value whose rows depend on the same rows of others."""
    a, b, rng = self.any(), self.any(), self.rng
    self.define(rng.choice((
        lambda: self.limit(f"{a} + {b}"), lambda: self.limit(f"{a} * {b}"), lambda: f"jnp.maximum({a}, -{b})",
        lambda: self.limit(f"{a} - jnp.max({a}, axis=1, keepdims=True)"), lambda: self.limit(f"{a} + jnp.sum({b}, axis=1)[:, None]"),
        lambda: self.limit(f"jnp.cumsum({a}, axis=1)"), lambda: f"jnp.flip({a}, 1)", lambda: f"jnp.roll({a}, {rng.randrange(1, 4)}, 1)",
        lambda: f"jnp.sort({a}, axis=1)", lambda: self.limit(f"({a}.T + 1).T"),
        lambda: self.limit(f"{a}.reshape({self.rows}, 2, {self.columns // 2}).sum(1).repeat(2, axis=1)"),
        lambda: self.limit(f"{a}.reshape({self.rows * self.columns},).reshape({self.rows}, {self.columns}) + 1"),
        lambda: f"jnp.concatenate([{a}[:, {self.columns // 2}:], {b}[:, :{self.columns // 2}]], axis=1)",
        lambda: self.limit(f"lax.dot_general({a}, {self.input((self.columns, self.columns), None)}[...], ((({1},), ({rng.choice((0, 1))},)), ((), ())), preferred_element_type=jnp.{self.dtype})"),
        lambda: self.limit(f"{a} + {self.input((1, self.columns), None)}[...]"),
        lambda: f"lax.fori_loop(0, {rng.randrange(1, 4)}, lambda k, c: {self.limit(f'c + {a}')}, {b})",
    ))())

  def place(self):
    """A value that counts rows: of the block, of the array, or of something between."""
    a, rng = self.any(), self.rng
    row = rng.choice((f"{self.iota(0)} + pl.program_id(0) * {self.rows}", self.iota(0), f"{self.iota(0)} * 3 - pl.program_id(0) * {rng.randrange(4)}",
                      f"{rng.randrange(2, 4)} * ({self.iota(0)} + {self.rows} * pl.program_id(0))", f"{self.iota(1)} - {self.iota(0)}",
                      f"jnp.full(({self.rows}, {self.columns}), pl.program_id(0), jnp.int32)"))
    self.define(rng.choice((f"jnp.where({row} < {rng.randrange(1, 20)}, {a}, 0)", self.limit(f"{a} + {self.cast(f'({row}) & 7')}"),
                            f"jnp.where(({row}) % 3 == 1, {a}, {self.any()})")))

  def mixed(self):
    """A value whose rows depend on others of the block, or on the step."""
    a, rng = self.any(), self.rng
    kinds = ["bias", "when", "table", "branch"] + ([] if self.missing else ["sum", "cumsum", "flip", "roll", "dot", "part", "sort"])
    kind = rng.choice(kinds)
    if kind == "when":
      self.scratch += 1
      self.lines += [f"s{self.scratch - 1}[...] = {a}", f"@pl.when(pl.program_id(0) {rng.choice(('==', '!=', '<'))} {rng.randrange(self.steps)})",
                     "def _():", f"  s{self.scratch - 1}[...] = {self.limit(f'{a} + 1')}"]
      return self.define(f"s{self.scratch - 1}[...]")
    self.define({
        "bias": lambda: self.limit(f"{a} + {self.input((self.rows, self.columns), None)}[...]"),
        "table": lambda: self.limit(f"{a} + {self.input((self.steps,), 'smem')}[pl.program_id(0)]"),
        "branch": lambda: f"lax.cond(pl.program_id(0) % 2 == 0, lambda: {a}, lambda: {self.limit(f'{a} + 1')})",
        "sum": lambda: self.limit(f"{a} + jnp.sum({self.any()}, axis=0, keepdims=True)"),
        "cumsum": lambda: self.limit(f"jnp.cumsum({a}, axis=0)"), "flip": lambda: f"jnp.flip({a}, 0)", "roll": lambda: f"jnp.roll({a}, 1, 0)",
        "sort": lambda: f"jnp.sort({a}, axis=0)",
        "dot": lambda: self.limit(f"lax.dot_general(lax.dot_general({a}, {a}, ((({1},), ({1},)), ((), ())), preferred_element_type=jnp.{self.dtype}), {a}, ((({1},), ({0},)), ((), ())), preferred_element_type=jnp.{self.dtype})"),
        "part": lambda: f"{a} - {a}[0:1, :]",
    }[kind]())

  def remember(self):
    """A value that goes through scratch memory, filled in this step, in the first one of a row of steps, or never again."""
    a, name = self.any(), f"s{self.scratch}"
    self.scratch += 1
    kind = self.rng.choice(("filled", "started", "carried") if not self.inner else ("filled", "started", "started", "carried"))
    if kind == "filled":
      self.lines += [f"{name}[...] = {a}", f"{name}[...] = {self.limit(f'{name}[...] + {self.any()}')}"]
    else:
      axis = 1 if self.inner and kind == "started" else 0
      first = "pl.program_id(0) + pl.program_id(1) == 0" if self.inner and axis == 0 else f"pl.program_id({axis}) == 0"
      self.lines += [f"@pl.when({first})", "def _():", f"  {name}[...] = jnp.zeros(({self.rows}, {self.columns}), jnp.{self.dtype})",
                     f"{name}[...] = {self.limit(f'{name}[...] + {a}')}"]
    self.define(f"{name}[...]")

  def draw(self):
    self.define("x[...]")
    for _ in range(self.rng.randrange(1, 6)):
      self.rng.choices((self.alike, self.place, self.mixed, self.remember), (6, 3, 1 if self.rng.random() < .5 else 0, 1.5))[0]()
    self.lines.append(f"o[...] = {self.values[-1]}")
    total = self.rows * self.steps - self.missing
    columns = self.columns * max(self.inner, 1)
    shape = (self.steps, self.rows, columns) if self.squeezed else (total, columns)
    ids, column = ("i, j", "j") if self.inner else ("i", "0")
    block = f"(None, {self.rows}, {self.columns}), lambda {ids}: (i, 0, {column})" if self.squeezed else f"({self.rows}, {self.columns}), lambda {ids}: (i, {column})"
    specs = {None: lambda s: f"pl.BlockSpec({s}, lambda {ids}: {(0,) * len(s)})", "smem": lambda s: "pl.BlockSpec(memory_space=pltpu.SMEM)"}
    names = ["x", *(f"w{i}" for i in range(len(self.extra))), "o", *(f"s{i}" for i in range(self.scratch))]
    body = "\n".join(f"  {line}" for line in self.lines)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({shape}, jnp.{self.dtype}), grid=({self.steps}, {f'{self.inner},' if self.inner else ''}),\n"
              f"    in_specs=[{', '.join([f'pl.BlockSpec({block})', *(specs[spec](s) for s, spec in self.extra)])}], out_specs=pl.BlockSpec({block}),\n"
              f"    scratch_shapes=[{', '.join([f'pltpu.VMEM(({self.rows}, {self.columns}), jnp.{self.dtype})'] * self.scratch)}], interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, [(s, self.dtype, 0) for s in (shape, *(s for s, _ in self.extra))], self.dtype)


class CutSteps(Steps):
  """The same on arrays that end within the last block, of floats as well."""

  def __init__(self, seed):
    super().__init__(seed)
    self.rows = self.rng.choice((2, 3, 5, 7, 8, 12, 16))
    self.missing, self.squeezed = self.rng.randrange(1, self.rows), False
