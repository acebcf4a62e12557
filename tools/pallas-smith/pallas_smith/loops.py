"""Random Pallas kernels whose loops end by the values of a small vector, or run as often as it has it.

A loop carries vectors and numbers that come from everywhere: loads, constants, broadcasts of a row, a column or a
number, reductions. Its condition is a reduction of what it carries or of what it reads, and a bound on the rounds.
Values are whole numbers and few, so that every order of a sum gives the same.
"""
import random

from .kernels import HEADER, Kernel

# Numbers of kernels of these forms.
FIRST = 9000000

SHAPES = ((4, 16), (4, 16), (1, 128), (8, 128), (3, 5), (2, 130), (16,), (128,), (5, 1), (1, 1), (2, 4, 16), (9, 40))
DTYPES = ("float32",) * 5 + ("int32",) * 3 + ("bfloat16",)


def reduced_shapes(shape):
  """Shapes that a row, a column or a number of it has, with axes of length 1 kept."""
  return [tuple(1 if a == axis else n for a, n in enumerate(shape)) for axis in range(len(shape))]


class Loop:
  """One loop over named carries; each is a full vector, or a number."""

  def __init__(self, kernel, depth):
    self.kernel, self.rng, self.depth = kernel, kernel.rng, depth

  def start(self):
    """What a vector starts as."""
    k = self.kernel
    line = self.rng.choice(reduced_shapes(k.shape))
    axis = line.index(1) if 1 in line else 0
    return self.rng.choice((k.read(), k.read(), f"jnp.zeros({k.shape}, jnp.{k.dtype})", f"jnp.full({k.shape}, 2, jnp.{k.dtype})",
                            f"jnp.broadcast_to({k.read()}[{k.slice_of(line)}], {k.shape})",
                            f"jnp.broadcast_to(jnp.max({k.read()}, axis={axis}, keepdims=True), {k.shape})",
                            f"jnp.broadcast_to({k.number(k.read())}, {k.shape})", k.iota()))

  def step(self, vectors, numbers):
    """What a vector is after one more round; it stays small."""
    k, a = self.kernel, self.rng.choice(vectors)
    axis = self.rng.randrange(len(k.shape))
    plain = (f"{a} + 1", f"{a} + {k.read()}", f"jnp.maximum({a}, {k.read()}) + 1", k.read(), f"{a} - {self.rng.choice(vectors)}",
             f"jnp.where({a} > 3, {a} - 3, {a} + 2)", f"jnp.full({k.shape}, 3, jnp.{k.dtype})")
    mixed = (f"{a} + jnp.max({a}, axis={axis}, keepdims=True)", f"jnp.broadcast_to(jnp.min({a}, axis={axis}, keepdims=True), {k.shape})",
             f"jnp.broadcast_to({k.number(a)}, {k.shape})", f"{a} + {self.rng.choice(numbers)}.astype(jnp.{k.dtype})" if numbers else f"{a} + 1")
    text = self.rng.choice(plain + mixed)
    return f"jnp.clip({text}, -9, 9)"

  def condition(self, vectors, numbers):
    k, a = self.kernel, self.rng.choice(vectors + [k_read for k_read in (self.kernel.read(),)])
    axis, bound = self.rng.randrange(len(k.shape)), self.rng.choice((0, 2, 5, 9, 40))
    choices = [f"{k.number(a)} < {bound}", f"jnp.all({a} < {bound})", f"jnp.any({a} < {bound})", f"jnp.max({a}) > {-bound}",
               f"jnp.any(jnp.max({a}, axis={axis}, keepdims=True) < {bound})", f"jnp.sum(({a} < {bound}).astype(jnp.int32)) > 1"]
    if len(k.shape) > 1:
      choices.append(f"jnp.max(jnp.sum({a}, axis={axis})) < {bound}")
    return self.rng.choice(choices + [f"{n} < {bound}" for n in numbers])

  def write(self):
    """Lines of the loop; its last vector is `result`."""
    k, rng = self.kernel, self.rng
    vectors = [f"v{self.depth}_{i}" for i in range(rng.choice((1, 1, 2)))]
    numbers = [f"s{self.depth}_{i}" for i in range(rng.choice((0, 1, 1)))]
    kind = rng.choice(("while", "while", "while", "for", "refs"))
    if kind == "refs":
      return self.over_refs()
    names = ", ".join([f"i{self.depth}", *vectors, *numbers])
    inits = [self.start() for _ in vectors] + [rng.choice(("jnp.int32(0)", "jnp.int32(1)", k.count(k.read()))) for _ in numbers]
    body = [f"    {names} = c"]
    if self.depth < 1 and rng.random() < .25:
      inner = Loop(k, self.depth + 1)
      body += ["    " + line for line in inner.write()]
      vectors_after = [*vectors, inner.result]
    else:
      vectors_after = vectors
    if rng.random() < .3:
      a = vectors[0]
      body += [f"    {a} = lax.cond({self.condition(vectors, numbers)}, lambda t: {self.step(['t'], [])}, lambda t: t + 0, {a})"]
    steps = [self.step(vectors_after, numbers) for _ in vectors]
    counts = [rng.choice((f"{n} + 1", k.count(rng.choice(vectors_after)), f"jnp.minimum({n} * 2 + 1, 50)")) for n in numbers]
    body += [f"    return ({', '.join([f'i{self.depth} + 1', *steps, *counts])},)"]
    lines = [f"def body{self.depth}(c):", *(line[2:] for line in body)]
    init = f"(jnp.int32(0), {', '.join([*inits])})"
    self.result = f"r{self.depth}"
    limit = rng.choice((1, 3, 6))
    if kind == "for":
      trips = f"jnp.minimum({k.count(k.read())}, {limit})"
      lines += [f"out{self.depth} = lax.fori_loop(0, {trips}, lambda _, c: body{self.depth}(c), {init})"]
    else:
      both = [f"(i{self.depth} < {limit})", f"({self.condition(vectors, numbers)})"]
      rng.shuffle(both)
      lines += [f"def more{self.depth}(c):", f"  {names} = c", f"  return {' & '.join(both)}",
                f"out{self.depth} = lax.while_loop(more{self.depth}, body{self.depth}, {init})"]
    number = f" + out{self.depth}[-1].astype(jnp.{k.dtype})" if numbers else ""
    return lines + [f"r{self.depth} = out{self.depth}[1] + out{self.depth}[0].astype(jnp.{k.dtype}){number}"]

  def over_refs(self):
    """A loop that changes memory until a reduction of it ends it, and carries numbers only."""
    k = self.kernel
    self.result = f"r{self.depth}"
    condition = self.condition(["acc[...]"], [])
    where = self.rng.choice(("reads", "carries"))
    check = f"(i < {self.rng.choice((2, 5))}) & ({condition if where == 'reads' else 'go'})"
    goes = "jnp.bool_(True)" if where == "reads" else condition
    return [f"acc[...] = {self.start()}", "def body(c):", "  i, go = c", f"  acc[...] = {self.step(['acc[...]'], [])}", f"  return i + 1, {goes}",
            f"n{self.depth}, _ = lax.while_loop(lambda c: (lambda i, go: {check})(*c), body, (jnp.int32(0), jnp.bool_(True)))",
            f"r{self.depth} = acc[...] + n{self.depth}.astype(jnp.{k.dtype})"]


class LoopKernel:

  def __init__(self, rng):
    self.rng = rng
    self.shape, self.dtype = rng.choice(SHAPES), rng.choice(DTYPES)
    self.inputs = rng.choice((1, 1, 2))

  def read(self):
    return f"x{self.rng.randrange(self.inputs)}[...]"

  def slice_of(self, line):
    return ", ".join(":1" if n == 1 else ":" for n in line)

  def iota(self):
    return f"lax.broadcasted_iota(jnp.int32, {self.shape}, {len(self.shape) - 1}).astype(jnp.{self.dtype}) % 4" if len(self.shape) > 1 else self.read()

  def number(self, value):
    """One number of a vector."""
    element = ", ".join(str(self.rng.randrange(n)) for n in self.shape)
    return self.rng.choice((f"jnp.max({value})", f"jnp.min({value})", f"jnp.sum({value})", f"{value}[{element}]"))

  def count(self, value):
    return f"jnp.clip({self.number(value)}, 0, 6).astype(jnp.int32)"

  def source(self):
    loop = Loop(self, 0)
    lines = [*loop.write(), f"o[...] = {loop.result}"]
    refs = ", ".join(f"x{i}" for i in range(self.inputs))
    kernel = f"def kernel({refs}, o, acc):\n" + "".join(f"  {line}\n" for line in lines)
    return (f"{HEADER}\n{kernel}\ndef call(*arrays, interpret=False):\n"
            f"  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct({self.shape}, jnp.{self.dtype}),\n"
            f"    scratch_shapes=[pltpu.VMEM({self.shape}, jnp.{self.dtype})], interpret=interpret)(*arrays)\n")


class WholeNumbers(Kernel):

  def arrays(self):
    import ml_dtypes
    import numpy as np
    rng = np.random.default_rng(self.seed)
    return [rng.integers(-3, 5, shape).astype(getattr(ml_dtypes, dtype, dtype)) for shape, dtype, _ in self.inputs]


def make(seed: int) -> Kernel:
  """The kernel with this number, always the same one."""
  drawn = LoopKernel(random.Random(seed))
  source = drawn.source()
  return WholeNumbers(seed, source, [(drawn.shape, drawn.dtype, 0)] * drawn.inputs, drawn.dtype)
