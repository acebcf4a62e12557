"""Random Pallas kernels at the edges of their refs, each with what it should give as a function of arrays.

There are three forms: accesses of each kind whose slices may leave their refs, updates in place through both names of
an aliased array, and copies by lists of indices of a length that only the kernel knows. JAX's interpreters do not
run the last two, and count negative starts from the end of their padding, so `call(..., interpret=True)`
is a model: `ref[...]` takes a slice that was moved inside, as `lax.dynamic_slice` does (of which XLA adds the starts of two
before it moves them), and an element in place is itself or left out.
"""
import dataclasses
import random

import numpy as np
from .kernels import HEADER, Kernel

# Numbers of kernels of these forms.
FIRST = 9000000

MODEL = """from jax.experimental.pallas import tpu_sc as plsc

def place(start, n, size):
  at = start + jnp.arange(n)
  return jnp.where((at >= 0) & (at < size), at, size)

def inside(start, n, size): return jnp.clip(jnp.where(start < 0, start + size, start), 0, size - n) + jnp.arange(n)
def moved(x, start, n): return x[inside(start, n, x.size)]
def kept(x, start, n): return jnp.where(place(start, n, x.size) < x.size, x[place(start, n, x.size)], 0)
def move(x, start, v): return x.at[inside(start, v.size, x.size)].set(v)
def keep(x, start, v): return x.at[place(start, v.size, x.size)].set(v, mode="drop")
def keep_some(x, start, v, m): return x.at[jnp.where(m, place(start, v.size, x.size), x.size)].set(v, mode="drop")
def clear(v, start, size): return jnp.where(place(start, v.size, size) < size, v, 0)
"""


@dataclasses.dataclass
class EdgeKernel(Kernel):
  made: list
  # Whether checks find nothing: slices that move, and stores past an edge, are mistakes for them.
  is_silent: bool

  def arrays(self):
    return self.made


class Statements:
  """Draws loads and stores, as lines of the kernel and of the model."""

  def __init__(self, rng):
    self.rng, self.kernel, self.model, self.names, self.is_silent = rng, [], [], [], True
    self.length = rng.choice((4, 5, 8, 16))

  def start(self):
    return f"s{self.rng.randrange(4)}"

  def load(self, ref, array, size):
    """A value of the common length, from one of the places of `array`."""
    name, start, n = f"v{len(self.names)}", self.start(), self.length
    kind = self.rng.choice(("get", "load", "load", "masked", "view", "row"))
    if kind == "get":
      self.line(f"{name} = {ref}[pl.ds({start}, {n})]", f"{name} = moved({array}, {start}, {n})")
    elif kind == "load":
      self.line(f"{name} = clear(pltr.load({ref}.at[pl.ds({start}, {n})]), {start}, {size})", f"{name} = kept({array}, {start}, {n})")
    elif kind == "masked":
      mask = f"place({start}, {n}, {size}) < {size}"
      self.line(f"{name} = pltr.load({ref}.at[pl.ds({start}, {n})], mask={mask}, other=0)", f"{name} = kept({array}, {start}, {n})")
    else:
      # A view that is a part, and an access that may leave the view but not the ref.
      wide = self.rng.randrange(n, size + 1)
      first = self.start() if kind == "view" else self.rng.randrange(size - wide + 1)
      self.line(f"{name} = {ref}.at[pl.ds({first}, {wide})][pl.ds({start}, {n})]",
                f"{name} = moved(moved({array}, {first}, {wide}), {start}, {n})")
    self.is_silent &= kind in ("load", "masked")
    self.names.append(name)

  def store(self, ref, array):
    start, value = self.start(), f"{self.rng.choice(self.names)} + {self.rng.randrange(4)}"
    kind = self.rng.choice(("swap", "store", "store", "masked", "element"))
    if kind == "swap":
      self.line(f"{ref}[pl.ds({start}, {self.length})] = {value}", f"{array} = move({array}, {start}, {value})")
    elif kind == "store":
      self.line(f"pltr.store({ref}.at[pl.ds({start}, {self.length})], {value})", f"{array} = keep({array}, {start}, {value})")
    elif kind == "masked":
      mask = f"jnp.arange({self.length}) % {self.rng.randrange(2, 5)} != 0"
      self.line(f"pltr.store({ref}.at[pl.ds({start}, {self.length})], {value}, mask={mask})",
                f"{array} = keep_some({array}, {start}, {value}, {mask})")
    else:
      self.line(f"pltr.store({ref}.at[{start}], ({value})[1])", f"{array} = keep({array}, {start}, ({value})[1:2])")
    self.is_silent = False

  def line(self, kernel, model):
    self.kernel.append(kernel)
    self.model.append(model)


def _starts(rng, programs, length, size):
  """Places around both edges, and some far away."""
  draw = lambda: rng.choice((rng.randrange(size), rng.randrange(-length, size + length), size - length, 0, 10**9, -10**9))
  return np.array([[draw() for _ in range(4)] for _ in range(programs)], np.int32)


def _numbers(rng, dtype, size):
  values = np.random.default_rng(rng.randrange(1 << 30)).integers(-50, 50, size)
  return values.astype(dtype)


def _edges(rng):
  steps, size, programs, dtype = Statements(rng), rng.randrange(17, 40), rng.randrange(1, 5), rng.choice(("float32", "int32"))
  out = rng.randrange(17, 40)
  for _ in range(rng.randrange(1, 4)):
    steps.load("x", "x", size)
  if rng.random() < .7:
    for _ in range(rng.randrange(1, 3)):
      steps.store("o", "o")
  total = " + ".join(steps.names)
  steps.line(f"o[pl.ds(0, {steps.length})] += {total}", f"o = o.at[:{steps.length}].add({total})")
  grid = f"grid=({programs},), "
  source = _source(steps, programs, "t, x, o", f"""  @pl.when(pl.program_id(0) == 0)
  def _(): o[...] = jnp.zeros(o.shape, o.dtype)
""", f"o = jnp.zeros({out}, x.dtype)", f"{grid}out_shape=jax.ShapeDtypeStruct(({out},), jnp.{dtype})")
  return source, [_starts(rng, programs, steps.length, size), _numbers(rng, dtype, size)], dtype, steps.is_silent


def _aliases(rng):
  """One array under two names, which loads and stores take as they come."""
  steps, size, programs, dtype = Statements(rng), rng.randrange(17, 40), rng.randrange(1, 4), rng.choice(("float32", "int32"))
  steps.load("x", "o", size)
  for _ in range(rng.randrange(2, 6)):
    if rng.random() < .5:
      steps.load(rng.choice("xo"), "o", size)
    else:
      steps.store(rng.choice("xxo"), "o")
  first = rng.randrange(size - steps.length + 1)
  steps.line(f"x[{first}:{first + steps.length}] = {steps.names[-1]}", f"o = o.at[{first}:{first + steps.length}].set({steps.names[-1]})")
  params = f"grid=({programs},), input_output_aliases={{1: 0}}, compiler_params=pltr.CompilerParams()"
  source = _source(steps, programs, "t, x, o", "", "o = x", f"{params}, out_shape=jax.ShapeDtypeStruct(({size},), jnp.{dtype})")
  return source, [_starts(rng, programs, steps.length, size), _numbers(rng, dtype, size)], dtype, steps.is_silent


def _source(steps, programs, refs, begin, initial, params):
  starts = lambda program: [f"s{i} = t[{program}, {i}]" for i in range(4)]
  indent = lambda lines, by: "".join(f"{' ' * by}{line}\n" for line in lines)
  return f"""{HEADER}{MODEL}
def kernel({refs}):
{begin}{indent(starts("pl.program_id(0)") + steps.kernel, 2)}
def model(t, x):
  {initial}
  for p in range({programs}):
{indent(starts("p") + steps.model, 4)}  return o

def call(t, x, interpret=False):
  return model(t, x) if interpret else pl.pallas_call(kernel, {params})(t, x)
"""


def _lengths(rng):
  """Rows that go to or come from places in a list, as many as an operand has it."""
  rows, width, dtype = rng.choice((16, 24, 32)), rng.choice((0, 8, 16)), rng.choice(("float32", "int32"))
  shape = (rows, width) if width else (rows,)
  first, skipped = rng.choice((0, 0, 3)), rng.choice((0, 0, 2))
  count = rng.choice((0, 1, rows // 2, rows - max(first, skipped)))
  some, at = f"rows.at[pl.ds({first}, n)]", f"at.at[pl.ds({skipped}, n)]"
  rest = "[:, None]" if width else ""
  named = f"jnp.where(jnp.arange({rows - skipped}) < n, at[{skipped}:], {rows})"
  if rng.random() < .5:
    add = rng.random() < .5
    copy = f"pltpu.sync_copy({some}, o.at[{at}]{', add=True' if add else ''})"
    model = f"o.at[{named}].{'add' if add else 'set'}(jnp.roll(x, -{first}, 0)[:{rows - skipped}], mode='drop')"
    before, after = "pltpu.sync_copy(x, rows)", ""
  else:
    copy = f"pltpu.sync_copy(x.at[{at}], {some})"
    model = (f"o.at[{first}:].set(jnp.where((jnp.arange({rows - first}) < n){rest}, "
             f"jnp.roll(x[at], -{skipped}, 0)[:{rows - first}], o[{first}:]))")
    before, after = "pltpu.sync_copy(o, rows)", "  pltpu.sync_copy(rows, o)\n"
  source = f"""{HEADER}{MODEL}
def kernel(t, x, at_ref, zeros, o, n_ref, rows, at):
  pltpu.sync_copy(t, n_ref)
  pltpu.sync_copy(at_ref, at)
  pltpu.sync_copy(zeros, rows)
  pltpu.sync_copy(rows, o)
  {before}
  n = jnp.max(n_ref[...])
  {copy}
{after}
def model(t, x, at, o):
  n = jnp.max(t)
  return {model}

def call(t, x, at, zeros, interpret=False):
  if interpret:
    return model(t, x, at, zeros)
  mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1)
  scratch = [pltpu.VMEM((8,), jnp.int32), pltpu.VMEM(x.shape, x.dtype), pltpu.VMEM(at.shape, at.dtype)]
  return pl.kernel(kernel, out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), mesh=mesh, scratch_types=scratch)(t, x, at, zeros)
"""
  places = np.random.default_rng(rng.randrange(1 << 30)).permutation(rows).astype(np.int32)
  arrays = [np.full(8, count, np.int32), _numbers(rng, dtype, shape), places, np.zeros(shape, dtype)]
  return source, arrays, dtype, True


def make(seed: int) -> EdgeKernel:
  rng = random.Random(seed)
  source, arrays, dtype, is_silent = rng.choice((_edges, _edges, _aliases, _lengths))(rng)
  return EdgeKernel(seed, source, [], dtype, arrays, is_silent)
