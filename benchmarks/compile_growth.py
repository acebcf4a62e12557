# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the cost of compiling grows with the operations of a kernel: processor time of pallas-run, from text to result.

Sizes take turns and the smallest of three times counts, since other work on the machine makes them longer only.
"""

import os
import subprocess
import tempfile

import numpy as np

VALUE, REF = "tensor<8x128xf32>", "!pallas.ref<8x128xf32, vmem>"
SIZES = 1000, 2500, 5000, 10000


def kernel(lines, last="%x0"):
  """A kernel of `lines`, which start from %x0; it stores `last`, and before that whatever they store."""
  return f"""
func.func @growing(%x: {VALUE}) -> {VALUE} {{
  %o = pallas.pallas_call @growing grid()
      in(%x : {VALUE}) block<[8, 128], vmem> map() -> (0, 0)
      out({VALUE}) block<[8, 128], vmem> map() -> (0, 0)
      kernel(%r: {REF}, %w: {REF}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %x0 = pallas.get %r[...] : {REF}
    %e = tensor.extract %x0[%c0, %c0] : {VALUE}
    %p = arith.cmpf olt, %e, %zero : f32
    pallas.swap %w[...], %x0 : {REF}, {VALUE}
""" + "\n".join(lines) + f"""
    {f"pallas.swap %w[...], {last} : {REF}, {VALUE}" if last != "%x0" else ""}
  }}
  return %o : {VALUE}
}}
"""


def elementwise_chain(count):
  """Operations that become one loop."""
  return kernel([f"%x{i + 1} = arith.{'addf' if i % 2 else 'mulf'} %x{i}, %x{max(i - 1, 0)} : {VALUE}" for i in range(count)], f"%x{count}")


def sums_of_rows(count):
  """Sums that depend on each other, whose loops can't merge."""
  lines = []
  for i in range(count // 3):
    lines += [f"%s{i} = pallas.reduce <add> %x{i} dims [1] : {VALUE}", f"%b{i} = pallas.broadcast %s{i} dims [0] : tensor<8xf32> -> {VALUE}",
              f"%x{i + 1} = arith.subf %x{i}, %b{i} : {VALUE}"]
  return kernel(lines, f"%x{count // 3}")


def tanh_of_rows(count):
  """Rows, read and stored one by one."""
  lines = []
  for i in range(count // 4):
    lines += [f"%i{i} = arith.constant {i % 8} : i32", f"%s{i} = pallas.get %r[%i{i}, :] : {REF}", f"%t{i} = math.tanh %s{i} : tensor<128xf32>",
              f"pallas.swap %w[%i{i}, :], %t{i} : {REF}, tensor<128xf32>"]
  return kernel(lines)


def scalars(count):
  """Elements, read and stored one by one."""
  lines = []
  for i in range(count // 5):
    lines += [f"%i{i} = arith.constant {i * 7 % 8} : i32", f"%j{i} = arith.constant {i * 5 % 128} : i32", f"%s{i} = pallas.get %r[%i{i}, %j{i}] : {REF}",
              f"%t{i} = arith.mulf %s{i}, %s{i} : f32", f"pallas.swap %w[%i{i}, %j{i}], %t{i} : {REF}, f32"]
  return kernel(lines)


def branches(count):
  """A chain of branches on values."""
  lines = []
  for i in range(count // 3):
    lines += [f"%x{i + 1} = scf.if %p -> ({VALUE}) {{", f"  %y{i} = arith.addf %x{i}, %x{i} : {VALUE}", f"  scf.yield %y{i} : {VALUE}", "} else {",
              f"  scf.yield %x{i} : {VALUE}", "}"]
  return kernel(lines, f"%x{count // 3}")


def loops(count):
  """A chain of loops that carry a value."""
  lines = []
  for i in range(count // 3):
    lines += [f"%x{i + 1} = scf.for %k{i} = %c0 to %c3 step %c1 iter_args(%a{i} = %x{i}) -> ({VALUE}) {{", f"  %y{i} = arith.addf %a{i}, %x0 : {VALUE}",
              f"  scf.yield %y{i} : {VALUE}", "}"]
  return kernel(lines, f"%x{count // 3}")


def replaced_rows(count):
  """Rows of a value, replaced one after the other."""
  row = "tensor<1x128xf32>"
  lines = []
  for i in range(count // 3):
    lines += [f"%s{i} = tensor.extract_slice %x{i}[{i % 8}, 0] [1, 128] [1, 1] : {VALUE} to {row}", f"%t{i} = arith.addf %s{i}, %s{i} : {row}",
              f"%x{i + 1} = tensor.insert_slice %t{i} into %x{i}[{(i + 1) % 8}, 0] [1, 128] [1, 1] : {row} into {VALUE}"]
  return kernel(lines, f"%x{count // 3}")


def processor_time(text, folder, *options):
  """Seconds that pallas-run takes, in this process's children."""
  with open(f"{folder}/kernel.mlir", "w") as file:
    file.write(text)
  before = os.times().children_user
  subprocess.run(["pallas-run", f"{folder}/kernel.mlir", "--no-cache", "--in", f"{folder}/x.npy", "--out", f"{folder}/o.npy", *options], check=True)
  return os.times().children_user - before


def main():
  with tempfile.TemporaryDirectory() as folder:
    np.save(f"{folder}/x.npy", np.linspace(-1, 1, 1024, dtype=np.float32).reshape(8, 128))
    kinds = elementwise_chain, sums_of_rows, tanh_of_rows, scalars, branches, loops, replaced_rows
    for kind, *options in (*((kind,) for kind in kinds), (tanh_of_rows, "--check")):
      times = {count: min(times) for count, *times in zip(SIZES, *([processor_time(kind(count), folder, *options) for count in SIZES] for _ in range(3)))}
      figures = "".join(f"{count:8} operations {seconds:6.2f} s" for count, seconds in times.items())
      growth = times[SIZES[-1]] / times[SIZES[0]] * SIZES[0] / SIZES[-1]
      print(f"compile {' '.join((kind.__name__, *options)):22}{figures}   per operation, {SIZES[-1]} to {SIZES[0]}: {growth:5.2f}", flush=True)


if __name__ == "__main__":
  main()
