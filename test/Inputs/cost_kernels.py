"""Kernels by which the cost model of TPUs is fitted and judged: one per number, with a family, shapes and operations drawn."""

import random

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

S, f32, bf16, i32, i8 = jax.ShapeDtypeStruct, jnp.float32, jnp.bfloat16, jnp.int32, jnp.int8

UNARY = {
    "exp": jnp.exp, "tanh": jnp.tanh, "log": lambda v: jnp.log(jnp.abs(v) + 1), "rsqrt": lambda v: lax.rsqrt(jnp.abs(v) + 1),
    "sqrt": lambda v: jnp.sqrt(jnp.abs(v)), "logistic": jax.nn.sigmoid, "sin": jnp.sin, "cos": jnp.cos, "erf": lax.erf,
    "square": lambda v: v * v, "abs": jnp.abs, "neg": lambda v: -v, "relu": lambda v: jnp.maximum(v, 0), "exp2": jnp.exp2,
    "floor": jnp.floor, "log1p": lambda v: jnp.log1p(jnp.abs(v)), "gelu": jax.nn.gelu, "silu": jax.nn.silu, "expm1": jnp.expm1,
    "to int and back": lambda v: v.astype(i32).astype(v.dtype), "to bf16 and back": lambda v: v.astype(bf16).astype(v.dtype),
}
BINARY = {
    "add": jnp.add, "mul": jnp.multiply, "sub": jnp.subtract, "max": jnp.maximum, "min": jnp.minimum, "div": lambda a, b: a / (jnp.abs(b) + 1),
    "where": lambda a, b: jnp.where(a > b, a, b * 2),
}
INTEGER = {
    "add": jnp.add, "mul": jnp.multiply, "and": jnp.bitwise_and, "xor": jnp.bitwise_xor, "shift": lambda a, b: lax.shift_left(a, b & 7),
    "max": jnp.maximum, "where": lambda a, b: jnp.where(a > b, a, b + 1),
}


def softmax(v):
  e = jnp.exp(v - jnp.max(v, axis=-1, keepdims=True))
  return e / jnp.sum(e, axis=-1, keepdims=True)


def norm(v):
  d = v - jnp.mean(v, axis=-1, keepdims=True)
  return d * lax.rsqrt(jnp.mean(d * d, axis=-1, keepdims=True) + 1e-5)


ACROSS = {
    "softmax": softmax, "norm": norm, "sum of lanes": lambda v: v - jnp.sum(v, axis=-1, keepdims=True),
    "max of lanes": lambda v: v - jnp.max(v, axis=-1, keepdims=True), "sum of rows": lambda v: v - jnp.sum(v, axis=0, keepdims=True),
    "max of rows": lambda v: v - jnp.max(v, axis=0, keepdims=True), "roll lanes": lambda v: pltpu.roll(v, 3, 1),
    "roll rows": lambda v: pltpu.roll(v, 2, 0), "iota": lambda v: v + lax.broadcasted_iota(i32, v.shape, 1).astype(v.dtype),
    "causal": lambda v: jnp.where(lax.broadcasted_iota(i32, v.shape, 0) >= lax.broadcasted_iota(i32, v.shape, 1), v, 0),
    "halves": lambda v: jnp.concatenate([v[v.shape[0] // 2:], v[:v.shape[0] // 2]], axis=0),
    "first row": lambda v: v * v[0:1], "first column": lambda v: v * v[:, 0:1], "cumulative rows": lambda v: v + pltpu.roll(v, 1, 0),
    "square transposed": lambda v: v + v.T if v.shape[0] == v.shape[1] else v + v.T.T,
}


def blocks(rng, largest=1 << 17):
  while True:
    rows, columns = rng.choice((8, 16, 32, 64, 128, 256, 512)), rng.choice((128, 128, 256, 384, 512, 1024))
    if rows * columns <= largest:
      return rows, columns


def grids(rng):
  return rng.choice(((1,), (2,), (4,), (8,), (16,), (5,), (2, 2), (4, 4), (3, 8), (32,)))


def elementwise(rng):
  """A chain of operations on blocks, the later inputs of which may stay."""
  block, grid, count = blocks(rng), grids(rng), rng.choice((1, 2, 2, 3))
  dtype = rng.choice((f32, f32, f32, bf16, i32))
  body = chain(rng, dtype, count, rng.randint(1, 8), across=0.0)
  return call(rng, body, block, grid, count, dtype)


def across(rng):
  """Chains with operations that combine lanes and rows."""
  block, grid, count = blocks(rng, 1 << 16), grids(rng), rng.choice((1, 2))
  return call(rng, chain(rng, f32, count, rng.randint(1, 4), across=0.6), block, grid, count, f32)


def chain(rng, dtype, count, length, across):
  steps = []
  for _ in range(length):
    if rng.random() < across:
      steps.append((ACROSS[rng.choice(list(ACROSS))], 0))
    elif dtype == i32:
      steps.append((INTEGER[rng.choice(list(INTEGER))], rng.randrange(count) + 1))
    elif rng.random() < 0.5:
      steps.append((UNARY[rng.choice(list(UNARY))], 0))
    else:
      steps.append((BINARY[rng.choice(list(BINARY))], rng.randrange(count) + 1))
  def compute(*values):
    value = values[0]
    for function, other in steps:
      value = function(value, values[other - 1]) if other else function(value)
    return value
  return compute


def call(rng, compute, block, grid, count, dtype):
  rank = len(grid)
  def spec(stays):
    if rank == 1:
      return pl.BlockSpec(block, (lambda i: (0, 0)) if stays else lambda i: (i, 0))
    return pl.BlockSpec(block, (lambda i, j: (0, j)) if stays else lambda i, j: (i, j))
  shape = (block[0] * grid[0], block[1] * (grid[1] if rank == 2 else 1))
  stays = [False] + [rng.random() < 0.3 for _ in range(count - 1)]
  shapes = [(block[0], shape[1]) if s else shape for s in stays]
  def kernel(*refs):
    refs[-1][...] = compute(*[ref[...] for ref in refs[:-1]]).astype(dtype)
  function = pl.pallas_call(kernel, grid=grid, in_specs=[spec(s) for s in stays], out_specs=spec(False), out_shape=S(shape, dtype))
  return function, [S(s, dtype) for s in shapes]


def matmul(rng):
  """Blocks of a product, summed over the last dimension of the grid."""
  m, k, n = (rng.choice((8, 32, 64, 128, 256, 512)), rng.choice((128, 256, 512)), rng.choice((128, 256, 512)))
  dtype, out = rng.choice(((f32, f32), (bf16, f32), (bf16, f32), (bf16, bf16), (i8, i32)))
  m = max(m, {f32: 8, bf16: 16, i8: 32}[dtype])
  grid = rng.choice(((1, 1, 1), (2, 2, 2), (1, 2, 4), (4, 2, 1), (2, 4, 4)))
  turned = rng.random() < 0.25
  sum_type = i32 if dtype == i8 else f32

  def kernel(x, y, o, acc):
    @pl.when(pl.program_id(2) == 0)
    def _():
      acc[...] = jnp.zeros_like(acc)
    contract = (((1,), (1 if turned else 0,)), ((), ()))
    acc[...] += lax.dot_general(x[...], y[...], contract, preferred_element_type=sum_type)
    @pl.when(pl.program_id(2) == grid[2] - 1)
    def _():
      o[...] = acc[...].astype(out)

  rhs = pl.BlockSpec((n, k), lambda i, j, l: (j, l)) if turned else pl.BlockSpec((k, n), lambda i, j, l: (l, j))
  shapes = [(m * grid[0], k * grid[2]), (n * grid[1], k * grid[2]) if turned else (k * grid[2], n * grid[1])]
  function = pl.pallas_call(kernel, grid=grid, in_specs=[pl.BlockSpec((m, k), lambda i, j, l: (i, l)), rhs],
                            out_specs=pl.BlockSpec((m, n), lambda i, j, l: (i, j)), out_shape=S((m * grid[0], n * grid[1]), out),
                            scratch_shapes=[pltpu.VMEM((m, n), sum_type)])
  return function, [S(s, dtype) for s in shapes]


def whole_matmul(rng):
  """Blocks of a product, each by itself, and something done with it."""
  m, k, n = rng.choice((16, 64, 128, 256)), rng.choice((128, 256, 512, 1024)), rng.choice((128, 256, 512))
  dtype = rng.choice((f32, bf16, bf16))
  after, grid = rng.choice((lambda v: v, lambda v: jnp.maximum(v, 0), softmax, jax.nn.gelu, jnp.exp)), rng.choice((1, 2, 4, 8))
  def kernel(x, y, o):
    o[...] = after(jnp.dot(x[...], y[...], preferred_element_type=f32)).astype(o.dtype)
  function = pl.pallas_call(kernel, grid=(grid,), in_specs=[pl.BlockSpec((m, k), lambda i: (i, 0)), pl.BlockSpec((k, n), lambda i: (0, 0))],
                            out_specs=pl.BlockSpec((m, n), lambda i: (i, 0)), out_shape=S((m * grid, n), dtype))
  return function, [S((m * grid, k), dtype), S((k, n), dtype)]


def attention(rng):
  """A row of blocks of attention, one key block per step, with the running maximum in scratch memory."""
  q, kv, d = rng.choice((64, 128, 256)), rng.choice((128, 256)), rng.choice((64, 128))
  dtype, heads, steps, rows = rng.choice((f32, bf16)), rng.choice((1, 2, 4)), rng.choice((1, 2, 4)), rng.choice((1, 2))

  def kernel(qr, kr, vr, o, m, l, acc):
    @pl.when(pl.program_id(2) == 0)
    def _():
      m[...] = jnp.full_like(m, -1e30)
      l[...] = jnp.zeros_like(l)
      acc[...] = jnp.zeros_like(acc)
    s = lax.dot_general(qr[0], kr[0], (((1,), (1,)), ((), ())), preferred_element_type=f32)
    new = jnp.maximum(m[:, 0:1], jnp.max(s, axis=-1, keepdims=True))
    p, scale = jnp.exp(s - new), jnp.exp(m[:, 0:1] - new)
    l[...] = jnp.broadcast_to(l[:, 0:1] * scale + jnp.sum(p, axis=-1, keepdims=True), l.shape)
    acc[...] = acc[...] * scale + jnp.dot(p.astype(dtype), vr[0], preferred_element_type=f32)
    m[...] = jnp.broadcast_to(new, m.shape)
    @pl.when(pl.program_id(2) == steps - 1)
    def _():
      o[0] = (acc[...] / l[:, 0:1]).astype(o.dtype)

  keys = pl.BlockSpec((1, kv, d), lambda h, i, j: (h, j, 0))
  queries = pl.BlockSpec((1, q, d), lambda h, i, j: (h, i, 0))
  function = pl.pallas_call(kernel, grid=(heads, rows, steps), in_specs=[queries, keys, keys], out_specs=queries,
                            out_shape=S((heads, q * rows, d), dtype),
                            scratch_shapes=[pltpu.VMEM((q, 128), f32), pltpu.VMEM((q, 128), f32), pltpu.VMEM((q, d), f32)])
  return function, [S((heads, q * rows, d), dtype), S((heads, kv * steps, d), dtype), S((heads, kv * steps, d), dtype)]


def loop(rng):
  """A loop over parts of a block, or over a value that it carries."""
  rows, columns = rng.choice((64, 128, 256, 512)), rng.choice((128, 256, 512))
  size, steps = rng.choice((8, 16, 32)), rng.choice((1, 2, 4))
  carried = rng.random() < 0.4
  compute = chain(rng, f32, 1, rng.randint(1, 5), across=0.2)
  def kernel(x, o):
    if carried:
      o[...] = lax.fori_loop(0, rows // size, lambda i, v: compute(v), x[...])
    else:
      def body(i, _):
        part = pl.ds(pl.multiple_of(i * size, size), size)
        o[part, :] = compute(x[part, :])
        return 0
      lax.fori_loop(0, rows // size, body, 0)
  if carried:
    rows = rng.choice((8, 16, 32, 64))
    size = rng.choice((1, 2)) if rows >= 32 else 1
  spec = pl.BlockSpec((rows, columns), lambda i: (i, 0))
  return pl.pallas_call(kernel, grid=(steps,), in_specs=[spec], out_specs=spec, out_shape=S((rows * steps, columns), f32)), [S((rows * steps, columns), f32)]


def sums(rng):
  """A reduction of blocks into an output that stays."""
  block, grid, axis = blocks(rng, 1 << 16), rng.choice((1, 2, 4, 8, 16)), rng.choice((0, 1))
  dtype, reduce = rng.choice((f32, f32, bf16)), rng.choice((jnp.sum, jnp.max))
  shape = (1, block[1]) if axis == 0 else (block[0], 1)
  def kernel(x, o):
    @pl.when(pl.program_id(0) == 0)
    def _():
      o[...] = jnp.zeros_like(o)
    o[...] += reduce(x[...].astype(f32), axis=axis, keepdims=True)
  out = pl.BlockSpec(shape, lambda i: (0, 0))
  spec = pl.BlockSpec(block, lambda i: (i, 0) if axis == 0 else (0, i))
  array = (block[0] * grid, block[1]) if axis == 0 else (block[0], block[1] * grid)
  return pl.pallas_call(kernel, grid=(grid,), in_specs=[spec], out_specs=out, out_shape=S(shape, f32)), [S(array, dtype)]


def copies(rng):
  """Parts of an array that the kernel copies itself, in turn or all at once."""
  rows, columns, count = rng.choice((8, 64, 256)), rng.choice((128, 512)), rng.choice((2, 4, 8))
  overlapped = rng.random() < 0.5
  def kernel(x, o, buffers, semaphores):
    def fetch(i, slot):
      return pltpu.make_async_copy(x.at[pl.ds(i * rows, rows)], buffers.at[slot], semaphores.at[slot])
    if overlapped:
      fetch(0, 0).start()
    def body(i, sum):
      slot = i % 2 if overlapped else 0
      if overlapped:
        @pl.when(i + 1 < count)
        def _():
          fetch(i + 1, 1 - slot).start()
      else:
        fetch(i, 0).start()
      fetch(i, slot).wait()
      return sum + jnp.exp(buffers[slot])
    o[...] = lax.fori_loop(0, count, body, jnp.zeros((rows, columns), f32))
  function = pl.pallas_call(kernel, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_shape=S((rows, columns), f32),
                            scratch_shapes=[pltpu.VMEM((2, rows, columns), f32), pltpu.SemaphoreType.DMA((2,))])
  return function, [S((rows * count, columns), f32)]


def product(rng):
  """A product of blocks that stay where they are, so that its steps wait for the matrix unit alone."""
  m, k, n = rng.choice((64, 128, 256, 512, 1024)), rng.choice((128, 256, 512, 1024)), rng.choice((128, 256, 512, 1024))
  dtype, turned = rng.choice((f32, bf16)), rng.random() < 0.15

  def kernel(x, y, o):
    contract = (((1,), (1 if turned else 0,)), ((), ()))
    o[...] += lax.dot_general(x[...], y[...], contract, preferred_element_type=f32)

  shapes = (m, k), (n, k) if turned else (k, n)
  stay = lambda i: (0, 0)
  function = pl.pallas_call(kernel, grid=(8,), in_specs=[pl.BlockSpec(s, stay) for s in shapes], out_specs=pl.BlockSpec((m, n), stay),
                            out_shape=S((m, n), f32))
  return function, [S(s, dtype) for s in shapes]


FAMILIES = (elementwise, elementwise, elementwise, across, across, across, matmul, matmul, whole_matmul, attention, loop, sums, copies)


# Numbers from here on are products.
FIRST_PRODUCT = 10000


def family_of(number):
  return product if number >= FIRST_PRODUCT else FAMILIES[number % len(FAMILIES)]


def draw(number):
  """The function of a number, its arguments, and the family that it is of."""
  rng = random.Random(number)
  family = family_of(number)
  function, arguments = family(rng)
  return function, arguments, family.__name__
