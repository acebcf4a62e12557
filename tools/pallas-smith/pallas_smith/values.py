"""Random Pallas kernels about values: what real kernels do between their loads and their stores.

Families, each with numbers of its own: reductions of shared values along several axes, broadcasts of both
operands, stores of column slices, values that loops carry through branches, and rearrangements of odd numbers of
lanes. Kernels have several outputs, of other element types than the values that are stored.

A draft keeps a bound of every value, so that results stay where rounding is small, and notes which values no
rounding changed: only those are compared or searched for extrema.
"""
import dataclasses
import math
import random

import numpy as np
from .kernels import HEADER, Kernel

# Numbers of kernels of each family.
FIRST_REDUCTIONS = 10_000_000
FIRST_BROADCASTS = 11_000_000
FIRST_COLUMNS = 12_000_000
FIRST_CARRIES = 13_000_000
FIRST_LANES = 14_000_000

# Primes, and lengths around those of vectors and tiles.
ODD = (1, 2, 3, 5, 7, 9, 13, 15, 17, 31, 33, 61, 63, 65, 127, 129)
NARROW = ("bfloat16", "float16", "int8", "int32", "float8_e4m3fn")
# As far as sums of floats go before they are scaled down.
LARGEST = 300


@dataclasses.dataclass
class Term:
  """A value: its text, shape, element type, how large its elements can be, and whether rounding went into them."""
  text: str
  shape: tuple[int, ...]
  dtype: str
  bound: float
  exact: bool


@dataclasses.dataclass
class ValueKernel(Kernel):
  """`inputs` are shape, element type and bound; whole numbers with `whole`."""
  whole: bool

  def arrays(self):
    import ml_dtypes
    rng = np.random.default_rng(self.seed)
    made = []
    for shape, dtype, bound in self.inputs:
      drawn = rng.integers(-bound, bound + 1, shape) if self.whole or "int" in dtype else rng.uniform(-bound, bound, shape)
      made.append(drawn.astype(getattr(ml_dtypes, dtype, dtype)))
    return made


class Draft:
  """A kernel in the making. Its statements come line by line, its arrays are whole or cut along a leading axis."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    self.dtype = self.rng.choice(("float32",) * 5 + ("int32", "bfloat16"))
    # Sums of whole numbers are exact in floats, too, so extrema of them have one place.
    self.whole = self.dtype == "int32" or self.rng.random() < .3
    self.grid = self.rng.choice((0, 0, 0, 2, 3))
    self.inputs, self.outputs, self.lines, self.count = [], [], [], 0

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    return cls(seed).draw()

  def name(self):
    self.count += 1
    return f"v{self.count}"

  def add(self, *lines):
    self.lines += lines

  def define(self, text, shape, bound, exact, dtype=None) -> Term:
    name = self.name()
    self.add(f"{name} = {text}")
    return Term(name, tuple(shape), dtype or self.dtype, bound, exact)

  def input(self, shape, dtype=None, bound=2) -> Term:
    """Another input; its value has the element type of the draft."""
    dtype = dtype or (self.rng.choice(("bfloat16", "int8")) if self.dtype == "float32" and self.rng.random() < .15 else self.dtype)
    self.inputs.append((tuple(shape), dtype, bound, bool(self.grid) and self.rng.random() < .7))
    text = f"x{len(self.inputs) - 1}[...]"
    if dtype != self.dtype:
      text += f".astype(jnp.{self.dtype})"
    term = Term(text, tuple(shape), self.dtype, bound, True)
    # Kernels read a ref where they need it, or once.
    return dataclasses.replace(term, text=self.define(text, shape, bound, True).text) if self.rng.random() < .6 else term

  def output(self, shape, dtype=None):
    self.outputs.append((tuple(shape), dtype or self.dtype))
    return f"o{len(self.outputs) - 1}"

  def stored_as(self, term, narrow=.4):
    """An element type to store a value as."""
    if term.dtype == "int32":
      return self.rng.choice(("int8", "int16", "float32")) if self.rng.random() < narrow else "int32"
    fitting = [t for t in NARROW if t in ("bfloat16", "float16") or term.exact and term.bound < (100 if t == "int8" else 16 if "8" in t else 1 << 20)]
    return self.rng.choice(fitting) if self.rng.random() < narrow else term.dtype

  def store(self, term):
    dtype = self.stored_as(term)
    self.add(f"{self.output(term.shape, dtype)}[...] = {term.text}" + (f".astype(jnp.{dtype})" if dtype != term.dtype else ""))

  def limit(self, term) -> Term:
    """The same value, scaled down or cut off if it may be large."""
    if term.dtype == "int32" or term.bound <= LARGEST:
      return term
    return self.define(f"jnp.clip({term.text}, -4, 4)", term.shape, 4, term.exact, term.dtype)

  def binary(self, a, b) -> Term:
    """Two values of one element type that broadcast to each other."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    kind = self.rng.choice("+-***<>")
    bound = a.bound * b.bound if kind == "*" else max(a.bound, b.bound) if kind in "<>" else a.bound + b.bound
    text = f"({a.text} {kind} {b.text})" if kind in "+-*" else f"jnp.{'maximum' if kind == '>' else 'minimum'}({a.text}, {b.text})"
    return Term(text, shape, self.dtype, bound, self.stays_exact(bound, a, b))

  def stays_exact(self, bound, *terms):
    return all(t.exact for t in terms) and (self.dtype == "int32" or self.whole and bound < (256 if self.dtype == "bfloat16" else 1 << 22))

  def unary(self, a) -> Term:
    if self.dtype == "int32":
      text = self.rng.choice(("({} & 31)", "(-{})", "jnp.abs({})", "({} >> 1)"))
      return Term(text.format(a.text), a.shape, a.dtype, a.bound + 31, True)
    text, bound = self.rng.choice((("jnp.exp(jnp.clip({}, -2, 2))", 8), ("jnp.exp(-jnp.abs({}))", 1), ("jnp.tanh({})", 1), ("lax.logistic({})", 1),
                                   ("jnp.abs({})", a.bound), ("(-{})", a.bound)))
    return Term(text.format(a.text), a.shape, a.dtype, bound, a.exact and bound == a.bound)

  def reduce(self, a, axes, keep=None) -> Term:
    """A value along some axes; extrema are looked for where only one element can be meant."""
    kinds = ["sum"] * 4 + ["max", "max", "min", "mean"] + (["argmax", "argmin"] if a.exact and len(axes) == 1 else [])
    kind = self.rng.choice(kinds if self.dtype != "int32" else [k for k in kinds if k != "mean"])
    keep = self.rng.random() < .3 if keep is None else keep
    length = math.prod(a.shape[axis] for axis in axes)
    shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape) if keep or i not in axes)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    text, bound, exact = f"jnp.{kind}({a.text}, axis={axis}{', keepdims=True' if keep else ''})", a.bound, a.exact
    if kind.startswith("arg"):
      return Term(f"{text}.astype(jnp.{self.dtype})", shape, self.dtype, length, self.stays_exact(length, a))
    if kind == "sum":
      bound *= length
      exact = self.stays_exact(bound, a)
      if bound > LARGEST and not exact:
        text, bound = f"({text} * {1 / length:.3g})", a.bound
    return Term(text, shape, self.dtype, bound, exact and kind != "mean")

  def _spec(self, shape, cut):
    if not self.grid:
      return f"pl.BlockSpec({shape}, lambda: ({'0, ' * len(shape)}))"
    return (f"pl.BlockSpec(({', '.join(['None'] * cut + [str(n) for n in shape])},), "
            f"lambda g: ({', '.join(['g'] * cut + ['0'] * len(shape))},))")

  def kernel(self) -> ValueKernel:
    names = [f"x{i}" for i in range(len(self.inputs))] + [f"o{i}" for i in range(len(self.outputs))]
    body = "".join(f"  {line}\n" for line in self.lines)
    lead = (self.grid,) if self.grid else ()
    results = ", ".join(f"jax.ShapeDtypeStruct({(*lead, *shape)}, jnp.{dtype})" for shape, dtype in self.outputs)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=[{results}], grid={lead},\n"
              f"    in_specs=[{', '.join(self._spec(shape, cut) for shape, _, _, cut in self.inputs)}],\n"
              f"    out_specs=[{', '.join(self._spec(shape, bool(lead)) for shape, _ in self.outputs)}], interpret=interpret)(*arrays)\n")
    described = [((*lead, *shape) if cut else shape, dtype, bound) for shape, dtype, bound, cut in self.inputs]
    return ValueKernel(self.seed, source, described, self.dtype, self.whole)


def shortened(rng, shape, elements):
  """The shape with its longest axes halved until it has no more elements than these."""
  shape = list(shape)
  while math.prod(shape) > elements:
    axis = max(range(len(shape)), key=lambda i: shape[i])
    shape[axis] = max(1, shape[axis] // 2 + rng.randrange(-1, 2))
  return tuple(shape)


#===- Reductions --------------------------------------------------------------===#


class Reductions(Draft):
  """Values of rank 3 and 4 that several reductions share, each along axes of its own."""

  def __init__(self, seed):
    super().__init__(seed)
    n, lanes = self.rng.choice((2, 3, 5, 8, 16)), self.rng.choice((1, 7, 8, 16, 17, 64, 128, 129))
    rows = [n, n if self.rng.random() < .6 else self.rng.choice((2, 4, 7, 9))]
    if self.rng.random() < .25:
      rows.insert(0, self.rng.choice((2, 3)))
    self.shape = shortened(self.rng, (*rows, lanes), 40000)
    self.parts, self.shared = [], []

  def spread(self, term, axes):
    """A value of some axes as one of all."""
    if len(axes) == len(self.shape):
      return term
    index = ", ".join(":" if i in axes else "None" for i in range(len(self.shape)))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(self.shape))
    return dataclasses.replace(term, text=f"{term.text}[{index}]", shape=shape)

  def draw_parts(self):
    """Inputs of two axes, or of all."""
    rank = len(self.shape)
    pairs = [(rank - 3, rank - 2), (rank - 3, rank - 1), (rank - 2, rank - 1)]
    pairs += [tuple(range(rank))] + ([(0, 3), (0, 1, 2), (0, 2, 3)] if rank == 4 else [])
    for axes in self.rng.sample(pairs, self.rng.randrange(2, len(pairs))):
      self.parts.append(self.spread(self.input([self.shape[i] for i in axes]), axes))
    if self.rng.random() < .6 and self.shape[-3] == self.shape[-2]:
      # A difference of rows with themselves, as decays in attention have it.
      g = self.input([self.shape[-2], self.shape[-1]])
      both = [self.spread(g, (axis, rank - 1)) for axis in (rank - 3, rank - 2)]
      shape = np.broadcast_shapes(*(b.shape for b in both))
      scale = "" if self.dtype == "int32" else f" * {self.rng.choice((.1, .25, .5))}"
      text = f"({both[0].text} - {both[1].text}){scale}"
      if self.dtype == "int32":
        self.shared.append(self.define(text, shape, 4, True))
      else:
        self.shared.append(self.define(f"jnp.exp({text})", shape, 8, False))

  def product(self):
    """One to three of what there is."""
    terms = self.rng.sample(self.parts, min(len(self.parts), self.rng.choice((1, 2, 2))))
    if self.shared and self.rng.random() < .8:
      terms.insert(self.rng.randrange(len(terms) + 1), self.rng.choice(self.shared))
    term = terms[0]
    for other in terms[1:]:
      term = self.binary(term, other)
    if self.rng.random() < .2:
      term = self.unary(term)
    if self.rng.random() < .15:
      place = self.rng.randrange(len(self.shape))
      mask = f"lax.broadcasted_iota(jnp.int32, {self.shape}, {place}) {self.rng.choice(('<', '>=', '=='))} lax.broadcasted_iota(jnp.int32, {self.shape}, {self.rng.randrange(len(self.shape))})"
      term = Term(f"jnp.where({mask}, {term.text}, 0)", self.shape, self.dtype, term.bound, term.exact)
    return self.limit(term)

  def draw(self):
    self.draw_parts()
    for _ in range(self.rng.choice((0, 1, 1, 2))):
      term = self.product()
      self.shared.append(self.define(term.text, term.shape, term.bound, term.exact))
    results = []
    for _ in range(self.rng.randrange(2, 7)):
      term = self.product() if self.rng.random() < .7 or not self.shared else self.rng.choice(self.shared)
      axes = [i for i, n in enumerate(term.shape) if n > 1] or [len(term.shape) - 1]
      chosen = self.rng.sample(axes, min(len(axes), self.rng.choice((1, 1, 1, 1, 2, 2, 3))))
      found = self.reduce(term, chosen)
      results.append(self.define(found.text, found.shape, found.bound, found.exact))
    self.draw_outputs(results)
    return self.kernel()

  def draw_outputs(self, results):
    """Each result alone, or together with others of its shape."""
    left = list(results)
    while left:
      term = left.pop(0)
      for other in [r for r in left if r.shape == term.shape and self.rng.random() < .5]:
        left.remove(other)
        term = self.limit(self.binary(term, other))
      self.store(term if term.shape else dataclasses.replace(term, text=f"jnp.reshape({term.text}, (1,))", shape=(1,)))


#===- Broadcasts --------------------------------------------------------------===#


class Broadcasts(Draft):
  """Values each of whose axes is as long as the whole or 1, and operations that broadcast both operands."""

  def __init__(self, seed):
    super().__init__(seed)
    rank = self.rng.choice((1, 2, 2, 3, 3, 4))
    self.shape = shortened(self.rng, [self.rng.choice(ODD[:10]) for _ in range(rank - 1)] + [self.rng.choice(ODD)], 6000)
    self.values = []

  def part(self):
    return tuple(n if self.rng.random() < .5 else 1 for n in self.shape)

  def pick(self):
    return self.rng.choice(self.values[-5:])

  def step(self):
    a, b, kind = self.pick(), self.pick(), self.rng.random()
    if kind < .45:
      return self.binary(a, b)
    if kind < .6:
      return self.unary(a)
    axes = [i for i, n in enumerate(a.shape) if n > 1]
    if kind < .75 and axes:
      return self.reduce(a, [self.rng.choice(axes)], keep=True)
    if kind < .87:
      c = self.rng.choice([v for v in self.values if v.exact])
      shape = np.broadcast_shapes(a.shape, b.shape, c.shape)
      return Term(f"jnp.where({c.text} {self.rng.choice(('<', '>=', '!='))} {self.rng.randrange(-1, 2)}, {a.text}, {b.text})",
                  shape, self.dtype, max(a.bound, b.bound), a.exact and b.exact)
    shape = np.broadcast_shapes(a.shape, self.part())
    return dataclasses.replace(a, text=f"jnp.broadcast_to({a.text}, {shape})", shape=shape)

  def draw(self):
    for _ in range(self.rng.randrange(2, 5)):
      self.values.append(self.input(self.part()))
    for _ in range(self.rng.randrange(2, 9)):
      term = self.limit(self.step())
      self.values.append(self.define(term.text, term.shape, term.bound, term.exact))
    for term in {v.text: v for v in (self.values[-1], self.pick(), self.pick())}.values():
      self.store(term)
    return self.kernel()


#===- Columns -----------------------------------------------------------------===#


class Columns(Draft):
  """Outputs that are put together of slices, each stored by itself and in another element type."""

  def __init__(self, seed):
    super().__init__(seed)
    self.rows, self.parts = self.rng.choice((1, 3, 8, 16, 32)), self.rng.choice((2, 3, 4, 5))
    self.width = self.rng.choice((1, 5, 8, 16, 17, 63, 64, 128, 129, 256))
    self.width = shortened(self.rng, (self.rows * self.parts, self.width), 1 << 15)[1]
    if self.rng.random() < .4:
      # Slices too large for the stack.
      self.rows, self.width = self.rng.choice(((32, 256), (32, 129), (64, 128), (64, 65), (128, 64)))

  def piece(self, wide, narrow, j):
    """What goes into one slice: a column times all, a slice of something wide, or both."""
    column = dataclasses.replace(narrow, text=f"{narrow.text}[:, {j}:{j + 1}]", shape=(self.rows, 1))
    term = self.binary(column, wide) if self.rng.random() < .5 else self.binary(wide, column)
    if self.rng.random() < .25:
      term = self.unary(term)
    if self.rng.random() < .25:
      at = self.rng.randrange(self.parts)
      term = self.binary(term, dataclasses.replace(narrow, text=f"{narrow.text}[:, {at}:{at + 1}]", shape=(self.rows, 1)))
    return self.limit(term)

  def draw(self):
    same = self.rng.random() < .5
    wides = [self.input((self.rows, self.width), self.rng.choice((None, "bfloat16" if self.dtype != "int32" else "int8")))
             for _ in range(self.rng.choice((1, 1, 2)))]
    narrow = self.input((self.rows, self.parts))
    wides = [self.define(w.text, w.shape, w.bound, w.exact) for w in wides]
    for _ in range(self.rng.choice((1, 1, 2))):
      form = self.rng.choice((self.side_by_side,) * 3 + (self.stacked, self.taken_apart))
      form(wides, narrow, same)
    return self.kernel()

  def pieces(self, wides, narrow, same):
    """Which slice gets what, in the order of the stores."""
    order = list(range(self.parts))
    if self.rng.random() < .3:
      self.rng.shuffle(order)
    drawn = {}
    # The same statement for all slices, or one for each.
    wide, state = self.rng.choice(wides), self.rng.getstate()
    for j in order:
      if same:
        self.rng.setstate(state)
      drawn[j] = self.piece(wide if same else self.rng.choice(wides), narrow, j)
    dtype = self.stored_as(dataclasses.replace(drawn[0], exact=all(t.exact for t in drawn.values()), bound=max(t.bound for t in drawn.values())), .8)
    return dtype, [(j, f"({drawn[j].text})" + (f".astype(jnp.{dtype})" if dtype != self.dtype else "")) for j in order]

  def side_by_side(self, wides, narrow, same):
    dtype, pieces = self.pieces(wides, narrow, same)
    w, o = self.width, self.output((self.rows, self.parts * self.width), dtype)
    form = self.rng.choice((f"{o}[:, {{a}}:{{b}}]", f"{o}.at[:, {{a}}:{{b}}][...]", f"{o}[:, pl.ds({{a}}, {w})]"))
    for j, text in pieces:
      self.add(f"{form.format(a=j * w, b=(j + 1) * w)} = {text}")

  def stacked(self, wides, narrow, same):
    dtype, pieces = self.pieces(wides, narrow, same)
    first = self.rng.random() < .5
    o = self.output((self.parts, self.rows, self.width) if first else (self.rows, self.parts, self.width), dtype)
    for j, text in pieces:
      self.add(f"{o}[{j if first else f':, {j}'}] = {text}")

  def taken_apart(self, wides, narrow, same):
    """Slices of something wide, each with a place of its own in the output."""
    dtype, pieces = self.pieces(wides, narrow, same)
    wide = self.name()
    self.add(f"{wide} = jnp.concatenate([{', '.join(text for _, text in pieces)}], axis=1)")
    w, o, order = self.width, self.output((self.rows, self.parts * self.width), dtype), list(range(self.parts))
    self.rng.shuffle(order)
    for j, k in enumerate(order):
      self.add(f"{o}[:, {j * w}:{(j + 1) * w}] = {wide}[:, {k * w}:{(k + 1) * w}]")


#===- Carries -----------------------------------------------------------------===#


class Carries(Draft):
  """Loops that carry values through branches, exchange them, or leave them as they are."""

  def __init__(self, seed):
    super().__init__(seed)
    self.shape = shortened(self.rng, [self.rng.choice((1, 3, 8))] * (self.rng.random() < .8) + [self.rng.choice((1, 8, 17, 128))], 1024)
    self.refs = []

  def damp(self, text):
    """Keeps what loops repeat from growing."""
    return f"({text} * 0.5)" if self.dtype != "int32" else f"({text} & 1023)"

  def read(self):
    """A value in sight of the loop: a ref read there, or something from before it."""
    return self.rng.choice([*self.refs, *self.refs, self.constant()])

  def constant(self):
    return f"jnp.full({self.shape}, {self.rng.choice((0, 1, 2))}, jnp.{self.dtype})"

  def expression(self, names, depth=1):
    """A value out of carried ones."""
    a, b, kind = self.rng.choice(names), self.rng.choice((*names, self.read())), self.rng.random()
    if depth > 0 and kind < .45:
      return self.branch(names, depth - 1)
    return self.rng.choice((a, b, self.damp(f"({a} + {b})"), self.damp(f"({a} - {b})"), f"jnp.maximum({a}, {b})", self.damp(a)))

  def condition(self):
    return self.rng.choice(("i == 1", "i % 2 == 0", "i > 1", "n < 3", "(i + n) % 3 == 1"))

  def branch(self, names, depth):
    """Branches that read refs, yield what they were given, or compute."""
    ways = [self.expression(names, depth) for _ in range(3)]
    if self.rng.random() < .25:
      return f"lax.switch((i + n) % 3, [{', '.join(f'lambda: {way}' for way in ways)}])"
    if self.rng.random() < .2:
      return f"jnp.where({self.condition()}, {ways[0]}, {ways[1]})"
    if self.rng.random() < .3:
      return f"lax.cond({self.condition()}, lambda p: p, lambda p: {self.damp('p')}, {ways[0]})"
    return f"lax.cond({self.condition()}, lambda: {ways[0]}, lambda: {ways[1]})"

  def several(self, names):
    """Branches that yield several values, perhaps in another order."""
    order = list(names)
    self.rng.shuffle(order)
    ways = [f"({', '.join(chosen)},)" for chosen in (order, [self.expression(names) for _ in names])]
    if self.rng.random() < .4:
      # One value for several carried ones, computed where it is yielded.
      ways[1] = f"(lambda t: ({', '.join(['t', 't', *names[2:]])},))({self.damp(self.expression(names, 0))})"
    return f"lax.cond({self.condition()}, lambda: {ways[0]}, lambda: {ways[1]})"

  def body(self, name, names, indent=""):
    """The body of a loop over `names` and a number `n`."""
    self.add(f"{indent}def {name}(i, carried):", f"{indent}  n, {', '.join(names)}, = carried")
    kind = self.rng.random()
    if len(names) > 1 and kind < .2:
      self.add(f"{indent}  {', '.join(names)} = {self.several(names)}")
    elif len(names) > 1 and kind < .4:
      order = list(names)
      self.rng.shuffle(order)
      self.add(f"{indent}  {', '.join(names)} = {', '.join(order)}")
    elif kind < .55:
      inner = f"inner{self.count}"
      self.count += 1
      self.body(inner, names, indent + "  ")
      self.add(f"{indent}  n, {', '.join(names)}, = lax.fori_loop(0, {self.rng.choice((2, 'i', 'i % 2'))}, {inner}, (n, {', '.join(names)}))")
    for target in self.rng.sample(names, self.rng.randrange(len(names) + 1)):
      self.add(f"{indent}  {target} = {self.expression(names, 2)}")
    if self.rng.random() < .15:
      self.add(f"{indent}  @pl.when({self.condition()})", f"{indent}  def _():", f"{indent}    kept[...] = {self.expression(names, 0)}")
    self.add(f"{indent}  return n + {self.rng.choice((1, 'i', '(i & 1)'))}, {', '.join(names)}")

  def loop(self, starts):
    """A loop, and what it yields."""
    names, body = [f"c{k}" for k in range(len(starts))], f"body{self.count}"
    self.count += 1
    self.body(body, names)
    results = [self.name() for _ in starts]
    trips = self.rng.choice((0, 1, 2, 3, 4, 4, "pl.program_id(0) + 2" if self.grid else "few[0]", "few[0]"))
    self.add(f"trips = {trips}")
    if self.rng.random() < .3:
      # The number of trips is carried, since conditions know no program ids.
      self.add(f"_, _, _, {', '.join(results)}, = lax.while_loop(lambda s: s[1] < s[0], lambda s: (s[0], s[1] + 1, *{body}(s[1], s[2:])), "
               f"(jnp.int32(trips), jnp.int32(0), jnp.int32(0), {', '.join(starts)}))")
    else:
      self.add(f"_, {', '.join(results)}, = lax.fori_loop(0, trips, {body}, (jnp.int32(0), {', '.join(starts)}))")
    return results

  def draw(self):
    self.inputs.append(((4,), "int32", 2, False))
    self.add("few = jnp.abs(x0[...])", f"kept = {self.output(self.shape)}", f"kept[...] = {self.constant()}")
    for _ in range(self.rng.choice((1, 1, 2))):
      cut = bool(self.grid) and self.rng.random() < .7
      self.inputs.append((self.shape, self.dtype, 2, cut))
      self.refs.append(f"x{len(self.inputs) - 1}[...]")
    count = self.rng.choice((1, 1, 2, 2, 3, 4))
    # The same value may start several carried ones.
    start = self.name()
    self.add(f"{start} = {self.read()}")
    results = self.loop([self.rng.choice((start, self.read(), self.constant())) for _ in range(count)])
    if self.rng.random() < .3:
      results = self.loop([self.rng.choice(results) for _ in range(self.rng.choice((1, 2)))])
    for result in results:
      self.store(Term(result, self.shape, self.dtype, 1 << 21, False))
    return self.kernel()


#===- Lanes -------------------------------------------------------------------===#


class Lanes(Draft):
  """Rearrangements, scans and products of arrays as long as no vector and no tile."""

  def __init__(self, seed):
    super().__init__(seed)
    rank = self.rng.choice((1, 2, 2, 2, 3))
    self.shape = shortened(self.rng, [self.rng.choice(ODD[:9]) for _ in range(rank - 1)] + [self.rng.choice(ODD)], 3000)

  def moved(self, a):
    axis = self.rng.randrange(len(a.shape))
    length = a.shape[axis]
    k = self.rng.randrange(length)
    part = f"lax.slice_in_dim({a.text}, {k}, {length}, axis={axis})"
    texts = [f"jnp.roll({a.text}, {k}, axis={axis})", f"jnp.flip({a.text}, axis={axis})",
             f"jnp.concatenate([{part}, lax.slice_in_dim({a.text}, 0, {k}, axis={axis})], axis={axis})",
             f"lax.dynamic_update_slice_in_dim({a.text}, {part} + 1, {self.rng.randrange(k + 1)}, axis={axis})"]
    widths = [(0, 0)] * len(a.shape)
    widths[axis] = (k, 0)
    texts.append(f"jnp.pad({part}, {widths})")
    return Term(self.rng.choice(texts), a.shape, a.dtype, a.bound + 1, self.stays_exact(a.bound + 1, a))

  def resized(self, a):
    """A value of another shape: every second element, more of them, fewer axes, axes exchanged."""
    axis = self.rng.randrange(len(a.shape))
    length, shape = a.shape[axis], list(a.shape)
    kind = self.rng.choice(("strided", "part", "repeated", "flat", "turned"))
    if kind == "strided":
      shape[axis] = (length + 1) // 2
      text = f"lax.slice_in_dim({a.text}, 0, {length}, 2, axis={axis})"
    elif kind == "part":
      start = self.rng.randrange(length)
      shape[axis] = self.rng.randrange(1, length - start + 1)
      text = f"lax.slice_in_dim({a.text}, {start}, {start + shape[axis]}, axis={axis})"
    elif kind == "repeated":
      shape[axis] = 2 * length
      text = self.rng.choice((f"jnp.concatenate([{a.text}, {a.text}], axis={axis})", f"jnp.repeat({a.text}, 2, axis={axis})"))
    elif kind == "flat" or len(shape) == 1:
      shape = [math.prod(shape)]
      text = f"jnp.reshape({a.text}, ({shape[0]},))"
    else:
      order = list(range(len(shape)))
      self.rng.shuffle(order)
      shape = [shape[i] for i in order]
      text = f"jnp.transpose({a.text}, {tuple(order)})"
    return dataclasses.replace(a, text=text, shape=tuple(shape))

  def product(self, a):
    """With itself, along its last axis or its first."""
    axis = self.rng.choice((0, 1))
    wide = "int32" if self.dtype == "int32" else "float32"
    length, side = a.shape[axis], a.shape[1 - axis]
    bound = length * a.bound * a.bound
    exact = a.exact and (self.dtype == "int32" or self.whole and bound < 1 << 22)
    scale = "" if exact or self.dtype == "int32" else f" * {1 / length:.3g}"
    text = f"(lax.dot_general({a.text}, {a.text}, ((({axis},), ({axis},)), ((), ())), preferred_element_type=jnp.{wide}){scale}).astype(jnp.{self.dtype})"
    return Term(text, (side, side), self.dtype, bound if not scale else a.bound * a.bound, exact and self.dtype != "bfloat16")

  def scan(self, a):
    axis = self.rng.randrange(len(a.shape))
    length = a.shape[axis]
    if self.dtype == "int32":
      return dataclasses.replace(a, text=f"lax.{self.rng.choice(('cumsum', 'cummax', 'cummin'))}({a.text}, axis={axis})", bound=a.bound * length)
    return Term(f"(jnp.cumsum({a.text}, axis={axis}) * {1 / length:.3g})", a.shape, self.dtype, a.bound, False)

  def step(self, a, others):
    kind = self.rng.random()
    if kind < .35:
      return self.moved(a)
    if kind < .5:
      return self.resized(a)
    if kind < .6 and len(a.shape) == 2:
      return self.product(a)
    if kind < .7:
      return self.scan(a)
    if kind < .8:
      return self.reduce(a, [self.rng.randrange(len(a.shape))], keep=True)
    fitting = [v for v in others if v.shape == a.shape]
    return self.binary(a, self.rng.choice(fitting)) if fitting else self.unary(a)

  def draw(self):
    values = [self.input(self.shape) for _ in range(self.rng.choice((1, 2)))]
    for _ in range(self.rng.randrange(2, 8)):
      term = self.limit(self.step(self.rng.choice(values[-3:]), values))
      if math.prod(term.shape) > 12000:
        continue
      values.append(self.define(term.text, term.shape, term.bound, term.exact))
    for term in {v.text: v for v in (values[-1], self.rng.choice(values))}.values():
      self.store(term)
    return self.kernel()
