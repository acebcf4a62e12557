"""Random Pallas kernels about when a value is read: values that are used after what they came from, or what they were
stored to, has changed.

A value stays what it was, but a compiler wants to compute the next one in its memory. So loops carry values whose old
ones are read behind an update, branches yield values that live elsewhere as well, refs are read, written, and written
again, and views of values are used late.
"""
import random

from .kernels import HEADER, Kernel, Limited

FIRST = 19_000_000
ROWS, COLUMNS = 8, 8


class Times(Limited):
  """A kernel in the making: values and refs of one shape."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    self.dtype = self.rng.choice(("float32", "int32"))
    self.refs = ["o0", "o1", "s0", "s1"][:self.rng.randrange(2, 5)]
    self.count, self.budget = 0, self.rng.randrange(6, 14)

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    return cls(seed).draw()

  def name(self):
    self.count += 1
    return f"v{self.count}"

  def part(self):
    """Rows of a value, and how many of them."""
    size = self.rng.randrange(1, 5)
    start = self.rng.randrange(ROWS - size + 1)
    return start, size

  def expression(self, names, index):
    rng = self.rng
    a, b, c = (rng.choice(names) for _ in range(3))
    start, size = self.part()
    to = rng.choice([str(rng.randrange(ROWS - size + 1))] + ([f"{index} % {ROWS - size + 1}"] if index else []))
    return rng.choice((
        lambda: self.limit(f"{a} + {b}"), lambda: self.limit(f"{a} - 2 * {b}"), lambda: f"jnp.roll({a}, {rng.randrange(1, 4)}, 0)",
        lambda: self.limit(f"{a} + jnp.dot({b}, {c}, preferred_element_type=jnp.{self.dtype})"),
        lambda: self.limit(f"{a} + jnp.dot({b}, {b}, preferred_element_type=jnp.{self.dtype})"),
        lambda: f"lax.dynamic_update_slice({a}, {b}[{start}:{start + size}], ({to}, 0))",
        lambda: f"{a}.at[{start}:{start + size}, :].set({b}[{start}:{start + size}, :])",
        lambda: self.limit(f"{a} + jnp.sum({b}, axis={rng.randrange(2)}, keepdims=True)"), lambda: f"{a}.T",
    ))()

  def statement(self, lines, names, index, depth):
    """Adds a statement to `lines`, and what it defines to `names`."""
    self.budget -= 1
    kinds = ["define"] * 4 + ["store"] * 2 + ["read", "update", "rows"]
    if depth < 2 and self.budget > 1:
      kinds += ["loop"] * 2 + ["branch"] * 2 + ["whilst", "when"]
    getattr(self, self.rng.choice(kinds))(lines, names, index, depth)

  def define(self, lines, names, index, depth):
    value = self.expression(names, index)
    names.append(self.name())
    lines.append(f"{names[-1]} = {value}")

  def store(self, lines, names, index, depth):
    lines.append(f"{self.rng.choice(self.refs)}[...] = {self.rng.choice(names)}")

  def read(self, lines, names, index, depth):
    names.append(self.name())
    lines.append(f"{names[-1]} = {self.rng.choice(self.refs)}[...]")

  def update(self, lines, names, index, depth):
    ref = self.rng.choice(self.refs)
    lines.append(f"{ref}[...] = {self.limit(f'{ref}[...] + {self.rng.choice(names)}')}")

  def rows(self, lines, names, index, depth):
    start, size = self.part()
    to = self.rng.randrange(ROWS - size + 1)
    lines.append(f"{self.rng.choice(self.refs)}[{to}:{to + size}, :] = {self.rng.choice(names)}[{start}:{start + size}, :]")

  def when(self, lines, names, index, depth):
    inner = []
    for _ in range(self.rng.randrange(1, 3)):
      self.rng.choice((self.store, self.update, self.rows))(inner, names, index, depth)
    lines += [f"@pl.when({self.condition(index)})", "def _():", *(f"  {line}" for line in inner)]

  def condition(self, index):
    left = index or "step"
    return f"{left} {self.rng.choice(('==', '<', '!='))} {self.rng.randrange(1, 3)}"

  def body(self, names, index, depth, results):
    """Statements, and `results` values to yield: old ones, and what was computed last."""
    lines, names = [], list(names)
    for _ in range(self.rng.randrange(1, 4)):
      self.statement(lines, names, index, depth + 1)
    yielded = [self.rng.choice(names[-4:] if self.rng.random() < .7 else names) for _ in range(results)]
    return lines + [f"return {', '.join(yielded)}{',' if results == 1 else ''}"]

  def loop(self, lines, names, index, depth):
    results = self.rng.randrange(1, 4)
    body, starts = f"body{self.name()}", [self.rng.choice(names) for _ in range(results)]
    carried, k = [self.name() for _ in range(results)], f"k{self.name()}"
    inner = self.body(names + carried * 2, k, depth, results)
    lines += [f"def {body}({k}, carried):", f"  {', '.join(carried)}, = carried", *(f"  {line}" for line in inner)]
    defined = [self.name() for _ in range(results)]
    lines.append(f"{', '.join(defined)}, = lax.fori_loop(0, {self.rng.randrange(1, 4)}, {body}, ({', '.join(starts)},))")
    names += defined

  def whilst(self, lines, names, index, depth):
    """A loop with a condition of its own, which carries its index."""
    results = self.rng.randrange(1, 3)
    body, starts = f"body{self.name()}", [self.rng.choice(names) for _ in range(results)]
    carried, k = [self.name() for _ in range(results)], f"k{self.name()}"
    *inner, last = self.body(names + carried * 2, k, depth, results)
    lines += [f"def {body}(carried):", f"  {k}, {', '.join(carried)} = carried", *(f"  {line}" for line in inner),
              f"  {last.replace('return ', f'return {k} + 1, ')}"]
    defined = [self.name() for _ in range(results)]
    lines.append(f"_, {', '.join(defined)} = lax.while_loop(lambda c: c[0] < {self.rng.randrange(1, 4)}, {body}, (0, {', '.join(starts)}))")
    names += defined

  def branch(self, lines, names, index, depth):
    results, condition = self.rng.randrange(1, 3), self.condition(index)
    functions = [f"case{self.name()}" for _ in range(2)]
    for function in functions:
      lines += [f"def {function}():", *(f"  {line}" for line in self.body(names, index, depth, results))]
    defined = [self.name() for _ in range(results)]
    lines.append(f"{', '.join(defined)}, = lax.cond({condition}, {', '.join(functions)})")
    names += defined

  def draw(self):
    lines, names = [f"{ref}[...] = x{i % 2}[...]" for i, ref in enumerate(self.refs)], ["v_x0", "v_x1"]
    lines += ["step = pl.program_id(0)", "v_x0 = x0[...]", "v_x1 = x1[...]"]
    while self.budget > 0:
      self.statement(lines, names, "", 0)
    lines.append(f"o0[...] = {self.limit(f'o0[...] + {names[-1]}')}")
    scratch = [ref for ref in self.refs if ref.startswith("s")]
    if scratch:
      lines.append(f"o1[...] = {self.limit(' + '.join(['o1[...]', *(f'{ref}[...]' for ref in scratch)]))}")
    body = "\n".join(f"  {line}" for line in lines)
    whole = f"pl.BlockSpec(({ROWS}, {COLUMNS}), lambda i: (0, 0))"
    shape = f"jax.ShapeDtypeStruct(({ROWS}, {COLUMNS}), jnp.{self.dtype})"
    source = (f"{HEADER}\ndef kernel(x0, x1, {', '.join(self.refs)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  return pl.pallas_call(kernel, out_shape=[{shape}, {shape}], grid=(2,), in_specs=[{whole}] * 2, out_specs=[{whole}] * 2,\n"
              f"    scratch_shapes=[pltpu.VMEM(({ROWS}, {COLUMNS}), jnp.{self.dtype})] * {len(scratch)}, interpret=interpret)(*arrays)\n")
    return Kernel(self.seed, source, [((ROWS, COLUMNS), self.dtype, 0)] * 2, self.dtype)
