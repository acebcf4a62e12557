"""Random Pallas kernels of SparseCores.

Every subcore takes rows of its own: it copies them in, by a slice, by windows or by a list of indices, changes them a vector at a
time, and copies them out. What vectors do comes from the language of vector subcores: scans, gathers and scatters in
memory, sorts, parallel loops. Lists of indices are permutations, so that no row is written twice.
"""
import random

from .kernels import HEADER, Kernel

# Numbers of kernels of these forms.
FIRST = 10000000
LANES = 8
SUBCORES = 16
DTYPES = ("float32",) * 4 + ("int32",) * 3 + ("bfloat16", "bfloat16", "uint32")
NUMPY_ORDER = {"float32": "float32", "bfloat16": "float32"}


class SparseCoreKernel:

  def __init__(self, rng):
    self.rng = rng
    self.cores = rng.choice((1, 2))
    self.dtype = rng.choice(DTYPES)
    self.rows, self.width = rng.choice((8, 16, 32)), rng.choice((128, 128, 256, 384))
    self.workers = self.cores * SUBCORES
    # JAX takes these two from the author; across lanes the compiler takes vectors as they are only.
    self.needs_layout = rng.random() < .4
    self.tiling = rng.choice(("None", "None", "True", "False"))
    self.lanes = LANES * (2 if self.dtype == "bfloat16" else 1)
    self.is_float = self.dtype in ("float32", "bfloat16")
    self.lines, self.scratch = [], []
    self.count = 0

  def name(self, kind):
    self.count += 1
    return f"{kind}{self.count}"

  def memory(self, kind, shape, dtype=None):
    name = self.name("m")
    self.scratch.append((name, f"{kind}({shape}, jnp.{dtype or self.dtype})"))
    return name

  def semaphore(self):
    name = self.name("sem")
    self.scratch.append((name, "pltpu.SemaphoreType.DMA"))
    return name

  # Copies

  def copy(self, source, target, add=False):
    how = self.rng.choice(("sync", "start", "scoped"))
    more = ", add=True" if add else ""
    if how == "sync":
      return [f"pltpu.sync_copy({source}, {target}{more})"]
    if how == "scoped":
      return [f"pl.run_scoped(lambda sem: pltpu.async_copy({source}, {target}, sem{more}).wait(), pltpu.SemaphoreType.DMA)"]
    sem = self.semaphore()
    return [f"pltpu.async_copy({source}, {target}, {sem}{more}).wait()"]

  def own_rows(self, ref):
    return f"{ref}.at[pl.ds(base, {self.rows})]"

  def places(self):
    """A list of indices of this subcore's rows, in its memory."""
    where = self.memory("pltpu.VMEM", (self.rows,), "int32")
    return where, self.copy(f"places.at[pl.ds(base, {self.rows})]", where)

  def fetch(self, buffer):
    kind = self.rng.choice(("slice", "slice", "list", "list", "parts", "vector", "shared", "windows", "windows"))
    if kind == "slice":
      return self.copy(self.own_rows("x"), buffer)
    if kind == "windows":
      return self.copy(self.own_rows("x"), buffer) + [line for _ in range(self.rng.choice((1, 2))) for line in self.window(buffer)]
    if kind == "shared":
      shared = self.memory("pltpu.VMEM_SHARED", (SUBCORES * self.rows, self.width))
      mine = f"{shared}.at[pl.ds(subcore * {self.rows}, {self.rows})]"
      meet = ["plsc.subcore_barrier()"] if self.rng.random() < .5 else []
      return self.copy(self.own_rows("x"), mine) + meet + self.copy(mine, buffer)
    where, lines = self.places()
    if kind == "list":
      return lines + self.copy(f"x.at[{where}]", buffer)
    if kind == "vector":
      # A vector of indices has as many as there are lanes.
      for first in range(0, self.rows, LANES):
        lines += self.copy(f"x.at[{where}[pl.ds({first}, {LANES})]]", f"{buffer}.at[pl.ds({first}, {LANES})]")
      return lines
    half = self.rows // self.rng.choice((1, 2)) if self.rows > 8 else 8
    for first in range(0, self.rows, half):
      lines += self.copy(f"x.at[{where}.at[pl.ds({first}, {half})]]", f"{buffer}.at[pl.ds({first}, {half})]")
    return lines

  def window(self, buffer):
    """A copy of some columns of some rows, which no tiles need hold whole."""
    rng = self.rng
    rows = rng.choice((1, 2, 3, 4, 6, self.rows))
    columns = min(self.width, rng.choice((8, 16, 32, 64, 96, 128, 256)))
    column = rng.randrange(0, self.width - columns + 1, rng.choice((8, 16, 32, 64, 128)))
    start, target = (rng.randrange(self.rows - rows + 1) for _ in range(2))
    return self.copy(f"x.at[pl.ds(base + {start}, {rows}), pl.ds({column}, {columns})]",
                     f"{buffer}.at[pl.ds({target}, {rows}), pl.ds({column}, {columns})]")

  def store(self, buffer):
    if self.rng.random() < .35:
      where, lines = self.places()
      return lines + self.copy(buffer, f"o.at[{where}]")
    return self.copy(buffer, self.own_rows("o"))

  # Vectors

  def literal(self):
    return self.rng.choice(("1", "2", "3"))

  def change(self, a):
    """An element by element change of a vector."""
    texts = ["{a} + {k}", "{a} * {k}", "{a} - {k}", "jnp.maximum({a}, {k})", "jnp.where({a} > {k}, {a}, {a} + {k})", "jnp.minimum({a}, {k}) + {a}"]
    if self.dtype == "float32":
      texts += ["jnp.exp(jnp.minimum({a}, 1.0))", "jnp.abs({a})", "{a} / 2.0", "{a}.astype(jnp.int32).astype(jnp.float32)"]
    if self.dtype in ("int32", "uint32"):
      texts += ["{a} & 7", "{a} ^ {k}", "({a} & 7) << 1"]
    if self.dtype == "int32":
      texts += ["{a} >> 1", "{a}.astype(jnp.float32).astype(jnp.int32)", "-{a}"]
    return self.rng.choice(texts).format(a=a, k=self.literal())

  def across(self, a):
    """What combines the lanes of a vector; only where no layouts are chosen."""
    texts = ["plsc.cumsum({a})", "plsc.cummax({a})", "lax.rev({a}, (0,))", "jnp.zeros_like({a}) + jnp.sum({a})", "jnp.zeros_like({a}) + jnp.max({a})",
             "plsc.cumsum({a}, mask={a} > {k})", "plsc.sort_key_val({a}, {a})[0]", "plsc.sort_key_val({a}, {a}, descending=True)[1]",
             "{a} + plsc.all_reduce_population_count({a} > {k}).astype({a}.dtype)"]
    if self.dtype == "float32":
      texts.append("plsc.load_gather(buffer, [jnp.zeros(8, jnp.int32) + row, {a}.astype(jnp.int32) & 63])")
    if self.dtype == "int32":
      texts.append("plsc.load_gather(buffer, [jnp.zeros(8, jnp.int32) + row, {a} & 63])")
    return self.rng.choice(texts).format(a=a, k=self.literal())

  def over_rows(self, buffer):
    """A loop over the rows, and one over the vectors of each."""
    step = self.lanes
    body = [f"a = buffer[row, pl.ds(column, {step})]"]
    for _ in range(self.rng.choice((1, 1, 2, 3))):
      is_across = not self.needs_layout and self.dtype in ("float32", "int32") and self.rng.random() < .5
      body.append(f"a = {self.across('a') if is_across else self.change('a')}")
    body.append(f"buffer[row, pl.ds(column, {step})] = a" if self.dtype == "bfloat16" or self.rng.random() < .7 else
                f"plsc.addupdate(buffer.at[row, pl.ds(column, {step})], a)")
    return [f"buffer = {buffer}", *self.loop("row", self.rows, 1, self.loop("column", self.width, step, body))]

  def loop(self, index, length, step, body):
    kind = self.rng.choice(("parallel", "parallel", "for", "unrolled"))
    inner = [f"  {line}" for line in body]
    if kind == "parallel":
      unroll = self.rng.choice(("", "", ", unroll=2", ", unroll=4"))
      return [f"@plsc.parallel_loop(0, {length}, {step}{unroll})", f"def _({index}):", *inner]
    if kind == "unrolled" and length // step <= 8:
      return [f"for {index} in range(0, {length}, {step}):", *inner]
    counter = f"{index}_"
    return [f"def body_{index}({counter}, _):", f"  {index} = {counter} * {step}", *inner, "  return None", f"lax.fori_loop(0, {length // step}, body_{index}, None)"]

  def reduced(self, buffer):
    """Sums of groups of rows, as a loop that carries them."""
    group, step = self.rng.choice((2, 4)), self.lanes
    body = [f"total = jnp.zeros({step}, jnp.{self.dtype})" if self.rng.random() < .5 else f"total = buffer[row * {group}, pl.ds(column, {step})]",
            f"for k in range({group}):", f"  total = total + buffer[row * {group} + k, pl.ds(column, {step})]",
            f"buffer[row, pl.ds(column, {step})] = total"]
    # Iterations of a parallel loop may not see what others write.
    return [f"buffer = {buffer}", f"def sums(row, _):", *(f"  {line}" for line in self.loop("column", self.width, step, body)), "  return None",
            f"lax.fori_loop(0, {self.rows // group}, sums, None)"]

  def masked_scatter(self, buffer):
    """Elements in the order of a vector of indices."""
    return [f"buffer = {buffer}", "lane = lax.iota(jnp.int32, 8)", "@plsc.parallel_loop(0, %d)" % self.rows, "def _(row):",
            "  a = buffer[row, pl.ds(0, 8)]", f"  plsc.store_scatter(buffer, [jnp.zeros(8, jnp.int32) + row, lane ^ 1], a{self.rng.choice(('', ', mask=lane > 3'))})"]

  def number(self, buffer):
    """One element of a vector as a number."""
    step = self.lanes
    return [f"buffer = {buffer}", f"first = buffer[0, pl.ds(0, {step})][0]", "@pl.when(first > 0)", "def _():",
            f"  buffer[0, pl.ds(0, {step})] = buffer[0, pl.ds(0, {step})] + first"]

  def source(self):
    rng = self.rng
    buffer = self.memory("pltpu.VMEM", (self.rows, self.width))
    lines = [f"subcore = lax.axis_index('subcore')", f"base = (lax.axis_index('core') * {SUBCORES} + subcore) * {self.rows}", *self.fetch(buffer)]
    for _ in range(rng.choice((0, 1, 1, 2))):
      kinds = [self.over_rows] * 4 + [self.reduced]
      if not self.needs_layout and self.dtype in ("float32", "int32"):
        kinds += [self.masked_scatter, self.number]
      lines += rng.choice(kinds)(buffer)
    lines += self.store(buffer)
    return self.text(lines, f"pltpu.CompilerParams(needs_layout_passes={self.needs_layout}, use_tc_tiling_on_sc={self.tiling})")

  def text(self, lines, params):
    """The kernel with this body, and what calls it."""
    refs = ", ".join(["x", "places", "o", *(name for name, _ in self.scratch)])
    kernel = f"def kernel({refs}):\n" + "".join(f"  {line}\n" for line in lines)
    return (f"{HEADER}from jax.experimental.pallas import tpu_sc as plsc\n\n{kernel}\ndef call(*arrays, interpret=False):\n"
            f"  mesh = plsc.VectorSubcoreMesh(core_axis_name='core', subcore_axis_name='subcore', num_cores={self.cores}, num_subcores={SUBCORES})\n"
            f"  return pl.kernel(kernel, jax.ShapeDtypeStruct({(self.workers * self.rows, self.width)}, jnp.{self.dtype}), mesh=mesh,\n"
            f"    scratch_types=[{', '.join(text for _, text in self.scratch)}], compiler_params={params}, interpret=interpret)(*arrays)\n")

  def kernel(self, seed) -> Kernel:
    length = self.workers * self.rows
    return Kernel(seed, self.source(), [((length, self.width), self.dtype, 0), ((length,), "int32", length)], self.dtype)


def make(seed: int) -> Kernel:
  """The kernel with this number, always the same one."""
  return SparseCoreKernel(random.Random(seed)).kernel(seed)
