# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes of ours next to upstream's, on the output of the stage before; docs/Upstream.md keeps the table.

A kernel is lowered up to a stage by pallas-opt, goes on by stock passes (mlir-opt-22) instead of
ours, and by pallas-run from there. Times are the best of its calls, on one thread.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPU = "x86-64-v3"
TO_MEMORY = ("inline,pallas-cpu-define-integers,pallas-grids-to-loops{parallel=false},"
             "pallas-meshes-to-loops,convert-pallas-to-cpu,pallas-cpu-entry-abi,"
             "func.func(convert-pallas-to-linalg,pallas-cpu-generalize,"
             "pallas-cpu-generalize-concats,pallas-cpu-drop-unit-dims,pallas-cpu-fuse-reshapes,pallas-cpu-fuse,pallas-cpu-sink-collapses,"
             "pallas-cpu-split-parts,pallas-cpu-insert-parts,pallas-cpu-copy-updated-values,"
             "pallas-cpu-expand-switches,pallas-cpu-bound-alias-sets,pallas-cpu-fold-stored-reshapes,pallas-cpu-align-while-loops),"
             "pallas-cpu-bufferize,func.func(pallas-cpu-forward-to-results,canonicalize,cse)")
MERGE = f"pallas-cpu-merge-loops{{cpu={CPU}}},pallas-cpu-clip-edges"
SHARE = f"pallas-cpu-share-columns{{cpu={CPU}}},pallas-cpu-share-rows{{cpu={CPU}}},pallas-cpu-interchange-rows{{cpu={CPU}}}"
JOIN = "pallas-cpu-join-contractions,pallas-cpu-accumulate-in-place"


def tool(command, text=None):
  done = subprocess.run(command, input=text, text=True, capture_output=True)
  if done.returncode:
    raise RuntimeError(next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200]))
  return done


def ours(module, passes):
  return tool(["pallas-opt", f"--pass-pipeline=builtin.module({passes})"], module).stdout


def stock(module, *options):
  return tool(["mlir-opt-22", "--allow-unregistered-dialect", *options], module).stdout


def run(module, arrays):
  """Milliseconds of a call."""
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder)
    (path / "m.mlir").write_text(module)
    command = ["pallas-run", path / "m.mlir", "--time", "--no-cache", f"--cpu={CPU}"]
    for index, array in enumerate(arrays):
      np.save(path / f"{index}.npy", array)
      command.append(f"--in={path / f'{index}.npy'}")
    return float(re.search(r"run: ([\d.]+) ms", tool(command).stderr)[1])


def softmax():
  text = (ROOT / "examples/softmax.mlir").read_text()
  for old, new in (("64x128", "4096x1024"), ("grid(8)", "grid(64)"), ("[8, 128]", "[64, 1024]"), ("8x128", "64x1024"), ("<8xf32", "<64xf32")):
    text = text.replace(old, new)
  return text, [np.random.default_rng(0).standard_normal((4096, 1024)).astype(np.float32)]


def matmul():
  text = """func.func @f(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %o = pallas.pallas_call @matmul grid() in(%a : tensor<512x512xf32>) in(%b : tensor<512x512xf32>) out(tensor<512x512xf32>)
      kernel(%ar: !pallas.ref<512x512xf32, default>, %br: !pallas.ref<512x512xf32, default>, %or: !pallas.ref<512x512xf32, default>) {
    %x = pallas.get %ar[...] : !pallas.ref<512x512xf32, default>
    %y = pallas.get %br[...] : !pallas.ref<512x512xf32, default>
    %z = pallas.dot_general %x, %y contract [1] x [0] : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
    pallas.swap %or[...], %z : !pallas.ref<512x512xf32, default>, tensor<512x512xf32>
  }
  return %o : tensor<512x512xf32>
}"""
  return text, [np.random.default_rng(i).standard_normal((512, 512)).astype(np.float32) for i in range(2)]


# What is lowered here, pallas-run does not meet again.
LOWER = f"pallas-cpu-lower-contractions{{cpu={CPU}}},pallas-cpu-reduce-by-rows{{cpu={CPU}}},pallas-cpu-lower-linalg{{cpu={CPU}}}"
WAYS = {
    "ours": lambda m: ours(m, f"func.func({JOIN},{MERGE},{SHARE},{LOWER})"),
    "without pallas-cpu-share-rows": lambda m: ours(m, f"func.func({JOIN},{MERGE},{LOWER})"),
    "without pallas-cpu-merge-loops and pallas-cpu-share-rows": lambda m: ours(m, f"func.func({LOWER})"),
    "upstream: convert-linalg-to-loops, then LLVM": lambda m: stock(m, "--convert-linalg-to-loops"),
    "upstream: affine loops, affine-loop-fusion, affine-super-vectorize": lambda m: stock(
        m, "--pass-pipeline=builtin.module(func.func(convert-linalg-to-affine-loops,affine-loop-fusion,"
        "affine-super-vectorize{virtual-vector-size=8},lower-affine))"),
}


def chain(length):
  """Branches in a row, each on the value of the one before."""
  lines = ["func.func @f(%v0: tensor<64xf32>, %c: i1) -> tensor<64xf32> {"]
  for i in range(length):
    lines.append(f"  %v{i + 1} = scf.if %c -> tensor<64xf32> {{ %s{i} = arith.addf %v{i}, %v{i} : tensor<64xf32> scf.yield %s{i} : tensor<64xf32> }}"
                 f" else {{ scf.yield %v{i} : tensor<64xf32> }}")
  return "\n".join([*lines, f"  return %v{length} : tensor<64xf32>", "}"])


def seconds(command, text):
  before = os.times()
  try:
    tool(command, text)
  except RuntimeError as error:
    return f"fails: {str(error)[:100]}"
  after = os.times()
  return f"{after.children_user - before.children_user:.2f} s"


def main():
  for name, (module, arrays) in {"softmax of 4096x1024": softmax(), "matmul of 512": matmul()}.items():
    memory = ours(module, TO_MEMORY)
    for way, lower in WAYS.items():
      try:
        print(f"{name} | {way} | {run(lower(memory), arrays):.2f} ms", flush=True)
      except RuntimeError as error:
        print(f"{name} | {way} | fails: {str(error)[:140]}", flush=True)
  for length in (50, 100, 200):
    text = tool(["mlir-opt-22", "--convert-elementwise-to-linalg"], chain(length)).stdout
    pipe = "--one-shot-bufferize=bufferize-function-boundaries"
    print(f"{length} branches | upstream: one-shot-bufferize | {seconds(['mlir-opt-22', pipe], text)}")
    passes = ["--pallas-cpu-bound-alias-sets", "--pallas-cpu-bufferize"]
    print(f"{length} branches | ours: {' '.join(passes)} | {seconds(['pallas-opt', *passes], text)}", flush=True)


if __name__ == "__main__":
  main()
