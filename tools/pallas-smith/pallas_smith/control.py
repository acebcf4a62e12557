# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels whose loops and branches read and write refs, with trip counts and places that memory holds.

The statements are those of `times`, and beside them loops of every form that JAX has, scopes of memory, branches that
write what others leave alone, and functions of JAX that make loops, branches and calls of their own: maps, batches,
derivatives.
"""
from .kernels import HEADER, Kernel
from .times import COLUMNS, ROWS, Times

FIRST = 24_000_000

# JAX's interpreter sees in a condition what refs held in front of the loop. Here it gets the condition as a carried value.
WHILST = """
def whilst(condition, body, start, interpret):
  if not interpret:
    return lax.while_loop(condition, body, start)
  def step(carried):
    values = body(carried[1])
    return condition(values), values
  return lax.while_loop(lambda carried: carried[0], step, (condition(start), start))[1]
"""


class Control(Times):
  """Values and refs of one shape, and a table of numbers `t` in scalar memory, of any sign."""

  def __init__(self, seed):
    super().__init__(seed)
    # Steps find what those before them left, or start again.
    self.carries = self.rng.random() < .5
    self.prefetches = self.rng.random() < .5
    self.budget = self.rng.randrange(6, 15)

  def number(self, index, bound):
    """A number below `bound` that is known when the kernel runs."""
    place = self.rng.choice((str(self.rng.randrange(ROWS)), *([f"{index} % {ROWS}"] if index else []), "step"))
    return self.rng.choice((f"t[{place}] % {bound}", f"(t[{place}] + {index or 'step'}) % {bound}"))

  def expression(self, names, index):
    rng = self.rng
    if rng.random() < .55:
      return super().expression(names, index)
    a, b = rng.choice(names), rng.choice(names)
    rows = self.number(index, ROWS - 2)
    plain = [f"jnp.flip({a}, {rng.randrange(2)})", f"jnp.sort({a}, axis={rng.randrange(2)})", f"lax.rev({a}, (0, 1))", f"jax.nn.relu({a})",
             f"jnp.where(jnp.arange({COLUMNS}) < {self.number(index, COLUMNS)}, {a}, {b})", f"jnp.roll({a}, {self.number(index, 5)}, 1)",
             self.limit(f"jnp.cumsum({a}, axis={rng.randrange(2)})"), f"{a}.at[{rows}].set({b}[{rng.randrange(ROWS)}])",
             f"lax.dynamic_update_slice({a}, lax.dynamic_slice({b}, ({rows}, 0), (2, {COLUMNS})), ({self.number(index, ROWS - 2)}, 0))",
             self.limit(f"lax.map(lambda r: r + r[{rng.randrange(COLUMNS)}], {a}{rng.choice(('', ', batch_size=3'))})"),
             self.limit(f"jax.checkpoint(lambda v: jnp.maximum(v, {b}) + v)({a})"), f"jnp.take({a}, jnp.arange({ROWS}) * 3 % {ROWS}, axis={rng.randrange(2)})",
             self.limit(f"lax.associative_scan(jnp.add, {a}, axis={rng.randrange(2)})"), *self.batched(a, index), *self.drawn(a, index), *self.empty(a, b, index), *self.numbered(a, index)]
    real = [f"jax.nn.gelu({a})", self.limit(f"jax.nn.logsumexp({a}, axis=1, keepdims=True) - {b}"), f"jax.nn.softmax({a}, axis={rng.randrange(2)})",
            self.limit(f"jax.grad(lambda v: (jnp.tanh(v) * {b}).sum())({a})"), self.limit(f"jax.jvp(jax.nn.silu, ({a},), ({b},))[1]"),
            self.limit(f"jax.grad(lambda v: lax.fori_loop(0, 3, lambda n, c: jnp.sin(c + {b}) * v, v).sum())({a})"),
            self.limit(f"jax.grad(lambda v: lax.scan(lambda c, r: (c * .5 + r, jnp.cos(c)), v[0], v, reverse={rng.random() < .5})[1].sum())({a})"),
            self.limit(f"jax.grad(lambda v: lax.cond({self.condition(index)}, lambda: jnp.sin(v) * {b}, lambda: v).sum())({a})")]
    return rng.choice(plain + real if self.dtype == "float32" else plain)

  def batched(self, a, index):
    """Loops and branches of rows, whose number of rounds, or which of them, is another one for each row."""
    counts = f"(jnp.arange({ROWS}) + {self.number(index, 5)}) % {self.rng.randrange(2, 5)}"
    body = self.limit("c + n")
    return (f"jax.vmap(lambda n, r: lax.cond(n == 1, lambda: r[::-1], lambda: {self.limit('r + n')}))({counts}, {a})",
            f"jax.vmap(lambda n, r: lax.fori_loop(0, n, lambda i, c: {body}, r))({counts}, {a})",
            f"jax.vmap(lambda n, r: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, jnp.roll(c[1], 1)), (0, r))[1])({counts}, {a})",
            f"jax.vmap(lambda n, r: lax.switch(n, [lambda: r, lambda: jnp.roll(r, 2), lambda: r * 0]), in_axes=(0, 1), out_axes=1)({counts}, {a})",
            f"jax.vmap(lambda r: lax.scan(lambda c, e: ({self.limit('c + e')}, c), r[0] * 0, r)[1], in_axes=1, out_axes=1)({a})")

  def drawn(self, a, index):
    """Random numbers of keys that loops take apart, or put together."""
    key, cast = f"jax.random.fold_in(jax.random.key(3), {self.number(index, 9)})", f".astype(jnp.{self.dtype})"
    draw = f"jax.random.randint(k, ({COLUMNS},), -4, 5)"
    return (self.limit(f"{a} + lax.map(lambda k: {draw}, jax.random.split({key}, {ROWS})){cast}"),
            self.limit(f"{a} - jax.vmap(lambda k: {draw})(lax.scan(lambda c, _: tuple(jax.random.split(c)), {key}, None, length={ROWS})[1]){cast}"))

  def empty(self, a, b, index):
    """Values without elements, and what takes them along."""
    row = self.number(index, ROWS)
    return (f"{a} + jnp.concatenate([{b}[:0], {a}[2:2]]).sum()", f"{a} + lax.dynamic_slice({b}[:, :0], ({row}, 0), (2, 0)).sum()",
            f"jnp.concatenate([{b}[3:3], {a}, {a}[:0] * 2])", f"lax.dynamic_update_slice({a}, {b}[:0], ({row}, 0))", f"{a} + {b}[:0, {row}].sum()")

  def numbered(self, a, index):
    """Loops that number their rounds from anywhere, over the end of the numbers as well."""
    start = self.rng.choice(("-2", f"2**31 - {self.rng.randrange(1, 9)}", self.number(index, 5)))
    return (self.limit(f"lax.scan(lambda c, r: ((c[0] + 1, c[1]), r * (c[0] % 3 == 1)), (jnp.int32({start}), 0), {a})[1]"),)

  def statement(self, lines, names, index, depth):
    self.budget -= 1
    kinds = ["define"] * 4 + ["store"] * 2 + ["read", "update", "rows", "moved", "moved"]
    if depth < 3 and self.budget > 1:
      kinds += ["loop", "branch", "when", "whilst", "counted", "counted", "repeated", "repeated", "switched", "switched", "scanned", "scanned",
                "scoped", "scoped", "pair", "waiting"]
    getattr(self, self.rng.choice(kinds))(lines, names, index, depth)

  def store(self, lines, names, index, depth):
    super().store(lines, names[-3:], index, depth)

  def update(self, lines, names, index, depth):
    super().update(lines, names[-3:], index, depth)

  def moved(self, lines, names, index, depth):
    """Rows from one place to another, both known late."""
    rng, size = self.rng, self.rng.randrange(1, 4)
    to, of = (self.number(index, ROWS - size + 1) for _ in range(2))
    source = rng.choice((*self.refs, "x0", "x1"))
    target = rng.choice(self.refs)
    value = f"{source}[pl.ds({of}, {size}), :]"
    lines.append(f"{target}[pl.ds({to}, {size}), :] = {rng.choice((value, self.limit(f'{value} + {target}[pl.ds({to}, {size}), :]')))}")

  def within(self, names, index, depth):
    """Statements that yield nothing."""
    lines, inner = [], list(names)
    for _ in range(self.rng.randrange(1, 4)):
      self.statement(lines, inner, index, depth + 1)
    self.rng.choice((self.update, self.moved, self.store))(lines, inner, index, depth + 1)
    return lines

  def counted(self, lines, names, index, depth):
    """A loop from and to numbers that are known late; it may have no rounds at all."""
    rng, results = self.rng, self.rng.randrange(1, 3)
    body, k, carried = f"body{self.name()}", f"k{self.name()}", [self.name() for _ in range(results)]
    starts = [rng.choice(names) for _ in range(results)]
    inner = self.body(names + carried * 2, k, depth, results)
    lines += [f"def {body}({k}, carried):", f"  {', '.join(carried)}, = carried", *(f"  {line}" for line in inner)]
    first, last = rng.choice(("0", "0", "1", self.number(index, 3))), self.number(index, 4)
    static = rng.random() < .3
    rounds = f"{rng.randrange(3)}, {rng.randrange(6)}" if static else f"{first}, {last}"
    unroll = f", unroll={rng.choice(('2', '3', 'True'))}" if static and rng.random() < .5 else ""
    defined = [self.name() for _ in range(results)]
    lines.append(f"{', '.join(defined)}, = lax.fori_loop({rounds}, {body}, ({', '.join(starts)},){unroll})")
    names += defined

  def repeated(self, lines, names, index, depth):
    """A loop on refs alone."""
    rng, k = self.rng, f"k{self.name()}"
    unroll = rng.random() < .25
    last = str(rng.randrange(1, 6)) if unroll else rng.choice((self.number(index, 5), str(rng.randrange(5))))
    options = ", unroll=True" if unroll else rng.choice(("", "", f", step={rng.randrange(1, 4)}"))
    lines += [f"@pl.loop({rng.randrange(2)}, {last}{options})", f"def _({k}):", *(f"  {line}" for line in self.within(names, k, depth))]

  def switched(self, lines, names, index, depth):
    """Branches by number, also numbers outside, that write to refs of their own and yield values."""
    results, functions = self.rng.randrange(0, 3), [f"case{self.name()}" for _ in range(self.rng.randrange(2, 5))]
    for function in functions:
      inner = self.body(names, index, depth, results) if results else self.within(names, index, depth)
      lines += [f"def {function}():", *(f"  {line}" for line in inner)]
    defined = [self.name() for _ in range(results)]
    which = self.rng.choice((self.number(index, len(functions)), self.number(index, len(functions)), f"{self.number(index, 6)} - 1"))
    lines.append(f"{f'{chr(44).join(defined)}, = ' if results else ''}lax.switch({which}, [{', '.join(functions)}])")
    names += defined

  def pair(self, lines, names, index, depth):
    """What is done if a condition holds, and what if not; the first may change what the second one reads."""
    held = self.name()
    lines.append(f"{held} = {self.condition(index)}")
    for test in (held, f"jnp.logical_not({held})"):
      lines += [f"@pl.when({test})", "def _():", *(f"  {line}" for line in self.within(names, index, depth))]

  def scanned(self, lines, names, index, depth):
    """A loop over the rows of a value, which puts rows together."""
    rng = self.rng
    body, carried, row, number = f"body{self.name()}", self.name(), self.name(), f"k{self.name()}"
    *inner, last = self.body([*names, carried, carried], number, depth, 1)
    yielded = rng.choice((f"{carried}[0]", row, self.limit(f"{row} + {carried}[{number}]"), f"{rng.choice(names)}[{number}]"))
    lines += [f"def {body}(carried, {row}):", f"  {number}, {carried} = carried", *(f"  {line}" for line in inner),
              f"  return ({number} + 1, {last.removeprefix('return ').removesuffix(',')}), {yielded}"]
    options = rng.choice(("", "", ", reverse=True", ", unroll=3"))
    after, stacked = self.name(), self.name()
    lines.append(f"(_, {after}), {stacked} = lax.scan({body}, (0, {rng.choice(names)}), {rng.choice(names)}{options})")
    names += [after, stacked]

  def scoped(self, lines, names, index, depth):
    """Scratch memory for some statements."""
    scope, ref = f"scope{self.name()}", f"r{self.name()}"
    self.refs.append(ref)
    inner = self.body(names, index, depth, 1)
    self.refs.remove(ref)
    result = self.name()
    lines += [f"def {scope}({ref}):", f"  {ref}[...] = {self.rng.choice(names)}", *(f"  {line}" for line in inner),
              f"{result}, = pl.run_scoped({scope}, pltpu.VMEM(({ROWS}, {COLUMNS}), jnp.{self.dtype}))"]
    names.append(result)

  def waiting(self, lines, names, index, depth):
    """A loop whose condition reads what its rounds have counted in memory."""
    scope, body, value, n = f"scope{self.name()}", f"body{self.name()}", self.name(), f"n{self.name()}"
    *inner, last = self.body([*names, value, value], f"{n}[0]", depth, 1)
    result = self.name()
    lines += [f"def {scope}({n}):", f"  {n}[0] = jnp.int32(0)", f"  def {body}({value}):", *(f"    {line}" for line in inner),
              f"    {n}[0] = {n}[0] + 1 + {self.number('', 2)}", f"    {last.removesuffix(',')}",
              f"  return whilst(lambda _: {n}[0] < {self.rng.randrange(4)} + step, {body}, {self.rng.choice(names)}, interpret)",
              f"{result} = pl.run_scoped({scope}, pltpu.SMEM((1,), jnp.int32))"]
    names.append(result)

  def kernel(self):
    """The lines of the kernel."""
    fills = [f"{ref}[...] = x{i % 2}[...]" for i, ref in enumerate(self.refs)]
    lines, names = ["step = pl.program_id(0)"], ["v_x0", "v_x1"]
    lines += ["@pl.when(step == 0)", "def _():", *(f"  {line}" for line in fills)] if self.carries else fills
    lines += ["v_x0 = x0[...]", "v_x1 = x1[...]"]
    while self.budget > 0:
      self.statement(lines, names, "", 0)
    lines.append(f"o0[...] = {self.limit(f'o0[...] + {names[-1]}')}")
    scratch = [ref for ref in self.refs if ref.startswith("s")]
    return lines + [f"o1[...] = {self.limit(' + '.join(['o1[...]', *(f'{ref}[...]' for ref in scratch)]))}"], len(scratch)

  def function(self, name):
    """A function `name(t, x0, x1)` that calls the kernel, inside of one that knows whether to `interpret`."""
    lines, scratch = self.kernel()
    index = ", t" if self.prefetches else ""
    whole = f"pl.BlockSpec(({ROWS}, {COLUMNS}), lambda i{index}: (0, 0))"
    table = "" if self.prefetches else "pl.BlockSpec(memory_space=pltpu.SMEM), "
    shape = f"jax.ShapeDtypeStruct(({ROWS}, {COLUMNS}), jnp.{self.dtype})"
    return [f"def {name}(t, x0, x1):", f"  def kernel(t, x0, x1, {', '.join(self.refs)}):", *(f"    {line}" for line in lines),
            f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch={int(self.prefetches)}, grid=(2,), in_specs=[{table}{whole}, {whole}], out_specs=[{whole}] * 2,",
            f"    scratch_shapes=[pltpu.VMEM(({ROWS}, {COLUMNS}), jnp.{self.dtype})] * {scratch})",
            f"  return pl.pallas_call(kernel, out_shape=[{shape}, {shape}], grid_spec=spec, interpret=interpret)(t, x0, x1)"]

  def draw(self):
    body = "\n".join(f"  {line}" for line in self.function("function"))
    source = f"{HEADER}{WHILST}\ndef call(t, x0, x1, interpret=False):\n{body}\n  return function(t, x0, x1)\n"
    return Kernel(self.seed, source, [((ROWS,), "int32", 0), *[((ROWS, COLUMNS), self.dtype, 0)] * 2], self.dtype)
