# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas calls under transformations of JAX: batched, differentiated, in loops and branches, one after the other.

A function takes a table and two arrays, and yields one of the shape of the first. So any can be put around any other:
what is drawn first are a few calls, then what is put around them.
"""
import random

from .control import COLUMNS, ROWS, WHILST, Control
from .kernels import HEADER, Kernel, Limited

FIRST = 25_000_000
TABLE = 4


class TransformedKernel(Kernel):
  """Several calls, or other arrays than those of the function."""
  is_one_call = False


class Call(Limited):
  """A function `name(t, x, y)` that calls one kernel on arrays of `rows` x `columns`."""

  def __init__(self, rng, name, dtype, rows, columns):
    self.rng, self.name, self.dtype, self.rows, self.columns = rng, name, dtype, rows, columns
    self.block = tuple(rng.choice([b for b in range(1, n + 1) if n % b == 0 and n // b < 5]) for n in (rows, columns))
    # Blocks that extend past the end of the array.
    self.ragged = rng.random() < .25
    if self.ragged:
      self.block = tuple(rng.randrange(max(1, n // 3), n + 1) for n in (rows, columns))
    self.grid = tuple(-(-n // b) for n, b in zip((rows, columns), self.block))
    self.table = rng.choice(("prefetched", "prefetched", "smem", "none"))
    self.alias = rng.choice(("none", "none", "x", "y"))
    # How many steps come back to a block of the output, and whether they add up in scratch memory.
    self.visits = rng.choice((1, 1, 2, 3))
    self.uses_scratch = self.visits > 1 and rng.random() < .5
    self.has_sums = rng.random() < .3

  def value(self):
    """What a step makes of its blocks `a` and `b`."""
    rng = self.rng
    number = rng.choice(("i", "j", "k", "pl.num_programs(0)", "1", *([f"t[i % {TABLE}] % 5", f"t[(i + j) % {TABLE}] % 3"] if self.table != "none" else [])))
    plain = [f"a + b * ({number})", f"a * ({number}) - b", f"jnp.where(a > 1, b, a + ({number}))"] if self.dtype != "float32" else \
            [f"a + b * ({number})", f"a * ({number}) - b", "jnp.sin(a) + b", "jax.nn.relu(a) - b"]
    mixed = [f"a + jnp.sum(b, axis={rng.randrange(2)}, keepdims=True)", f"jnp.cumsum(a, axis={rng.randrange(2)}) - b", f"jnp.roll(a, 1, {rng.randrange(2)}) + b",
             f"jnp.dot(jnp.dot(a, b.T, preferred_element_type=jnp.{self.dtype}), a, preferred_element_type=jnp.{self.dtype}) + ({number})", "jnp.flip(a, 0) - b"]
    return self.limit(rng.choice(plain if self.ragged else plain + mixed)) + ("" if self.dtype == "float32" else f".astype(jnp.{self.dtype})")

  def place(self, own):
    """The block of an input that a step sees: its own one, or another, which may not end where that of the output does."""
    rng, (rows, columns) = self.rng, self.grid
    if own or self.ragged:
      return "i, j"
    looked_up = self.table == "prefetched" and rng.random() < .6
    row = f"t[(i + k) % {TABLE}] % {rows}" if looked_up else rng.choice(("i", f"{rows} - 1 - i", f"(i + k) % {rows}"))
    return f"{row}, {rng.choice(('j', f'{columns} - 1 - j'))}"

  def body(self):
    update = f"value + {'total' if self.uses_scratch else 'o'}[...]"
    lines = ["i, j, k = (pl.program_id(axis) for axis in range(3))", "a, b = x[...], y[...]", f"value = {self.value()}"]
    if self.visits == 1:
      lines.append("o[...] = value")
    else:
      ref = "total" if self.uses_scratch else "o"
      lines += ["@pl.when(k == 0)", "def _():", f"  {ref}[...] = value", "@pl.when(k > 0)", "def _():", f"  {ref}[...] = {self.limit(update)}"]
      if self.uses_scratch:
        lines += [f"@pl.when(k == {self.visits - 1})", "def _():", "  o[...] = total[...]"]
    if self.has_sums:
      lines.append(f"p[...] = {self.limit('value + a')}")
    return lines

  def lines(self):
    """A kernel reads a block of an aliased array before it is written, and no other."""
    refs = [*(["t"] if self.table != "none" else []), "x", "y", "o", *(["p"] if self.has_sums else []), *(["total"] if self.uses_scratch else [])]
    prefetches = self.table == "prefetched"
    ids = "i, j, k" + (", t" if prefetches else "")
    block = lambda place: f"pl.BlockSpec({self.block}, lambda {ids}: ({place}))"
    if self.visits > 1:
      self.alias = "none"
    inputs = [*(["pl.BlockSpec(memory_space=pltpu.SMEM)"] if self.table == "smem" else []), block(self.place(self.alias == "x")), block(self.place(self.alias == "y"))]
    outputs = [block("i, j")] * (1 + self.has_sums)
    shape = f"jax.ShapeDtypeStruct({(self.rows, self.columns)}, jnp.{self.dtype})"
    position = (self.table != "none") + (self.alias == "y")
    return [f"def {self.name}(t, x, y):", f"  def kernel({', '.join(refs)}):", *(f"    {line}" for line in self.body()),
            f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={int(prefetches)}, grid=({self.grid[0]}, {self.grid[1]}, {self.visits}),",
            f"    in_specs=[{', '.join(inputs)}],", f"    out_specs=[{', '.join(outputs)}],",
            f"    scratch_shapes=[{f'pltpu.VMEM({self.block}, jnp.{self.dtype})' if self.uses_scratch else ''}])",
            f"  results = pl.pallas_call(kernel, out_shape=[{shape}] * {len(outputs)}, grid_spec=spec,",
            f"    input_output_aliases={{{'' if self.alias == 'none' else f'{position}: 0'}}}, interpret=interpret)({'t, ' if self.table != 'none' else ''}x, y)",
            f"  return {self.limit('results[0] + results[1]') if self.has_sums else 'results[0]'}"]


class Transforms(Limited):
  """Functions `f0`, `f1`, ..., each made of those before; `shapes` are those of the table and of both arrays."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    self.dtype = self.rng.choice(("float32", "float32", "int32", "int16"))
    self.lines, self.count = [], 0
    self.shape = (self.rng.choice((4, 6, 8)), self.rng.choice((4, 8, 12)))

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    return cls(seed).draw()

  def add(self, *lines):
    """Appends a function, whose name is written `NEW` and that of the last one `OLD`."""
    self.count += 1
    self.lines += [line.replace("NEW", f"f{self.count}").replace("OLD", f"f{self.count - 1}") for line in lines]

  def define(self, text, *before):
    self.add("def NEW(t, x, y):", *(f"  {line}" for line in before), f"  return {text}")

  def call(self):
    """Another call of arrays of these shapes."""
    name = f"g{self.rng.randrange(10**6)}"
    self.lines += Call(self.rng, name, self.dtype, *self.shape).lines()
    return name

  def first(self):
    rng = self.rng
    if self.dtype != "int16" and rng.random() < .3:
      self.shape = ROWS, COLUMNS
      control = Control(self.seed)
      control.dtype = self.dtype
      self.lines += control.function("inner")
      self.lines += ["def f0(t, x, y):", "  one, two = inner(jnp.tile(t, 2), x, y)", f"  return {self.limit('one + two')}"]
    else:
      self.lines += Call(rng, "f0", self.dtype, *self.shape).lines()
    self.shapes = [(TABLE,), self.shape, self.shape]

  # What is put around a function.

  def batch(self):
    """A dimension more for some of the arrays, anywhere."""
    rng, size, axes = self.rng, self.rng.choice((1, 2, 2, 3)), []
    batched = rng.choice(((0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)))
    for position, (shape, yes) in enumerate(zip(self.shapes, batched)):
      axis = rng.randrange(len(shape) + 1) if yes else None
      axes.append(axis if not yes or rng.random() < .7 else axis - len(shape) - 1)
      if yes:
        self.shapes[position] = (*shape[:axis], size, *shape[axis:])
    named = rng.random() < .2
    inner = "lambda t, x, y: OLD(t, x, y) + lax.axis_index('batch').astype(x.dtype)" if named else "OLD"
    out = axes[1] if batched[1] else 0
    self.add("def NEW(t, x, y):", f"  many = jax.vmap({inner}, in_axes={tuple(axes)}, out_axes={out}{', axis_name=%r' % 'batch' if named else ''})(t, x, y)",
             f"  return {'many' if batched[1] else self.limit('many[0] + many[-1]')}")

  def rounds(self):
    rng = self.rng
    count = rng.choice(("0", "1", "2", "3", "3", "jnp.max(t) % 4"))
    unroll = ", unroll=2" if count.isdigit() and rng.random() < .2 else ""
    step = rng.choice(("OLD(t, c, y)", "OLD(t, c, y + n.astype(y.dtype))", self.limit("OLD(t, c, y) - c"), "OLD(t + n, c, y)"))
    self.define(f"lax.fori_loop(0, {count}, lambda n, c: {step}, x{unroll})")

  def whilst(self):
    step = self.rng.choice(("OLD(t, c[1], y)", self.limit("c[1] - OLD(t, c[1], y)")))
    self.define(f"lax.while_loop(lambda c: c[0] < {self.rng.choice(('2', 'jnp.sum(t) % 4', 't.ravel()[0] % 3'))}, lambda c: (c[0] + 1, {step}), (0, x))[1]")

  def scan(self):
    rng, length = self.rng, self.rng.choice((1, 2, 3))
    options = rng.choice(("", "", ", reverse=True", ", unroll=2"))
    yielded = rng.choice(("c", "OLD(t, c, v)", "c.sum()"))
    self.shapes[2] = (length, *self.shapes[2])
    self.define(self.limit("last + rows[0]" if yielded != "c.sum()" or self.dtype != "float32" else "last + jnp.sin(rows[0])") +
                ("" if self.dtype == "float32" else f".astype(jnp.{self.dtype})"),
                f"last, rows = lax.scan(lambda c, v: (OLD(t, c, v), {yielded}), x, y{options})")

  def map(self):
    self.shapes[1] = (self.rng.choice((1, 2, 3)), *self.shapes[1])
    self.define(f"lax.map(lambda v: OLD(t, v, y), x{self.rng.choice(('', ', batch_size=2'))})")

  def branch(self):
    rng = self.rng
    other = rng.choice(("x", self.limit("x - 1"), "OLD(t, OLD(t, x, y), y)", "OLD(t - 1, x, y)"))
    condition = rng.choice(("jnp.sum(t) % 2 == 0", "t.ravel()[1] > 0", "True"))
    if rng.random() < .5:
      return self.define(f"lax.cond({condition}, lambda: OLD(t, x, y), lambda: {other})")
    self.define(f"lax.switch({rng.choice(('jnp.sum(t) % 3', 't.ravel()[0] % 5 - 1'))}, [lambda: OLD(t, x, y), lambda: {other}, lambda: x])")

  def compiled(self):
    rng = self.rng
    self.define(rng.choice(("jax.jit(OLD)(t, x, y)", "jax.jit(OLD, inline=True)(t, x, y)", "jax.checkpoint(OLD)(t, x, y)", "jax.named_call(OLD, name='named')(t, x, y)",
                            "jax.jit(OLD, donate_argnums=1)(t, x + 0, y)", "jax.jit(jax.jit(OLD))(t, x, y)", "jax.custom_batching.sequential_vmap(OLD)(t, x, y)")))

  def chain(self):
    self.define(self.rng.choice(("OLD(t, OLD(t, x, y), y)", self.limit("OLD(t, x, y) + OLD(t, x, y * 2)"), self.limit("x - OLD(t, x, y)"), "OLD(t + 1, OLD(t, x, y), y)")))

  def other(self):
    """A call of another kernel behind it, for arrays that have the shapes still."""
    if self.shapes[1:] != [self.shape] * 2:
      return self.chain()
    call = self.call()
    self.define(self.rng.choice((f"{call}(t.ravel()[:{TABLE}], OLD(t, x, y), y)", f"{call}(t.ravel()[:{TABLE}], y, OLD(t, x, y))")))

  def derivative(self):
    """A rule of its own, whose derivatives are calls as well."""
    if self.dtype != "float32":
      return self.compiled()
    if self.rng.random() < .5:
      self.add("@jax.custom_vjp", "def NEW_rule(t, x, y):", "  return OLD(t, x, y)",
               "NEW_rule.defvjp(lambda t, x, y: (OLD(t, x, y), (t, y)), lambda kept, g: (None, OLD(kept[0], g, kept[1]), kept[1] * g.sum()))",
               "def NEW(t, x, y):", "  by_x, by_y = jax.grad(lambda x, y: jnp.sum(jnp.sin(NEW_rule(t, x, y))), argnums=(0, 1))(x, y)",
               f"  return {self.limit('by_x + by_y.mean()')}")
    else:
      self.add("@jax.custom_jvp", "def NEW_rule(t, x, y):", "  return OLD(t, x, y)", "@NEW_rule.defjvp", "def _(values, tangents):", "  t, x, y = values",
               "  return NEW_rule(t, x, y), OLD(t, tangents[1], y)", "def NEW(t, x, y):",
               "  value, tangent = jax.jvp(lambda x: NEW_rule(t, x, y), (x,), (jnp.cos(x),))", f"  return {self.limit('value + tangent')}")

  def draw(self):
    rng = self.rng
    self.first()
    kinds = [self.batch] * 4 + [self.rounds, self.whilst, self.scan, self.scan, self.map, self.branch, self.branch, self.compiled, self.chain, self.other, self.derivative]
    for _ in range(rng.choice((1, 2, 2, 3, 3, 4))):
      rng.choice(kinds)()
    body = "\n".join(f"  {line}" for line in self.lines)
    source = f"{HEADER}{WHILST}\ndef call(t, x, y, interpret=False):\n{body}\n  return f{self.count}(t, x, y)\n"
    return TransformedKernel(self.seed, source, [(shape, dtype, 0) for shape, dtype in zip(self.shapes, ("int32", self.dtype, self.dtype))], self.dtype)
