"""Text to callable code, against XLA's compile of the same function; and how the cost grows with a kernel."""

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


VALUE, REF = "tensor<8x128xf32>", "!pallas.ref<8x128xf32, vmem>"


def growing(lines, last):
  """A kernel of `lines`, which start from %x0 and end in `last`."""
  return f"""
func.func @growing(%x: {VALUE}) -> {VALUE} {{
  %o = pallas.pallas_call @growing grid()
      in(%x : {VALUE}) block<[8, 128], vmem> map() -> (0, 0)
      out({VALUE}) block<[8, 128], vmem> map() -> (0, 0)
      kernel(%r: {REF}, %w: {REF}) {{
    %x0 = pallas.get %r[...] : {REF}
""" + "\n".join(lines) + f"""
    pallas.swap %w[...], {last} : {REF}, {VALUE}
  }}
  return %o : {VALUE}
}}
"""


def chain(count):
  """Elementwise operations, which depend on each other and become one loop."""
  return growing([f"    %x{i + 1} = arith.{'addf' if i % 2 else 'mulf'} %x{i}, %x{max(i - 1, 0)} : {VALUE}" for i in range(count)], f"%x{count}")


def sums(count):
  """Sums of rows that depend on each other, whose loops can't merge."""
  lines = []
  for i in range(count // 3):
    lines += [f"    %s{i} = pallas.reduce <add> %x{i} dims [1] : {VALUE}", f"    %b{i} = pallas.broadcast %s{i} dims [0] : tensor<8xf32> -> {VALUE}",
              f"    %x{i + 1} = arith.subf %x{i}, %b{i} : {VALUE}"]
  return growing(lines, f"%x{count // 3}")


def main():
  n, block = 512, 128
  text = kernel(n, block)
  own = best(lambda: common.Kernel(text))
  common.report("compile matmul", f"{n}, blocks of {block}", "f32", "kernel", "XLA, same kernel", own,
                compile_by_xla(interpreted(n, block), n), 1.0)
  common.report("compile matmul", f"{n}, blocks of {block}", "f32", "kernel", "XLA, x @ y", own,
                compile_by_xla(lambda x, y: x @ y, n), 1.0)
  for kind in chain, sums:
    for count in (100, 1000, 10000):
      elapsed = best(lambda: common.Kernel(kind(count)), 1 if count > 1000 else 2)
      print(f"compile {kind.__name__:6} {count:6} operations {elapsed:12.1f} ms {1e3 * elapsed / count:8.1f} us each", flush=True)


if __name__ == "__main__":
  main()
