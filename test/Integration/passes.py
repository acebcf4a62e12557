# REQUIRES: jax
# RUN: %python %s %root

"""Passes on kernels keep their results, which NumPy knows."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from corpus import CASES
from module_execution import compare, run_module

TO_CALL = "--pallas-mpmd-to-call"
TO_MPMD = "--pallas-call-to-mpmd"
LEAVES_NO = {TO_CALL: "pallas.mpmd_map", TO_MPMD: "pallas.pallas_call"}

rng = np.random.default_rng(7)
failures, runs = [], 0


def check(name, module, inputs, expected, *pipelines, entry="main"):
  """Runs a module as written and behind each pipeline, which must change it."""
  global runs
  for pipeline in ("", *pipelines):
    runs += 1
    try:
      text = module
      if pipeline:
        text = subprocess.run(["pallas-opt", *pipeline.split()], input=module,
                              check=True, capture_output=True, text=True).stdout
        if text == module or LEAVES_NO.get(pipeline.split()[-1], module) in text:
          failures.append(f"{name} {pipeline}: nothing changed")
      found = run_module(text, inputs, len(expected), [f"--entry={entry}"])
    except subprocess.CalledProcessError as error:
      failures.append(f"{name} {pipeline}: {error.stderr[-600:]}")
      continue
    for result, wanted in zip(found, expected):
      if message := compare(result, wanted, exact=False):
        failures.append(f"{name} {pipeline}: {message}")


HOIST = "--pallas-hoist-scalar-prefetch"
DROP = "--pallas-drop-scalar-prefetch"

x = rng.standard_normal((64, 128)).astype(np.float32)
table = rng.integers(0, 8, (8, 2)).astype(np.int32)
rows = np.minimum(table[:, 0], 6)
blocks = x.reshape(8, 8, 128)
expected = x.copy()
expected[:56] = (blocks[rows[:7]] * 2.5 + table[:7, 1, None, None]).reshape(56, 128)
check("captured values", """
func.func @main(%x: tensor<64x128xf32>, %n: i32, %s: f32, %t: tensor<8x2xi32>) -> tensor<64x128xf32> {
  %c1 = arith.constant 1 : i32
  %o = pallas.pallas_call grid(%n)
      captures(%c1, %n, %s, %t : i32, i32, f32, tensor<8x2xi32>)
      in(%x : tensor<64x128xf32>) block<[64, 128], vmem>
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %one, %m, %f, %table) {
        %last = arith.subi %m, %one : i32
        %at = arith.index_cast %i : i32 to index
        %c0 = arith.constant 0 : index
        %row = tensor.extract %table[%at, %c0] : tensor<8x2xi32>
        %there = arith.minsi %row, %last : i32
        %zero = arith.constant 0 : i32
        pallas.yield %there, %zero : i32, i32
      }
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [0 -> 0]
      kernel(%one: i32, %m: i32, %f: f32, %table: tensor<8x2xi32>, %whole: !pallas.ref<64x128xf32, vmem>,
             %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %i = pallas.program_id 0
    %at = arith.index_cast %i : i32 to index
    %second = arith.constant 1 : index
    %a = tensor.extract %table[%at, %second] : tensor<8x2xi32>
    %b = arith.sitofp %a : i32 to f32
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.broadcast %f : f32 -> tensor<8x128xf32>
    %w = arith.mulf %v, %u : tensor<8x128xf32>
    %c = pallas.broadcast %b : f32 -> tensor<8x128xf32>
    %z = arith.addf %w, %c : tensor<8x128xf32>
    pallas.swap %or[...], %z : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}""", [x, np.array(7, np.int32), np.array(2.5, np.float32), table], [expected], HOIST, f"{HOIST} {DROP}")

check("captured arrays and scalar inputs", """
func.func @main(%x: tensor<64x128xf32>, %y: tensor<8x128xf32>, %t: tensor<8x2xi32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call grid(8)
      captures(%y : tensor<8x128xf32>)
      in(%t : tensor<8x2xi32>) block<[8, 2], vmem>
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      aliases [1 -> 0]
      kernel(%c: tensor<8x128xf32>, %tr: !pallas.ref<8x2xi32, vmem>, %xr: !pallas.ref<8x128xf32, vmem>,
             %or: !pallas.ref<8x128xf32, vmem>) {
    %i = pallas.program_id 0
    %a = pallas.get %tr[%i, 1] : !pallas.ref<8x2xi32, vmem>
    %b = arith.sitofp %a : i32 to f32
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    %u = pallas.broadcast %b : f32 -> tensor<8x128xf32>
    %w = arith.mulf %c, %u : tensor<8x128xf32>
    %z = arith.addf %v, %w : tensor<8x128xf32>
    pallas.swap %or[...], %z : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}""", [x, x[:8], table],
      [(blocks + x[:8] * table[:, 1, None, None]).reshape(64, 128).astype(np.float32)], HOIST)

large = rng.integers(-9, 9, 2048).astype(np.int32)
check("a captured table too large for scalar memory", """
func.func @main(%t: tensor<2048xi32>) -> tensor<8xi32> {
  %o = pallas.pallas_call grid(8)
      captures(%t : tensor<2048xi32>)
      out(tensor<8xi32>) block<[8], vmem>
      kernel(%table: tensor<2048xi32>, %or: !pallas.ref<8xi32, vmem>) {
    %i = pallas.program_id 0
    %c255 = arith.constant 255 : i32
    %far = arith.muli %i, %c255 : i32
    %at = arith.index_cast %far : i32 to index
    %v = tensor.extract %table[%at] : tensor<2048xi32>
    pallas.swap %or[%i], %v : !pallas.ref<8xi32, vmem>, i32
  }
  return %o : tensor<8xi32>
}""", [large], [large[:2040:255]], HOIST)

check("equal and unused tables", """
func.func @main(%x: tensor<64x128xf32>, %t: tensor<8x2xi32>) -> tensor<64x128xf32> {
  %o = pallas.pallas_call grid(8)
      prefetch(%t, %t, %t : tensor<8x2xi32>, tensor<8x2xi32>, tensor<8x2xi32>)
      in(%x : tensor<64x128xf32>) block<[8, 128], vmem> map(%i, %a, %b, %c) {
        %row = pallas.get %c[%i, 0] : !pallas.ref<8x2xi32, smem>
        %zero = arith.constant 0 : i32
        pallas.yield %row, %zero : i32, i32
      }
      out(tensor<64x128xf32>) block<[8, 128], vmem> map(%i) -> (%i, 0)
      kernel(%a: !pallas.ref<8x2xi32, smem>, %b: !pallas.ref<8x2xi32, smem>, %c: !pallas.ref<8x2xi32, smem>,
             %xr: !pallas.ref<8x128xf32, vmem>, %or: !pallas.ref<8x128xf32, vmem>) {
    %v = pallas.get %xr[...] : !pallas.ref<8x128xf32, vmem>
    pallas.swap %or[...], %v : !pallas.ref<8x128xf32, vmem>, tensor<8x128xf32>
  }
  return %o : tensor<64x128xf32>
}""", [x, table], [blocks[table[:, 0]].reshape(64, 128)], DROP)


def check_there_and_back(name, module, inputs, expected, there, back, entry="main"):
  check(name, module, inputs, expected, there, f"{there} {back}", f"{there} {back} {there}", entry=entry)


def check_stays(name, module, reason, option):
  """What one pass can't convert stays as it is, and a remark says why."""
  global runs
  runs += 1
  found, written = (subprocess.run(["pallas-opt", *options], input=module, check=True, capture_output=True, text=True)
                    for options in ([option], []))
  if found.stdout != written.stdout:
    failures.append(f"{name}: changed")
  if reason not in found.stderr:
    failures.append(f"{name}: {found.stderr[:300]!r} does not say {reason!r}")


root = pathlib.Path(sys.argv[1])
kernels = root / "test/Dialect/Pallas/IR/kernels"
for name in "hopper_matmul", "blackwell_matmul", "hopper_ragged_dot":
  module = (kernels / f"{name}.mlir").read_text()
  for entry, make in CASES[name].items():
    inputs, expected = make(np.random.default_rng(5))
    check_there_and_back(name, module, inputs, expected, TO_CALL, TO_MPMD, entry)
for name, reason in {"matmul": "input 0 has windows that are not the whole array",
                     "prefetch_gather": "it prefetches 1 operands, which kernels of a mesh read themselves",
                     "dynamic_grid": "its grid has 1 dynamic dimensions"}.items():
  check_stays(name, (kernels / f"{name}.mlir").read_text(), reason, TO_MPMD)
for name, reason in {"gpu_attention": 'axis "wg" runs over threads', "sparsecore": "it has 2 meshes"}.items():
  check_stays(name, (kernels / f"{name}.mlir").read_text(), reason, TO_CALL)

check_there_and_back("subcores", (root / "examples/mesh.mlir").read_text(), [x[:32]], [2 * x[:32]], TO_CALL, TO_MPMD,
                     "mesh")

check_there_and_back("scalars between arrays that share memory", """
!r = !pallas.ref<8x128xf32, hbm>
func.func @main(%x: tensor<8x128xf32>, %s: f32, %y: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  %o:2 = pallas.mpmd_map
      in(%s : f32)
      in(%x : tensor<8x128xf32>)
      in(%s : f32)
      in(%y : tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      out(tensor<8x128xf32>)
      aliases [1 -> 1, 3 -> 0]
      kernel on <tensorcore, [<core "core" = 4>]>(%f: f32, %xr: !r, %g: f32, %yr: !r, %first: !r, %second: !r) {
    %i = pallas.axis_index "core"
    %fs = pallas.broadcast %f : f32 -> tensor<128xf32>
    %gs = pallas.broadcast %g : f32 -> tensor<128xf32>
    %a = pallas.get %yr[%i, :] : !r
    %b = arith.mulf %a, %fs : tensor<128xf32>
    pallas.swap %xr[%i, :], %b : !r, tensor<128xf32>
    %c = pallas.get %second[%i, :] : !r
    %d = arith.addf %c, %gs : tensor<128xf32>
    pallas.swap %first[%i, :], %d : !r, tensor<128xf32>
  }
  return %o#0, %o#1 : tensor<8x128xf32>, tensor<8x128xf32>
}""", [x[:8], np.array(3, np.float32), x[8:16]],
      [np.concatenate([3 * x[8:12] + 3, x[12:16]]), np.concatenate([3 * x[8:12], x[4:8]])], TO_CALL, TO_MPMD)

y = rng.standard_normal((128, 64)).astype(np.float32)
check_there_and_back("matmul with an accumulator", """
!x = !pallas.ref<64x128xf32, any>
!y = !pallas.ref<128x64xf32, any>
!o = !pallas.ref<64x64xf32, any>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
func.func @main(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %o = pallas.pallas_call @matmul grid(4)
      in(%x : tensor<64x128xf32>) block<[64, 128], any>
      in(%y : tensor<128x64xf32>) block<[128, 64], any>
      out(tensor<64x64xf32>) block<[64, 64], any>
      semantics [parallel]
      kernel(%xr: !x, %yr: !y, %or: !o, %xs: !pallas.ref<16x32xf32, vmem>, %ys: !pallas.ref<32x64xf32, vmem>,
             %acc: !pallas.ref<16x64xf32, vmem>, %sem: !sem) {
    %i = pallas.program_id 0
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %row = arith.muli %i, %c16 : i32
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    pallas.swap %acc[...], %zero : !pallas.ref<16x64xf32, vmem>, tensor<16x64xf32>
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      %at = arith.muli %k, %c32 : i32
      %xp = pallas.slice_ref %xr[ds(%row, 16), ds(%at, 32)] : !x
      %yp = pallas.slice_ref %yr[ds(%at, 32), :] : !y
      pallas.dma_start %xp to %xs signals %sem : !pallas.ref<16x32xf32, any>, !pallas.ref<16x32xf32, vmem>, !sem
      pallas.dma_wait %xp to %xs signals %sem : !pallas.ref<16x32xf32, any>, !pallas.ref<16x32xf32, vmem>, !sem
      pallas.dma_start %yp to %ys signals %sem : !pallas.ref<32x64xf32, any>, !pallas.ref<32x64xf32, vmem>, !sem
      pallas.dma_wait %yp to %ys signals %sem : !pallas.ref<32x64xf32, any>, !pallas.ref<32x64xf32, vmem>, !sem
      %a = pallas.get %xs[...] : !pallas.ref<16x32xf32, vmem>
      %b = pallas.get %ys[...] : !pallas.ref<32x64xf32, vmem>
      %old = pallas.get %acc[...] : !pallas.ref<16x64xf32, vmem>
      %new = pallas.dot_general %a, %b acc %old contract [1] x [0]
        : tensor<16x32xf32>, tensor<32x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
      pallas.swap %acc[...], %new : !pallas.ref<16x64xf32, vmem>, tensor<16x64xf32>
    }
    %to = pallas.slice_ref %or[ds(%row, 16), :] : !o
    pallas.dma_start %acc to %to signals %sem : !pallas.ref<16x64xf32, vmem>, !pallas.ref<16x64xf32, any>, !sem
    pallas.dma_wait %acc to %to signals %sem : !pallas.ref<16x64xf32, vmem>, !pallas.ref<16x64xf32, any>, !sem
  }
  return %o : tensor<64x64xf32>
}""", [x, y], [x @ y], TO_MPMD, TO_CALL)

# The input holds what has been written to the output that shares its memory,
# and rows that no program writes stay.
for semantics in "parallel", "core_parallel":
  check_there_and_back(f"aliases, {semantics}", """
!r = !pallas.ref<8x128xf32, hbm>
func.func @main(%x: tensor<8x128xf32>, %s: f32) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(6)
      captures(%s : f32)
      in(%x : tensor<8x128xf32>) block<[8, 128], hbm>
      out(tensor<8x128xf32>) block<[8, 128], hbm>
      aliases [0 -> 0]
      semantics [parallel]
      kernel(%f: f32, %xr: !r, %or: !r) {
    %i = pallas.program_id 0
    %v = pallas.get %xr[%i, :] : !r
    %u = pallas.broadcast %f : f32 -> tensor<128xf32>
    %w = arith.mulf %v, %u : tensor<128xf32>
    pallas.swap %or[%i, :], %w : !r, tensor<128xf32>
    %again = pallas.get %xr[%i, :] : !r
    %z = arith.addf %again, %u : tensor<128xf32>
    pallas.swap %or[%i, :], %z : !r, tensor<128xf32>
  }
  return %o : tensor<8x128xf32>
}""".replace("[parallel]", f"[{semantics}]"), [x[:8], np.array(3, np.float32)],
                       [np.concatenate([3 * x[:6] + 3, x[6:8]])], TO_MPMD, TO_CALL)

n = np.arange(48, dtype=np.int32).reshape(8, 6)
for names in "", 'names ["p", "q"]':
  check_there_and_back("blocks of a GPU " + names, f"""
!r = !pallas.ref<8x6xi32, gmem>
func.func @main(%x: tensor<8x6xi32>) -> tensor<8x6xi32> {{
  %o = pallas.pallas_call grid(8, 6)
      in(%x : tensor<8x6xi32>) block<[8, 6], gmem>
      out(tensor<8x6xi32>) block<[8, 6], gmem>
      semantics [parallel, parallel]
      {names}
      kernel(%xr: !r, %or: !r) {{
    %i = pallas.program_id 0
    %j = pallas.program_id 1
    %n = pallas.num_programs 1
    %v = pallas.get %xr[%i, %j] : !r
    %row = arith.muli %i, %n : i32
    %at = arith.addi %row, %j : i32
    %w = arith.muli %v, %at : i32
    pallas.swap %or[%i, %j], %w : !r, i32
  }}
  return %o : tensor<8x6xi32>
}}""", [n + 5], [(n + 5) * n], TO_MPMD, TO_CALL)

# A mesh has no prefetched tables; without the one that nobody reads, the call
# is a kernel of it.
prefetching = """
!r = !pallas.ref<8x128xf32, hbm>
func.func @main(%t: tensor<8xi32>, %x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %o = pallas.pallas_call grid(8)
      prefetch(%t : tensor<8xi32>)
      in(%x : tensor<8x128xf32>) block<[8, 128], hbm>
      out(tensor<8x128xf32>) block<[8, 128], hbm>
      semantics [parallel]
      kernel(%tr: !pallas.ref<8xi32, smem>, %xr: !r, %or: !r) {
    %i = pallas.program_id 0
    %v = pallas.get %xr[%i, :] : !r
    %w = arith.addf %v, %v : tensor<128xf32>
    pallas.swap %or[%i, :], %w : !r, tensor<128xf32>
  }
  return %o : tensor<8x128xf32>
}"""
check_stays("unused table", prefetching, "it prefetches 1 operands", TO_MPMD)
check("unused table", prefetching, [table[:, 0].copy(), x[:8]], [2 * x[:8]], f"{DROP} {TO_MPMD}",
      f"{DROP} {TO_MPMD} {TO_CALL}")

# Kernels that stay take what captured refs hold, and give it back.
WHOLE, PART = "--pallas-discharge-state", "--pallas-discharge-state=memory-spaces=hbm"
rows = rng.standard_normal((2, 8)).astype(np.float32)
shift = rng.standard_normal(8).astype(np.float32)
check("cores that exchange rows of a ref", """
!rows = !pallas.ref<2x8xf32, hbm>
!row = !pallas.ref<8xf32, hbm>
!sem = !pallas.ref<!pallas.dma_semaphore, semaphore>
func.func @main(%x: tensor<2x8xf32>, %t: tensor<8xf32>, %s: f32) -> (tensor<2x8xf32>, tensor<8xf32>) {
  %xr = pallas.new_ref %x : tensor<2x8xf32> -> !rows
  %tr = pallas.new_ref %t : tensor<8xf32> -> !row
  pallas.core_map <tensorcore, [<core "core" = 2>]> () {
    %c1 = arith.constant 1 : i32
    %core = pallas.axis_index "core"
    %other = arith.subi %c1, %core : i32
    pallas.run_scoped (%tmp: !pallas.ref<8xf32, vmem>, %sem: !sem) {
      %from = pallas.slice_ref %xr[%core, :] : !rows
      pallas.dma_start %from to %tmp signals %sem : !row, !pallas.ref<8xf32, vmem>, !sem
      pallas.dma_wait %from to %tmp signals %sem : !row, !pallas.ref<8xf32, vmem>, !sem
      pallas.core_barrier "core"
      %v = pallas.get %tmp[...] : !pallas.ref<8xf32, vmem>
      %u = pallas.get %tr[...] : !row
      %ss = pallas.broadcast %s : f32 -> tensor<8xf32>
      %w = arith.mulf %u, %ss : tensor<8xf32>
      %y = arith.addf %v, %w : tensor<8xf32>
      pallas.swap %xr[%other, :], %y : !rows, tensor<8xf32>
    }
  }
  %o = pallas.freeze %xr : !rows
  %p = pallas.freeze %tr : !row
  return %o, %p : tensor<2x8xf32>, tensor<8xf32>
}
""", [rows, shift, np.float32(3)], [rows[::-1] + 3 * shift, shift], WHOLE, PART)
check("a mesh that stays", """
!rows = !pallas.ref<2x8xf32, hbm>
func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %xr = pallas.new_ref %x : tensor<2x8xf32> -> !rows
  %o = pallas.mpmd_map
      in(%xr : !rows)
      in(%x : tensor<2x8xf32>)
      out(tensor<2x8xf32>)
      kernel @k on <tensorcore, [<core "core" = 2>]> (%r: !rows, %c: !rows, %w: !rows) {
    %core = pallas.axis_index "core"
    %v = pallas.get %r[%core, :] : !rows
    %d = arith.addf %v, %v : tensor<8xf32>
    pallas.swap %w[%core, :], %v : !rows, tensor<8xf32>
    pallas.swap %r[%core, :], %d : !rows, tensor<8xf32>
  }
  %p = pallas.freeze %xr : !rows
  return %o, %p : tensor<2x8xf32>, tensor<2x8xf32>
}
""", [rows], [rows, 2 * rows], WHOLE, PART)

for failure in failures:
  print(failure)
print(f"{runs} runs, {len(failures)} failures")
sys.exit(bool(failures))
