# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with small blocks on the CPU, as written and with the coarsening factors that are best of those tried by hand.
Processor time, in turns, so that other work on the machine matters little."""

import itertools
import math
import re
import time

import common

common.use_one_thread()
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import pallas_mlir

S, f32, bf16 = jax.ShapeDtypeStruct, jnp.float32, jnp.bfloat16


def elements(function, block, inputs=1, dtype=f32):
  shape = (1024, 1024)
  spec = pl.BlockSpec(block, lambda i, j: (i, j))

  def body(*refs):
    refs[-1][...] = function(*[ref[...] for ref in refs[:-1]])

  grid = tuple(size // part for size, part in zip(shape, block))
  return pl.pallas_call(body, grid=grid, in_specs=[spec] * inputs, out_specs=spec, out_shape=S(shape, dtype)), [S(shape, dtype)] * inputs


def rows(function, columns, block, dtype=f32, results=None, count=2048):
  shape, out = (count, columns), (count, results or columns)
  spec = lambda shape: pl.BlockSpec((block, shape[1]), lambda i: (i, 0))

  def body(x, o):
    o[...] = function(x[...].astype(f32)).astype(dtype)

  return pl.pallas_call(body, grid=(count // block,), in_specs=[spec(shape)], out_specs=spec(out), out_shape=S(out, dtype)), [S(shape, dtype)]


def column_sums(block):
  def body(x, o):
    @pl.when(pl.program_id(1) == 0)
    def _():
      o[...] = jnp.zeros_like(o)

    o[...] += jnp.sum(x[...], 0, keepdims=True)

  call = pl.pallas_call(body, grid=(1024 // block[1], 1024 // block[0]), in_specs=[pl.BlockSpec(block, lambda j, i: (i, j))],
                        out_specs=pl.BlockSpec((1, block[1]), lambda j, i: (0, j)), out_shape=S((1, 1024), f32))
  return call, [S((1024, 1024), f32)]


def product(m, n, k, dtype=f32, size=512):
  def body(x, y, o, sums):
    @pl.when(pl.program_id(2) == 0)
    def _():
      sums[...] = jnp.zeros_like(sums)

    sums[...] += jnp.dot(x[...], y[...], preferred_element_type=f32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
      o[...] = sums[...].astype(dtype)

  call = pl.pallas_call(body, grid=(size // m, size // n, size // k),
                        in_specs=[pl.BlockSpec((m, k), lambda i, j, k: (i, k)), pl.BlockSpec((k, n), lambda i, j, k: (k, j))],
                        out_specs=pl.BlockSpec((m, n), lambda i, j, k: (i, j)), out_shape=S((size, size), dtype),
                        scratch_shapes=[pltpu.VMEM((m, n), f32)])
  return call, [S((size, size), dtype)] * 2


def attention(block):
  shape = (4, 512, 64)

  def body(q, k, v, o):
    scores = jnp.dot(q[0], k[0].T, preferred_element_type=f32)
    e = jnp.exp(scores - scores.max(-1, keepdims=True))
    o[0] = jnp.dot(e / e.sum(-1, keepdims=True), v[0], preferred_element_type=f32)

  part, whole = pl.BlockSpec((1, block, 64), lambda h, i: (h, i, 0)), pl.BlockSpec((1, 512, 64), lambda h, i: (h, 0, 0))
  call = pl.pallas_call(body, grid=(4, 512 // block), in_specs=[part, whole, whole], out_specs=part, out_shape=S(shape, f32))
  return call, [S(shape, f32)] * 3


def norm(x):
  d = x - x.mean(-1, keepdims=True)
  return d * jax.lax.rsqrt((d * d).mean(-1, keepdims=True) + 1e-5)


def kernels():
  for block in ((8, 128), (16, 128), (64, 128)):
    yield f"add {block[0]}x{block[1]}", *elements(jnp.add, block, 2)
    yield f"gelu {block[0]}x{block[1]}", *elements(jax.nn.gelu, block)
  yield "add 8x128 bf16", *elements(jnp.add, (8, 128), 2, bf16)
  for columns, block in itertools.product((128, 1024), (8, 32)):
    yield f"softmax {block}x{columns}", *rows(lambda x: jax.nn.softmax(x, -1), columns, block)
    yield f"norm {block}x{columns}", *rows(norm, columns, block)
  yield "norm 8x1024 bf16", *rows(norm, 1024, 8, bf16)
  yield "row sum 8x128", *rows(lambda x: x.sum(-1, keepdims=True), 128, 8, results=1)
  yield "row maximum 8x1024", *rows(lambda x: x.max(-1, keepdims=True), 1024, 8, results=1)
  for block in ((8, 128), (64, 128)):
    yield f"column sum {block[0]}x{block[1]}", *column_sums(block)
  for sizes in ((8, 128, 128), (16, 128, 128), (64, 128, 128), (8, 128, 512), (64, 128, 512)):
    yield f"product {'x'.join(map(str, sizes))}", *product(*sizes)
  yield "product 8x128x128 bf16", *product(8, 128, 128, bf16)
  for block in (8, 64):
    yield f"attention, {block} rows", *attention(block)


def candidates(grid):
  """No more than a few factors per dimension: times change little between them."""
  ladders = [sorted({f for f in (1, 4, 16, 64, size) if size % f == 0}) for size in grid]
  for factors in itertools.product(*ladders):
    yield ",".join(f"d{dim}={factor}" for dim, factor in enumerate(factors) if factor != 1) or "off"


def main():
  # Both sides run on this thread.
  time.perf_counter = time.process_time
  rng, ratios = np.random.default_rng(0), []
  for name, call, types in kernels():
    text = pallas_mlir.export(call, *types)
    grid = [int(size) for size in re.search(r"grid\(([^)]*)\)", text).group(1).split(",")]
    inputs = [rng.standard_normal(t.shape, np.float32).astype(t.dtype) for t in types]
    result, runs = jax.eval_shape(call, *types), {}
    for factors in candidates(grid):
      out = np.zeros(result.shape, result.dtype)
      runs[factors] = (common.Kernel(text, f"parallel=false coarsen={factors}").bind(*inputs, out), out)
    written = runs["off"]
    first = common.race(*[run for run, _ in runs.values()], seconds=0.04 * len(runs), rounds=4)
    best = [factors for _, factors in sorted(zip(first, runs)) if factors != "off"][:3]
    base, *found = common.race(written[0], *[runs[factors][0] for factors in best], seconds=1, rounds=8)
    least, factors = min(zip(found, best))
    if runs[factors][1].tobytes() != written[1].tobytes():
      raise SystemExit(f"{name}: {factors} changes the result")
    ratios.append(min(1, least / base))
    print(f"{name:24} {1e3 * base:9.1f} us as written, {1e3 * least:9.1f} us {least / base:.2f} with {factors}", flush=True)
  print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}")


if __name__ == "__main__":
  main()
