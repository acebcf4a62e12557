# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are bound by memory, against the bandwidth of a plain copy on the same machine."""

import os

import common

common.use_one_thread()
import numpy as np

ROWS, COLUMNS = 16384, 1024


def kernel(inputs, block, body):
  """`body` computes %res from %x0, %x1, ... one block at a time."""
  array = f"tensor<{ROWS}x{COLUMNS}xf32>"
  value = f"tensor<{block[0]}x{block[1]}xf32>"
  ref = f"!pallas.ref<{block[0]}x{block[1]}xf32, vmem>"
  mapping = f"block<[{block[0]}, {block[1]}], vmem> map(%i, %j) -> (%i, %j)"
  arguments = ", ".join(f"%a{i}: {array}" for i in range(inputs))
  ins = "".join(f"      in(%a{i} : {array}) {mapping}\n" for i in range(inputs))
  refs = ", ".join([f"%r{i}: {ref}" for i in range(inputs)] + [f"%out: {ref}"])
  gets = "".join(f"    %x{i} = pallas.get %r{i}[...] : {ref}\n" for i in range(inputs))
  rows = f"tensor<{block[0]}xf32>"
  body = body.replace("BLOCK", value).replace("ROWS", rows)
  return f"""
func.func @kernel({arguments}) -> {array} {{
  %o = pallas.pallas_call @kernel grid({ROWS // block[0]}, {COLUMNS // block[1]})
{ins}      out({array}) {mapping}
      semantics [parallel, parallel]
      kernel({refs}) {{
{gets}{body}
    pallas.swap %out[...], %res : {ref}, {value}
  }}
  return %o : {array}
}}
"""


def reduce_rows(name, operand, kind):
  return f"""
    %{name}r = pallas.reduce <{kind}> %{operand} dims [1] : BLOCK
    %{name} = pallas.broadcast %{name}r dims [0] : ROWS -> BLOCK"""


ADD = "    %res = arith.addf %x0, %x1 : BLOCK"
GELU = """
    %c = arith.constant dense<0.7978845608> : BLOCK
    %c3 = arith.constant dense<0.044715> : BLOCK
    %half = arith.constant dense<0.5> : BLOCK
    %one = arith.constant dense<1.0> : BLOCK
    %x2 = arith.mulf %x0, %x0 : BLOCK
    %x3 = arith.mulf %x2, %x0 : BLOCK
    %x4 = arith.mulf %x3, %c3 : BLOCK
    %x5 = arith.addf %x4, %x0 : BLOCK
    %x6 = arith.mulf %x5, %c : BLOCK
    %t = math.tanh %x6 : BLOCK
    %t1 = arith.addf %t, %one : BLOCK
    %xh = arith.mulf %x0, %half : BLOCK
    %res = arith.mulf %xh, %t1 : BLOCK"""
SOFTMAX = reduce_rows("m", "x0", "max") + """
    %d = arith.subf %x0, %m : BLOCK
    %e = math.exp %d : BLOCK""" + reduce_rows("s", "e", "add") + """
    %res = arith.divf %e, %s : BLOCK"""
RMS_NORM = "    %q = arith.mulf %x0, %x0 : BLOCK" + reduce_rows("s", "q", "add") + f"""
    %n = arith.constant dense<{1 / COLUMNS}> : BLOCK
    %epsilon = arith.constant dense<1.0e-6> : BLOCK
    %mean = arith.mulf %s, %n : BLOCK
    %positive = arith.addf %mean, %epsilon : BLOCK
    %factor = math.rsqrt %positive : BLOCK
    %res = arith.mulf %x0, %factor : BLOCK"""


def softmax(x):
  e = np.exp(x - x.max(1, keepdims=True))
  return e / e.sum(1, keepdims=True)


def gelu(x):
  return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def goals():
  """What part of the speed of a copy each should have."""
  wide = common.has_wide_vectors()
  return {"add": 0.9, "rms-norm": 0.9, "gelu": 0.9 if wide else 0.7, "softmax": 0.7 if wide else 0.5}


def main():
  rng = np.random.default_rng(0)
  arrays = [rng.standard_normal((ROWS, COLUMNS), dtype=np.float32) for _ in range(2)]
  out = np.empty_like(arrays[0])
  copied = np.empty_like(out)
  cases = [
      ("add", 2, (64, 1024), ADD, lambda x, y: x + y),
      ("add", 2, (256, 256), ADD, lambda x, y: x + y),
      ("gelu", 1, (64, 1024), GELU, gelu),
      ("rms-norm", 1, (16, 1024), RMS_NORM, lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6)),
      ("softmax", 1, (16, 1024), SOFTMAX, softmax),
      ("softmax", 1, (256, 1024), SOFTMAX, softmax),
  ]
  selected = os.environ.get("PALLAS_BENCH_ONLY")
  for name, count, block, body, reference in cases:
    if selected and name != selected:
      continue
    inputs = arrays[:count]
    call = common.Kernel(kernel(count, block, body)).bind(*inputs, out)
    own, copy = common.race(call, lambda: np.copyto(copied, arrays[0]))
    common.check(out, reference(*inputs), 1e-5)
    # The time that the copy would need for as many bytes.
    peer = copy * (count + 1) / 2
    common.report(name, f"{ROWS}x{COLUMNS} blocks {block[0]}x{block[1]}", "f32", "kernel",
                  f"copy {2 * out.nbytes / copy / 1e6:.1f} GB/s", own, peer, goals()[name])


if __name__ == "__main__":
  main()
