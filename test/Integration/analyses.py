# REQUIRES: jax
# RUN: %python %s

"""Analyses say what JAX estimates, and what going over the grid one program
after the other finds."""

import itertools
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

failures = 0


def analyse(name, module):
  result = subprocess.run(
      ["pallas-opt", f"--pallas-analyze-{name}=json=-", "-o", "/dev/null"],
      input=module, check=True, capture_output=True, text=True)
  return json.loads(result.stdout)["calls"]


def check(what, found, expected):
  global failures
  if found != expected:
    failures += 1
    print(f"{what}: {found} instead of {expected}")


# ------------------------------------------------------------------------ cost
def attention(q, k, v):
  s = q @ k.T
  e = jnp.exp(s - s.max(1, keepdims=True))
  return (e / e.sum(1, keepdims=True)) @ v


wanted = pl.estimate_cost(attention, *(jax.ShapeDtypeStruct(shape, jnp.float32)
                                       for shape in [(64, 16), (128, 16), (128, 4)]))
S, T = "tensor<64x128xf32>", "tensor<64xf32>"
[call] = analyse("cost", f"""
func.func @attention(%q: tensor<64x16xf32>, %k: tensor<128x16xf32>, %v: tensor<128x4xf32>) -> tensor<64x4xf32> {{
  %o = pallas.pallas_call grid()
      in(%q : tensor<64x16xf32>) block<[64, 16], vmem>
      in(%k : tensor<128x16xf32>) block<[128, 16], vmem>
      in(%v : tensor<128x4xf32>) block<[128, 4], vmem>
      out(tensor<64x4xf32>) block<[64, 4], vmem>
      kernel(%qr: !pallas.ref<64x16xf32, vmem>, %kr: !pallas.ref<128x16xf32, vmem>,
             %vr: !pallas.ref<128x4xf32, vmem>, %or: !pallas.ref<64x4xf32, vmem>) {{
    %a = pallas.get %qr[...] : !pallas.ref<64x16xf32, vmem>
    %b = pallas.get %kr[...] : !pallas.ref<128x16xf32, vmem>
    %c = pallas.get %vr[...] : !pallas.ref<128x4xf32, vmem>
    %s = pallas.dot_general %a, %b contract [1] x [1] : tensor<64x16xf32>, tensor<128x16xf32> -> {S}
    %m = pallas.reduce <max> %s dims [1] : {S}
    %mb = pallas.broadcast %m dims [0] : {T} -> {S}
    %d = arith.subf %s, %mb : {S}
    %e = math.exp %d : {S}
    %l = pallas.reduce <add> %e dims [1] : {S}
    %lb = pallas.broadcast %l dims [0] : {T} -> {S}
    %p = arith.divf %e, %lb : {S}
    %r = pallas.dot_general %p, %c contract [1] x [0] : {S}, tensor<128x4xf32> -> tensor<64x4xf32>
    pallas.swap %or[...], %r : !pallas.ref<64x4xf32, vmem>, tensor<64x4xf32>
  }}
  return %o : tensor<64x4xf32>
}}""")
for key in ("flops", "transcendentals", "bytes_accessed"):
  check(f"attention {key}", call["estimate"][key], getattr(wanted, key))

# -------------------------------------------------------------------- coverage
rng = np.random.default_rng(5)


def random_map(ids):
  """An index in Python, and the operations that compute it as %name."""
  kind = rng.integers(5)
  a, b = (int(x) for x in rng.integers(0, len(ids), 2))
  k = int(rng.integers(1, 4))
  constant = f"%k = arith.constant {k} : i32\n"
  return [
      (lambda p: k - 1, f"%r = arith.constant {k - 1} : i32"),
      (lambda p: p[a], f"%z = arith.constant 0 : i32\n%r = arith.addi %z, {ids[a]} : i32"),
      (lambda p: p[a] // k, constant + f"%r = arith.divui {ids[a]}, %k : i32"),
      (lambda p: (p[a] * k + p[b]) % 5,
       constant + f"%f = arith.constant 5 : i32\n%m = arith.muli %k, {ids[a]} : i32\n"
       f"%s = arith.addi %m, {ids[b]} : i32\n%r = arith.remui %s, %f : i32"),
      (lambda p: min(p[a], p[b]), f"%r = arith.minsi {ids[a]}, {ids[b]} : i32"),
  ][kind]


def go_over(grid, function, total):
  visits, last, changes, revisited = {}, None, 0, 0
  for number, program in enumerate(itertools.product(*map(range, grid))):
    block = function(program)
    if last != block:
      changes += 1
      revisited += block in visits
    visits.setdefault(block, []).append(number)
    last = block
  inside = [block for block in visits if 0 <= block < total]
  return {"total": total, "visited": len(inside), "changes": changes,
          "revisited": revisited, "missing": total - len(inside),
          "outside": len(visits) - len(inside),
          "shared": sum(len(visits[block]) > 1 for block in inside)}


module, expected = "", []
for case in range(80):
  grid = [int(n) for n in rng.integers(1, 5, rng.integers(1, 4))]
  ids = [f"%i{n}" for n in range(len(grid))]
  function, text = random_map(ids)
  size, block = int(rng.integers(1, 40)), int(rng.integers(1, 9))
  expected.append(go_over(grid, function, -(-size // block)))
  expected[-1]["moved"] = 4 * block * expected[-1]["changes"]
  module += f"""
func.func @f{case}() -> tensor<{size}xf32> {{
  %o = pallas.pallas_call grid({', '.join(map(str, grid))})
      out(tensor<{size}xf32>) block<[{block}], vmem> map({', '.join(ids)}) {{
        {text}
        pallas.yield %r : i32
      }}
      kernel(%or: !pallas.ref<{block}xf32, vmem>) {{
    %v = arith.constant dense<0.0> : tensor<{block}xf32>
    pallas.swap %or[...], %v : !pallas.ref<{block}xf32, vmem>, tensor<{block}xf32>
  }}
  return %o : tensor<{size}xf32>
}}
"""
for case, (call, cost, wanted) in enumerate(
        zip(analyse("coverage", module), analyse("cost", module), expected)):
  [found] = call["blocks"]
  for key, value in wanted.items():
    if key == "moved":
      check(f"case {case} {key}", cost["computed"]["bytes_moved"], value)
    else:
      number = found[key]["count"] if isinstance(found[key], dict) else found[key]
      check(f"case {case} {key}", number, value)
print(f"{len(expected) + 1} cases, {failures} failures")
sys.exit(bool(failures))
