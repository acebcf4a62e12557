# REQUIRES: jax
# RUN: %python %s

"""Thousands of operations on values that follow each other: results are right,
and compiling them takes time that grows with their number, not with its square.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from module_execution import compare, run_module

VALUE, REF, ROW = "tensor<8x128xf32>", "!pallas.ref<8x128xf32, vmem>", "tensor<1x128xf32>"


def kernel(lines, last):
  return f"""
func.func @main(%x: {VALUE}) -> {VALUE} {{
  %o = pallas.pallas_call grid()
      in(%x : {VALUE}) block<[8, 128], vmem>
      out({VALUE}) block<[8, 128], vmem>
      kernel(%r: {REF}, %w: {REF}) {{
    %x0 = pallas.get %r[...] : {REF}
    %s = pallas.get %r[0, 0] : {REF}
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %zero = arith.constant 0.0 : f32
    %isPositive = arith.cmpf ogt, %s, %zero : f32
""" + "\n".join(lines) + f"""
    pallas.swap %w[...], {last} : {REF}, {VALUE}
  }}
  return %o : {VALUE}
}}
"""


def step(i):
  return "addf" if i % 2 else "mulf"


def chained(x0, x, i):
  return x + x0 if i % 2 else x * x0


def branches(count, x0):
  """Each branch takes what the one before yields; %x0 is used in all of them."""
  lines, x = [], x0
  for i in range(count):
    other = f"%x{i}" if i % 3 else "%x0"
    lines.append(f"""
    %x{i + 1} = scf.if %isPositive -> ({VALUE}) {{
      %y{i} = arith.{step(i)} %x{i}, %x0 : {VALUE}
      scf.yield %y{i} : {VALUE}
    }} else {{
      scf.yield {other} : {VALUE}
    }}""")
    x = chained(x0, x, i) if x0[0, 0] > 0 else (x if i % 3 else x0)
  return kernel(lines, f"%x{count}"), x


def loops(count, x0):
  lines, x = [], x0
  for i in range(count):
    lines.append(f"""
    %x{i + 1} = scf.for %k{i} = %c0 to %c2 step %c1 iter_args(%a{i} = %x{i}) -> ({VALUE}) : i32 {{
      %y{i} = arith.{step(i)} %a{i}, %x0 : {VALUE}
      scf.yield %y{i} : {VALUE}
    }}""")
    x = chained(x0, chained(x0, x, i), i)
  return kernel(lines, f"%x{count}"), x


def in_loop(count, x0):
  """Branches in the body of a loop, which changes what all of them use."""
  lines = [f"    %all = scf.for %k = %c0 to %c2 step %c1 iter_args(%z = %x0) -> ({VALUE}) : i32 {{"]
  lines.append(f"      %q0 = arith.addf %z, %z : {VALUE}")
  for i in range(count):
    lines.append(f"""
      %q{i + 1} = scf.if %isPositive -> ({VALUE}) {{
        %y{i} = arith.{step(i)} %q{i}, %z : {VALUE}
        scf.yield %y{i} : {VALUE}
      }} else {{
        scf.yield %q{i} : {VALUE}
      }}""")
  lines.append(f"      %half = arith.mulf %q{count}, %z : {VALUE}\n      scf.yield %half : {VALUE}\n    }}")
  z = x0
  for _ in range(2):
    q = z + z
    for i in range(count if x0[0, 0] > 0 else 0):
      q = chained(z, q, i)
    z = q * z
  return kernel(lines, "%all"), z


def updates(count, x0):
  """A row is computed from another one and put back."""
  lines, x = [], x0.copy()
  for i in range(count):
    source, target = 3 * i % 8, i % 8
    lines.append(f"""
    %w{i} = tensor.extract_slice %x{i}[{source}, 0] [1, 128] [1, 1] : {VALUE} to {ROW}
    %u{i} = tensor.extract_slice %x0[{target}, 0] [1, 128] [1, 1] : {VALUE} to {ROW}
    %v{i} = arith.subf %u{i}, %w{i} : {ROW}
    %x{i + 1} = tensor.insert_slice %v{i} into %x{i}[{target}, 0] [1, 128] [1, 1] : {ROW} into {VALUE}""")
    x[target] = x0[target] - x[source]
  return kernel(lines, f"%x{count}"), x


def seconds(text):
  """Processor time from text to code."""
  with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
    file.write(text)
    file.flush()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(["pallas-opt", file.name, "--pallas-to-llvm", "-o", "/dev/null"], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


rng = np.random.default_rng(3)
failures = 0
for make, count, few in (branches, 600, 500), (loops, 520, 150), (in_loop, 600, 500), (updates, 100, 60):
  for sign in (1, -1) if make in (branches, in_loop) else (1,):
    # Near enough to 1 that nothing overflows or vanishes.
    x0 = (sign * rng.uniform(0.4, 0.6, (8, 128))).astype(np.float32)
    if make is updates:
      x0 = rng.integers(-3, 4, (8, 128)).astype(np.float32)
    text, expected = make(count, x0)
    message = compare(run_module(text, [x0], 1)[0], expected, exact=False)
    if message:
      failures += 1
      print(f"{make.__name__}: {message}")
  # Four times as much takes four times as long; a square would be sixteen.
  short, long = (seconds(make(n, x0)[0]) for n in (few, 4 * few))
  if long > 9 * short + 0.5:
    failures += 1
    print(f"{make.__name__}: {short:.2f} s for {few} steps, but {long:.2f} s for {4 * few}")
print(f"{failures} failures")
sys.exit(bool(failures))
