# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels that see an array block by block, and keep what they need of the earlier blocks: softmax that is
rescaled, the largest values so far, moments, prefix sums, states that decay, slots of a ring, counts, packed integers.

A table may have the lengths of rows. They end in the middle of a block then, and the blocks behind are skipped.
"""
import random

from .kernels import HEADER, Kernel

FIRST = 37_000_000


class Streams:
  """Grids are `heads` x `steps`. Each statistic has scratch memory, which the first step fills, and an output, which the
  last step writes that has elements."""

  def __init__(self, seed):
    self.seed, self.rng = seed, random.Random(seed)
    rng = self.rng
    self.dtype = rng.choice(("float32", "float32", "bfloat16", "int32"))
    self.rows, self.columns = rng.choice((1, 3, 4, 8, 8, 16)), rng.choice((5, 8, 16, 32, 128))
    self.heads, self.steps = rng.choice((1, 2, 3)), rng.choice((1, 2, 3, 5))
    total = self.columns * self.steps
    # `ids` is a permutation of the numbers of heads.
    self.shortest = rng.randrange(1, total + 1)
    self.growth = rng.randrange((total - self.shortest) // max(self.heads - 1, 1) + 1)
    self.is_ragged = rng.random() < .6
    self.start, self.update, self.finish = [], [], []
    self.scratch, self.outputs = [], []

  @classmethod
  def make(cls, seed):
    """The kernel with this number, always the same one."""
    return cls(seed).draw()

  def memory(self, shape, dtype, value):
    """Scratch memory that begins with one value."""
    name = f"s{len(self.scratch)}"
    self.scratch.append((shape, dtype))
    self.start.append(f"{name}[...] = jnp.full({shape}, {value}, jnp.{dtype})")
    return name

  def output(self, shape, dtype, every_step=False):
    name = f"o{len(self.outputs)}"
    self.outputs.append((shape, dtype, every_step))
    return name

  def masked(self, instead, source="x"):
    """A block in numbers of at least 32 bits, with a neutral value behind the end of its rows."""
    wide = "int32" if self.dtype == "int32" else "float32"
    value = f"{source}[...].astype(jnp.{wide})"
    return f"jnp.where(valid, {value}, {instead})" if self.is_ragged else value

  def softmax(self):
    """Several sums of one softmax, which are rescaled as its largest argument grows."""
    r, c, rng = self.rows, self.columns, self.rng
    lanes = rng.choice((1, 1, c))
    largest = self.memory((r, lanes), "float32", "-jnp.inf")
    weight = self.memory((r, lanes), "float32", 0)
    scale = rng.choice(("", " * 0.5", " * 0.125"))
    self.update += [f"p = ({self.masked('-1e30')}).astype(jnp.float32){scale}", f"m = jnp.maximum({largest}[:, :1], jnp.max(p, axis=1, keepdims=True))",
                    f"a = jnp.exp({largest}[:, :1] - m)", "e = jnp.exp(p - m)"]
    rows = [f"{weight}[...] = {weight}[...] * a + jnp.sum(e, axis=1, keepdims=True)", f"{largest}[...] = jnp.broadcast_to(m, {(r, lanes)})"]
    for _ in range(rng.choice((1, 1, 2, 3))):
      product = rng.random() < .5
      total = self.memory((r, r if product else 1), "float32", 0)
      value = self.masked("0", "y") + ".astype(jnp.float32) * 0.01" if self.dtype == "int32" else self.masked("0", "y")
      term = f"lax.dot_general(e, {value}, (((1,), (1,)), ((), ())))" if product else f"jnp.sum(e * ({value}), axis=1, keepdims=True)"
      rows.insert(rng.randrange(len(rows) + 1), f"{total}[...] = {total}[...] * a + {term}")
      out = self.output((r, r if product else 1), "float32")
      self.finish.append(f"{out}[...] = {total}[...] / {weight}[:, :1]")
    self.update += rows
    if rng.random() < .4:
      out = self.output((r, 1), "float32")
      self.finish.append(f"{out}[...] = {largest}[:, :1] + jnp.log({weight}[:, :1])")

  def largest(self):
    """The largest values so far and their places, the first ones of those that are equal."""
    r, c, count = self.rows, self.columns, self.rng.choice((1, 2, 3))
    wide, low = ("int32", "-1000") if self.dtype == "int32" else ("float32", "-1000.0")
    values, places = self.memory((r, count), wide, low), self.memory((r, count), "int32", -1)
    self.update += [f"c = jnp.concatenate([{values}[...], {self.masked(low)}], axis=1)",
                    f"q = jnp.concatenate([{places}[...], column + j * {c}], axis=1)", f"k = lax.broadcasted_iota(jnp.int32, {(r, count + c)}, 1)"]
    chosen = self.rng.choice((f"jnp.min(jnp.where(c == t, k, {count + c}), axis=1, keepdims=True)", "jnp.argmax(c, axis=1)[:, None].astype(jnp.int32)"))
    for index in range(count):
      self.update += ["t = jnp.max(c, axis=1, keepdims=True)", f"h = k == {chosen}", f"{values}[:, {index}:{index + 1}] = t",
                      f"{places}[:, {index}:{index + 1}] = jnp.sum(jnp.where(h, q, 0), axis=1, keepdims=True)", f"c = jnp.where(h, {low}, c)"]
    self.finish += [f"{self.output((r, count), wide)}[...] = {values}[...]", f"{self.output((r, count), 'int32')}[...] = {places}[...]"]

  def moments(self):
    """Mean and squares, by blocks of which each has a weight."""
    r, count = self.rows, self.memory((self.rows, 1), "float32", 0)
    mean, squares = self.memory((r, 1), "float32", 0), self.memory((r, 1), "float32", 0)
    block = self.masked("0") + ".astype(jnp.float32)"
    kept = "valid.astype(jnp.float32)" if self.is_ragged else f"jnp.ones({(r, self.columns)}, jnp.float32)"
    self.update += [f"b = {block}", f"n = jnp.sum({kept}, axis=1, keepdims=True)", "u = jnp.sum(b, axis=1, keepdims=True) / n",
                    f"d = u - {mean}[...]", f"w = {count}[...] + n",
                    f"{squares}[...] += jnp.sum((b - u) * (b - u) * {kept}, axis=1, keepdims=True) + d * d * {count}[...] * n / w",
                    f"{mean}[...] += d * n / w", f"{count}[...] = w"]
    self.finish.append(f"{self.output((r, 1), 'float32')}[...] = jnp.sqrt({squares}[...] / {count}[...]) + {mean}[...]")

  def prefix(self):
    """Sums of all before, through a product with a triangle, or a scan."""
    r, c, carried = self.rows, self.columns, self.memory((self.rows, 1), "float32", 0)
    block = self.masked("0") + ".astype(jnp.float32)"
    triangle = f"(lax.broadcasted_iota(jnp.int32, {(c, c)}, 0) <= lax.broadcasted_iota(jnp.int32, {(c, c)}, 1)).astype(jnp.float32)"
    sums = self.rng.choice((f"jnp.dot({block}, {triangle}, precision=lax.Precision.HIGHEST)", f"jnp.cumsum({block}, axis=1)"))
    self.update += [f"f = {sums} + {carried}[...]", f"{carried}[...] = f[:, {c - 1}:]"]
    if self.is_ragged:
      # Blocks that are skipped leave what was there before.
      self.finish.append(f"{self.output((r, c), 'float32')}[...] = f")
    else:
      self.update.append(f"{self.output((r, c), 'float32', True)}[...] = f")

  def decay(self):
    """A state that shrinks by what a block holds, and takes in products."""
    r, state = self.rows, self.memory((self.rows, self.rows), "float32", 0)
    block, other = (f"jnp.clip({self.masked('0', name)}, -2, 2).astype(jnp.float32)" for name in "xy")
    self.update += [f"g = jnp.exp(-jnp.mean(jnp.abs({block}), axis=1, keepdims=True))",
                    f"{state}[...] = {state}[...] * g + lax.dot_general({block}, {other}, (((1,), (1,)), ((), ()))) * 0.1"]
    self.finish.append(f"{self.output((r, r), 'float32')}[...] = {state}[...]" + self.rng.choice(("", f" - {state}[...].T", " * g")))

  def ring(self):
    """Slots that steps fill in turn; a slot that comes round has its old block."""
    r, c, slots = self.rows, self.columns, self.rng.choice((2, 3, 4))
    wide = "int32" if self.dtype == "int32" else "float32"
    ring, offset = self.memory((slots, r, c), wide, 1), self.rng.choice(("ids[i]", "i", "0"))
    self.update += [f"z = lax.rem(j + {offset}, {slots})", f"v = {ring}[lax.rem(z + 1, {slots})]",
                    f"{ring}[z] = jnp.clip(({self.masked('1')}) - v, -500, 500)"]
    if self.rng.random() < .5:
      self.update.append(f"{ring}[lax.rem(z + {self.rng.randrange(slots)}, {slots}), {self.rng.randrange(r)}] = v[{self.rng.randrange(r)}]")
    self.finish.append(f"{self.output((slots, r, c), wide)}[...] = {ring}[...]")

  def counts(self):
    """How many elements fall into which class, by comparison with all of them or by a loop over rows."""
    r, classes = self.rows, self.rng.choice((4, 8, 9))
    counts = self.memory((r, classes), "int32", 0)
    block = f"jnp.where(valid, y[...].astype(jnp.int32) & {classes - 1}, -1)" if self.is_ragged else f"y[...].astype(jnp.int32) & {classes - 1}"
    if self.rng.random() < .5:
      self.update.append(f"{counts}[...] += jnp.sum((({block})[:, :, None] == lax.broadcasted_iota(jnp.int32, (1, 1, {classes}), 2)).astype(jnp.int32), axis=1)")
    else:
      hits = "jnp.sum((b == t).astype(jnp.int32), axis=1, keepdims=True)"
      self.update += [f"b = {block}", f"{counts}[...] = lax.fori_loop(0, {classes}, lambda t, z: z +",
                      f"    jnp.where(lax.broadcasted_iota(jnp.int32, {(r, classes)}, 1) == t, {hits}, 0), {counts}[...])"]
    self.finish.append(f"{self.output((r, classes), 'int32')}[...] = {counts}[...]")

  def packed(self):
    """Small integers that share words, and come out again with their signs."""
    r, c, bits = self.rows, self.columns, self.rng.choice((2, 4, 8))
    words = self.memory((r, c), "int32", 0)
    block = f"jnp.clip({self.masked('0')}, {-2**(bits - 1)}, {2**(bits - 1) - 1})"
    block = f"jnp.round({block}).astype(jnp.int32)" if self.dtype != "int32" else block
    shift = self.rng.choice((f"lax.rem(j, {32 // bits}) * {bits}", str(self.rng.randrange(32 // bits) * bits)))
    self.update += [f"h = jnp.int32({shift})", f"{words}[...] = ({words}[...] & ~({2**bits - 1} << h)) | ((({block}) & {2**bits - 1}) << h)"]
    place = self.rng.randrange(32 // bits) * bits
    self.finish += [f"{self.output((r, c), 'int32')}[...] = {words}[...]",
                    f"{self.output((r, c), 'int8')}[...] = (({words}[...] << {32 - bits - place}) >> {32 - bits}).astype(jnp.int8)"]

  def body(self):
    """The lines of a kernel: where rows may end early, a branch has what each step does."""
    length = f"ids[i] * {self.growth} + {self.shortest}"
    last = f"lax.div({length} - 1, {self.columns})" if self.is_ragged else f"{self.steps - 1}"
    lines = ["i, j = pl.program_id(0), pl.program_id(1)", "@pl.when(j == 0)", "def _():", *(f"  {line}" for line in self.start)]
    update = [f"column = lax.broadcasted_iota(jnp.int32, {(self.rows, self.columns)}, 1)"]
    if self.is_ragged:
      update.append(f"valid = column < {length} - j * {self.columns}")
    inner = [*update, *self.update]
    if self.finish:
      inner += [f"@pl.when(j == {last})", "def _():", *(f"  {line}" for line in self.finish)]
    if not self.is_ragged:
      return lines + inner
    return [*lines, f"@pl.when(j * {self.columns} < {length})", "def _():", *(f"  {line}" for line in inner)]

  def draw(self):
    kinds = [self.softmax, self.softmax, self.largest, self.moments, self.prefix, self.decay, self.ring, self.counts, self.packed]
    for kind in self.rng.sample(kinds, self.rng.choice((1, 2, 2, 3))):
      kind()
    r, c = self.rows, self.columns
    # Blocks behind the end of rows are not copied: the map stays at the last one.
    column = f"jnp.minimum(j, lax.div(ids[i] * {self.growth} + {self.shortest} - 1, {c}))" if self.is_ragged and self.rng.random() < .7 else "j"
    read = f"pl.BlockSpec((None, {r}, {c}), lambda i, j, ids: (i, 0, {column}))"
    specs, shapes = [], []
    for shape, dtype, every_step in self.outputs:
      place = "lambda i, j, ids: (i, 0, j)" if every_step else f"lambda i, j, ids: (i, {', '.join('0' * len(shape))})"
      specs.append(f"pl.BlockSpec((None, {', '.join(map(str, shape))}), {place})")
      whole = (self.heads, r, c * self.steps) if every_step else (self.heads, *shape)
      shapes.append(f"jax.ShapeDtypeStruct({whole}, jnp.{dtype})")
    names = ["ids", "x", "y", *(f"o{k}" for k in range(len(self.outputs))), *(f"s{k}" for k in range(len(self.scratch)))]
    body = "\n".join(f"  {line}" for line in self.body())
    scratch = ", ".join(f"pltpu.VMEM({shape}, jnp.{dtype})" for shape, dtype in self.scratch)
    source = (f"{HEADER}\ndef kernel({', '.join(names)}):\n{body}\n\ndef call(*arrays, interpret=False):\n"
              f"  spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=({self.heads}, {self.steps}), in_specs=[{read}, {read}],\n"
              f"    out_specs=[{', '.join(specs)}], scratch_shapes=[{scratch}])\n"
              f"  return pl.pallas_call(kernel, out_shape=[{', '.join(shapes)}], grid_spec=spec, interpret=interpret)(*arrays)\n")
    array = (self.heads, r, c * self.steps)
    return Kernel(self.seed, source, [((self.heads,), "int32", self.heads), (array, self.dtype, 0), (array, self.dtype, 0)], "float32")
