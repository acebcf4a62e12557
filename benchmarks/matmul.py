# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products against OpenBLAS (f32) and against XLA (bf16 and int8), on one thread."""

import common

if __name__ == "__main__":
  common.use_one_thread()
import ctypes

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np


def kernel(n, block, narrow="f32", wide="f32"):
  """A tiled product that accumulates in scratch memory over the last grid dimension."""
  zero = "0.0" if wide == "f32" else "0"
  array, result = f"tensor<{n}x{n}x{narrow}>", f"tensor<{n}x{n}x{wide}>"
  values, sums = f"tensor<{block}x{block}x{narrow}>", f"tensor<{block}x{block}x{wide}>"
  ref = f"!pallas.ref<{block}x{block}x{narrow}, vmem>"
  sum_ref = f"!pallas.ref<{block}x{block}x{wide}, vmem>"
  steps = n // block
  mapping = f"block<[{block}, {block}], vmem> map(%i, %j, %k)"
  return f"""
func.func @matmul(%x: {array}, %y: {array}) -> {result} {{
  %o = pallas.pallas_call @matmul grid({steps}, {steps}, {steps})
      in(%x : {array}) {mapping} -> (%i, %k)
      in(%y : {array}) {mapping} -> (%k, %j)
      out({result}) {mapping} -> (%i, %j)
      semantics [parallel, parallel, arbitrary]
      kernel(%xr: {ref}, %yr: {ref}, %or: {sum_ref}, %acc: {sum_ref}) {{
    %k = pallas.program_id 2
    %last = pallas.num_programs 2
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {{
      %zero = arith.constant dense<{zero}> : {sums}
      pallas.swap %acc[...], %zero : {sum_ref}, {sums}
    }}
    %a = pallas.get %xr[...] : {ref}
    %b = pallas.get %yr[...] : {ref}
    %old = pallas.get %acc[...] : {sum_ref}
    %new = pallas.dot_general %a, %b acc %old contract [1] x [0] : {values}, {values}, {sums} -> {sums}
    pallas.swap %acc[...], %new : {sum_ref}, {sums}
    %end = arith.subi %last, %c1 : i32
    %is_last = arith.cmpi eq, %k, %end : i32
    scf.if %is_last {{
      %v = pallas.get %acc[...] : {sum_ref}
      pallas.swap %or[...], %v : {sum_ref}, {sums}
    }}
  }}
  return %o : {result}
}}
"""


def sgemm(x, y, out):
  library = ctypes.CDLL("libopenblas.so.0")
  library.openblas_set_num_threads(1)
  n, one, zero = x.shape[0], ctypes.c_float(1), ctypes.c_float(0)
  a, b, c = (ctypes.c_void_p(v.ctypes.data) for v in (x, y, out))
  row_major, plain = 101, 111
  return lambda: library.cblas_sgemm(row_major, plain, plain, n, n, n, one, a, n, b, n, zero, c, n)


def xla(x, y, wide):
  compiled = jax.jit(lambda a, b: jax.lax.dot(a, b, preferred_element_type=wide))
  a, b = jnp.asarray(x), jnp.asarray(y)
  return lambda: compiled(a, b).block_until_ready()


def main():
  rng = np.random.default_rng(0)
  for n, block in [(512, 128), (1024, 128), (1024, 256), (2048, 128), (2048, 256)]:
    x, y = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    out, reference = np.empty_like(x), np.empty_like(x)
    own, peer = common.race(common.Kernel(kernel(n, block)).bind(x, y, out), sgemm(x, y, reference))
    common.check(out, reference, 1e-4)
    common.report("matmul", f"{n}, blocks of {block}", "f32", "kernel", "OpenBLAS", own, peer, 0.95)
  for n, block in [(512, 128), (1024, 256), (2048, 256)]:
    x, y = (rng.standard_normal((n, n)).astype(ml_dtypes.bfloat16) for _ in range(2))
    out = np.empty((n, n), np.float32)
    own, peer = common.race(common.Kernel(kernel(n, block, "bf16")).bind(x, y, out), xla(x, y, jnp.float32))
    common.check(out, x.astype(np.float32) @ y.astype(np.float32), 1e-3)
    common.report("matmul", f"{n}, blocks of {block}", "bf16>f32", "kernel", "XLA", own, peer, 1.0)
    x, y = (rng.integers(-128, 128, (n, n)).astype(np.int8) for _ in range(2))
    out = np.empty((n, n), np.int32)
    own, peer = common.race(common.Kernel(kernel(n, block, "i8", "i32")).bind(x, y, out), xla(x, y, jnp.int32))
    common.check(out, x.astype(np.float64) @ y.astype(np.float64), 0)
    common.report("matmul", f"{n}, blocks of {block}", "i8>i32", "kernel", "XLA", own, peer, 1.0)


if __name__ == "__main__":
  main()
