# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels for GPUs, in the language of `plgpu`: copies that barriers track, through slots that are filled ahead, pipelines,
products on tensor cores, warpgroups and warps that pass data along, clusters whose blocks share what they copy.

JAX has no interpreter for all of these, so `call(..., interpret=True)` is a model, made of the same parameters.
"""
import dataclasses

from .copies import Copies, CopyKernel

FIRST = 36_000_000
DTYPES = ("float32", "float32", "int32", "float16", "bfloat16")
BYTES = {"float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int8": 1}

HEADER = """import jax, jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

PARAMS = plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup)
"""


@dataclasses.dataclass
class GPUKernel(CopyKernel):
  # A lowering for GPUs that refuses one of these kernels has failed it.
  is_for_gpus = True


def indented(lines):
  return [f"  {line}" for line in lines]


class GPUs(Copies):
  """A kernel in the making: `programs` blocks of threads, each with `steps` blocks of an array."""

  def __init__(self, seed):
    super().__init__(seed, DTYPES)
    rng = self.rng
    self.block = rng.choice(((64, 64), (64, 64), (64, 32), (128, 16), (8, 128), (16, 256), (2, 64), (128,), (512,)))
    self.programs, self.steps, self.slots = rng.randrange(1, 4), rng.randrange(1, 6), rng.choice((1, 2, 2, 3, 4))

  @classmethod
  def make(cls, seed):
    kernel = cls(seed)
    return GPUKernel(seed, f"{HEADER}\n{kernel.text()}", [], kernel.dtype, kernel.made)

  def text(self):
    form = self.rng.choice((self.ring, self.ring, self.ring, self.pipeline, self.pipeline, self.product, self.product, self.specialized,
                            self.threads, self.threads, self.exchange, self.cluster, self.warps, self.scope, self.order))
    return form()

  #===- What forms have in common ----------------------------------------------===#

  def shared(self, *shape, dtype=None, tiled=None, swizzle=None):
    """Shared memory, row by row or in tiles with a swizzle. Lanes read tiles as products have them, so others stay rows."""
    dtype = dtype or self.dtype
    row = shape[-1] * BYTES[dtype]
    fitting = [swizzle] if swizzle else [size for size in (32, 64, 128) if row % size == 0]
    if tiled is None:
      tiled = len(self.block) == 2 and self.block[0] % 64 == 0 and self.rng.random() < .5
    if not tiled or not fitting:
      return f"plgpu.SMEM({shape}, jnp.{dtype})"
    swizzle = self.rng.choice(fitting)
    return f"plgpu.SMEM({shape}, jnp.{dtype}, transforms={self.tiles(swizzle, dtype)})"

  def tiles(self, swizzle, dtype):
    return f"(plgpu.TilingTransform((8, {swizzle // BYTES[dtype]})), plgpu.SwizzleTransform({swizzle}))"

  def change(self, step="k"):
    """What becomes of a block `{}`, by its step."""
    return self.rng.choice(("{} + jnp.asarray(STEP, jnp.TYPE)", "{} * jnp.asarray(STEP % 3 + 1, jnp.TYPE)", "-{}",
                            "jnp.maximum({}, jnp.asarray(STEP - 2, jnp.TYPE))", "jnp.where({0} > 0, {0}, {0} * jnp.asarray(STEP, jnp.TYPE))"
                            )).replace("STEP", step).replace("TYPE", self.dtype)

  def slot(self, slots, step="k"):
    return self.rng.choice((f"lax.rem({step}, {slots})", f"{step} % {slots}"))

  def loop(self, steps, body):
    """Lines of a loop over `k`."""
    kind = self.rng.choice(("for", "for", "fori", "unrolled"))
    if kind == "unrolled":
      return ["def step(k):", *indented(body), f"for k in range({steps}): step(jnp.int32(k))"]
    if kind == "fori":
      return ["def step(k, carry):", *indented(body), "  return carry", f"lax.fori_loop(0, {steps}, step, 0)"]
    return [f"@pl.loop(0, {steps})", "def _(k):", *indented(body)]

  def store(self, value, target, outs):
    """Lines that put a value into a slot of `out`, and a copy that takes it to `target`."""
    out, only = self.slot(outs), self.rng.choice(("", ", wait_read_only=True"))
    return [f"value = {value}", f"plgpu.wait_smem_to_gmem({outs - 1}{only})", f"out[{out}] = value", "plgpu.commit_smem()",
            f"plgpu.copy_smem_to_gmem(out.at[{out}], {target})"]

  def by_step(self, axis=0):
    """The numbers of steps in the model, as an array that broadcasts to blocks behind `axis` dimensions."""
    return f"k = jnp.arange({self.steps}).reshape({'1, ' * axis}-1{', 1' * len(self.block)})"

  def grid(self, **axes):
    return f", grid=({''.join(f'{size}, ' for size in axes.values())}), grid_names=({''.join(f'{name!r}, ' for name in axes)})"

  def kernel(self, names, lines, model, *, inputs, output, dtype=None, scratch=(), more=""):
    """The text of a kernel whose arguments are `names`, and of the model of its result."""
    body, wanted = ("".join(f"  {line}\n" for line in part) for part in (lines, model))
    arguments = ", ".join(names[:inputs])
    return (f"def kernel({', '.join(names)}):\n{body}\ndef model({arguments}):\n{wanted}\n"
            f"def call({arguments}, interpret=False):\n  if interpret:\n    return model({arguments})\n"
            f"  scratch = [{', '.join(scratch)}]\n"
            f"  return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct({output}, jnp.{dtype or self.dtype}), compiler_params=PARAMS,\n"
            f"    scratch_types=scratch{more})({arguments})\n")

  #===- Copies ------------------------------------------------------------------===#

  def ring(self):
    """Slots that copies fill ahead of their use, and results that leave through slots of their own."""
    rng, steps, slots, outs = self.rng, self.steps, self.slots, self.rng.choice((1, 2, 3))
    by_table = rng.random() < .4
    if by_table:
      self.table(self.programs, steps, below=self.programs * steps)
    self.array(self.programs * steps, *self.block)
    page, into = "t[i, k]" if by_table else f"i * {steps} + k", rng.choice(("k", "k", f"{steps - 1} - k"))
    change, at = self.change(), self.slot(slots)
    body = [f"plgpu.barrier_wait(full.at[{at}])", *self.store(change.format(f"buf[{at}]"), f"o.at[i, {into}]", outs)]
    ahead = slots
    if slots > 1 and rng.random() < .3:
      # The slot of the step before is free, too, so it is filled while this one is in use.
      ahead = slots - 1
      body = [f"@pl.when(k + {ahead} < {steps})", f"def _(): fetch(k + {ahead})", *body]
    else:
      body += [f"@pl.when(k + {ahead} < {steps})", f"def _(): fetch(k + {ahead})"]
    lines = ['i = lax.axis_index("i")', f"def fetch(k): plgpu.copy_gmem_to_smem(x.at[{page}], buf.at[{at}], full.at[{at}])",
             f"for k in range({min(ahead, steps)}): fetch(k)", *self.loop(steps, body), "plgpu.wait_smem_to_gmem(0)"]
    model = ["x = x[t]" if by_table else f"x = x.reshape({(self.programs, steps, *self.block)})", self.by_step(1),
             f"y = {change.format('x')}", f"return y{'[:, ::-1]' if into != 'k' else ''}"]
    return self.kernel([*(["t"] if by_table else []), "x", "o", "buf", "out", "full"], lines, model, inputs=1 + by_table,
                       output=(self.programs, steps, *self.block), more=self.grid(i=self.programs),
                       scratch=[self.shared(slots, *self.block), self.shared(outs, *self.block), f"plgpu.Barrier(num_barriers={slots})"])

  def pipeline(self):
    """Pipelines over blocks of rows and columns, some of which stay, in any order; they may carry a sum."""
    rng, programs = self.rng, self.programs
    rank = len(self.block)
    grid = tuple(rng.randrange(1, 4) for _ in range(rank))
    names = ("k", "m")[:rank]
    whole = tuple(size * count for size, count in zip(self.block, grid))
    dims = [rng.choice((name, name, f"{count - 1} - {name}")) for name, count in zip(names, grid)]
    kept = [rng.choice((name, "0")) for name in names]
    delay = rng.choice((0, 0, 1)) if self.slots > 1 else 0
    self.array(programs, *whole)
    self.array(programs, *whole)
    spec = lambda at: f"plgpu.BlockSpec({self.block}, lambda {', '.join(names)}: ({''.join(f'{a}, ' for a in at)}), delay_release={delay})"
    change, carries = self.change(), rng.random() < .4
    value = f"{change.format('a[...]')} - b[...]"
    body = [f"({''.join(f'{name}, ' for name in names)}) = index", f"value = {value}", "c[...] = value"]
    more = ""
    if carries:
      body += ["return total + value"]
      more = f", init_carry=jnp.zeros({self.block}, jnp.{self.dtype})"
    lines = ['i = lax.axis_index("i")', f"def body(index, a, b, c{', total' if carries else ''}):", *indented(body),
             f"found = plgpu.emit_pipeline(body, grid={grid}, in_specs=[{spec(dims)}, {spec(kept)}],",
             f"  out_specs=[{spec(names)}], max_concurrent_steps={self.slots}{more})(x.at[i], y.at[i], o.at[i, 0])"]
    lines += [f"o.at[i, 1, {', '.join(f'pl.ds(0, {size})' for size in self.block)}][...] = found"] if carries else []
    model = [f"blocks = lambda a: a.reshape({(programs, *(n for pair in zip(grid, self.block) for n in pair))})", "x, y = blocks(x), blocks(y)"]
    model += [f"x = jnp.flip(x, {1 + 2 * d})" for d, at in enumerate(dims) if at != names[d]]
    model += [f"y = jnp.take(y, jnp.zeros({count}, jnp.int32), {1 + 2 * d})" for d, (at, count) in enumerate(zip(kept, grid)) if at == "0"]
    model += [f"k = jnp.arange({grid[0]}).reshape(1, -1{', 1' * (2 * rank - 1)})", f"z = {change.format('x')} - y"]
    steps = tuple(1 + 2 * d for d in range(rank))
    model += [f"o = jnp.zeros({(programs, 1 + carries, *whole)}, x.dtype).at[:, 0].set(z.reshape({(programs, *whole)}))"]
    model += [f"return o.at[:, 1, {', '.join(f':{size}' for size in self.block)}].set(z.sum({steps}, dtype=x.dtype))" if carries else "return o"]
    if carries:
      zeros = f"o[i, 1] = jnp.zeros({whole}, jnp.{self.dtype})"
      lines = [lines[0], zeros, *lines[1:]]
    return self.kernel(["x", "y", "o"], lines, model, inputs=2, output=(programs, 1 + carries, *whole), more=self.grid(i=programs))

  def scope(self):
    """Memory and barriers that live for one step only."""
    steps = self.steps
    self.array(self.programs, steps, *self.block)
    change, other = self.change(), self.change()
    body = ["def scope(buf, out, full):", "  plgpu.copy_gmem_to_smem(x.at[i, k], buf, full)", "  plgpu.barrier_wait(full)",
            f"  out[...] = {change.format('buf[...]')}", "  plgpu.commit_smem()", "  plgpu.copy_smem_to_gmem(out, o.at[i, k])",
            "  plgpu.wait_smem_to_gmem(0)",
            f"pl.run_scoped(scope, {self.shared(*self.block)}, {self.shared(*self.block)}, plgpu.Barrier())"]
    lines = ['i = lax.axis_index("i")', *self.loop(steps, body)]
    if self.rng.random() < .5:
      # Another scope takes the same memory again.
      again = [line.replace("x.at", "o.at").replace(change.format("buf[...]"), other.format("buf[...]")) for line in body]
      lines += self.loop(steps, again)
    else:
      other = "{}"
    model = [self.by_step(1), f"x = {change.format('x')}", f"return {other.format('x')}"]
    return self.kernel(["x", "o"], lines, model, inputs=1, output=(self.programs, steps, *self.block), more=self.grid(i=self.programs))

  def order(self):
    """Programs that add to one block in global memory, one after the other, in the order of a semaphore."""
    self.array(self.programs, *self.block)
    n = self.programs
    lines = ["turn = pl.get_global(plgpu.SemaphoreType.REGULAR)", 'i = lax.axis_index("i")',
             "plgpu.copy_gmem_to_smem(x.at[i], buf, full)", "plgpu.barrier_wait(full)", "pl.semaphore_wait(turn, i, decrement=False)",
             "@pl.when(i == 0)", "def _(): o[...] = buf[...]", "@pl.when(i > 0)", "def _(): o[...] = o[...] + buf[...]", "pl.semaphore_signal(turn)",
             f"@pl.when(i == {n - 1})", f"def _(): pl.semaphore_wait(turn, {n})"]
    return self.kernel(["x", "o", "buf", "full"], lines, ["return x.sum(0, dtype=x.dtype)"], inputs=1, output=self.block,
                       scratch=[self.shared(*self.block, tiled=False), "plgpu.Barrier()"], more=self.grid(i=n))

  #===- Products ----------------------------------------------------------------===#

  def operands(self):
    """Sizes and arrays of a product of blocks, whose right side may be transposed, as it must be for types that are no halves."""
    rng = self.rng
    self.dtype = rng.choice(("float16", "float16", "bfloat16", "float32", "int8"))
    size = BYTES[self.dtype]
    self.swizzle = rng.choice((128, 128, 64))
    self.depth, self.is_transposed = self.swizzle // size, size != 2 or rng.random() < .4
    self.rows = 64 * rng.choice((1, 1, 2))
    # Rows of both sides hold whole parts of one swizzle.
    self.columns = rng.choice([n for n in (32, 64, 128) if self.is_transposed or n % self.depth == 0])
    self.sum_type = "int32" if self.dtype == "int8" else "float32"
    self.right = (self.columns, self.depth) if self.is_transposed else (self.depth, self.columns)

  def multiply(self, left, right):
    return f"plgpu.wgmma(acc, {left}, {f'plgpu.transpose_ref({right}, (1, 0))' if self.is_transposed else right})"

  def block_of(self, name, *starts):
    return f"{name}.at[{', '.join(f'pl.ds({start}, {size})' for start, size in starts)}]"

  def right_block(self, name, k, n):
    places = ((f"{k} * {self.depth}", self.depth), (f"{n} * {self.columns}", self.columns))
    return self.block_of(name, *(places[::-1] if self.is_transposed else places))

  def product_arrays(self, rows, columns, steps):
    self.array(rows, steps * self.depth)
    self.array(*((columns, steps * self.depth) if self.is_transposed else (steps * self.depth, columns)))
    turned = ".T" if self.is_transposed else ""
    return [f"return jnp.dot(x.astype(jnp.float32), y.astype(jnp.float32){turned}, precision='highest').astype(jnp.{self.sum_type})"]

  def product(self):
    """Products whose operands come by copies or a pipeline, and whose sums leave from registers or through shared memory."""
    rng, steps, slots = self.rng, self.steps, self.slots
    self.operands()
    m, n = rng.randrange(1, 3), rng.randrange(1, 3)
    model = self.product_arrays(m * self.rows, n * self.columns, steps)
    left, right = self.block_of("x", (f"m * {self.rows}", self.rows), (f"k * {self.depth}", self.depth)), self.right_block("y", "k", "n")
    tiles = self.tiles(self.swizzle, self.dtype)
    scratch, names = [], ["x", "y", "o"]
    lines = ['m, n = lax.axis_index("m"), lax.axis_index("n")']
    if rng.random() < .5:
      at = self.slot(slots)
      names += ["a", "b", "full"]
      scratch = [f"plgpu.SMEM({(slots, self.rows, self.depth)}, jnp.{self.dtype}, transforms={tiles})",
                 f"plgpu.SMEM({(slots, *self.right)}, jnp.{self.dtype}, transforms={tiles})",
                 f"plgpu.Barrier(num_arrivals=2, num_barriers={slots})"]
      lines += ["def fetch(k):", f"  plgpu.copy_gmem_to_smem({left}, a.at[{at}], full.at[{at}])", f"  plgpu.copy_gmem_to_smem({right}, b.at[{at}], full.at[{at}])"]
      body = [f"plgpu.barrier_wait(full.at[{at}])", self.multiply(f"a.at[{at}]", f"b.at[{at}]"), "plgpu.wgmma_wait(0)",
              f"@pl.when(k + {slots} < {steps})", f"def _(): fetch(k + {slots})"]
      lines += [f"for k in range({min(slots, steps)}): fetch(k)", "def sums(acc):", *indented(self.loop(steps, body)), "  return acc[...]"]
    else:
      delay = rng.choice((0, 1)) if slots > 1 else 0
      place = "(n, k)" if self.is_transposed else "(k, n)"
      lines += ["def sums(acc):", "  def body(_, a, b):", f"    {self.multiply('a', 'b')}", f"    plgpu.wgmma_wait({delay})",
                f"  plgpu.emit_pipeline(body, grid=({steps},), max_concurrent_steps={slots}, in_specs=[",
                f"    plgpu.BlockSpec({(self.rows, self.depth)}, lambda k: (m, k), transforms={tiles}, delay_release={delay}),",
                f"    plgpu.BlockSpec({self.right}, lambda k: {place}, transforms={tiles}, delay_release={delay})])(x, y)", "  return acc[...]"]
    lines += [f"value = pl.run_scoped(sums, plgpu.ACC({(self.rows, self.columns)}, jnp.{self.sum_type}))"]
    target = self.block_of("o", (f"m * {self.rows}", self.rows), (f"n * {self.columns}", self.columns))
    if rng.random() < .5:
      names.append("out")
      scratch.append(self.shared(self.rows, self.columns, dtype=self.sum_type, tiled=rng.random() < .7))
      lines += ["out[...] = value", "plgpu.commit_smem()", f"plgpu.copy_smem_to_gmem(out, {target})", "plgpu.wait_smem_to_gmem(0)"]
    else:
      lines += [f"{target}[...] = value"]
    return self.kernel(names, lines, model, inputs=2, output=(m * self.rows, n * self.columns), dtype=self.sum_type, scratch=scratch, more=self.grid(m=m, n=n))

  def specialized(self):
    """Products of one or two warpgroups whose operands a further one copies; a block of threads may have several results."""
    rng, steps = self.rng, self.steps
    self.operands()
    threads, tiles = rng.choice((1, 2)), rng.randrange(1, 4)
    self.rows = 64
    rows, delay = threads * self.rows, rng.choice((0, 1)) if self.slots > 1 else 0
    programs = rng.randrange(1, 3)
    model = self.product_arrays(tiles * rows, self.columns, steps)
    place = "(0, k)" if self.is_transposed else "(k, 0)"
    mine = f"a.at[pl.ds(wg * {self.rows}, {self.rows})]" if threads > 1 else "a"
    store = [f"o.at[pl.ds(m * {rows} + wg * {self.rows}, {self.rows})][...] = acc[...]"]
    scratch, names = [], ["x", "y", "o"]
    if rng.random() < .5:
      names.append("out")
      scratch = [self.shared(threads, self.rows, self.columns, dtype=self.sum_type, tiled=rng.random() < .7)]
      store = ["plgpu.wait_smem_to_gmem(0, wait_read_only=True)", "out[wg] = acc[...]", "plgpu.commit_smem()",
               f"plgpu.copy_smem_to_gmem(out.at[wg], o.at[pl.ds(m * {rows} + wg * {self.rows}, {self.rows})])"]
    tile = ["m, = info.index", "def context(pipeline):", "  def sums(acc):", "    pipeline(acc)", *indented(indented(store)),
            f"  pl.run_scoped(sums, plgpu.ACC({(self.rows, self.columns)}, jnp.{self.sum_type}))",
            "def body(_, a, b, acc):", f"  {self.multiply(mine, 'b')}", f"  plgpu.wgmma_wait({delay})", "  return acc",
            f"plgpu.emit_pipeline_warp_specialized(body, grid=({steps},), memory_registers=40, num_compute_wgs={threads}, wg_axis='wg',",
            f"  max_concurrent_steps={self.slots}, compute_context=context, in_specs=[",
            f"    plgpu.BlockSpec({(rows, self.depth)}, lambda k: (m, k), transforms={self.tiles(self.swizzle, self.dtype)}, delay_release={delay}),",
            f"    plgpu.BlockSpec({self.right}, lambda k: {place}, transforms={self.tiles(self.swizzle, self.dtype)}, delay_release={delay})])(x, y)"]
    lines = ['wg = lax.axis_index("wg")', f"@plgpu.nd_loop(({tiles},), collective_axes='i')", "def _(info):", *indented(tile)]
    lines += ["plgpu.wait_smem_to_gmem(0)"] if scratch else []
    return self.kernel(names, lines, model, inputs=2, output=(tiles * rows, self.columns), dtype=self.sum_type, scratch=scratch,
                       more=f"{self.grid(i=programs)}, num_threads={threads + 1}, thread_name='wg'")

  #===- Threads and clusters ----------------------------------------------------===#

  def threads(self):
    """One warpgroup copies blocks. The others compute on them: each on every block, or by turns."""
    rng, steps, slots, takers = self.rng, self.steps, self.slots, self.rng.choice((1, 1, 2, 3))
    self.array(self.programs, steps, *self.block)
    change, at = self.change(), self.slot(slots)
    by_turns = takers > 1 and rng.random() < .5
    arrivals = 1 if by_turns else takers
    release = [f"plgpu.barrier_arrive(free.at[{at}])"]
    take = [f"plgpu.barrier_wait(full.at[{at}])"]
    direct = rng.random() < .4
    if direct:
      put = ["value = " + change.format(f"buf[{at}]"), *release, f"o[i, {'0' if by_turns else 'wg - 1'}, k] = value"]
    else:
      put = self.store(change.format(f"buf[{at}]"), f"o.at[i, {'0' if by_turns else 'wg - 1'}, k]", 1)
      put = [line.replace("out[", "out[wg - 1, ").replace("out.at[", "out.at[wg - 1, ") for line in put]
      put = [put[0], *release, *put[1:]]
    body = [*take, *put]
    if by_turns:
      # Barriers count phases, so each warpgroup waits for all of them, but stores only its own steps.
      body = [*take, "value = " + change.format(f"buf[{at}]"), f"@pl.when(k % {takers} == wg - 1)", "def _():", f"  o[i, 0, k] = value", *release]
      arrivals = takers
      direct = True
    fetch = [f"@pl.when(k >= {slots})", f"def _(): plgpu.barrier_wait(free.at[{at}])", f"plgpu.copy_gmem_to_smem(x.at[i, k], buf.at[{at}], full.at[{at}])"]
    last = [f"plgpu.barrier_wait(free.at[{k % slots}])" for k in range(max(steps - slots, 0), steps)]
    lines = ['i, wg = lax.axis_index("i"), lax.axis_index("wg")', "@pl.when(wg == 0)", "def _():", *indented(self.loop(steps, fetch)), *indented(last),
             "@pl.when(wg > 0)", "def _():", *indented(self.loop(steps, body)), *([] if direct else ["  plgpu.wait_smem_to_gmem(0)"])]
    parts = 1 if by_turns else takers
    model = [self.by_step(1), f"return jnp.repeat(({change.format('x')})[:, None], {parts}, 1)"]
    scratch = [self.shared(slots, *self.block), f"plgpu.Barrier(num_barriers={slots})", f"plgpu.Barrier(num_arrivals={arrivals}, num_barriers={slots})"]
    names = ["x", "o", "buf", "full", "free"]
    if not direct:
      names.append("out")
      scratch.append(self.shared(takers, 1, *self.block))
    return self.kernel(names, lines, model, inputs=1, output=(self.programs, parts, steps, *self.block), scratch=scratch,
                       more=f"{self.grid(i=self.programs)}, num_threads={takers + 1}, thread_name='wg'")

  def exchange(self):
    """Two warpgroups that write shared memory by turns, each for the other to read."""
    steps = self.steps
    self.array(self.programs, 2, steps, *self.block)
    change = self.change()
    body = [f"mine[wg] = {change.format('x[i, wg, k]')}", "plgpu.barrier_arrive(written)", "plgpu.barrier_wait(written)", "value = mine[1 - wg]",
            "plgpu.barrier_arrive(read)", "plgpu.barrier_wait(read)", "o[i, wg, k] = value + mine[wg]"]
    lines = ['i, wg = lax.axis_index("i"), lax.axis_index("wg")', *self.loop(steps, body)]
    model = [self.by_step(2), f"x = {change.format('x')}", "return x + x[:, ::-1]"]
    return self.kernel(["x", "o", "mine", "written", "read"], lines, model, inputs=1, output=(self.programs, 2, steps, *self.block),
                       scratch=[self.shared(2, *self.block, tiled=False), "plgpu.Barrier(num_arrivals=2)", "plgpu.Barrier(num_arrivals=2)"],
                       more=f"{self.grid(i=self.programs)}, num_threads=2, thread_name='wg'")

  def cluster(self):
    """Blocks of a cluster that copy a part each of what all of them get; then a slot is free when all have read it."""
    rng, steps, blocks = self.rng, self.steps, self.rng.choice((2, 2, 4))
    # Each block copies a share, which begins at a multiple of 128 bytes.
    if len(self.block) == 1 or self.block[0] % (8 * blocks):
      self.block = (64, 64)
    self.array(self.programs, steps, *self.block)
    change = self.change()
    body = ["plgpu.copy_gmem_to_smem(x.at[i, k], buf, full, collective_axes='c')", "plgpu.barrier_wait(full)", f"value = {change.format('buf[...]')}",
            "o[i, c, k] = value * (c + 1).astype(value.dtype)", "plgpu.barrier_arrive(free)", "plgpu.barrier_wait(free)"]
    lines = ['i, c = lax.axis_index("i"), lax.axis_index("c")', *self.loop(steps, body)]
    ranks = ", 1" * (1 + len(self.block))
    model = [self.by_step(1), f"y = {change.format('x')}", f"return y[:, None] * (jnp.arange({blocks}) + 1).reshape(-1{ranks}).astype(y.dtype)"]
    return self.kernel(["x", "o", "buf", "full", "free"], lines, model, inputs=1, output=(self.programs, blocks, steps, *self.block),
                       scratch=[self.shared(*self.block), "plgpu.Barrier()", "plgpu.ClusterBarrier(collective_axes=('c',))"],
                       more=f"{self.grid(i=self.programs)}, cluster=({blocks},), cluster_names=('c',)")

  def warps(self):
    """Warps that start copies of their own, as many as there are steps."""
    rng, steps = self.rng, min(self.steps, 4)
    self.array(self.programs, steps, *self.block)
    change = self.change()
    lines = ['i = lax.axis_index("i")', "@pl.core_map(plgpu.WarpMesh(axis_name='warp'))", "def _():", "  warp = lax.axis_index('warp')"]
    for k in rng.sample(range(steps), steps):
      lines += [f"  @pl.when(warp == {(k + rng.randrange(4)) % 4})", f"  def _(): plgpu.copy_gmem_to_smem(x.at[i, {k}], buf.at[{k}], full.at[{k}])"]
    body = ["plgpu.barrier_wait(full.at[k])", f"o[i, k] = {change.format('buf[k]')}"]
    lines += self.loop(steps, body)
    self.steps = steps
    model = [self.by_step(1), f"return {change.format('x')}"]
    return self.kernel(["x", "o", "buf", "full"], lines, model, inputs=1, output=(self.programs, steps, *self.block),
                       scratch=[self.shared(steps, *self.block), f"plgpu.Barrier(num_barriers={steps})"], more=self.grid(i=self.programs))
