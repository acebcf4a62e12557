# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels for TPUs that copy blocks by themselves: ahead of their use, into slots, by tables, and in pipelines.

Pipelines ask for a chip and cores for a mesh, so `call(..., interpret=True)` is a model, made of the same parameters.
"""
import numpy as np

from .copies import Copies

FIRST = 26_000_000
DTYPES = ("float32", "float32", "int32", "bfloat16", "int8", "int16")


class Slots(Copies):
  """A kernel in the making: `pages` blocks of an array, of which `steps` come up in turn."""

  def __init__(self, seed):
    super().__init__(seed, DTYPES)
    rng = self.rng
    self.page = (*rng.choice(((), (), (2,), (3,))), rng.choice((1, 4, 8, 8, 5)), rng.choice((8, 128, 128, 256)))
    self.pages, self.steps, self.slots = rng.randrange(2, 7), rng.randrange(1, 8), rng.choice((1, 2, 2, 3, 4))

  def text(self):
    form = self.rng.choice((self.loop, self.loop, self.grid, self.grid, self.ways, self.pages_of, self.rows,
                            self.update, self.pipeline, self.pipeline, self.pipeline, self.cut, self.cores))
    return form()

  def slot(self, step):
    """The slot of a step, and its semaphore."""
    return self.rng.choice((f"lax.rem({step}, {self.slots})", f"({step}) % {self.slots}"))

  def fetch(self, source):
    """Lines of a function that describes the copy of a step; waits may name another source of the same size."""
    return [f"def fetch(k, page): return pltpu.make_async_copy({source}, buf.at[{self.slot('k')}], sem.at[{self.slot('k')}])"]

  def waited(self):
    """The page that a wait names."""
    return self.rng.choice(("t[k]", "0", "t[k]"))

  def sums(self):
    """The statement that adds up blocks, with its meaning, or the one that puts them side by side."""
    scale = self.rng.choice(("1", "2", "(k % 3 + 1)"))
    return f"buf[{self.slot('k')}] * jnp.asarray({scale}, jnp.{self.dtype})", f"x[t[k]] * jnp.asarray({scale}, jnp.{self.dtype})"

  def loop(self):
    """Slots that a loop fills ahead."""
    rng, steps, ahead = self.rng, self.steps, self.slots - 1
    self.table(steps, below=self.pages)
    self.array(self.pages, *self.page)
    value, meaning = self.sums()
    lines = self.fetch("x.at[page]") + ["o[...] = jnp.zeros_like(o)"]
    lines += [f"for k in range({min(ahead, steps)}): fetch(k, t[k]).start()"]
    body = [f"@pl.when(k + {ahead} < {steps})", "def _(): " + f"fetch(k + {ahead}, t[k + {ahead}]).start()", f"fetch(k, {self.waited()}).wait()",
            f"o[...] += {value}"]
    loop = rng.choice(("for", "fori", "while"))
    if loop == "for":
      lines += [f"@pl.loop(0, {steps})", "def _(k):"] + [f"  {line}" for line in body]
    elif loop == "fori":
      lines += ["def body(k, c):"] + [f"  {line}" for line in body] + ["  return c", f"lax.fori_loop(0, {steps}, body, 0)"]
    else:
      lines += ["def body(k):"] + [f"  {line}" for line in body] + ["  return k + 1", f"lax.while_loop(lambda k: k < {steps}, body, jnp.int32(0))"]
    model = [f"o = jnp.zeros({self.page}, jnp.{self.dtype})", f"for k in range({steps}): o = o + {meaning}", "return o"]
    return self.call(["t", "x", "o", "buf", "sem"], lines, model, inputs=1, output=self.page, out_spec="pl.BlockSpec(memory_space=pltpu.VMEM)",
                     scratch=[self.vmem(self.slots, *self.page), f"pltpu.SemaphoreType.DMA(({self.slots},))"])

  def grid(self):
    """A copy that one step of the grid starts and another waits for; the slot is that of the step, or in scalar memory."""
    rng, outer, inner = self.rng, self.rng.randrange(1, 4), self.steps
    steps, ahead = outer * inner, self.slots - 1
    self.table(steps, below=self.pages)
    self.array(self.pages, *self.page)
    lines = ["i, j = pl.program_id(0), pl.program_id(1)", f"k = i * {inner} + j"]
    scratch = [self.vmem(self.slots, *self.page), f"pltpu.SemaphoreType.DMA(({self.slots},))"]
    names, at = ["t", "x", "o", "buf", "sem"], self.slot("k")
    if rng.random() < .4 and self.slots > 1:
      # The slot of the next copy is kept.
      scratch.append("pltpu.SMEM((1,), jnp.int32)")
      names.append("kept")
      ahead, at = 1, "kept[0]"
      lines += ["def fetch(s, page): return pltpu.make_async_copy(x.at[page], buf.at[s], sem.at[s])", "@pl.when(k == 0)", "def _():",
                "  kept[0] = 0", "  fetch(0, t[0]).start()", "s = kept[0]", f"after = lax.rem(s + 1, {self.slots})", f"@pl.when(k + 1 < {steps})",
                "def _(): fetch(after, t[k + 1]).start()", f"fetch(s, {self.waited()}).wait()"]
    else:
      lines += self.fetch("x.at[page]") + ["@pl.when(k == 0)", "def _():"] + [f"  fetch({n}, t[{n}]).start()" for n in range(min(ahead, steps))] + ["  pass"]
      lines += [f"@pl.when(k + {ahead} < {steps})", f"def _(): fetch(k + {ahead}, t[k + {ahead}]).start()", f"fetch(k, {self.waited()}).wait()"]
    if rng.random() < .5:
      lines += [f"o[0] = buf[{at}]"]
      model, blocks, place = ["return x[t]"], steps, f"i * {inner} + j"
    else:
      lines += ["@pl.when(j == 0)", "def _(): o[...] = jnp.zeros_like(o)", f"o[0] += buf[{at}]"]
      model, blocks, place = [f"return x[t.reshape({outer}, {inner})].sum(1, dtype=x.dtype)"], outer, "i"
    lines += ["kept[0] = after"] if "kept" in names else []
    zeros = ", 0" * len(self.page)
    return self.call(names, lines, model, grid=f"({outer}, {inner})", inputs=1, output=(blocks, *self.page), scratch=scratch,
                     out_spec=f"pl.BlockSpec({(1, *self.page)}, lambda i, j, t: ({place}{zeros}))")

  def ways(self):
    """Blocks on their way in and out at once, out to another order; one wait may be for several copies."""
    steps, ins, outs = self.steps, self.slots, self.rng.choice((1, 2, 3))
    self.table(steps, below=self.pages)
    self.array(self.pages, *self.page)
    into = self.rng.choice((f"o.at[{steps - 1} - k]", "o.at[k]"))
    lines = self.fetch("x.at[page]") + [f"def send(k): return pltpu.make_async_copy(sent.at[k % {outs}], {into}, osem.at[k % {outs}])",
                                        f"for k in range({min(ins - 1, steps)}): fetch(k, t[k]).start()", f"@pl.loop(0, {steps})", "def _(k):",
                                        f"  pl.when(k + {ins - 1} < {steps})(lambda: fetch(k + {ins - 1}, t[jnp.minimum(k + {ins - 1}, {steps - 1})]).start())",
                                        f"  fetch(k, {self.waited()}).wait()", f"  pl.when(k >= {outs})(lambda: send(k - {outs}).wait())",
                                        f"  sent[k % {outs}] = buf[{self.slot('k')}] + jnp.asarray(k, jnp.{self.dtype})", "  send(k).start()"]
    if outs > 1 or steps < outs:
      lines += [f"for k in range({max(steps - outs, 0)}, {steps}): send(k).wait()"]
    else:
      lines += ["pltpu.make_async_copy(sent.at[0], sent.at[0], osem.at[0]).wait()"]
    order = "[::-1]" if "-" in into else ""
    ranks = "None, " * len(self.page)
    model = [f"return (x[t] + jnp.arange({steps}).astype(x.dtype)[:, {ranks}]){order}"]
    return self.call(["t", "x", "o", "buf", "sem", "sent", "osem"], lines, model, inputs=1, output=(steps, *self.page),
                     scratch=[self.vmem(ins, *self.page), f"pltpu.SemaphoreType.DMA(({ins},))", self.vmem(outs, *self.page),
                              f"pltpu.SemaphoreType.DMA(({outs},))"])

  def pages_of(self):
    """As many pages as a table has for each step of the grid, each a copy, one semaphore for all."""
    rng, steps, most = self.rng, self.steps, self.rng.randrange(1, 5)
    self.table(steps, most, below=self.pages)
    self.table(steps, below=most + 1)
    self.array(self.pages, *self.page)
    zeros = ", 0" * len(self.page)
    wait = rng.choice(("pltpu.make_async_copy(x.at[0], buf.at[p], sem).wait()", "pltpu.make_async_copy(buf.at[0], buf.at[0], sem).wait()",
                       "pltpu.make_async_copy(x.at[t[i, p]], buf.at[p], sem).wait()"))
    lines = ["i = pl.program_id(0)", "@pl.loop(0, n[i])", "def _(p): pltpu.make_async_copy(x.at[t[i, p]], buf.at[p], sem).start()"]
    if rng.random() < .4:
      lines += ["pltpu.make_async_copy(buf.at[pl.ds(0, n[i])], buf.at[pl.ds(0, n[i])], sem).wait()"]
    else:
      lines += ["@pl.loop(0, n[i])", f"def _(p): {wait}"]
    lines += ["o[...] = jnp.zeros_like(o)", f"for p in range({most}):", "  @pl.when(p < n[i])", "  def _(): o[0] += buf[p]"]
    ranks = "None, " * len(self.page)
    model = [f"return jnp.where((jnp.arange({most})[None, :] < n[:, None])[:, :, {ranks}], x[t], 0).sum(1, dtype=x.dtype)"]
    return self.call(["t", "n", "x", "o", "buf", "sem"], lines, model, grid=f"({steps},)", prefetch=2, inputs=1, output=(steps, *self.page),
                     out_spec=f"pl.BlockSpec({(1, *self.page)}, lambda i, t, n: (i{zeros}))",
                     scratch=[self.vmem(most, *self.page), "pltpu.SemaphoreType.DMA"])

  def rows(self):
    """Rows of lengths that tables have, to and from any place, under way at once."""
    rng, steps = self.rng, self.steps
    total = rng.randrange(9, 40)
    most = rng.randrange(1, 9)
    counts = self.numbers.integers(0, most + 1, steps).astype(np.int32)
    self.made.append(np.array([self.numbers.integers(0, total - n + 1) for n in counts], np.int32))
    self.made.append(counts)
    shape = (total, *self.page[1:])
    self.array(*shape)
    self.array(*shape)
    rest = ", slice(None)" * rng.randrange(len(self.page))
    lines = [f"def fetch(k): return pltpu.make_async_copy(x.at[pl.ds(s[k], n[k]){rest}], buf.at[{self.slot('k')}, pl.ds(0, n[k])], sem.at[{self.slot('k')}])"]
    start, wait = ("@pl.when(n[{0}] > 0)", "def _(): fetch({0}).start()"), ("@pl.when(n[k] > 0)", "def _(): fetch(k).wait()")
    if rng.random() < .5:
      start, wait = ("fetch({0}).start()",), ("fetch(k).wait()",)
    ahead = self.slots - 1
    for k in range(min(ahead, steps)):
      lines += [line.format(k) for line in start]
    lines += [f"@pl.loop(0, {steps})", "def _(k):", f"  @pl.when(k + {ahead} < {steps})", "  def _():",
              f"    later = jnp.minimum(k + {ahead}, {steps - 1})", *(f"    {line.format('later')}" for line in start), *(f"  {line}" for line in wait),
              f"  back = pltpu.make_async_copy(buf.at[{self.slot('k')}, pl.ds(0, n[k])], o.at[pl.ds(s[k], n[k])], osem)", "  back.start()", "  back.wait()"]
    model = [f"for k in range({steps}):", f"  at = jnp.arange({total}).reshape(-1, {'1, ' * (len(shape) - 1)})", "  y = jnp.where((at >= s[k]) & (at < s[k] + n[k]), x, y)",
             "return y"]
    return self.call(["s", "n", "x", "y", "o", "buf", "sem", "osem"], lines, model, prefetch=2, inputs=2, output=shape, aliases="3: 0",
                     scratch=[self.vmem(self.slots, most, *shape[1:]), f"pltpu.SemaphoreType.DMA(({self.slots},))", "pltpu.SemaphoreType.DMA"])

  def update(self):
    """A cache that a call changes in place, entry by entry, some of them left out."""
    rng, steps = self.rng, self.steps
    entries = steps + rng.randrange(1, 6)
    places = self.numbers.permutation(entries)[:steps].astype(np.int32)
    places[self.numbers.random(steps) < .3] = -1
    self.made.append(places)
    self.array(steps, *self.page)
    self.array(entries, *self.page)
    by_grid = rng.random() < .5
    way = ["pltpu.make_async_copy(x.at[k], o.at[t[k]], sem.at[k % 2])"] if rng.random() < .5 else []
    lines = ["i = pl.program_id(0)"] if by_grid else []
    if way:
      lines += ["def put(k, go):", "  @pl.when(t[k] >= 0)", "  def _():", f"    copy = {way[0]}", "    copy.start() if go else copy.wait()"]
      if by_grid:
        lines += ["put(i, True)", "@pl.when(i > 0)", "def _(): put(jnp.maximum(i - 1, 0), False)", f"@pl.when(i == {steps - 1})", "def _(): put(i, False)"]
      else:
        lines += [f"for k in range({steps}): put(k, True)", f"for k in range({steps}): put(k, False)"]
    else:
      lines += ["def put(k):", "  @pl.when(t[k] >= 0)", "  def _():", "    pltpu.sync_copy(x.at[k], buf.at[0])", "    pltpu.sync_copy(o.at[t[k]], buf.at[1])",
                "    buf[0] = buf[0] + buf[1]", "    pltpu.sync_copy(buf.at[0], o.at[t[k]])"]
      lines += ["put(i)"] if by_grid else [f"@pl.loop(0, {steps})", "def _(k): put(k)"]
    model = [f"at = jnp.where(t < 0, {entries}, t)", f"return y.at[at].{'set' if way else 'add'}(x, mode='drop')"]
    return self.call(["t", "x", "y", "o", "buf", "sem"], lines, model, grid=f"({steps},)" if by_grid else "()", inputs=2,
                     output=(entries, *self.page), aliases="2: 0", scratch=[self.vmem(2, *self.page), "pltpu.SemaphoreType.DMA((2,))"])

  def pipeline(self):
    """Pipelines of sizes and blocks that tables have, within a grid, one after the other, or in a scope."""
    rng, outer, steps = self.rng, self.rng.randrange(1, 4), self.steps
    self.table(outer, steps, below=self.pages)
    self.table(outer, below=steps + 1)
    self.array(self.pages, *self.page)
    zeros = ", 0" * len(self.page)
    mode = rng.choice(("", "", ", pipeline_mode=pl.Buffered(3)", ", pipeline_mode=pl.Buffered(2, use_lookahead=True)"))
    block = f"({rng.choice(('None', 'pl.Squeezed()'))}, {', '.join(map(str, self.page))})"
    size = rng.choice(("n[i]", "n[i]", str(steps)))
    read = f"pl.BlockSpec({block}, lambda k: (t[i, k]{zeros}){mode})"
    lines = ["i = pl.program_id(0)", "acc[...] = jnp.zeros_like(acc)"]
    kind = rng.choice(("sum", "prefix", "two", "nested"))
    live = "k < n[i]" if size == "n[i]" else "k >= 0"
    add = "  acc[...] = acc[...] + a[...] * jnp.asarray(pl.program_id(0) % 2 + 1, jnp.{0})".format(self.dtype)
    taken = f"jnp.where({live}, x[t[i, k]] * jnp.asarray(k % 2 + 1, x.dtype), 0).astype(x.dtype)"
    model = ["found = []", f"for i in range({outer}):", f"  acc = jnp.zeros({self.page}, x.dtype)", "  rows = []", f"  for k in range({steps}):",
             f"    acc = acc + {taken}", "    rows.append(acc)"]
    if kind in ("sum", "nested"):
      lines += ["def body(a):"]
      if kind == "nested":
        lines += ["  outer = pl.program_id(0)", "  def part(b): acc[...] = acc[...] + b[...] * jnp.asarray(outer % 2 + 1, jnp.{0})".format(self.dtype),
                  f"  pltpu.emit_pipeline(part, grid=(1,), in_specs=[pl.BlockSpec({self.page}, lambda m: ({', '.join('0' * len(self.page))}{',' if len(self.page) == 1 else ''}))])(a)"]
      else:
        lines += [add]
      run = [f"pltpu.emit_pipeline(body, grid=({size},), in_specs=[{read}])(x)"]
      if rng.random() < .3:
        run = ["def scope(more):", "  more[...] = acc[...]", f"  {run[0]}", "  acc[...] = acc[...] + more[...]", f"pl.run_scoped(scope, {self.vmem(*self.page)})"]
      lines += run + ["pltpu.sync_copy(acc, o.at[i])"]
      return self.finish(lines, [*model, "  found.append(acc)", "return jnp.stack(found)"], outer, (outer, *self.page))
    # Sums up to each step, to blocks that come back: the last of a block stays.
    group = 1 if kind == "prefix" else rng.choice((2, 3))
    groups = -(-steps // group)
    lines += ["def body(a, b):", add, "  b[...] = acc[...]"]
    write = f"pl.BlockSpec((None, None, {', '.join(map(str, self.page))}), lambda k: (i, k // {group}{zeros}))"
    lines += [f"pltpu.emit_pipeline(body, grid=({steps},), in_specs=[{read}], out_specs=[{write}])(x, o)"]
    model = [line.replace(live, "k >= 0") for line in model]
    ends = [min((g + 1) * group, steps) - 1 for g in range(groups)]
    model += [f"  found.append(jnp.stack([rows[k] for k in {ends}]))"]
    if kind == "two":
      again = f"pl.BlockSpec((None, None, {', '.join(map(str, self.page))}), lambda k: (i, {groups - 1} - k{zeros}))"
      lines += ["def second(b, c): c[...] = b[...] - acc[...]", f"pltpu.emit_pipeline(second, grid=({groups},), in_specs=[{again}], out_specs=[{again}])(o, o)"]
      model[-1] = f"  found.append(jnp.stack([rows[k] for k in {ends}]) - acc)"
    return self.finish(lines, [*model, "return jnp.stack(found)"], outer, (outer, groups, *self.page))

  def finish(self, lines, model, outer, output):
    return self.call(["t", "n", "x", "o", "acc"], lines, model, grid=f"({outer},)", prefetch=2, inputs=1, output=output, scratch=[self.vmem(*self.page)])

  def cut(self):
    """Pipelines over arrays that end within the last block, whose rows know their place."""
    rng = self.rng
    block = rng.choice((8, 16, 32))
    rows, columns = rng.randrange(block + 1, 4 * block), rng.choice((128, 256))
    self.dtype = rng.choice(("float32", "int32"))
    whole = -(-rows // block) * block
    self.array(rows, columns)
    self.array(whole, columns)
    lines = ["total[...] = jnp.zeros_like(total)", "def body(a, b, c):",
             f"  row = pl.program_id(0) * {block} + lax.broadcasted_iota(jnp.int32, ({block}, {columns}), 0)",
             f"  c[...] = a[...] + b[...] + row.astype(jnp.{self.dtype})",
             f"  total[...] += jnp.sum(jnp.where(row < {rows}, a[...], 0), 0, keepdims=True, dtype=jnp.{self.dtype})",
             f"spec = pl.BlockSpec(({block}, {columns}), lambda k: (k, 0))",
             f"pltpu.emit_pipeline(body, grid=({whole // block},), in_specs=[spec, spec], out_specs=[spec])(x, y, o)",
             "last = pltpu.make_async_copy(total, o.at[pl.ds(0, 1)], sem)", "last.start()", "last.wait()"]
    model = [f"o = x + y[:{rows}] + jnp.arange({rows}, dtype=x.dtype)[:, None]", "return o.at[0].set(x.sum(0, dtype=x.dtype))"]
    return self.call(["x", "y", "o", "total", "sem"], lines, model, prefetch=0, inputs=2, output=(rows, columns),
                     scratch=[self.vmem(1, columns), "pltpu.SemaphoreType.DMA"])

  def cores(self):
    """Two cores with a half each, which may exchange what they have by way of an array."""
    steps = self.steps
    self.table(2, steps, below=self.pages)
    self.array(self.pages, *self.page)
    slots = f"lax.rem(k, {self.slots})"
    lines = ['c = lax.axis_index("core")', "pltpu.sync_copy(t, table)",
             f"def fetch(k): return pltpu.make_async_copy(x.at[table[c, k]], buf.at[{slots}], sem.at[{slots}])"]
    lines += [f"for k in range({min(self.slots - 1, steps)}): fetch(k).start()", f"@pl.loop(0, {steps})", "def _(k):",
              f"  @pl.when(k + {self.slots - 1} < {steps})", f"  def _(): fetch(k + {self.slots - 1}).start()", "  fetch(k).wait()",
              f"  buf[{slots}] = buf[{slots}] + (c + 1).astype(jnp.{self.dtype})", f"  pltpu.sync_copy(buf.at[{slots}], o.at[c, k])"]
    ranks = "None, " * (len(self.page) + 1)
    model = [f"o = x[t] + (jnp.arange(2) + 1).astype(x.dtype)[:, {ranks}]"]
    if self.rng.random() < .5:
      lines += ['pl.semaphore_signal(ready, 1, device_id={"core": 1 - c})', "pl.semaphore_wait(ready, 1)", "pltpu.sync_copy(o.at[1 - c, 0], p.at[c])"]
      model += ["return o, o[::-1, 0]"]
    else:
      lines += ["pltpu.sync_copy(o.at[c, 0], p.at[c])"]
      model += ["return o, o[:, 0]"]
    body, wanted = ("".join(f"  {line}\n" for line in part) for part in (lines, model))
    shapes = [f"jax.ShapeDtypeStruct({shape}, jnp.{self.dtype})" for shape in ((2, steps, *self.page), (2, *self.page))]
    return (f"def kernel(t, x, o, p, table, buf, sem, ready):\n{body}\ndef model(t, x):\n{wanted}\n"
            f"def call(t, x, interpret=False):\n  if interpret:\n    return model(t, x)\n"
            f"  scratch = [pltpu.SMEM((2, {steps}), jnp.int32), {self.vmem(self.slots, *self.page)}, pltpu.SemaphoreType.DMA(({self.slots},)), pltpu.SemaphoreType.REGULAR]\n"
            f'  mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)\n'
            f"  return pl.kernel(kernel, out_type=({', '.join(shapes)}), mesh=mesh, scratch_types=scratch)(t, x)\n")
