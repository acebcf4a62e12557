# REQUIRES: jax
# RUN: %python %s %guard
"""No index that a kernel computes makes it touch what is outside of its refs; --check names what would.

Elements of masked accesses stay in place at every stage, where others lie outside.

Each kernel runs once for every pair of indices (%a, %n) of a table, with pages around its arrays that nobody may touch.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

LEAST, MOST = -2**31, 2**31 - 1
PAIRS = np.array([(0, 4), (3, 16), (60, 16), (-3, 16), (100, 1000000), (MOST, MOST), (LEAST, LEAST), (LEAST, MOST), (MOST, LEAST),
                  (63, 1), (64, 0), (5, -7)], np.int64)
TENSOR = "tensor<64x128xf32>"
SEMAPHORE = "!pallas.ref<!pallas.dma_semaphore, semaphore>"


def ref(space, shape="64x128xf32"):
  return f"!pallas.ref<{shape}, {space}>"


def kernel(body, scratch=(), space="vmem"):
  """A kernel that sees all of %x and %o, and the numbers %a, %n and the index array %array of 8."""
  arguments = [f"%table: {ref('smem', '12x8xi32')}", f"%x: {ref(space)}", f"%o: {ref(space)}", *scratch]
  return f"""
func.func @main(%pairs: tensor<12x8xi32>, %i: {TENSOR}) -> {TENSOR} {{
  %r = pallas.pallas_call grid(12) in(%pairs : tensor<12x8xi32>) block<[12, 8], smem> in(%i : {TENSOR}) block<[64, 128], {space}>
      out({TENSOR}) block<[64, 128], {space}>
      kernel({', '.join(arguments)}) {{
    %p = pallas.program_id 0
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = pallas.get %table[%p, 0] : {ref('smem', '12x8xi32')}
    %n = pallas.get %table[%p, 1] : {ref('smem', '12x8xi32')}
    %array = pallas.get %table[%p, :] : {ref('smem', '12x8xi32')}
{body.format(V=ref(space), D=ref(space, '?x128xf32'))}
  }}
  return %r : {TENSOR}
}}
"""


def copy(source, target, source_type="?x128xf32", target_type="?x128xf32", clause=""):
  types = f"{ref('hbm', source_type)}, {ref('hbm', target_type)}, {SEMAPHORE}"
  return f"""    pallas.dma_start {source} to {target} signals %sem {clause} : {types}
    pallas.dma_wait {source} to {target} signals %sem : {types}
"""


def copies(body):
  return kernel(body, [f"%sem: {SEMAPHORE}"], "hbm")


def windows(block, shape):
  """Windows where a table says."""
  index_map = """map(%p, %t) {
        %m = pallas.get %t[%p] : !pallas.ref<12xi32, smem>
        %zero = arith.constant 0 : i32
        pallas.yield %m, %zero : i32, i32
      }"""
  seen = ref("vmem", shape)
  return f"""
func.func @main(%places: tensor<12xi32>, %i: {TENSOR}) -> {TENSOR} {{
  %r = pallas.pallas_call grid(12) prefetch(%places : tensor<12xi32>)
      in(%i : {TENSOR}) block<[{block}, 128], vmem> {index_map}
      out({TENSOR}) block<[{block}, 128], vmem> {index_map}
      kernel(%tr: !pallas.ref<12xi32, smem>, %x: {seen}, %o: {seen}) {{
    %v = pallas.get %x[...] : {seen}
    pallas.swap %o[...], %v : {seen}, tensor<{shape}>
  }}
  return %r : {TENSOR}
}}
"""


# Kernels whose indices leave their refs.
KERNELS = {
    "copies of dynamic size": copies("""
    %s = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %d = pallas.slice_ref %o[ds(%a, %n), :] : {V}
""" + copy("%s", "%d")),
    "copies of two sizes": copies("""
    %s = pallas.slice_ref %x[ds(%zero, %n), :] : {V}
    %d = pallas.slice_ref %o[ds(%a, %n), :] : {V}
""" + copy("%s", "%d") + """
    %e = pallas.slice_ref %o[ds(%zero, %a), :] : {V}
""" + copy("%s", "%e") + copy("%s", "%d", clause="{{add}}")),
    "copies of strided rows": copies("""
    %s = pallas.slice_ref %x[ds(%a, %n, 2), :] : {V}
    %d = pallas.slice_ref %o[ds(%a, %n, 3), :] : {V}
""" + copy("%s", "%d")),
    "copies of columns": copies("""
    %rows = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %s = pallas.slice_ref %rows[:, ds(0, 64)] : {D}
    %target = pallas.slice_ref %o[ds(%a, %n), :] : {V}
    %d = pallas.slice_ref %target[:, ds(64, 64)] : {D}
""" + copy("%s", "%d", "?x64xf32", "?x64xf32")),
    "copies through index arrays": copies("""
    %s = pallas.slice_ref %x[gather(%array : tensor<8xi32>), :] : {V}
    %d = pallas.slice_ref %o[ds(%a, %n), :] : {V}
""" + copy("%s", "%d", "8x128xf32") + """
    %from = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %to = pallas.slice_ref %o[gather(%array : tensor<8xi32>), :] : {V}
""" + copy("%from", "%to", target_type="8x128xf32")),
    "slices": kernel("""
    %v = pallas.get %x[ds(%a, 16), :] : {V}
    pallas.swap %o[ds(%n, 16), :], %v : {V}, tensor<16x128xf32>
    %w = pallas.get %x[ds(%a, 8), ds(%a, 4)] : {V}
    pallas.addupdate %o[ds(%a, 8), ds(%n, 4)], %w : {V}, tensor<8x4xf32>
    %s = pallas.get %x[ds(%a, 16, 3), :] : {V}
    pallas.swap %o[ds(%n, 16, 2), :], %s : {V}, tensor<16x128xf32>
    %b = pallas.get %x[ds(%a, 16, 0), :] : {V}
    pallas.swap %o[ds(%n, 16, 0), :], %b : {V}, tensor<16x128xf32>
    %e = pallas.get %x[ds(%a, 0), :] : {V}
    pallas.swap %o[ds(%n, 0), :], %e : {V}, tensor<0x128xf32>
"""),
    "scalars": kernel("""
    %v = pallas.get %x[%a, %n] : {V}
    pallas.swap %o[%n, %a], %v : {V}, f32
    pallas.addupdate %o[%a, %a], %v : {V}, f32
"""),
    "index arrays": kernel("""
    %v = pallas.get %x[gather(%array : tensor<8xi32>), :] : {V}
    pallas.swap %o[gather(%array : tensor<8xi32>), :], %v : {V}, tensor<8x128xf32>
    pallas.addupdate %o[gather(%array : tensor<8xi32>), :], %v : {V}, tensor<8x128xf32>
    %u = pallas.get %x[gather(%array : tensor<8xi32>), gather(%array : tensor<8xi32>)] : {V}
    pallas.swap %o[gather(%array : tensor<8xi32>), %n], %u : {V}, tensor<8xf32>
"""),
    "masks": kernel("""
    %m = arith.constant dense<true> : tensor<16x128xi1>
    %v = pallas.masked_load %x[ds(%a, 16), :] mask %m : {V}, tensor<16x128xi1>
    %old = pallas.masked_swap %o[ds(%n, 16), :], %v mask %m : {V}, tensor<16x128xf32>, tensor<16x128xi1>
    %older = pallas.masked_swap %o[ds(%a, 16), :], %old mask %m : {V}, tensor<16x128xf32>, tensor<16x128xi1>
"""),
    "atomics": kernel("""
    %c = arith.constant 1.0 : f32
    %o1 = pallas.atomic_rmw <add> %o[%a, %n], %c : {V}, f32
    %o2 = pallas.atomic_cas %o[%n, %a], %c, %o1 : {V}, f32
    %t = arith.constant dense<1.0> : tensor<16x128xf32>
    %o3 = pallas.atomic_rmw <max> %o[ds(%a, 16), :], %t : {V}, tensor<16x128xf32>
"""),
    "views of views": kernel("""
    %s0 = pallas.slice_ref %x[ds(%a, 32), :] : {V}
    %s1 = pallas.slice_ref %s0[ds(%n, 8), ds(%a, 64)] : !pallas.ref<32x128xf32, vmem>
    %s2 = pallas.transpose_ref %s1, [1, 0] : !pallas.ref<8x64xf32, vmem> -> !pallas.ref<64x8xf32, vmem>
    %v = pallas.get %s2[ds(%a, 4), %n] : !pallas.ref<64x8xf32, vmem>
    %d0 = pallas.bitcast_ref %o : {V} -> !pallas.ref<64x128xi32, vmem>
    %d1 = pallas.reshape_ref %d0 : !pallas.ref<64x128xi32, vmem> -> !pallas.ref<128x64xi32, vmem>
    %w = arith.bitcast %v : tensor<4xf32> to tensor<4xi32>
    pallas.swap %d1[%n, ds(%a, 4)], %w : !pallas.ref<128x64xi32, vmem>, tensor<4xi32>
    %d2 = pallas.bitcast_ref %o : {V} -> !pallas.ref<128x128xbf16, vmem>
    %h = pallas.get %d2[ds(%a, 8), ds(%n, 8)] : !pallas.ref<128x128xbf16, vmem>
    pallas.swap %d2[ds(%n, 8), ds(%a, 8)], %h : !pallas.ref<128x128xbf16, vmem>, tensor<8x8xbf16>
"""),
    "semaphores": kernel(f"""
    %s = pallas.slice_ref %sems[%a] : !pallas.ref<4x!pallas.semaphore, semaphore>
    pallas.semaphore_signal %s, %one : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.semaphore_wait %s, %one : !pallas.ref<!pallas.semaphore, semaphore>
    %q = pallas.slice_ref %copied[%n] : !pallas.ref<4x!pallas.dma_semaphore, semaphore>
    pallas.dma_start %x to %o signals %q : {{V}}, {{V}}, {SEMAPHORE}
    pallas.dma_wait %x to %o signals %q : {{V}}, {{V}}, {SEMAPHORE}
""", ["%sems: !pallas.ref<4x!pallas.semaphore, semaphore>", "%copied: !pallas.ref<4x!pallas.dma_semaphore, semaphore>"]),
    "blocks": windows("8", "8x128xf32"),
    "ragged blocks": windows("24", "24x128xf32"),
    "elements": windows("element<8>", "8x128xf32"),
    "padded elements": windows("element<8, 4, 40>", "8x128xf32"),
    "squeezed": windows("squeezed", "128xf32"),
}

# Kernels that end with an error of their own, in any mode.
REFUSED = {
    "a slice of fixed size of a view that may be shorter": (copies("""
    %rows = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %s = pallas.slice_ref %rows[ds(%a, 16), :] : {D}
    %target = pallas.slice_ref %o[ds(%a, %n), :] : {V}
    %d = pallas.slice_ref %target[ds(%a, 16), :] : {D}
""" + copy("%s", "%d", "16x128xf32", "16x128xf32")), "this needs 16 elements in dimension 0, where the ref has fewer"),
    "a value of fixed size of a view that may be shorter": (kernel("""
    %rows = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %v = pallas.get %rows[ds(0, 16), :] : {D}
    %target = pallas.slice_ref %o[ds(%a, %n), :] : {V}
    pallas.swap %target[ds(0, 16), :], %v : {D}, tensor<16x128xf32>
"""), "this needs 16 elements in dimension 0, where the ref has fewer"),
    "an element of an empty view": (kernel("""
    %rows = pallas.slice_ref %x[ds(%a, %n), :] : {V}
    %v = pallas.get %rows[%a, %a] : {D}
    %target = pallas.slice_ref %o[ds(%a, %n), :] : {V}
    pallas.swap %target[%a, 3], %v : {D}, f32
"""), "this needs an element in dimension 0, where the ref has none"),
    "another device": (kernel(f"""
    pallas.semaphore_signal %s, %one device logical(%a) : !pallas.ref<!pallas.semaphore, semaphore>
    pallas.dma_start %x to %o signals %q source_signals %r device logical(%n) : {{V}}, {{V}}, {SEMAPHORE}, {SEMAPHORE}
""", ["%s: !pallas.ref<!pallas.semaphore, semaphore>", f"%q: {SEMAPHORE}", f"%r: {SEMAPHORE}"]), "this names device"),
    "an element of an empty ref": (kernel("""
    %v = pallas.get %e[%a] : !pallas.ref<0xf32, vmem>
    pallas.swap %o[0, 0], %v : {V}, f32
""", ["%e: !pallas.ref<0xf32, vmem>"]), "which has none"),
    "scratch that no machine has": (kernel("""
    %v = pallas.get %e[%a, %n] : !pallas.ref<4000000x4000000xf32, vmem>
    pallas.swap %o[0, 0], %v : {V}, f32
""", ["%e: !pallas.ref<4000000x4000000xf32, vmem>"]), "but the machine has"),
    "scratch whose size overflows": (kernel("""
    %v = pallas.get %e[%a, %n] : !pallas.ref<4611686018427387904x4xf32, vmem>
    pallas.swap %o[0, 0], %v : {V}, f32
""", ["%e: !pallas.ref<4611686018427387904x4xf32, vmem>"]), "but the machine has"),
}

BARRIER = "!pallas.ref<!pallas.barrier<numArrivals = 1>, smem>"
BOX = ref("smem", "8x128xf32")
# Boxes are zero where they lie outside of their array, and not written there.
BOXES = kernel(f"""
    %box = pallas.slice_ref %x[ds(%a, 8), ds(%n, 128)] : {{V}}
    pallas.copy_gmem_to_smem %box to %s signals %come : {{V}}, {BOX}, {BARRIER}
    pallas.barrier_wait %come : {BARRIER}
    %eight = arith.constant 8 : i32
    %row = arith.muli %p, %eight : i32
    %target = pallas.slice_ref %o[ds(%row, 8), :] : {{V}}
    pallas.copy_smem_to_gmem %s to %target : {BOX}, {{V}}
    pallas.wait_smem_to_gmem 0
""".replace("{V}, " + BOX, "{V8}, " + BOX).replace(BOX + ", {V}", BOX + ", {V8}").replace("{V8}", ref("gmem", "8x128xf32")),
               [f"%s: {BOX}", f"%come: {BARRIER}"], "gmem")

# More scratch than a stack holds, each piece small.
MANY = kernel("\n".join(f"    pallas.swap %e{k}[%a], %a : !pallas.ref<4096xi32, vmem>, i32\n    %v{k} = pallas.get %e{k}[%n] : "
                        f"!pallas.ref<4096xi32, vmem>\n    pallas.swap %table[0, 7], %v{k} : {ref('smem', '12x8xi32')}, i32" for k in range(700)),
              [f"%e{k}: !pallas.ref<4096xi32, vmem>" for k in range(700)])

# Slices whose elements stay in place where others lie outside. {mask} and {value} say what the store takes.
IN_PLACE = """
    %first = arith.cmpi eq, %p, %zero : i32
    scf.if %first {{
      %nothing = arith.constant dense<0.0> : tensor<64x128xf32>
      pallas.swap %o[...], %nothing : VMEM, tensor<64x128xf32>
    }}
    %v = pallas.masked_load %x[ds(%a, 16), :] : VMEM
    %row = pallas.iota 0 : tensor<16x128xi32>
    %from = pallas.broadcast %a : i32 -> tensor<16x128xi32>
    %to = pallas.broadcast %n : i32 -> tensor<16x128xi32>
    %read = arith.addi %from, %row : tensor<16x128xi32>
    %written = arith.addi %to, %row : tensor<16x128xi32>
    %rows = arith.constant dense<64> : tensor<16x128xi32>
    %exists = arith.cmpi ult, %read, %rows : tensor<16x128xi32>
    %fits = arith.cmpi ult, %written, %rows : tensor<16x128xi32>
    %all = arith.constant dense<true> : tensor<16x128xi1>
    %none = arith.constant dense<-1.0> : tensor<16x128xf32>
    %w = arith.select %exists, %v, %none : tensor<16x128xi1>, tensor<16x128xf32>
    pallas.masked_swap %o[ds(%n, 16), :], {value} mask {mask} : VMEM, tensor<16x128xf32>, tensor<16x128xi1>
    %sum = arith.addi %a, %n : i32
    %e = arith.sitofp %p : i32 to f32
    %one_fits = arith.cmpi ult, %sum, %sixty_four : i32
    pallas.masked_swap %o[%sum, 5], %e mask {scalar} : VMEM, f32, i1
"""


def in_place(mask, value, scalar):
  body = "    %sixty_four = arith.constant 64 : i32\n    %true = arith.constant true\n"
  body += IN_PLACE.format(mask=mask, value=value, scalar=scalar).replace("VMEM", ref("vmem"))
  return kernel(body.replace("{", "{{").replace("}", "}}"))


def expected_in_place():
  x, o = np.arange(64 * 128, dtype=np.float32).reshape(64, 128), np.zeros((64, 128), np.float32)
  for p, (a, n) in enumerate(PAIRS):
    for i in range(16):
      if 0 <= n + i < 64:
        o[n + i] = x[a + i] if 0 <= a + i < 64 else -1
    if 0 <= (a + n + 2**31) % 2**32 - 2**31 < 64:
      o[(a + n + 2**31) % 2**32 - 2**31, 5] = p
  return o


# Windows of an array without elements.
EMPTY = """
func.func @main(%t: tensor<12xi32>, %i: tensor<64x128xf32>) -> tensor<0x128xf32> {
  %e = tensor.empty() : tensor<0x128xf32>
  %r = pallas.pallas_call grid(2)
      in(%e : tensor<0x128xf32>) block<[64, 128], vmem> map(%p) -> (%p, 0)
      out(tensor<0x128xf32>) block<[64, 128], vmem> map(%p) -> (%p, 0)
      kernel(%x: !pallas.ref<64x128xf32, vmem>, %o: !pallas.ref<64x128xf32, vmem>) {
    %v = pallas.get %x[...] : !pallas.ref<64x128xf32, vmem>
    pallas.swap %o[...], %v : !pallas.ref<64x128xf32, vmem>, tensor<64x128xf32>
  }
  return %r : tensor<0x128xf32>
}
"""

# Copies of dynamic size, into what the first program copies as a whole.
FIRST = f"""    %first = arith.cmpi eq, %p, %zero : i32
    scf.if %first {{{{
{copy("%x", "%o", "64x128xf32", "64x128xf32")}    }}}}
"""
VALUES = [f"copies of {what}" for what in ("dynamic size", "two sizes", "strided rows", "columns")]

failures = []
guard = sys.argv[1]
environment = dict(os.environ)
# Sanitizers bring an allocator of their own.
if "ASAN_OPTIONS" not in environment:
  environment["LD_PRELOAD"] = guard


def run(folder, text, *options, passes=()):
  (folder / "kernel.mlir").write_text(text)
  if passes:
    subprocess.run(["pallas-opt", str(folder / "kernel.mlir"), *passes, "-o", str(folder / "kernel.mlir")], check=True)
  table = PAIRS[:, :1].repeat(8, 1)
  table[:, 1] = PAIRS[:, 1]
  table[:, 4:] = [1, 2, -1, 5]
  if "tensor<12xi32>" in text:
    table = table[:, 0]
  np.save(folder / "t.npy", table.astype(np.int32))
  np.save(folder / "x.npy", np.arange(64 * 128, dtype=np.float32).reshape(64, 128))
  command = ["pallas-run", "--no-cache", str(folder / "kernel.mlir"), f"--in={folder / 't.npy'}", f"--in={folder / 'x.npy'}",
             f"--out={folder / 'o.npy'}", *options]
  return subprocess.run(command, env=environment, capture_output=True, text=True)


STAGES = {
    "compiled": [],
    "discharged": ["--pallas-discharge-state", "--convert-pallas-to-linalg"],
    "lowered to a TPU": ["--pallas-to-mosaic-tpu"],
}


def expect(name, found, returncode, pattern=""):
  if found.returncode != returncode or not re.search(pattern, found.stderr):
    failures.append(f"{name}: exit status {found.returncode}, expected {returncode} and '{pattern}': {found.stderr[:600]}")


with tempfile.TemporaryDirectory() as name:
  folder = pathlib.Path(name)
  for name, text in KERNELS.items():
    expect(name, run(folder, text), 0)
    expect(f"{name}, checked", run(folder, text, "--check"), 1, "out of bounds")
  for name in VALUES:
    text = KERNELS[name].replace("    %array =", FIRST.format() + "    %array =")
    expect(f"{name}, whole", run(folder, text), 0)
    written = np.load(folder / "o.npy")
    expect(f"{name}, discharged", run(folder, text, passes=["--pallas-discharge-state", "--convert-pallas-to-linalg"]), 0)
    if not np.array_equal(np.load(folder / "o.npy"), written):
      failures.append(f"{name}, discharged: {np.argwhere(np.load(folder / 'o.npy') != written)[0]} differs")
  for name, (text, message) in REFUSED.items():
    expect(name, run(folder, text), 1, message)
    expect(f"{name}, checked", run(folder, text, "--check"), 1, message)
  expect("an empty array", run(folder, EMPTY), 0)
  expect("much small scratch", run(folder, MANY), 0)
  expected = np.zeros((64, 128), np.float32)
  for place, (row, column) in enumerate(PAIRS[:8]):
    for i in range(max(0, -row), max(0, min(8, 64 - row))):
      first, end = max(0, -column), max(0, min(128, 128 - column))
      if first < end:
        expected[8 * place + i, first:end] = np.load(folder / "x.npy")[row + i, column + first:column + end]
  for options in [], ["--check"]:
    expect(f"boxes {options}", run(folder, BOXES, *options), 0)
    if not np.array_equal(np.load(folder / "o.npy"), expected):
      failures.append(f"boxes {options}: {np.argwhere(np.load(folder / 'o.npy') != expected)[0]} differs")

  masked, plain = in_place("%fits", "%w", "%one_fits"), in_place("%all", "%w", "%true")
  for text in masked, plain:
    for stage, passes in STAGES.items():
      np.save(folder / "o.npy", np.full((64, 128), np.nan))
      expect(f"in place, {stage}", run(folder, text, passes=passes), 0)
      if not np.array_equal(np.load(folder / "o.npy"), expected_in_place()):
        failures.append(f"in place, {stage}: {np.argwhere(np.load(folder / 'o.npy') != expected_in_place())[0]} differs")
  # What lies outside may be read, but nothing may depend on it, and not be written.
  expect("in place, checked", run(folder, masked, "--check"), 0)
  expect("in place, checked, written", run(folder, plain, "--check"), 1, "'pallas.masked_swap' .*dimension 0")
  expect("in place, checked, used", run(folder, in_place("%fits", "%v", "%one_fits"), "--check"), 1,
         r"uninitialised read: 'pallas.masked_load' reads element \[\d+, 0\] of a slice that extends past input 1 at grid point")

print("\n".join(failures))
print(f"{2 * len(KERNELS) + 2 * len(VALUES) + 2 * len(REFUSED) + 2 * len(STAGES) + 7} runs, {len(failures)} failures")
sys.exit(bool(failures))
