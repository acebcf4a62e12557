"""Random Pallas kernels, as the Python text that a person could run.

A kernel is drawn in two steps: its windows (grid, blocks, index maps, aliases),
then a body of statements on values that broadcast to the block of the output.
What JAX leaves open is not drawn: an operation that mixes elements of an axis is
only used where no window of that axis is ragged, and comparisons only see values
that no rounding can change.
"""
import dataclasses
import math
import random

import numpy as np

HEADER = """import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltr
"""

FLOATS = ("float32", "bfloat16", "float16")
# Kernels from this number on draw from more forms; those before stay what they were.
FIRST_WIDE = 10000
# From this one on also masked and indexed accesses, atomics, and refs in nested control flow.
FIRST_ACCESS = 20000
DTYPES = ("float32",) * 6 + ("int32",) * 3 + ("bfloat16",) * 2 + ("float16", "int8", "uint8", "int16", "uint32")


@dataclasses.dataclass
class Value:
  """A name in the kernel; each axis is as long as the block or 1. `exact`: no rounding went into it."""
  name: str
  shape: tuple[int, ...]
  exact: bool


@dataclasses.dataclass
class Operand:
  shape: tuple[int, ...]
  dtype: str
  spec: str
  window: tuple[int, ...]


@dataclasses.dataclass
class Kernel:
  seed: int
  source: str
  inputs: list[tuple[tuple[int, ...], str, int]]  # shape, dtype, bound (of integers)
  dtype: str

  def arrays(self):
    """The arguments of `call`."""
    import ml_dtypes
    rng = np.random.default_rng(self.seed)
    made = []
    for shape, dtype, bound in self.inputs:
      if dtype in FLOATS:
        made.append(rng.uniform(-2, 2, shape).astype(getattr(ml_dtypes, dtype, dtype)))
      elif bound:
        made.append(rng.permutation(bound).astype(dtype))
      else:
        info = np.iinfo(dtype)
        made.append(rng.integers(max(info.min, -100), min(info.max, 100), shape).astype(dtype))
    return made

  def load(self):
    """The function `call(*arrays, interpret=False)`."""
    scope = {}
    exec(compile(self.source, f"kernel_{self.seed}.py", "exec"), scope)
    return scope["call"]


class Limited:
  """Keeps values of its `dtype` small, so that sums and products of them stay exact or near."""

  def limit(self, text):
    return f"jnp.clip({text}, -4, 4)" if self.dtype == "float32" else f"(({text}) & 63)"


class Windows:
  """Grid, blocks and index maps. `tiles` are the block lengths of the last axes, the innermost last."""

  def __init__(self, rng: random.Random, tiles):
    self.rng = rng
    rank = rng.choice((1, 2, 2, 2, 3))
    self.tiles = ([1] * 3 + list(tiles))[-rank:] if rng.random() < .8 else [rng.choice(tiles) for _ in range(rank)]
    self.block, self.out_shape, self.counts, self.driver = [], [], [], []
    for tile in self.tiles:
      length = rng.choice((1, 5, 7, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 3, 3 * tile)) or 1
      if rng.random() < .35 or length <= tile:
        self.block.append(length)
        self.counts.append(1)
      else:
        self.block.append(tile)
        self.counts.append(math.ceil(length / tile))
      self.out_shape.append(length)
    self.extra = rng.choice((1, 1, 1, 2, 3))
    self.grid = [n for n in self.counts if n > 1 or rng.random() < .2]
    # Which axis of the grid walks along an axis of the output.
    walked = list(self.grid)
    for count in self.counts:
      axis = next((a for a, n in enumerate(walked) if n == count and a not in self.driver), None)
      self.driver.append(axis if count > 1 else None)
    self.extra_axis = None
    if self.extra > 1:
      self.extra_axis = len(self.grid)
      self.grid.append(self.extra)
    self.ragged = [n % b != 0 for n, b in zip(self.out_shape, self.block)]
    self.prefetch = None  # Length of the table that index maps read.
    self.squeezed = [b == 1 and rng.random() < .5 for b in self.block]
    if all(self.squeezed):
      self.squeezed[-1] = False

  @property
  def value_shape(self):
    return tuple(b for b, s in zip(self.block, self.squeezed) if not s)

  @property
  def value_ragged(self):
    return tuple(r for r, s in zip(self.ragged, self.squeezed) if not s)

  def ids(self):
    names = [f"g{i}" for i in range(len(self.grid))]
    return names + (["table"] if self.prefetch else [])

  def spec(self, blocks, indices):
    sizes = ", ".join("None" if b is None else str(b) for b in blocks)
    return f"pl.BlockSpec(({sizes},), lambda {', '.join(self.ids())}: ({', '.join(indices)},))"

  def output(self, dtype) -> Operand:
    blocks = [None if s else b for b, s in zip(self.block, self.squeezed)]
    indices = [f"g{d}" if d is not None else "0" for d in self.driver]
    return Operand(tuple(self.out_shape), dtype, self.spec(blocks, indices), self.value_shape)

  def draw_prefetch(self):
    walked = [n for n, d in zip(self.counts, self.driver) if d is not None]
    if walked and self.rng.random() < .25:
      self.prefetch = max(walked)

  def input(self, dtype) -> Operand:
    """An operand whose window broadcasts to the output's."""
    shape, blocks, indices, window = [], [], [], []
    for axis, (block, squeezed) in enumerate(zip(self.block, self.squeezed)):
      length, index = self._walk(axis)
      if self.rng.random() < .15 and block > 1:
        block, length, index = 1, self.rng.choice((1, 3)), "0"
      shape.append(length)
      indices.append(index)
      blocks.append(None if squeezed else block)
      if not squeezed:
        window.append(block)
    return Operand(tuple(shape), dtype, self.spec(blocks, indices), tuple(window))

  def _walk(self, axis):
    """Length of the operand's axis, and which block of it each grid point sees."""
    block, count, driver, length = self.block[axis], self.counts[axis], self.driver[axis], self.out_shape[axis]
    if driver is None:
      if self.extra_axis is not None and self.rng.random() < .5 and not self.ragged[axis]:
        return block * self.extra, f"g{self.extra_axis}"
      return length, "0"
    g = f"g{driver}"
    if self.ragged[axis]:
      return length, g  # What lies outside of the array stays outside of the output.
    choices = [g, g, f"{count - 1} - {g}", f"lax.rem({g} + 1, {count})", f"jnp.minimum({g}, {count - 2})", str(count - 1), f"{g} // 2"]
    if self.prefetch == count:
      choices += [f"table[{g}]"] * 4
    return length, self.rng.choice(choices)


class Body:
  """Statements of the kernel. Every method adds lines and returns the value that they define."""

  def __init__(self, rng: random.Random, windows: Windows, dtype: str, wide=False, accesses=False):
    self.rng, self.windows, self.dtype, self.wide, self.accesses = rng, windows, dtype, wide, accesses
    self.shape, self.ragged = windows.value_shape, windows.value_ragged
    self.float = dtype in FLOATS
    self.lines: list[str] = []
    self.values: list[Value] = []

  def define(self, text, shape, exact) -> Value:
    value = Value(f"v{len(self.values)}", tuple(shape), exact)
    self.lines.append(f"{value.name} = {text}")
    self.values.append(value)
    return value

  def pick(self, full=False, exact=False) -> Value:
    fitting = [v for v in self.values if (not full or v.shape == self.shape) and (not exact or v.exact)]
    if fitting:
      return self.rng.choice(fitting[-6:])
    base = self.rng.choice([v for v in self.values if v.exact])
    return self.define(f"jnp.broadcast_to({base.name}, {self.shape})", self.shape, base.exact) if full else base

  def clean_axes(self, value):
    """Axes along which elements may be mixed: no window is ragged there."""
    return [a for a, n in enumerate(value.shape) if n == self.shape[a] and n > 1 and not self.ragged[a]]

  def step(self):
    kinds = [self.binary] * 5 + [self.unary] * 3 + [self.select] * 2 + [self.reduce] * 2 + [
        self.scan, self.rearrange, self.product, self.convert, self.iota, self.loop, self.branch, self.literal]
    if self.wide:
      kinds += [self.dynamic_part, self.nested_loop, self.extremum]
    if self.accesses:
      kinds += [self.gathered] * 3 + [self.along]
    return self.rng.choice(kinds)()

  def binary(self):
    a, b = self.pick(), self.pick()
    shape = np.broadcast_shapes(a.shape, b.shape)
    if self.float:
      text = self.rng.choice(("{a} + {b}", "{a} - {b}", "{a} * {b}", "jnp.maximum({a}, {b})", "jnp.minimum({a}, {b})",
                              "{a} / (jnp.abs({b}) + 1)", "jnp.clip({a}, -1, 1) * {b}"))
      return self.define(text.format(a=a.name, b=b.name), shape, False)
    text = self.rng.choice(("{a} + {b}", "{a} - {b}", "{a} * {b}", "jnp.maximum({a}, {b})", "jnp.minimum({a}, {b})",
                            "{a} & {b}", "{a} | {b}", "{a} ^ {b}", "lax.rem({a}, {b} | 1)", "lax.div({a}, {b} | 1)",
                            "{a} // ({b} | 1)", "{a} << ({b} & 3)", "{a} >> ({b} & 3)"))
    if "lax." in text:
      a, b = (self.define(f"jnp.broadcast_to({v.name}, {shape})", shape, v.exact) for v in (a, b))
    return self.define(text.format(a=a.name, b=b.name), shape, a.exact and b.exact)

  def unary(self):
    a = self.pick()
    if self.float:
      text = self.rng.choice(("jnp.tanh({a})", "jnp.exp(jnp.clip({a}, -3, 3))", "jnp.abs({a})", "-{a}", "lax.logistic({a})",
                              "jnp.log(jnp.abs({a}) + 1)", "jnp.sqrt(jnp.abs({a}) + 1)", "lax.rsqrt(jnp.abs({a}) + 1)", "jnp.sin({a})",
                              "jnp.clip({a}, -2, 2) ** 2", "lax.erf({a})"))
      return self.define(text.format(a=a.name), a.shape, False)
    text = self.rng.choice(("-{a}", "~{a}", "{a} * {a}", "jnp.abs({a})", "lax.population_count({a})", "jnp.sign({a})", "lax.clz({a})"))
    if self.dtype.startswith("u"):
      text = text.replace("-{a}", "{a} + 1").replace("jnp.abs", "").replace("jnp.sign", "")
    return self.define(text.format(a=a.name), a.shape, a.exact)

  def select(self):
    a, b = self.pick(), self.pick()
    left = self.pick(exact=True)
    axis = self.rng.randrange(len(self.shape))
    mask = self.rng.choice((f"{left.name} {self.rng.choice(('<', '>=', '==', '!='))} {self.rng.choice((0, 1, 3))}",
                            f"lax.broadcasted_iota(jnp.int32, {self.shape}, {axis}) {self.rng.choice(('<', '>', '=='))} {self.shape[axis] // 2}"))
    shape = np.broadcast_shapes(a.shape, b.shape, left.shape if mask.startswith(left.name) else self.shape)
    return self.define(f"jnp.where({mask}, {a.name}, {b.name})", shape, a.exact and b.exact)

  def reduce(self):
    a = self.pick()
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis = self.rng.choice(axes)
    shape = tuple(1 if i == axis else n for i, n in enumerate(a.shape))
    name = self.rng.choice(("sum", "max", "min", "mean") if self.float else ("sum", "max", "min"))
    # jnp.sum widens small integers by itself.
    exact = a.exact and not (self.float and name in ("sum", "mean"))
    scale = f" * {1 / a.shape[axis]:.3g}" if name == "sum" and self.float else ""
    value = self.define(f"(jnp.{name}({a.name}, axis={axis}, keepdims=True){scale}).astype(jnp.{self.dtype})", shape, exact)
    if self.rng.random() < .3 and a.exact:
      kind = self.rng.choice(("argmax", "argmin"))
      return self.define(f"jnp.{kind}({a.name}.astype(jnp.float32), axis={axis}, keepdims=True).astype(jnp.{self.dtype})", shape, True)
    return value

  def scan(self):
    a = self.pick()
    axes = self.clean_axes(a)
    if not axes:
      return self.binary()
    axis = self.rng.choice(axes)
    if self.float:
      return self.define(f"jnp.cumsum({a.name}, axis={axis}) * {1 / a.shape[axis]:.3g}", a.shape, False)
    return self.define(f"lax.{self.rng.choice(('cumsum', 'cummax', 'cummin'))}({a.name}, axis={axis})", a.shape, a.exact)

  def rearrange(self):
    a = self.pick(full=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.binary()
    axis = self.rng.choice(axes)
    k = self.rng.randrange(1, a.shape[axis])
    forms = [f"jnp.roll({a.name}, {k}, axis={axis})", f"jnp.flip({a.name}, axis={axis})",
             f"jnp.concatenate([lax.slice_in_dim({a.name}, {k}, {a.shape[axis]}, axis={axis}), lax.slice_in_dim({a.name}, 0, {k}, axis={axis})], axis={axis})"]
    if len(axes) == len(self.shape):
      forms.append(f"{a.name}.reshape(-1).reshape({a.shape})")
      if len(self.shape) > 1:
        flipped = (*a.shape[:-2], a.shape[-1], a.shape[-2])
        forms += [f"jnp.swapaxes(jnp.swapaxes({a.name}, -1, -2) + 1, -1, -2)", f"jnp.swapaxes({a.name}.reshape({flipped}), -1, -2)"]
    return self.define(self.rng.choice(forms), a.shape, a.exact and not self.float)

  def product(self):
    if len(self.shape) != 2 or any(self.ragged) or self.dtype in ("uint8", "int16", "uint32"):
      return self.binary()
    a, b, c = self.pick(full=True), self.pick(full=True), self.pick(full=True)
    wide = "float32" if self.float else "int32"
    self.lines.append(f"scores = lax.dot_general({a.name}, {b.name}, (((1,), (1,)), ((), ())), preferred_element_type=jnp.{wide})")
    scale = f" * {1 / max(self.shape):.3g}" if self.float else ""
    return self.define(f"(jnp.dot((scores{scale}).astype(jnp.{self.dtype}), {c.name}, preferred_element_type=jnp.{wide}){scale}).astype(jnp.{self.dtype})",
                       self.shape, a.exact and b.exact and c.exact and not self.float)

  def convert(self):
    a = self.pick()
    if self.float:
      return self.define(f"{a.name}.astype(jnp.{self.rng.choice(('float32', 'bfloat16'))}).astype(jnp.{self.dtype})", a.shape, False)
    return self.define(f"{a.name}.astype(jnp.{self.rng.choice(('int32', 'int8', 'int16', 'uint8'))}).astype(jnp.{self.dtype})", a.shape, a.exact)

  def iota(self):
    axis = self.rng.randrange(len(self.shape))
    return self.define(f"lax.broadcasted_iota(jnp.int32, {self.shape}, {axis}).astype(jnp.{self.dtype})", self.shape, True)

  def literal(self):
    a, number = self.pick(), self.rng.choice((0, 1, 2, 3)) if not self.float else self.rng.choice((0.5, 1.25, -2.0, 0.1))
    return self.define(f"{a.name} {self.rng.choice('+*')} {number}", a.shape, a.exact and not self.float)

  def loop(self):
    a, b = self.pick(full=True), self.pick()
    trips = self.rng.choice((1, 3, 5, "pl.program_id(0) + 1" if self.windows.grid else 2))
    step = "0.5" if self.float else "3"
    if self.rng.random() < .3:
      # JAX's interpreter knows no program ids in a condition.
      self.lines.append(f"trips = {trips}")
      text = f"lax.while_loop(lambda s: s[0] < trips, lambda s: (s[0] + 1, s[1] * {step} + {b.name}), (jnp.int32(0), {a.name}))[1]"
    else:
      text = f"lax.fori_loop(0, {trips}, lambda k, s: s * {step} + {b.name} + k.astype(jnp.{self.dtype}), {a.name})"
    return self.define(text, self.shape, a.exact and b.exact and not self.float)

  def branch(self):
    a, b = self.pick(full=True), self.pick(full=True)
    point = "pl.program_id(0)" if self.windows.grid else "jnp.int32(1)"
    if self.rng.random() < .5:
      text = f"lax.cond({point} % 2 == 0, lambda p, q: p + q, lambda p, q: p - q, {a.name}, {b.name})"
    else:
      text = f"lax.switch({point} % 3, [lambda p, q: p, lambda p, q: q + 1, lambda p, q: p * 2], {a.name}, {b.name})"
    return self.define(text, self.shape, a.exact and b.exact and not self.float)


  def start(self, room):
    """A start of a slice that only the program knows; it may lie outside, where it is moved inside."""
    point = "pl.program_id(0)" if self.windows.grid else "jnp.int32(2)"
    return self.rng.choice((f"{point} % {room + 1}", f"{point} * 3 % {room + 1}", f"jnp.clip({point} * 5 - 1, 0, {room})"))

  def dynamic_part(self):
    a = self.pick(full=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis = self.rng.choice(axes)
    count = self.rng.randrange(1, a.shape[axis])
    start = self.start(a.shape[axis] - count)
    part = f"lax.dynamic_slice_in_dim({a.name}, {start}, {count}, axis={axis})"
    return self.define(f"lax.dynamic_update_slice_in_dim({a.name}, {part} + 1, {self.start(a.shape[axis] - count)}, axis={axis})", a.shape,
                       a.exact and not self.float)

  def nested_loop(self):
    a, b = self.pick(full=True), self.pick()
    step = "0.5" if self.float else "3"
    inner = f"lax.fori_loop(0, k + 1, lambda j, t: t * {step} + {b.name}, s)"
    choice = f"lax.cond(k % 2 == 0, lambda s: {inner}, lambda s: s - {b.name}, s)"
    return self.define(f"lax.fori_loop(0, {self.rng.choice((2, 3))}, lambda k, s: {choice}, {a.name})", self.shape, a.exact and b.exact and not self.float)

  def extremum(self):
    a = self.pick(exact=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis, kind = self.rng.choice(axes), self.rng.choice(("argmax", "argmin"))
    shape = tuple(1 if i == axis else n for i, n in enumerate(a.shape))
    return self.define(f"jnp.{kind}({a.name}.astype(jnp.float32), axis={axis}, keepdims=True).astype(jnp.{self.dtype})", shape, True)


  def along(self):
    """Each element from elsewhere along an axis."""
    a = self.pick(full=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis, step = self.rng.choice(axes), self.rng.choice((1, 3, 5))
    places = f"(lax.broadcasted_iota(jnp.int32, {a.shape}, {axis}) * {step} + {self.rng.randrange(4)}) % {a.shape[axis]}"
    return self.define(f"jnp.take_along_axis({a.name}, {places}, axis={axis})", a.shape, a.exact and not self.float)

  def gathered(self):
    """Parts of a value through scratch memory that is read by an array of indices."""
    a = self.pick(full=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis, count = self.rng.choice(axes), a.shape[self.rng.choice(axes)]
    length = a.shape[axis]
    places = self.rng.choice((f"(jnp.arange({length}) * {self.rng.choice((1, 2, 3))} + {count}) % {length}",
                              f"{length - 1} - jnp.arange({length})", f"jnp.zeros({length}, jnp.int32) + {self.start(length - 1)}"))
    index = ", ".join("places" if i == axis else ":" for i in range(len(a.shape)))
    # Index arrays in front of the others stay where they are, whatever is around them.
    self.lines += [f"places = {places}", "def gathered(tmp):", f"  tmp[...] = {a.name}", f"  return tmp[{index}]"]
    return self.define(f"pl.run_scoped(gathered, pltpu.VMEM({a.shape}, jnp.{self.dtype}))", a.shape, a.exact and not self.float)


class Writer:
  """How results reach the output."""

  def __init__(self, body: Body):
    self.body, self.rng, self.windows = body, body.rng, body.windows
    self.scratch: list[str] = []

  def write(self, value: Value):
    body, extra = self.body, self.windows.extra_axis
    if extra is not None and self.rng.random() < .8:
      self.accumulate(value, extra)
    else:
      kinds = (self.whole, self.whole, self.rows, self.strided, self.scoped, self.parts)
      if body.wide:
        kinds += (self.copied, self.copied_rows, self.selected)
      if body.accesses:
        # JAX has no atomic updates of these elements.
        atomic = () if body.dtype in ("bfloat16", "int8", "int16") else (self.atomic,)
        kinds = (self.masked, self.masked_view, self.scattered, *atomic, self.compared, self.nested, self.waited, *kinds[-3:])
      self.rng.choice(kinds)(value)
    return body.lines

  def whole(self, value):
    self.body.lines.append(f"o[...] = {value.name}")

  def accumulate(self, value, axis):
    through_scratch = self.rng.random() < .5
    target = "acc" if through_scratch else "o"
    if through_scratch:
      self.scratch.append(f"pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype})")
    self.body.lines += [f"@pl.when(pl.program_id({axis}) == 0)", "def _():", f"  {target}[...] = jnp.zeros_like({target})",
                        f"{target}[...] += {value.name}"]
    if through_scratch:
      self.body.lines += [f"@pl.when(pl.program_id({axis}) == {self.windows.extra - 1})", "def _():", "  o[...] = acc[...]"]

  def rows(self, value):
    """Row by row, through scratch memory."""
    self.scratch.append(f"pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype})")
    rest = ", :" * (len(self.body.shape) - 1)
    self.body.lines += [f"acc[...] = {value.name}", "def row(k, _):", f"  o[pl.ds(k, 1){rest}] = acc[pl.ds(k, 1){rest}]",
                        f"lax.fori_loop(0, {self.body.shape[0]}, row, None)"]

  def strided(self, value):
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    self.whole(value)
    if length > 3:
      count = length // 2
      self.body.lines.append(f"o[pl.ds(0, {count}, stride=2){rest}] = {value.name}[0:{2 * count}:2] + 1")

  def scoped(self, value):
    self.body.lines += ["def inner(tmp):", f"  tmp[...] = {value.name}", "  tmp[...] += tmp[...]", "  o[...] = tmp[...]",
                        f"pl.run_scoped(inner, pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype}))"]

  def copied(self, value):
    """Through scratch memory by async copies."""
    shape = f"pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype})"
    self.body.lines += ["def inner(tmp, other, sem):", f"  tmp[...] = {value.name}", "  copy = pltpu.make_async_copy(tmp, other, sem)",
                        "  copy.start()", "  copy.wait()", "  o[...] = other[...]", f"pl.run_scoped(inner, {shape}, {shape}, pltpu.SemaphoreType.DMA(()))"]

  def copied_rows(self, value):
    """By two copies under way at a time, from places that only the program knows."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    shape = f"pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype})"
    self.body.lines += ["def inner(tmp, other, sems):", f"  tmp[...] = {value.name}",
                        "  def copy(k):", f"    return pltpu.make_async_copy(tmp.at[pl.ds({length - 1} - k, 1){rest}], other.at[pl.ds(k, 1){rest}], sems.at[k % 2])",
                        "  copy(0).start()", "  def row(k, _):", f"    @pl.when(k + 1 < {length})", "    def _():", "      copy(k + 1).start()",
                        "    copy(k).wait()", f"  lax.fori_loop(0, {length}, row, None)", "  o[...] = other[...]",
                        f"pl.run_scoped(inner, {shape}, {shape}, pltpu.SemaphoreType.DMA((2,)))"]

  def selected(self, value):
    """A loop that ends when it has found something, over rows in scalar order."""
    # Of a loop that runs once, JAX's interpreter loses what it wrote.
    if self.body.shape[0] == 1:
      return self.whole(value)
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    self.whole(value)
    self.body.lines += ["def body(k):", f"  o[pl.ds(k, 1){rest}] = o[pl.ds(k, 1){rest}] + 1", "  return k + 2",
                        f"lax.while_loop(lambda k: k < {length}, body, jnp.int32(0))"]

  def masked(self, value):
    """Stores under a mask, over what a masked read sees of the scratch memory."""
    shape, axis = self.body.shape, self.rng.randrange(len(self.body.shape))
    self.scratch.append(f"pltpu.VMEM({shape}, jnp.{self.body.dtype})")
    ids = f"lax.broadcasted_iota(jnp.int32, {shape}, {axis})"
    self.body.lines += [f"acc[...] = {value.name}", f"mask = {ids} % {self.rng.choice((2, 3))} == 0",
                        f"seen = pltr.load(acc.at[...], mask=mask, other={self.rng.choice((0, 1, 3))})", "o[...] = seen",
                        f"pltr.store(o.at[...], acc[...] + 1, mask=jnp.logical_not(mask) & ({ids} > {self.rng.randrange(3)}))"]

  def masked_view(self, value):
    """The same in a part that only the program knows."""
    shape, rest = self.body.shape, ", :" * (len(self.body.shape) - 1)
    count = self.rng.randrange(1, shape[0] + 1)
    start = self.body.start(shape[0] - count)
    part = (count, *shape[1:])
    self.body.lines += [f"o[...] = {value.name}", f"view = o.at[pl.ds({start}, {count}){rest}]",
                        f"mask = lax.broadcasted_iota(jnp.int32, {part}, {self.rng.randrange(len(shape))}) % 2 == {self.rng.randrange(2)}",
                        f"pltr.store(view, pltr.load(view, mask=mask, other=2) + 1, mask=mask)"]

  def scattered(self, value):
    """Rows in the order of an array; of several for one place any might be the last, so there are none."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    step = self.rng.choice([k for k in (1, 2, 3, 5) if math.gcd(k, length) == 1])
    self.whole(value)
    self.body.lines.append(f"o[(jnp.arange({length}) * {step} + {self.rng.randrange(length)}) % {length}{rest}] = {value.name} + 1")

  def atomic(self, value):
    """An update of all elements, or of some rows, that also yields the value before."""
    shape, rest = self.body.shape, ", slice(None)" * (len(self.body.shape) - 1)
    kind = self.rng.choice(("add", "max", "min"))
    if self.body.dtype == "float16":
      # The only one that JAX has for these elements.
      kind = "add"
    count = self.rng.randrange(1, shape[0] + 1)
    self.scratch.append(f"pltpu.VMEM({shape}, jnp.{self.body.dtype})")
    self.body.lines += [f"acc[...] = {value.name}", f"rows = (pl.ds({self.rng.randrange(shape[0] - count + 1)}, {count}){rest})",
                        f"old = pltr.atomic_{kind}(acc, rows, acc[rows] + 1)", "o[...] = acc[...]", "o[rows] = o[rows] - old"]

  def compared(self, value):
    """One number in scratch memory that is exchanged where it is what was expected."""
    point = "pl.program_id(0)" if self.windows.grid else "jnp.int32(1)"
    self.body.lines += [f"point = {point} % 2", "def exchange(one):", "  one[...] = point", f"  old = pltr.atomic_cas(one, jnp.int32({self.rng.randrange(2)}), jnp.int32(3))",
                        f"  o[...] = {value.name} + (old + 5 * one[...]).astype(jnp.{self.body.dtype})", "pl.run_scoped(exchange, pltpu.SMEM((), jnp.int32))"]

  def nested(self, value):
    """Refs that loops in branches in loops read and write."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    self.scratch.append(f"pltpu.VMEM({self.body.shape}, jnp.{self.body.dtype})")
    scale = "* 0.5" if self.body.float else "* 3"
    self.body.lines += [f"acc[...] = {value.name}", "o[...] = acc[...]", "def outer(k, _):", f"  @pl.when(k % 2 == {self.rng.randrange(2)})", "  def _():",
                        "    def inner(j, _):", f"      o[pl.ds(j, 1){rest}] = o[pl.ds(k, 1){rest}] {scale} + acc[pl.ds(j, 1){rest}]",
                        "      @pl.when(j > k)", "      def _():", f"        acc[pl.ds(j, 1){rest}] = o[pl.ds(k, 1){rest}]",
                        f"    lax.fori_loop({self.rng.randrange(2)}, {length}, inner, None)", f"lax.fori_loop(0, {length}, outer, None)"]

  def waited(self, value):
    """A loop that goes on until a number in memory ends it."""
    self.scratch.append("pltpu.SMEM((2,), jnp.int32)")
    bound = self.rng.choice((1, 4, 9))
    scale = "* 0.5" if self.body.float else "* 3"
    self.body.lines += ["acc[0] = jnp.int32(0)", "acc[1] = jnp.int32(1)", f"o[...] = {value.name}", "def more(k):", f"  o[...] = o[...] {scale} + {value.name}",
                        "  old = acc[0]", "  acc[0] = acc[1]", "  acc[1] = acc[1] + old", "  return acc[0]", f"lax.while_loop(lambda k: k < {bound}, more, jnp.int32(0))"]

  def parts(self, value):
    """A second store over a part of the first, from values read again."""
    length, rest = self.body.shape[0], ", :" * (len(self.body.shape) - 1)
    self.whole(value)
    if length > 2:
      start, count = self.rng.randrange(length - 1), 1
      count = self.rng.randrange(1, length - start)
      place = str(start) if not self.windows.grid else f"{start} + 0 * pl.program_id(0)"
      self.body.lines.append(f"o[pl.ds({place}, {count}){rest}] = o[pl.ds({start}, {count}){rest}] * 2")


def draw_input(rng, body, text, window):
  """Reads an input, and perhaps spreads it to the shape of the body."""
  value = body.define(text, window, True)
  if value.shape != body.shape and rng.random() < .5:
    body.define(f"jnp.broadcast_to({value.name}, {body.shape})", body.shape, True)


def draw_steps(rng, body):
  """Draws statements; the last value has the shape of the body."""
  for _ in range(rng.randrange(1, 8)):
    body.step()
  last = body.values[-1]
  if last.shape != body.shape:
    last = body.define(f"jnp.broadcast_to({last.name}, {body.shape})", body.shape, last.exact)
  return last


def make(seed: int, tiles=(8, 16), dtypes=DTYPES) -> Kernel:
  """The kernel with this number, always the same one. `tiles`: lengths of blocks of the last two axes."""
  rng = random.Random(seed)
  windows, dtype = Windows(rng, tiles), rng.choice(dtypes)
  windows.draw_prefetch()
  output = windows.output(dtype)
  inputs = [windows.input(dtype) for _ in range(rng.choice((1, 2, 2, 3)))]
  alias = windows.extra_axis is None and rng.random() < .2
  if alias:
    inputs[0] = dataclasses.replace(output)
  body = Body(rng, windows, dtype, seed >= FIRST_WIDE, seed >= FIRST_ACCESS)
  for i in range(len(inputs)):
    draw_input(rng, body, f"x{i}[...]", inputs[i].window)
  last = draw_steps(rng, body)
  writer = Writer(body)
  lines = writer.write(last)
  described = [(o.shape, o.dtype, 0) for o in inputs]
  if windows.prefetch:
    described.insert(0, ((windows.prefetch,), "int32", windows.prefetch))
  return Kernel(seed, _source(windows, inputs, output, lines, writer.scratch, alias), described, dtype)


def _source(windows, inputs, output, lines, scratch, alias):
  refs = (["table"] if windows.prefetch else []) + [f"x{i}" for i in range(len(inputs))] + ["o"] + (["acc"] if scratch else [])
  kernel = f"def kernel({', '.join(refs)}):\n" + "".join(f"  {line}\n" for line in lines)
  semantics = ", ".join('"arbitrary"' if a == windows.extra_axis or windows.prefetch else '"parallel"' for a in range(len(windows.grid)))
  grid_spec = (f"pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={int(bool(windows.prefetch))}, grid={tuple(windows.grid)},\n"
               f"      in_specs=[{', '.join(o.spec for o in inputs)}],\n      out_specs={output.spec},\n"
               f"      scratch_shapes=[{', '.join(scratch)}])")
  return (f"{HEADER}\n{kernel}\ndef call(*arrays, interpret=False):\n"
          f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({output.shape}, jnp.{output.dtype}),\n"
          f"    grid_spec={grid_spec},\n"
          f"    input_output_aliases={{{f'{int(bool(windows.prefetch))}: 0' if alias else ''}}},\n"
          f"    compiler_params=pltpu.CompilerParams(dimension_semantics=({semantics}{',' if semantics else ''})),\n"
          f"    interpret=interpret)(*arrays)\n")
