# REQUIRES: jax
# RUN: %python %s

"""What kernels do to refs of sizes that vectors, threads and partial tiles matter for, compared with NumPy.

Small cases stand with what they print in values-in-time.mlir, indexing.mlir, windows.mlir and copies.mlir.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from module_execution import Modules, type_of

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "Dialect/Pallas/IR/kernels"
rng = np.random.default_rng(3)
modules = Modules()


def f32(*shape):
  return rng.standard_normal(shape).astype(np.float32)


def kernel(body, arrays, results, grid="1", refs=None, **clauses):
  """A call whose operands are whole arrays, with one ref each.

  `refs` maps names to further clauses, such as a block."""
  refs = refs or {}
  names = list("xyzw"[:len(arrays)])
  outs = ["o", "p", "q"][:len(results)]
  spaces = clauses.get("spaces", {})
  blocks = {n: refs.get(n) or f"block<{list(a.shape)}, {spaces.get(n, 'vmem')}>"
            for n, a in zip([*names, *outs], [*arrays, *results])}

  def ref_type(array, name):
    shape, element = type_of(array)[7:-1].rsplit("x", 1)
    shape = clauses.get("shapes", {}).get(name, shape)
    space = spaces.get(name, "vmem")
    return f"!pallas.ref<{shape}x{element}, {space}>"

  ins = "\n".join(f"  in(%{n} : {type_of(a)}) {blocks[n]}" for n, a in zip(names, arrays))
  out = "\n".join(f"  out({type_of(a)}) {blocks[n]}" for n, a in zip(outs, results))
  arguments = ", ".join(
      [f"%{n}r: {ref_type(a, n)}" for n, a in zip([*names, *outs], [*arrays, *results])]
      + clauses.get("scratch", []))
  types = ", ".join(type_of(r) for r in results)
  values = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
  count = f":{len(results)}" if len(results) > 1 else ""
  return f"""


func.func @main({', '.join(f'%{n}: {type_of(a)}' for n, a in zip(names, arrays))}) -> ({types}) {{
  %r{count} = pallas.pallas_call grid({grid})
{ins}
{out}
  {clauses.get('tail', '')}
  kernel({arguments}) {{
    {body}
  }}
  return {values} : {types}
}}
"""

V = "!pallas.ref<8x8xf32, vmem>"
T = "tensor<8x8xf32>"

# ---------------------------------------------------------------- values in time
x = f32(8, 8)

modules.add("a transpose in place", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %t = pallas.transpose %a, [1, 0] : {T}
    pallas.swap %or[...], %t : {V}, {T}
""", [x], [x]), [x], [x.T])

modules.add("a softmax in place", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %m = pallas.reduce <max> %a dims [1] : {T}
    %mb = pallas.broadcast %m dims [0] : tensor<8xf32> -> {T}
    %s = arith.subf %a, %mb : {T}
    %e = math.exp %s : {T}
    %d = pallas.reduce <add> %e dims [1] : {T}
    %db = pallas.broadcast %d dims [0] : tensor<8xf32> -> {T}
    %q = arith.divf %e, %db : {T}
    pallas.swap %or[...], %q : {V}, {T}
""", [x], [x]), [x], [np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)])

modules.add("a product that replaces its factor", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %d = pallas.dot_general %a, %u contract [1] x [0] : {T}, {T} -> {T}
    pallas.swap %or[...], %d : {V}, {T}
""", [x], [x]), [x], [x @ x])

modules.add("a product onto an accumulator that stays readable", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %sr[...], %u : {V}, {T}
    %a = pallas.get %sr[...] : {V}
    %d = pallas.dot_general %u, %u acc %a contract [1] x [0] : {T}, {T}, {T} -> {T}
    pallas.swap %or[...], %d : {V}, {T}
    %b = pallas.get %sr[...] : {V}
    pallas.swap %pr[...], %b : {V}, {T}
""", [x], [x, x], scratch=[f"%sr: {V}"]), [x], [x + x @ x, x])

modules.add("a loop that updates a value in place", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    %s = pallas.cumulative <sum> %u dim 0 : {T}
    pallas.swap %or[...], %s : {V}, {T}
""", [x], [x]), [x], [np.cumsum(x, 0)])

# ---------------------------------------------------------------- indexing
c = f32(3, 4, 5)
h = np.array([1, 0], np.int32)
for name, indexer, shape, expected in [
    ("adjacent", "[:, gather(%g : tensor<2xi32>), 1]", (3, 2), c[:, h, 1]),
    ("in front", "[0, :, gather(%g : tensor<2xi32>)]", (2, 4), c[0, :, h]),
    ("around a slice", "[gather(%g : tensor<2xi32>), :, 2]", (2, 4), c[h, :, 2])]:
  modules.add(f"integers and index arrays, {name}", kernel(f"""
    %g = pallas.get %yr[...] : !pallas.ref<2xi32, vmem>
    %a = pallas.get %xr{indexer} : !pallas.ref<3x4x5xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<{shape[0]}x{shape[1]}xf32, vmem>, tensor<{shape[0]}x{shape[1]}xf32>
""", [c, h], [f32(*shape)]), [c, h], [expected])

m = rng.integers(0, 2, (8, 8)).astype(bool)
modules.add("masks", kernel("""
    %m = pallas.get %yr[...] : !pallas.ref<8x8xi1, vmem>
    %z = arith.constant dense<-1.0> : tensor<8x8xf32>
    %a = pallas.masked_load %xr[...] mask %m other %z
      : !pallas.ref<8x8xf32, vmem>, tensor<8x8xi1>, other tensor<8x8xf32>
    pallas.swap %or[...], %a : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    %two = arith.constant dense<2.0> : tensor<8x8xf32>
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %pr[...], %v : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    pallas.masked_swap %pr[...], %two mask %m : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>, tensor<8x8xi1>
""", [x, m], [x, x]), [x, m], [np.where(m, x, -1), np.where(m, 2, x)])

modules.add("booleans in memory are bytes", kernel("""
    %m = pallas.get %xr[...] : !pallas.ref<3x11xi1, vmem>
    %t = arith.constant dense<true> : tensor<3x11xi1>
    %n = arith.xori %m, %t : tensor<3x11xi1>
    pallas.swap %or[...], %n : !pallas.ref<3x11xi1, vmem>, tensor<3x11xi1>
""", [m[:3, :1].repeat(11, 1)], [m[:3, :1].repeat(11, 1)]), [m[:3, :1].repeat(11, 1)], [~m[:3, :1].repeat(11, 1)])

picked = np.array([[1, 0, 0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 1, 0, 0, 0]] * 4).astype(bool)
text = str(picked.tolist()).lower()
modules.add("a constant of booleans", kernel(f"""
    %t = arith.constant dense<{text}> : tensor<8x8xi1>
    %m = pallas.get %xr[...] : !pallas.ref<8x8xi1, vmem>
    %n = arith.xori %m, %t : tensor<8x8xi1>
    pallas.swap %or[...], %n : !pallas.ref<8x8xi1, vmem>, tensor<8x8xi1>
""", [m], [m]), [m], [m ^ picked])

# ---------------------------------------------------------------- windows
a, b = f32(10, 130), f32(10, 130)
BLOCK = "block<[8, 128], vmem> map(%i, %j) -> (%i, %j)"
W = "!pallas.ref<8x128xf32, vmem>"
modules.add("blocks that overhang", kernel(f"""
    %a = pallas.get %xr[...] : {W}
    %b = pallas.get %yr[...] : {W}
    %c = arith.addf %a, %b : tensor<8x128xf32>
    pallas.swap %or[...], %c : {W}, tensor<8x128xf32>
""", [a, b], [a], grid="2, 2", refs=dict.fromkeys("xyo", BLOCK), shapes=dict.fromkeys("xyo", "8x128")),
      [a, b], [a + b])

modules.add("an overhanging output that accumulates", kernel(f"""
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {{
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pallas.swap %or[...], %z : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    }}
    %a = pallas.get %xr[...] : !pallas.ref<8x1xf32, vmem>
    %v = pallas.reshape %a : tensor<8x1xf32> -> tensor<8xf32>
    pallas.addupdate %or[...], %v : !pallas.ref<8xf32, vmem>, tensor<8xf32>
""", [a], [f32(10)], grid="2, 130",
    refs={"x": "block<[8, 1], vmem> map(%i, %k) -> (%i, %k)", "o": "block<[8], vmem> map(%i, %k) -> (%i)"},
    shapes={"x": "8x1", "o": "8"}), [a], [a.sum(1)])

wide = f32(256, 512)
modules.add("programs on threads have scratch of their own", kernel("""
    %k = pallas.program_id 1
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8x128xf32>
      pallas.swap %sr[...], %z : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.addupdate %sr[...], %a : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
    %s = pallas.get %sr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %s : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
""", [wide], [wide[:, :128]], grid="32, 4",
    refs={"x": "block<[8, 128], vmem> map(%i, %k) -> (%i, %k)", "o": "block<[8, 128], vmem> map(%i, %k) -> (%i, 0)"},
    shapes=dict.fromkeys("xo", "8x128"), tail="semantics [parallel, arbitrary]",
    scratch=["%sr: !pallas.ref<8x128xf32, vmem>"]), [wide], [wide.reshape(256, 4, 128).sum(1)])

# ---------------------------------------------------------------- views of other widths
h = f32(16, 128).astype(np.float16)
H, W = "!pallas.ref<16x128xf16, vmem>", "!pallas.ref<8x128xi32, vmem>"
packed = h.view(np.uint16).astype(np.uint32)
packed = (packed[0::2] | packed[1::2] << 16).astype(np.uint32).view(np.int32)


def unpacked(words):
  words = words.view(np.uint32)
  return np.stack([words & 0xFFFF, words >> 16], 1).astype(np.uint16).reshape(16, 128).view(np.float16)


modules.add("pairs of rows as one", kernel(f"""
    %w = pallas.bitcast_ref %xr : {H} -> {W}
    %v = pallas.get %w[...] : {W}
    pallas.swap %or[...], %v : {W}, tensor<8x128xi32>
""", [h], [packed]), [h], [packed])

modules.add("a row that is two", kernel(f"""
    %n = pallas.bitcast_ref %xr : {W} -> {H}
    %v = pallas.get %n[ds(0, 8, 2), :] : {H}
    pallas.swap %or[...], %v : !pallas.ref<8x128xf16, vmem>, tensor<8x128xf16>
""", [packed], [h[:8]]), [packed], [h[0::2]])

both_ways = packed.copy()
both_ways[1:3] += packed[5:7]
modules.add("writes through a view of pairs", kernel(f"""
    %all = pallas.get %xr[...] : {H}
    pallas.swap %or[...], %all : {H}, tensor<16x128xf16>
    %w = pallas.bitcast_ref %or : {H} -> {W}
    %part = pallas.slice_ref %w[ds(1, 2), :] : {W}
    %a = pallas.get %w[ds(5, 2), :] : {W}
    pallas.addupdate %part[...], %a : !pallas.ref<2x128xi32, vmem>, tensor<2x128xi32>
    %again = pallas.get %or[...] : {H}
    pallas.swap %pr[...], %again : {H}, tensor<16x128xf16>
""", [h], [h, h]), [h], [unpacked(both_ways)] * 2)

# Sequences of 5, 7 and 4 tokens, with keys and values before them.
lengths, ends = np.array([20, 9, 30], np.int32), np.array([0, 5, 12, 16], np.int32)
pages = np.array([[4, 1], [0, 0], [2, 5]], np.int32)
queries, cache = f32(16, 128) / 8, f32(6, 32, 128).astype(ml_dtypes.bfloat16)
attended = np.zeros_like(queries)
for s, (begin, end) in enumerate(zip(ends, ends[1:])):
  rows_of = cache[pages[s]].reshape(32, 2, 128).astype(np.float32)
  for token in range(begin, end):
    seen = rows_of[:token - begin + lengths[s] - (end - begin) + 1]
    weights = np.exp(seen[:, 0] @ queries[token])
    attended[token] = weights / weights.sum() @ seen[:, 1]
modules.add("ragged paged attention", (KERNELS / "ragged_paged_attention.mlir").read_text(),
      [lengths, pages, ends, np.array([3], np.int32), queries, cache], [attended])

words = np.zeros((8, 128), np.int32)
modules.add("random bits repeat with the seed only", kernel("""
    %s = arith.constant 7 : i32
    pallas.prng_seed %s, %s
    %a = pallas.prng_random_bits : tensor<8x128xi32>
    pallas.prng_seed %s, %s
    %b = pallas.prng_random_bits : tensor<8x128xi32>
    %c = pallas.prng_random_bits : tensor<8x128xi32>
    %d = arith.xori %a, %b : tensor<8x128xi32>
    %same = arith.cmpi eq, %b, %c : tensor<8x128xi32>
    %e = arith.extui %same : tensor<8x128xi1> to tensor<8x128xi32>
    pallas.swap %or[...], %d : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
    pallas.swap %pr[...], %e : !pallas.ref<8x128xi32, vmem>, tensor<8x128xi32>
""", [x], [words, words]), [x], [words, words])

modules.run()
