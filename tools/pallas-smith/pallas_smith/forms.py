"""Random Pallas kernels of further forms: what `random_kernels` draws, wrapped in more of the language.

A kernel is one of these forms, each around a body of the same statements:
a call whose grid is known at run time, a pipeline inside of a kernel, arrays that the kernel
copies from and to by itself, or a plain call. Operands have element types of their own, there may
be a second result, functions are called by name, and semaphores count.
"""
import dataclasses
import random

import numpy as np
from .kernels import HEADER, Body, Kernel, Operand, Value, Windows, Writer, draw_input, draw_steps

# Numbers of kernels of these forms.
FIRST = 100000
DTYPES = ("float32",) * 5 + ("int32",) * 3 + ("bfloat16",) * 2 + ("float16",) * 2 + ("int8", "uint8", "int16", "uint16", "uint32")
# What an operand may be stored as, if its values are computed with as the type in front.
STORED = {
    "float32": ("bfloat16", "float16", "int8", "int32", "bool", "float8_e4m3fn", "float8_e5m2"),
    "bfloat16": ("float32", "int8", "bool", "float8_e4m3fn"), "float16": ("float32", "uint8", "bool"),
    "int32": ("int8", "uint8", "int16", "uint16", "bool", "uint32"), "int8": ("int32", "bool"), "uint8": ("int32", "bool"),
    "int16": ("int8", "uint8", "bool"), "uint16": ("uint8", "int32", "bool"), "uint32": ("int32", "uint16", "bool")}


@dataclasses.dataclass
class FormKernel(Kernel):
  bounds: list[int]  # Lengths of the grid that are arguments.

  def arrays(self):
    import ml_dtypes
    rng = np.random.default_rng(self.seed)
    made = [np.int32(length) for length in self.bounds]
    for shape, dtype, bound in self.inputs:
      if dtype == "bool":
        made.append(rng.integers(0, 2, shape).astype(np.bool_))
      elif dtype.startswith("float8"):
        made.append(rng.uniform(-2, 2, shape).astype(getattr(ml_dtypes, dtype)))
      else:
        made += Kernel(int(rng.integers(1 << 30)), "", [(shape, dtype, bound)], dtype).arrays()
    return made


class FormWindows(Windows):
  """Windows of more kinds, of grids that may be known at run time only."""

  def __init__(self, rng, tiles):
    super().__init__(rng, tiles)
    self.bounds = {}  # Axis of the grid: what it is at run time.
    self.inside = False  # A pipeline in a kernel, whose index maps see the kernel's refs.

  def ids(self):
    return [name for name in super().ids() if name != "table" or not self.inside]

  def draw_bounds(self):
    """Some lengths of the grid come as arguments. What no program writes keeps what it was."""
    for axis, length in enumerate(self.grid):
      if axis != self.extra_axis and self.rng.random() < .6:
        self.bounds[axis] = self.rng.randrange(length + 1)

  def overlapping(self, dtype) -> Operand:
    """An operand whose windows start anywhere."""
    shape, blocks, indices = [], [], []
    for block, driver, count in zip(self.block, self.driver, self.counts):
      offset, step = self.rng.randrange(4), self.rng.choice((1, block // 2 + 1, block))
      start = f"g{driver} * {step} + {offset}" if driver is not None else str(offset)
      shape.append((count - 1) * step * (driver is not None) + offset + block + self.rng.randrange(3))
      blocks.append(f"pl.Element({block})")
      indices.append(start)
    return Operand(tuple(shape), dtype, self.spec(blocks, indices), tuple(self.block))


class FormBody(Body):
  """Statements that also call functions by name, and branch over refs."""

  def step(self):
    if self.rng.random() < .25:
      return self.rng.choice((self.called, self.activation, self.masked_choice, self.counted, self.rolled))()
    return super().step()

  def called(self):
    a, b = self.pick(full=True), self.pick(full=True)
    scale = "0.5" if self.float else "3"
    self.lines += ["@jax.jit", "def helper(p, q):", f"  return jnp.where(p > q, p - q, q * {scale})"] if a.exact and b.exact else [
        "@jax.jit", "def helper(p, q):", f"  return p * {scale} + jnp.maximum(q, p)"]
    text = self.rng.choice(("helper({a}, {b})", "helper(helper({a}, {b}), {a})", "lax.fori_loop(0, 2, lambda k, s: helper(s, {b}), {a})"))
    exact = a.exact and b.exact and not self.float
    if self.float and a.exact and b.exact:
      text = "helper({a}, {b})"
    return self.define(text.format(a=a.name, b=b.name), self.shape, exact)

  def activation(self):
    if not self.float:
      return self.binary()
    a = self.pick()
    text = self.rng.choice(("jax.nn.relu", "jax.nn.silu", "jax.nn.gelu", "jax.nn.sigmoid", "jax.nn.softplus", "jax.nn.leaky_relu"))
    return self.define(f"{text}({a.name})", a.shape, False)

  def masked_choice(self):
    """Masks as values of their own."""
    a, b, c = self.pick(full=True), self.pick(full=True), self.pick(exact=True)
    axis, k = self.rng.randrange(len(self.shape)), self.rng.randrange(4)
    self.lines += [f"mask = (lax.broadcasted_iota(jnp.int32, {self.shape}, {axis}) % {self.rng.choice((2, 3))} == 0) {self.rng.choice('&|^')} ({c.name} > {k})"]
    axes = [i for i in self.clean_axes(a) if not any(self.ragged)]
    if axes and self.rng.random() < .4:
      kind = self.rng.choice(("any", "all"))
      self.lines.append(f"mask = mask & jnp.{kind}(jnp.logical_not(mask), axis={self.rng.choice(axes)}, keepdims=True)")
    return self.define(f"jnp.where(mask, {a.name}, {b.name})", self.shape, a.exact and b.exact)

  def counted(self):
    """A semaphore that is signalled and waited for."""
    a = self.pick(full=True)
    first, rest = self.rng.randrange(1, 4), self.rng.randrange(1, 4)
    point = "pl.program_id(0) % 2" if self.windows.grid else "1"
    self.lines += [f"point = {point}", "def count(sem):", f"  pl.semaphore_signal(sem, {first})", f"  pl.semaphore_signal(sem, {rest} + point)",
                   f"  pl.semaphore_wait(sem, {first})", "  left = pl.semaphore_read(sem)", f"  pl.semaphore_wait(sem, {rest} + point)",
                   f"  return {a.name} + left.astype(jnp.{self.dtype})"]
    return self.define("pl.run_scoped(count, pltpu.SemaphoreType.REGULAR)", self.shape, a.exact and not self.float)

  def rolled(self):
    a = self.pick(full=True)
    axes = self.clean_axes(a)
    if not axes:
      return self.unary()
    axis = self.rng.choice(axes)
    return self.define(f"pltpu.roll({a.name}, {self.rng.randrange(a.shape[axis])}, axis={axis})", a.shape, a.exact)


class FormWriter(Writer):
  """More ways for a result to reach the output."""

  def write(self, value: Value):
    if self.windows.extra_axis is None and self.rng.random() < .4:
      self.rng.choice((self.ring, self.viewed, self.fanned, self.branched, self.collected, self.called_on_refs))(value)
      return self.body.lines
    return super().write(value)

  def masked(self, value):
    # JAX's interpreter knows no masks on the windows of a pipeline.
    (self.viewed if self.windows.inside else super().masked)(value)

  def masked_view(self, value):
    (self.fanned if self.windows.inside else super().masked_view)(value)

  def atomic(self, value):
    # Triton has no such updates of these elements.
    (self.branched if self.body.dtype in ("float16", "uint16") else super().atomic)(value)

  def _vmem(self, shape=None):
    return f"pltpu.VMEM({shape or self.body.shape}, jnp.{self.body.dtype})"

  def _rest(self):
    return ", :" * (len(self.body.shape) - 1)

  def ring(self, value):
    """Rows through slots of a ring, filled ahead."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], self._rest()
    slots = self.rng.choice((2, 3))
    self.body.lines += ["def inner(tmp, slots, sems):", f"  tmp[...] = {value.name}",
                        "  def fetch(k):", f"    return pltpu.make_async_copy(tmp.at[pl.ds(k, 1){rest}], slots.at[k % {slots}], sems.at[k % {slots}])",
                        f"  for k in range({min(slots - 1, length)}):", "    fetch(k).start()", "  def row(k, total):",
                        f"    @pl.when(k + {slots - 1} < {length})", "    def _():", f"      fetch(k + {slots - 1}).start()", "    fetch(k).wait()",
                        f"    o[pl.ds(k, 1){rest}] = slots[k % {slots}] + total", f"    return total + slots[k % {slots}]" if not self.body.float else "    return total * 0.5",
                        f"  lax.fori_loop(0, {length}, row, jnp.zeros({(1, *self.body.shape[1:])}, jnp.{self.body.dtype}))",
                        f"pl.run_scoped(inner, {self._vmem()}, {self._vmem((slots, 1, *self.body.shape[1:]))}, pltpu.SemaphoreType.DMA(({slots},)))"]

  def viewed(self, value):
    """Views of views, of the output and of scratch memory."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], self._rest()
    self.scratch.append(self._vmem((2, *self.body.shape)))
    count = self.rng.randrange(1, length + 1)
    start = self.body.start(length - count)
    self.body.lines += [f"acc[0] = {value.name}", "acc[1] = acc[0] + 1", f"half = acc.at[{self.rng.randrange(2)}]", "o[...] = half[...]",
                        f"part = half.at[pl.ds({start}, {count}){rest}]", "part[...] = part[...] * 2", f"part[0] = acc[0, 0]",
                        f"there = o.at[pl.ds({self.body.start(length - count)}, {count}){rest}]", "there[...] = part[...] + there[...]"]

  def fanned(self, value):
    """Several copies under way at once, waited for in another order, over parts that meet."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], self._rest()
    cut = self.rng.randrange(1, length) if length > 1 else 0
    parts = [(0, cut), (cut, length - cut)] if cut else [(0, length)]
    self.body.lines += ["def inner(tmp, sems):", f"  tmp[...] = {value.name}",
                        f"  copies = [pltpu.make_async_copy(tmp.at[pl.ds(a, n){rest}], o.at[pl.ds({length} - a - n, n){rest}], sems.at[i])"
                        f" for i, (a, n) in enumerate({parts})]", "  for copy in copies:", "    copy.start()",
                        f"  for copy in copies{self.rng.choice(('', '[::-1]'))}:", "    copy.wait()",
                        f"pl.run_scoped(inner, {self._vmem()}, pltpu.SemaphoreType.DMA(({len(parts)},)))"]

  def branched(self, value):
    """Branches that write different refs, inside of a loop."""
    self.scratch.append(self._vmem())
    point = "pl.program_id(0)" if self.windows.grid else "jnp.int32(1)"
    scale = "* 0.5" if self.body.float else "* 3"
    self.body.lines += [f"point = {point}", f"acc[...] = {value.name}", "o[...] = acc[...] + 1", "def one():", f"  acc[...] = o[...] {scale}", "  return 1", "def two():",
                        "  o[...] = o[...] + acc[...]", "  return 2", "def three():", "  return 0",
                        f"kinds = lax.fori_loop(0, {self.rng.choice((1, 3, 4))}, lambda k, s: s + lax.switch((k + point) % 3, [one, two, three]), jnp.int32(0))",
                        f"o[...] = o[...] + acc[...] * kinds.astype(jnp.{self.body.dtype})"]

  def collected(self, value):
    """Numbers in scalar memory decide which rows are taken."""
    if self.body.ragged[0]:
      return self.whole(value)
    length, rest = self.body.shape[0], self._rest()
    self.scratch.append("pltpu.SMEM((2,), jnp.int32)")
    self.whole(value)
    self.body.lines += ["acc[0] = jnp.int32(0)", "acc[1] = jnp.int32(7)", "def body(k):", f"  acc[0] = (acc[0] * 5 + acc[1]) % {length}", "  acc[1] = acc[1] + k",
                        f"  o[pl.ds(acc[0], 1){rest}] = o[pl.ds(k, 1){rest}] {'* 0.5' if self.body.float else '+ 3'}", "  return k + 1",
                        f"lax.while_loop(lambda k: k < {length}, body, jnp.int32(0))"]

  def called_on_refs(self, value):
    """A function that is called on refs twice."""
    self.scratch.append(self._vmem())
    scale = "0.5" if self.body.float else "3"
    self.body.lines += ["def work(source, target, n):", f"  @pl.when(n % 2 == {self.rng.randrange(2)})", "  def _():",
                        f"    target[...] = source[...] * {scale} + target[...]", f"acc[...] = {value.name}", f"o[...] = {value.name}", "work(acc, o, jnp.int32(1))",
                        "work(o, acc, jnp.int32(2))", "o[...] = o[...] + acc[...]"]


def make(seed: int, tiles=(8, 16), parts=(FormWindows, FormBody, FormWriter)) -> Kernel:
  """The kernel with this number, always the same one; `parts` draw its windows, statements and results."""
  rng = random.Random(seed)
  make_windows, make_body, make_writer = parts
  windows, dtype = make_windows(rng, tiles), rng.choice(DTYPES)
  form = rng.choice(("plain", "bounds", "pipeline", "pipeline", "copied"))
  if form in ("pipeline", "copied") and any(windows.ragged):
    form = rng.choice(("plain", "bounds"))
  if form == "pipeline" and not windows.grid:
    form = "copied"
  windows.inside = form == "pipeline"
  windows.draw_prefetch()
  if form == "bounds":
    windows.draw_bounds()
  kept = bool(windows.bounds)
  if kept and windows.extra_axis is not None:
    windows.bounds, kept = {}, False
  output = windows.output(dtype)
  inputs = [_operand(rng, windows, dtype, form) for _ in range(rng.choice((1, 2, 2, 3)))]
  if kept:
    inputs[0] = Operand(output.shape, dtype, output.spec, output.window)
  body = make_body(rng, windows, dtype, True, True)
  for i, operand in enumerate(inputs):
    _read(rng, body, f"x{i}", operand, dtype)
  last = draw_steps(rng, body)
  writer = make_writer(body)
  lines = writer.write(last)
  source = {"pipeline": _pipeline, "copied": _copied}.get(form, _call)(rng, windows, inputs, output, lines, writer.scratch, kept)
  described = [((windows.prefetch,), "int32", windows.prefetch)] if windows.prefetch else []
  described += [(o.shape, o.dtype, 0) for o in inputs]
  return FormKernel(seed, source, described, dtype, list(windows.bounds.values()))


def _operand(rng, windows, dtype, form):
  stored = rng.choice(STORED[dtype]) if rng.random() < .35 else dtype
  if form in ("plain", "bounds") and not any(windows.ragged) and not any(windows.squeezed) and rng.random() < .2:
    return windows.overlapping(stored)
  return windows.input(stored)


def _read(rng, body, name, operand, dtype):
  text = f"{name}[...]" if operand.dtype == dtype else f"{name}[...].astype(jnp.{dtype})"
  draw_input(rng, body, text, operand.window)


def _names(windows, inputs, scratch):
  return (["table"] if windows.prefetch else []) + [f"x{i}" for i in range(len(inputs))] + ["o"] + (["acc"] if scratch else [])


def _function(name, arguments, lines, indent=""):
  return f"{indent}def {name}({', '.join(arguments)}):\n" + "".join(f"{indent}  {line}\n" for line in lines)


def _call(rng, windows, inputs, output, lines, scratch, kept):
  """A call of the whole, some lengths of whose grid may be arguments."""
  grid = [f"bounds[{list(windows.bounds).index(a)}]" if a in windows.bounds else str(n) for a, n in enumerate(windows.grid)]
  semantics = "".join(f'"{"arbitrary" if a == windows.extra_axis or windows.prefetch or kept else "parallel"}", ' for a in range(len(windows.grid)))
  return (f"{HEADER}\n{_function('kernel', _names(windows, inputs, scratch), lines)}\ndef call(*arrays, interpret=False):\n"
          + (f"  bounds, arrays = arrays[:{len(windows.bounds)}], arrays[{len(windows.bounds)}:]\n" if windows.bounds else "") +
          f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({output.shape}, jnp.{output.dtype}),\n"
          f"    grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={int(bool(windows.prefetch))}, grid=({', '.join(grid)}{',' if grid else ''}),\n"
          f"      in_specs=[{', '.join(o.spec for o in inputs)}],\n      out_specs={output.spec},\n      scratch_shapes=[{', '.join(scratch)}]),\n"
          f"    input_output_aliases={{{f'{int(bool(windows.prefetch))}: 0' if kept else ''}}},\n"
          f"    compiler_params=pltpu.CompilerParams(dimension_semantics=({semantics})), interpret=interpret)(*arrays)\n")


def _pipeline(rng, windows, inputs, output, lines, scratch, kept):
  """A pipeline over the whole arrays, perhaps over a part of each that the call's own grid chooses."""
  outer = rng.choice((0, 0, 2, 3))
  parted = [outer > 0 and rng.random() < .6 for _ in inputs] + [outer > 0]
  names = _names(windows, inputs, scratch)
  grid = list(map(str, windows.grid))
  if rng.random() < .3:
    axis = rng.randrange(len(grid))
    windows.bounds = {axis: windows.grid[axis]}
    grid[axis], names = "bound[...]", ["bound", *names]
  inner = [f"x{i}" for i in range(len(inputs))] + ["o"]
  views = [f"{name}.at[pl.program_id(0)]" if part else name for name, part in zip(inner, parted)]
  for operand, part in zip([*inputs, output], parted):
    operand.shape = (outer, *operand.shape) if part else operand.shape
  run = [f"views = [{', '.join(views)}]", *_function("inner", inner, lines).rstrip("\n").split("\n"),
         f"pltpu.emit_pipeline(inner, grid=({', '.join(grid)},), in_specs=[{', '.join(o.spec for o in inputs)}], out_specs=[{output.spec}])(*views)"]
  return _whole(names, run, f"({outer},)" if outer else "()", inputs, output, scratch, len(names) - len(_names(windows, inputs, scratch)) + bool(windows.prefetch))


def _copied(rng, windows, inputs, output, lines, scratch, kept):
  """A kernel that copies its windows by itself."""
  names = _names(windows, inputs, scratch)
  arrays = [f"{name}_all" if name[0] in "xo" else name for name in names]
  refs = [f"x{i}" for i in range(len(inputs))] + ["o"]
  buffers = [f"pltpu.VMEM({o.window}, jnp.{o.dtype})" for o in inputs] + [f"pltpu.VMEM({output.window}, jnp.{output.dtype})"]
  run = ["def window(ref, spec):",
         f"  at = spec.index_map({', '.join([f'pl.program_id({k})' for k in range(len(windows.grid))] + ['table'] * bool(windows.prefetch))})",
         "  return ref.at[tuple(i if b is None else pl.ds(i * b, b) for i, b in zip(at, spec.block_shape))]",
         f"specs = [{', '.join(o.spec for o in inputs)}]", f"wholes = [{', '.join(f'x{i}_all' for i in range(len(inputs)))}]",
         f"parts = [{', '.join(refs[:-1])}]",
         "copies = [pltpu.make_async_copy(window(*pair), part, sems.at[i]) for i, (*pair, part) in enumerate(zip(wholes, specs, parts))]",
         "for copy in copies:", "  copy.start()", "for copy in copies:", "  copy.wait()", *lines,
         rng.choice((f"pltpu.sync_copy(o, window(o_all, {output.spec}))",
                     f"back = pltpu.make_async_copy(o, window(o_all, {output.spec}), sems.at[{rng.randrange(len(inputs))}])\nback.start()\nback.wait()"))]
  run = "\n".join(run).split("\n")
  return _whole([*arrays, *refs, "sems"], run, str(tuple(windows.grid)), inputs, output,
                [*scratch, *buffers, f"pltpu.SemaphoreType.DMA(({len(inputs)},))"], int(bool(windows.prefetch)))


def _whole(names, lines, grid, inputs, output, scratch, prefetched):
  """A call of whole arrays, wherever they are."""
  anywhere = "pl.BlockSpec(memory_space=pl.ANY)"
  return (f"{HEADER}\n{_function('kernel', names, lines)}\ndef call(*arrays, interpret=False):\n"
          f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({output.shape}, jnp.{output.dtype}),\n"
          f"    grid_spec=pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={prefetched}, grid={grid},\n"
          f"      in_specs=[{', '.join([anywhere] * len(inputs))}], out_specs={anywhere}, scratch_shapes=[{', '.join(scratch)}]),\n"
          f"    interpret=interpret)(*arrays)\n")
