# REQUIRES: jax
# RUN: %python %s

"""Passes on kernels keep their results, which NumPy knows."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import numpy as np
from executing import compare, run_module

rng = np.random.default_rng(7)
failures, runs = [], 0


def check(name, module, inputs, expected, *pipelines):
    """Runs a module as written and behind each pipeline."""
    global runs
    for pipeline in ("", *pipelines):
        runs += 1
        try:
            text = module
            if pipeline:
                text = subprocess.run(["pallas-opt", *pipeline.split()], input=module,
                                      check=True, capture_output=True, text=True).stdout
                if text == module:
                    failures.append(f"{name} {pipeline}: nothing changed")
            found = run_module(text, inputs, len(expected))
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

for failure in failures:
    print(failure)
print(f"{runs} runs, {len(failures)} failures")
sys.exit(bool(failures))
