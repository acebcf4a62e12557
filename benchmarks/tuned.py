# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `pallas_mlir.tune` finds for JAX's kernels: cycles that the compiler for TPUs estimates, over those of JAX's defaults. Each
search may ask the compiler 20 times, the default included. The figures are deterministic, and kept from run to run.

  tuned.py [--chips=v5e,v6e] [--kernels=gmm,softmax] [--shapes=5] [--exhaustive=200] [--write=DIR]

Without options it takes one shape of each kernel, on v5e. With `--exhaustive` the compiler judges so many configurations of the first shape, for the distance between what is found and
the best of all. With `--write` modules of some configurations of each shape go to a folder, and nothing is judged."""

import argparse
import dataclasses
import itertools
import math
import pathlib
import random
from typing import Callable

import common
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu import matmul
from jax.experimental.pallas.ops.tpu.megablox.gmm import gmm, tgmm
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel as paged
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import ragged_paged_attention
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

import pallas_mlir

S, f32, bf16, i8, i32 = jax.ShapeDtypeStruct, jnp.float32, jnp.bfloat16, jnp.int8, jnp.int32
SIZES = (128, 256, 512, 1024, 2048)
# As many as `tune` asks for by itself.
BUDGET = 20


@dataclasses.dataclass
class Case:
  """A kernel on arrays of one shape. JAX names no default for some parameters; the ones here are those of its examples."""
  shape: str
  make: Callable
  default: dict
  configs: list[dict]
  arguments: list


def grid_of(**choices):
  """All combinations, as configurations."""
  return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


def divisors(size, sizes=SIZES):
  return [s for s in sizes if size % s == 0]


def flash_cases():
  def make(q, k_major, k):
    sizes = flash.BlockSizes(block_q=q, block_k_major=k_major, block_k=k, block_b=1)
    return lambda *a: flash.flash_attention(*a, block_sizes=sizes)

  for batch, heads, length, depth in ((1, 8, 1024, 128), (1, 4, 2048, 128), (4, 8, 512, 128), (1, 2, 4096, 128), (2, 4, 1024, 256)):
    blocks = divisors(length)
    configs = [c for c in grid_of(q=blocks, k_major=blocks, k=blocks) if c["k_major"] % c["k"] == 0]
    yield Case(f"{batch}x{heads}x{length}x{depth}", make, dict(q=128, k_major=128, k=128), configs, [S((batch, heads, length, depth), bf16)] * 3)


def splash_cases():
  def make_for(heads, length):
    mask = masks.MultiHeadMask([masks.CausalMask((length, length)) for _ in range(heads)])

    def make(q, kv, compute):
      kernel = splash.make_splash_mha(mask=mask, block_sizes=splash.BlockSizes(block_q=q, block_kv=kv, block_kv_compute=compute), head_shards=1,
                                      q_seq_shards=1)
      return lambda *a: kernel(*a)
    return make

  for heads, length, depth in ((8, 1024, 128), (4, 2048, 128), (16, 512, 128), (2, 4096, 128), (4, 1024, 256)):
    blocks = divisors(length)
    configs = [c for c in grid_of(q=blocks, kv=blocks, compute=blocks) if c["kv"] % c["compute"] == 0]
    yield Case(f"{heads}x{length}x{depth}", make_for(heads, length), dict(q=128, kv=128, compute=128), configs, [S((heads, length, depth), bf16)] * 3)


def paged_cases():
  def make(pages, inline):
    return lambda *a: paged.paged_attention(*a, pages_per_compute_block=pages, inline_seq_dim=inline)

  for batch, heads, kv_heads, page, pages in ((4, 8, 8, 16, 64), (8, 16, 4, 16, 128), (4, 32, 8, 32, 32), (16, 8, 2, 64, 16), (2, 8, 8, 128, 16)):
    configs = grid_of(pages=[p for p in (1, 2, 4, 8, 16, 32, 64, 128) if pages % p == 0], inline=(True, False))
    arguments = [S((batch, heads, 128), f32), *[S((kv_heads, batch * pages, page, 128), f32)] * 2, S((batch,), i32), S((batch, pages), i32)]
    default = dict(pages=min(pages, max(1, 512 // page)), inline=True)
    yield Case(f"{batch}x{heads}/{kv_heads}, {pages} pages of {page}", make, default, configs, arguments)


def ragged_cases():
  def make(pages, queries):
    return lambda *a: ragged_paged_attention(*a, num_kv_pages_per_block=pages, num_queries_per_block=queries)

  for tokens, heads, kv_heads, page, pages, sequences in ((256, 8, 2, 16, 32, 8), (512, 16, 4, 16, 64, 16), (128, 32, 8, 32, 16, 4), (1024, 8, 8, 16, 16, 32),
                                                          (64, 8, 2, 128, 8, 8)):
    configs = grid_of(pages=[p for p in (1, 2, 4, 8, 16, 32, 64) if p <= pages], queries=[q for q in (8, 16, 32, 64, 128) if q <= tokens])
    arguments = [S((tokens, heads, 128), bf16), S((sequences * pages, page, 2 * kv_heads, 128), bf16), S((sequences,), i32), S((sequences, pages), i32),
                 S((sequences + 1,), i32), S((1,), i32)]
    yield Case(f"{tokens}x{heads}/{kv_heads}, {pages} pages of {page}", make, dict(pages=min(pages, 128), queries=min(tokens, 32)), configs, arguments)


GROUPED = ((1024, 512, 512, 8), (2048, 1024, 1024, 8), (512, 1024, 2048, 4), (4096, 512, 1024, 16), (1024, 2048, 512, 8))


def gmm_cases():
  make = lambda m, k, n: lambda *a: gmm(*a, tiling=(m, k, n))
  for m, k, n, groups in GROUPED:
    configs = grid_of(m=divisors(m)[:4], k=divisors(k)[:4], n=divisors(n)[:4])
    yield Case(f"{m}x{k}x{n}, {groups} groups", make, dict(m=128, k=128, n=128), configs, [S((m, k), bf16), S((groups, k, n), bf16), S((groups,), i32)])


def tgmm_cases():
  make = lambda m, k, n: lambda *a: tgmm(*a, tiling=(m, k, n))
  for m, k, n, groups in GROUPED:
    configs = grid_of(m=divisors(m)[:4], k=divisors(k)[:4], n=divisors(n)[:4])
    yield Case(f"{m}x{k}x{n}, {groups} groups", make, dict(m=128, k=128, n=128), configs, [S((k, m), bf16), S((m, n), bf16), S((groups,), i32)])


def matmul_cases(dtype, out):
  make = lambda m, n, k: lambda *a: matmul.matmul(*a, block_shape=(m, n), block_k=k, out_dtype=out)
  for m, n, k in ((1024, 1024, 1024), (2048, 2048, 1024), (512, 4096, 1024), (4096, 512, 2048), (256, 2048, 4096)):
    configs = grid_of(m=divisors(m), n=divisors(n), k=divisors(k))
    yield Case(f"{m}x{n}x{k}", make, dict(m=256, n=256, k=256), configs, [S((m, k), dtype), S((k, n), dtype)])


def softmax(x, o):
  e = jnp.exp(x[...] - jnp.max(x[...], axis=-1, keepdims=True))
  o[...] = e / jnp.sum(e, axis=-1, keepdims=True)


def layer_norm(x, o):
  v = x[...].astype(f32)
  d = v - jnp.mean(v, axis=-1, keepdims=True)
  o[...] = (d * jax.lax.rsqrt(jnp.mean(d * d, axis=-1, keepdims=True) + 1e-5)).astype(o.dtype)


def row_cases(body, dtype):
  def make_for(shape):
    def make(rows):
      spec = pl.BlockSpec((rows, shape[1]), lambda i: (i, 0))
      return pl.pallas_call(body, grid=(shape[0] // rows,), in_specs=[spec], out_specs=spec, out_shape=S(shape, dtype))
    return make

  for shape in ((1024, 1024), (4096, 512), (2048, 2048), (8192, 256), (512, 4096)):
    configs = grid_of(rows=divisors(shape[0], [8 << e for e in range(9)]))
    yield Case("x".join(map(str, shape)), make_for(shape), dict(rows=128), configs, [S(shape, dtype)])


KERNELS = {
    "matmul": lambda: matmul_cases(bf16, bf16),
    "matmul i8": lambda: matmul_cases(i8, i32),
    "softmax": lambda: row_cases(softmax, f32),
    "layer norm": lambda: row_cases(layer_norm, bf16),
    "flash": flash_cases,
    "splash": splash_cases,
    "gmm": gmm_cases,
    "tgmm": tgmm_cases,
    "paged": paged_cases,
    "ragged paged": ragged_cases,
}


def search(case, chip, configs, budget):
  return pallas_mlir.tune(case.make, configs, *case.arguments, target=f"tpu:{chip}", budget=budget, progress=False, cache=common.BUILD / "tuned")


def judged(result):
  return {str(c.config): c.measured for c in result.candidates if c.measured}


def compare(case, chip):
  """Cycles of the default and of the best, and which that is."""
  default = search(case, chip, [case.default], 1)
  found = search(case, chip, [c for c in case.configs if c != case.default], BUDGET - 1)
  best = min((r.best for r in (default, found) if r.best and r.best.measured), key=lambda c: c.measured, default=None)
  refused = next((c.refused for c in default.candidates + found.candidates if c.refused), "") if not judged(default) or not judged(found) else ""
  return (default.best.measured if judged(default) else None), best, len(judged(found)), refused


def table(chip, names, shapes):
  print(f"| kernel | shape | {chip}, default | found | ratio | configuration | judged |\n| --- | --- | ---: | ---: | ---: | --- | ---: |", flush=True)
  ratios = {}
  for name in names:
    for case in itertools.islice(KERNELS[name](), shapes):
      before, best, count, refused = compare(case, chip)
      if not before or not best:
        print(f"| {name} | {case.shape} | {f'{before:,}' if before else '-'} | - | - | {refused[:80]} | {count} |", flush=True)
        continue
      ratios.setdefault(name, []).append(best.measured / before)
      print(f"| {name} | {case.shape} | {before:,} | {best.measured:,} | {ratios[name][-1]:.3f} | {best.name} | {count} |", flush=True)
  every = [ratio for each in ratios.values() for ratio in each]
  for name, each in [*ratios.items(), ("all", every)]:
    if each:
      print(f"{chip} {name}: geometric mean {math.prod(each) ** (1 / len(each)):.3f} of {len(each)}, worst {max(each):.3f}", flush=True)


def exhaust(chip, name, count):
  """The best of a search beside the best of as many configurations."""
  case = next(KERNELS[name]())
  configs = list(case.configs)
  random.Random(0).shuffle(configs)
  configs = configs[:count]
  found, every = search(case, chip, configs, BUDGET).best, search(case, chip, configs, len(configs))
  print(f"{chip} {name} {case.shape}: {found.measured:,} ({found.name}) with {BUDGET} questions, {every.best.measured:,} ({every.best.name}) with "
        f"{len(judged(every))}: {found.measured / every.best.measured:.3f}", flush=True)


def write(folder, names, shapes, count):
  """Modules of configurations that are drawn from all, of those that JAX takes."""
  folder.mkdir(parents=True, exist_ok=True)
  for name in names:
    for case in itertools.islice(KERNELS[name](), shapes):
      for config in random.Random(0).sample(case.configs, min(count, len(case.configs))):
        file = "_".join([name, case.shape, *map(str, config.values())]).replace(" ", "-").replace("/", "-").replace(",", "")
        try:
          (folder / f"{file}.mlir").write_text(pallas_mlir.export(case.make(**config), *case.arguments))
        except Exception as error:
          print(f"{file}: {str(error)[:100]}", flush=True)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--chips", default="v5e")
  parser.add_argument("--kernels", default=",".join(KERNELS))
  parser.add_argument("--shapes", type=int, default=1, help="how many of the shapes of each kernel")
  parser.add_argument("--exhaustive", type=int, help="how many configurations the compiler judges")
  parser.add_argument("--write", type=pathlib.Path, metavar="DIR", help="write modules instead")
  parser.add_argument("--configs", type=int, default=4, help="how many configurations of each shape to write")
  options = parser.parse_args()
  names = options.kernels.split(",")
  if options.write:
    return write(options.write, names, options.shapes, options.configs)
  for chip in options.chips.split(","):
    if options.exhaustive:
      for name in names:
        exhaust(chip, name, options.exhaustive)
    else:
      table(chip, names, options.shapes)


if __name__ == "__main__":
  main()
