# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text to callable code, against XLA's compile of the same function."""

import time

import common

common.use_one_thread()
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from matmul import kernel


def best(function, rounds=8):
  times = []
  for _ in range(rounds):
    start = time.perf_counter()
    function()
    times.append(1e3 * (time.perf_counter() - start))
  return min(times)


def interpreted(n, block):
  """The same kernel as XLA gets it from JAX's interpreter."""

  def body(x, y, o):
    @pl.when(pl.program_id(2) == 0)
    def _():
      o[...] = jnp.zeros_like(o)

    o[...] += x[...] @ y[...]

  def spec(f):
    return pl.BlockSpec((block, block), f)

  return pl.pallas_call(body, grid=(n // block,) * 3, interpret=True,
                        in_specs=[spec(lambda i, j, k: (i, k)), spec(lambda i, j, k: (k, j))],
                        out_specs=spec(lambda i, j, k: (i, j)),
                        out_shape=jax.ShapeDtypeStruct((n, n), jnp.float32))


def compile_by_xla(function, n):
  shape = jax.ShapeDtypeStruct((n, n), jnp.float32)
  times = []
  for _ in range(8):
    # Tracing and lowering are outside the measured time; nothing is compiled twice.
    jax.clear_caches()
    lowered = jax.jit(function).lower(shape, shape)
    start = time.perf_counter()
    lowered.compile()
    times.append(1e3 * (time.perf_counter() - start))
  return min(times)


def main():
  n, block = 512, 128
  text = kernel(n, block)
  own = best(lambda: common.Kernel(text))
  common.report("compile matmul", f"{n}, blocks of {block}", "f32", "kernel", "XLA, same kernel", own,
                compile_by_xla(interpreted(n, block), n), 1.0)
  common.report("compile matmul", f"{n}, blocks of {block}", "f32", "kernel", "XLA, x @ y", own,
                compile_by_xla(lambda x, y: x @ y, n), 1.0)


if __name__ == "__main__":
  main()
