# REQUIRES: jax
# RUN: %python %s %root

"""What kernels do to refs, executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from executing import run_and_compare, type_of

KERNELS = pathlib.Path(sys.argv[1]) / "test/Dialect/Pallas/IR/kernels"
rng = np.random.default_rng(3)
failures = []


def f32(*shape):
  return rng.standard_normal(shape).astype(np.float32)


def check(name, module, inputs, expected):
  """Runs a module and compares all its results."""
  failures.extend(run_and_compare(name, module, inputs, expected))


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

check("a value outlives a write to its ref", kernel(f"""
    %one = arith.constant dense<1.0> : {T}
    %v = pallas.get %sr[...] : {V}
    %u = pallas.get %xr[...] : {V}
    pallas.swap %sr[...], %u : {V}, {T}
    %a = pallas.get %sr[...] : {V}
    %b = arith.addf %a, %one : {T}
    pallas.swap %sr[...], %one : {V}, {T}
    %c = arith.mulf %b, %b : {T}
    pallas.swap %or[...], %c : {V}, {T}
    %d = pallas.get %sr[...] : {V}
    pallas.swap %pr[...], %d : {V}, {T}
""", [x], [x, x], scratch=[f"%sr: {V}"]), [x], [(x + 1) ** 2, np.ones_like(x)])

check("a transpose in place", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %t = pallas.transpose %a, [1, 0] : {T}
    pallas.swap %or[...], %t : {V}, {T}
""", [x], [x]), [x], [x.T])

check("rows moved onto their neighbours", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[ds(0, 7), :] : {V}
    pallas.swap %or[ds(1, 7), :], %a : {V}, tensor<7x8xf32>
""", [x], [x]), [x], [np.concatenate([x[:1], x[:7]])])

check("a softmax in place", kernel(f"""
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

check("a broadcast row of the ref itself", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %row = pallas.get %or[3, :] : {V}
    %rb = pallas.broadcast %row dims [1] : tensor<8xf32> -> {T}
    %s = arith.subf %a, %rb : {T}
    pallas.swap %or[...], %s : {V}, {T}
""", [x], [x]), [x], [x - x[3]])

check("a product that replaces its factor", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %d = pallas.dot_general %a, %u contract [1] x [0] : {T}, {T} -> {T}
    pallas.swap %or[...], %d : {V}, {T}
""", [x], [x]), [x], [x @ x])

check("a product onto an accumulator that stays readable", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %sr[...], %u : {V}, {T}
    %a = pallas.get %sr[...] : {V}
    %d = pallas.dot_general %u, %u acc %a contract [1] x [0] : {T}, {T}, {T} -> {T}
    pallas.swap %or[...], %d : {V}, {T}
    %b = pallas.get %sr[...] : {V}
    pallas.swap %pr[...], %b : {V}, {T}
""", [x], [x, x], scratch=[f"%sr: {V}"]), [x], [x + x @ x, x])

check("the old value of a swap", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    %one = arith.constant dense<1.0> : {T}
    %g = pallas.swap %or[...], %u : {V}, {T}
    %old = pallas.swap %or[...], %one : {V}, {T}
    pallas.swap %pr[...], %old : {V}, {T}
""", [x], [x, x]), [x], [np.ones_like(x), x])

check("a loop that reads and writes one ref", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    scf.for %i = %c1 to %c8 step %c1 : i32 {{
      %j = arith.subi %i, %c1 : i32
      %a = pallas.get %or[%j, :] : {V}
      %b = pallas.get %or[%i, :] : {V}
      %s = arith.addf %a, %b : tensor<8xf32>
      pallas.swap %or[%i, :], %s : {V}, tensor<8xf32>
    }}
""", [x], [x]), [x], [np.cumsum(x, 0)])

check("a value from outside a loop that overwrites its ref", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {{
      %b = pallas.get %or[...] : {V}
      %s = arith.addf %a, %b : {T}
      pallas.swap %or[...], %s : {V}, {T}
    }}
""", [x], [x]), [x], [4 * x])

check("a value that a branch chooses", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %s = pallas.get %xr[0, 0] : {V}
    %z = arith.constant 100.0 : f32
    %c = arith.cmpf olt, %s, %z : f32
    %v = scf.if %c -> ({T}) {{
      %a = pallas.get %or[...] : {V}
      scf.yield %a : {T}
    }} else {{
      scf.yield %u : {T}
    }}
    %one = arith.constant dense<1.0> : {T}
    pallas.swap %or[...], %one : {V}, {T}
    pallas.swap %pr[...], %v : {V}, {T}
""", [x], [x, x]), [x], [np.ones_like(x), x])

check("a value that a loop carries", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    pallas.swap %or[...], %u : {V}, {T}
    %a = pallas.get %or[...] : {V}
    %two = arith.constant dense<2.0> : {T}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %v = scf.for %i = %c0 to %c3 step %c1 iter_args(%w = %a) -> ({T}) {{
      pallas.swap %or[...], %two : {V}, {T}
      %b = arith.addf %w, %two : {T}
      scf.yield %b : {T}
    }}
    pallas.swap %pr[...], %v : {V}, {T}
""", [x], [x, x]), [x], [np.full_like(x, 2), x + 6])

check("a loop that updates a value in place", kernel(f"""
    %u = pallas.get %xr[...] : {V}
    %s = pallas.cumulative <sum> %u dim 0 : {T}
    pallas.swap %or[...], %s : {V}, {T}
""", [x], [x]), [x], [np.cumsum(x, 0)])

# ---------------------------------------------------------------- indexing
i = np.array([2, -1, 9, -20], np.int32)
check("scalar and slice starts move inside", kernel("""
    %s = pallas.get %yr[2] : !pallas.ref<4xi32, smem>
    %n = pallas.get %yr[3] : !pallas.ref<4xi32, smem>
    %m = pallas.get %yr[1] : !pallas.ref<4xi32, smem>
    %a = pallas.get %xr[%s, :] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[0, :], %a : !pallas.ref<8x8xf32, vmem>, tensor<8xf32>
    %b = pallas.get %xr[%n, :] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[1, :], %b : !pallas.ref<8x8xf32, vmem>, tensor<8xf32>
    %c = pallas.get %xr[%m, :] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[2, :], %c : !pallas.ref<8x8xf32, vmem>, tensor<8xf32>
    %d = pallas.get %xr[ds(%s, 5), :] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[ds(3, 5), :], %d : !pallas.ref<8x8xf32, vmem>, tensor<5x8xf32>
""", [x, i], [x], spaces={"y": "smem"}), [x, i], [np.concatenate([x[7:], x[:1], x[7:], x[3:]])])

check("strides", kernel("""
    %a = pallas.get %xr[ds(1, 3, 2), ds(0, 4, 2)] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<3x4xf32, vmem>, tensor<3x4xf32>
""", [x], [f32(3, 4)]), [x], [x[1:7:2, 0:8:2]])

g = np.array([5, 0, 5, -1, 30], np.int32)
ones = rng.integers(-9, 9, (6, 8)).astype(np.int32)
unit = ones.copy()
unit[2, 4], unit[5, 1], unit[1, 5] = 7, 7, 7
check("views with dimensions of one element beside dropped ones", kernel("""
    %v = pallas.get %xr[...] : !pallas.ref<6x8xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<6x8xi32, vmem>, tensor<6x8xi32>
    %c = arith.constant dense<7> : tensor<1xi32>
    %s = pallas.slice_ref %or[ds(2, 1, 3), 4] : !pallas.ref<6x8xi32, vmem>
    pallas.swap %s[...], %c : !pallas.ref<1xi32, vmem>, tensor<1xi32>
    %t = pallas.transpose_ref %or, [1, 0] : !pallas.ref<6x8xi32, vmem> -> !pallas.ref<8x6xi32, vmem>
    %u = pallas.slice_ref %t[1, ds(5, 1, 2)] : !pallas.ref<8x6xi32, vmem>
    pallas.swap %u[...], %c : !pallas.ref<1xi32, vmem>, tensor<1xi32>
    %w = pallas.reshape_ref %or : !pallas.ref<6x8xi32, vmem> -> !pallas.ref<6x1x8xi32, vmem>
    %y = pallas.transpose_ref %w, [1, 2, 0] : !pallas.ref<6x1x8xi32, vmem> -> !pallas.ref<1x8x6xi32, vmem>
    %z = pallas.slice_ref %y[:, ds(5, 1, 3), 1] : !pallas.ref<1x8x6xi32, vmem>
    %d = arith.constant dense<7> : tensor<1x1xi32>
    pallas.swap %z[...], %d : !pallas.ref<1x1xi32, vmem>, tensor<1x1xi32>
""", [ones], [ones]), [ones], [unit])

moved = np.arange(8, dtype=np.int32)
check("atomic updates move inside, and masked ones leave out what is outside", kernel("""
    %v = pallas.get %xr[...] : !pallas.ref<8xi32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8xi32, vmem>, tensor<8xi32>
    %start = pallas.get %xr[7] : !pallas.ref<8xi32, vmem>
    %c = arith.constant dense<100> : tensor<3xi32>
    %on = arith.constant dense<true> : tensor<3xi1>
    %old = pallas.atomic_rmw <add> %or[ds(%start, 3)], %c : !pallas.ref<8xi32, vmem>, tensor<3xi32>
    %was = pallas.masked_swap %or[ds(%start, 3)], %c mask %on : !pallas.ref<8xi32, vmem>, tensor<3xi32>, tensor<3xi1>
""", [moved], [moved]), [moved], [np.array([0, 1, 2, 3, 4, 105, 106, 100], np.int32)])

check("index arrays clamp when read", kernel("""
    %g = pallas.get %yr[...] : !pallas.ref<5xi32, vmem>
    %a = pallas.get %xr[gather(%g : tensor<5xi32>), :] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<5x8xf32, vmem>, tensor<5x8xf32>
""", [x, g], [f32(5, 8)]), [x, g], [x[[5, 0, 5, 7, 7]]])

c = f32(3, 4, 5)
h = np.array([1, 0], np.int32)
for name, indexer, shape, expected in [
    ("adjacent", "[:, gather(%g : tensor<2xi32>), 1]", (3, 2), c[:, h, 1]),
    ("in front", "[0, :, gather(%g : tensor<2xi32>)]", (2, 4), c[0, :, h]),
    ("around a slice", "[gather(%g : tensor<2xi32>), :, 2]", (2, 4), c[h, :, 2])]:
  check(f"integers and index arrays, {name}", kernel(f"""
    %g = pallas.get %yr[...] : !pallas.ref<2xi32, vmem>
    %a = pallas.get %xr{indexer} : !pallas.ref<3x4x5xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<{shape[0]}x{shape[1]}xf32, vmem>, tensor<{shape[0]}x{shape[1]}xf32>
""", [c, h], [f32(*shape)]), [c, h], [expected])

u = f32(5, 8)
expected = x.copy()
for k, row in enumerate([5, 0, 5, 7]):
  expected[row] += u[k]
check("index arrays accumulate and drop when written", kernel("""
    %v = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    %g = pallas.get %yr[...] : !pallas.ref<5xi32, vmem>
    %u = pallas.get %zr[...] : !pallas.ref<5x8xf32, vmem>
    pallas.addupdate %or[gather(%g : tensor<5xi32>), :], %u : !pallas.ref<8x8xf32, vmem>, tensor<5x8xf32>
""", [x, g, u], [x]), [x, g, u], [expected])

m = rng.integers(0, 2, (8, 8)).astype(bool)
check("masks", kernel("""
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

check("booleans in memory are bytes", kernel("""
    %m = pallas.get %xr[...] : !pallas.ref<3x11xi1, vmem>
    %t = arith.constant dense<true> : tensor<3x11xi1>
    %n = arith.xori %m, %t : tensor<3x11xi1>
    pallas.swap %or[...], %n : !pallas.ref<3x11xi1, vmem>, tensor<3x11xi1>
""", [m[:3, :1].repeat(11, 1)], [m[:3, :1].repeat(11, 1)]), [m[:3, :1].repeat(11, 1)], [~m[:3, :1].repeat(11, 1)])

picked = np.array([[1, 0, 0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 1, 0, 0, 0]] * 4).astype(bool)
text = str(picked.tolist()).lower()
check("a constant of booleans", kernel(f"""
    %t = arith.constant dense<{text}> : tensor<8x8xi1>
    %m = pallas.get %xr[...] : !pallas.ref<8x8xi1, vmem>
    %n = arith.xori %m, %t : tensor<8x8xi1>
    pallas.swap %or[...], %n : !pallas.ref<8x8xi1, vmem>, tensor<8x8xi1>
""", [m], [m]), [m], [m ^ picked])

# ---------------------------------------------------------------- windows
a, b = f32(10, 130), f32(10, 130)
BLOCK = "block<[8, 128], vmem> map(%i, %j) -> (%i, %j)"
W = "!pallas.ref<8x128xf32, vmem>"
check("blocks that overhang", kernel(f"""
    %a = pallas.get %xr[...] : {W}
    %b = pallas.get %yr[...] : {W}
    %c = arith.addf %a, %b : tensor<8x128xf32>
    pallas.swap %or[...], %c : {W}, tensor<8x128xf32>
""", [a, b], [a], grid="2, 2", refs=dict.fromkeys("xyo", BLOCK), shapes=dict.fromkeys("xyo", "8x128")),
      [a, b], [a + b])

check("an overhanging output that accumulates", kernel(f"""
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

f = f32(6, 9)
check("squeezed and element dimensions", kernel("""
    %a = pallas.get %xr[...] : !pallas.ref<4xf32, vmem>
    pallas.swap %or[...], %a : !pallas.ref<4xf32, vmem>, tensor<4xf32>
""", [f], [f32(6, 4)], grid="6",
    refs={"x": "block<[squeezed, element<4>], vmem> map(%i) -> (%i, %i)",
          "o": "block<[squeezed, 4], vmem> map(%i) -> (%i, 0)"},
    shapes={"x": "4", "o": "4"}), [f],
      [np.stack([f[k, k:k + 4] for k in range(6)])])

check("an aliased output keeps what no program visits", kernel("""
    %a = pallas.get %xr[...] : !pallas.ref<2x8xf32, vmem>
    %s = arith.addf %a, %a : tensor<2x8xf32>
    pallas.swap %or[...], %s : !pallas.ref<2x8xf32, vmem>, tensor<2x8xf32>
""", [x], [x], grid="2", refs=dict.fromkeys("xo", "block<[2, 8], vmem> map(%i) -> (%i, 0)"),
    shapes=dict.fromkeys("xo", "2x8"), tail="aliases [0 -> 0]"), [x], [np.concatenate([2 * x[:4], x[4:]])])

check("no programs at all", kernel("""
    %a = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    %s = arith.addf %a, %a : tensor<8x8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
""", [x], [x], grid="0", tail="aliases [0 -> 0]"), [x], [x])

check("scratch lasts from program to program", kernel("""
    %k = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %k, %c0 : i32
    scf.if %first {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pallas.swap %sr[...], %z : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    }
    %a = pallas.get %xr[...] : !pallas.ref<8xf32, vmem>
    %s = pallas.get %sr[...] : !pallas.ref<8xf32, vmem>
    %t = arith.addf %a, %s : tensor<8xf32>
    pallas.swap %sr[...], %t : !pallas.ref<8xf32, vmem>, tensor<8xf32>
    pallas.swap %or[...], %t : !pallas.ref<8xf32, vmem>, tensor<8xf32>
""", [x], [x], grid="8", refs=dict.fromkeys("xo", "block<[squeezed, 8], vmem> map(%i) -> (%i, 0)"),
    shapes=dict.fromkeys("xo", "8"), scratch=["%sr: !pallas.ref<8xf32, vmem>"]), [x], [np.cumsum(x, 0)])

wide = f32(256, 512)
check("programs on threads have scratch of their own", kernel("""
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

check("writes to an input stay inside", kernel("""
    %a = pallas.get %xr[...] : !pallas.ref<8x8xf32, vmem>
    %s = arith.addf %a, %a : tensor<8x8xf32>
    pallas.swap %xr[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
    pallas.swap %or[...], %s : !pallas.ref<8x8xf32, vmem>, tensor<8x8xf32>
""", [x], [x], grid="3"), [x], [8 * x])

# ---------------------------------------------------------------- scopes, copies, semaphores
check("async copies and semaphores", kernel("""
    %n = pallas.run_scoped (%t: !pallas.ref<8x8xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>,
                       %s: !pallas.ref<2x!pallas.semaphore, semaphore>) -> i32 {
      %row = pallas.slice_ref %xr[ds(4, 4), :] : !pallas.ref<8x8xf32, any>
      %half = pallas.slice_ref %t[ds(0, 4), :] : !pallas.ref<8x8xf32, vmem>
      pallas.dma_start %row to %half signals %d : !pallas.ref<4x8xf32, any>, !pallas.ref<4x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %row to %half signals %d : !pallas.ref<4x8xf32, any>, !pallas.ref<4x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      %v = pallas.get %t[ds(0, 4), :] : !pallas.ref<8x8xf32, vmem>
      pallas.swap %or[ds(0, 4), :], %v : !pallas.ref<8x8xf32, vmem>, tensor<4x8xf32>
      %w = pallas.get %xr[ds(0, 4), :] : !pallas.ref<8x8xf32, any>
      pallas.swap %or[ds(4, 4), :], %w : !pallas.ref<8x8xf32, vmem>, tensor<4x8xf32>
      %c3 = arith.constant 3 : i32
      %c2 = arith.constant 2 : i32
      %one = pallas.slice_ref %s[1] : !pallas.ref<2x!pallas.semaphore, semaphore>
      pallas.semaphore_signal %one, %c3 : !pallas.ref<!pallas.semaphore, semaphore>
      pallas.semaphore_wait %one, %c2 : !pallas.ref<!pallas.semaphore, semaphore>
      %count = pallas.semaphore_read %one : !pallas.ref<!pallas.semaphore, semaphore>
      pallas.semaphore_wait %one, %count : !pallas.ref<!pallas.semaphore, semaphore>
      pallas.yield %count : i32
    }
    pallas.swap %pr[0], %n : !pallas.ref<1xi32, smem>, i32
""", [x], [x, np.zeros(1, np.int32)], spaces={"x": "any", "p": "smem"}), [x], [np.roll(x, 4, 0), np.int32([1])])

# ---------------------------------------------------------------- views of other widths, index arrays
h = f32(16, 128).astype(np.float16)
H, W = "!pallas.ref<16x128xf16, vmem>", "!pallas.ref<8x128xi32, vmem>"
packed = h.view(np.uint16).astype(np.uint32)
packed = (packed[0::2] | packed[1::2] << 16).astype(np.uint32).view(np.int32)


def unpacked(words):
  words = words.view(np.uint32)
  return np.stack([words & 0xFFFF, words >> 16], 1).astype(np.uint16).reshape(16, 128).view(np.float16)


check("pairs of rows as one", kernel(f"""
    %w = pallas.bitcast_ref %xr : {H} -> {W}
    %v = pallas.get %w[...] : {W}
    pallas.swap %or[...], %v : {W}, tensor<8x128xi32>
""", [h], [packed]), [h], [packed])

check("a row that is two", kernel(f"""
    %n = pallas.bitcast_ref %xr : {W} -> {H}
    %v = pallas.get %n[ds(0, 8, 2), :] : {H}
    pallas.swap %or[...], %v : !pallas.ref<8x128xf16, vmem>, tensor<8x128xf16>
""", [packed], [h[:8]]), [packed], [h[0::2]])

both_ways = packed.copy()
both_ways[1:3] += packed[5:7]
check("writes through a view of pairs", kernel(f"""
    %all = pallas.get %xr[...] : {H}
    pallas.swap %or[...], %all : {H}, tensor<16x128xf16>
    %w = pallas.bitcast_ref %or : {H} -> {W}
    %part = pallas.slice_ref %w[ds(1, 2), :] : {W}
    %a = pallas.get %w[ds(5, 2), :] : {W}
    pallas.addupdate %part[...], %a : !pallas.ref<2x128xi32, vmem>, tensor<2x128xi32>
    %again = pallas.get %or[...] : {H}
    pallas.swap %pr[...], %again : {H}, tensor<16x128xf16>
""", [h], [h, h]), [h], [unpacked(both_ways)] * 2)

check("a copy into a view of pairs", kernel(f"""
    pallas.run_scoped (%d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {{
      %w = pallas.bitcast_ref %or : {H} -> {W}
      pallas.dma_start %xr to %w signals %d : {W}, {W}, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %xr to %w signals %d : {W}, {W}, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }}
""", [packed], [h]), [packed], [h])

rows = np.array([5, 0, 7, 7, 2], np.int32)
picks = """
    pallas.run_scoped (%t: !pallas.ref<5x8xf32, vmem>, %d: !pallas.ref<!pallas.dma_semaphore, semaphore>) {
      %from = pallas.slice_ref %xr[gather(%yr : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<8x8xf32, any>
      pallas.dma_start %from to %t signals %d : !pallas.ref<5x8xf32, any>, !pallas.ref<5x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %from to %t signals %d : !pallas.ref<5x8xf32, any>, !pallas.ref<5x8xf32, vmem>, !pallas.ref<!pallas.dma_semaphore, semaphore>
"""
check("a copy of rows by number", kernel(picks + """
      %v = pallas.get %t[...] : !pallas.ref<5x8xf32, vmem>
      pallas.swap %or[...], %v : !pallas.ref<5x8xf32, vmem>, tensor<5x8xf32>
    }
""", [x, rows], [x[:5]], spaces={"x": "any"}), [x, rows], [x[rows]])

sums = np.zeros_like(x)
np.add.at(sums, rows, x[rows])
check("a copy that adds to rows by number", kernel(picks + """
      %z = arith.constant dense<0.0> : tensor<8x8xf32>
      pallas.swap %or[...], %z : !pallas.ref<8x8xf32, any>, tensor<8x8xf32>
      %to = pallas.slice_ref %or[gather(%yr : !pallas.ref<5xi32, vmem>), :] : !pallas.ref<8x8xf32, any>
      pallas.dma_start %t to %to signals %d {add} : !pallas.ref<5x8xf32, vmem>, !pallas.ref<5x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
      pallas.dma_wait %t to %to signals %d : !pallas.ref<5x8xf32, vmem>, !pallas.ref<5x8xf32, any>, !pallas.ref<!pallas.dma_semaphore, semaphore>
    }
""", [x, rows], [x], spaces={"x": "any", "o": "any"}), [x, rows], [sums])

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
check("ragged paged attention", (KERNELS / "ragged_paged_attention.mlir").read_text(),
      [lengths, pages, ends, np.array([3], np.int32), queries, cache], [attended])

words = np.zeros((8, 128), np.int32)
check("random bits repeat with the seed only", kernel("""
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

check("a pipeline inside a kernel", kernel("""
    pallas.emit_pipeline grid(4)
      in(%xr : !pallas.ref<8x8xf32, any>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      out(%or : !pallas.ref<8x8xf32, any>) block<[2, 8], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %a: !pallas.ref<2x8xf32, vmem>, %b: !pallas.ref<2x8xf32, vmem>) {
        %v = pallas.get %a[...] : !pallas.ref<2x8xf32, vmem>
        %w = arith.addf %v, %v : tensor<2x8xf32>
        pallas.swap %b[...], %w : !pallas.ref<2x8xf32, vmem>, tensor<2x8xf32>
      }
""", [x], [x], spaces={"x": "any", "o": "any"}), [x], [2 * x])

for failure in failures:
  print(failure)
sys.exit(bool(failures))
