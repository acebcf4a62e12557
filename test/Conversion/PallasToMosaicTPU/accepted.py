# REQUIRES: libtpu, pallas-python
# RUN: %python %s %root

"""The compiler for TPUs takes kernels of the corpus as we lower them, for two generations."""

import os
import subprocess
import sys

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import tpu_compiler

TOPOLOGIES = {"v4": ":2x2x1", "tpu7x": ":2x2x1"}


def compile_for(chip, path):
  text = subprocess.run(
      ["pallas-translate", "--to-tpu-custom-call", f"--libtpu={tpu_compiler.RELEASE}", "--chip", chip, path],
      check=True, capture_output=True, text=True).stdout
  assert '"tpu_custom_call"' in text, (chip, path)
  # What a later release compiled on a SparseCore cannot be shown by this jaxlib.
  tpu_compiler.compile_stablehlo(text, chip + TOPOLOGIES.get(chip, ":2x2"))


kernels = os.path.join(root, "test", "Dialect", "Pallas", "IR", "kernels")
for chip in ("v5e", "v6e"):
  for kernel in ("matmul", "prefetch_gather", "softmax", "gmm"):
    compile_for(chip, os.path.join(kernels, kernel + ".mlir"))
inputs = os.path.join(os.path.dirname(__file__), "Inputs")
for chip in ("v5e", "v6e"):
  for kernel in ("pipelines", "transposed_views", "long_cumsum", "vectors_in_branches", "table_of_bytes", "take_leading", "one_dimension", "long_rows", "choices",
                 "packed_masks", "extremes_of_repeated", "mixed_products", "remote_copy", "numbers_i8", "numbers_bf16"):
    compile_for(chip, os.path.join(inputs, kernel + ".mlir"))
  compile_for(chip, os.path.join(os.path.dirname(__file__), "Body", "spread-choices.mlir"))
  compile_for(chip, os.path.join(root, "test", "Regression", "shapes-in-a-row-on-tpus.mlir"))
  compile_for(chip, os.path.join(root, "test", "Regression", "repeated-lanes-on-tpus.mlir"))
  # Blocks too large for VMEM fall into parts.
  compile_for(chip, os.path.join(os.path.dirname(__file__), "Plan", "split-search.mlir"))
# Tiles differ between these.
for chip in ("v5e", "v6e", "tpu7x"):
  compile_for(chip, os.path.join(os.path.dirname(__file__), "Memory", "tiles.mlir"))
  compile_for(chip, os.path.join(inputs, "narrow_extremes.mlir"))
# Releases that read wire version 18 refuse rows of integers in one dimension on v4.
for kernel in ("columns", "spread_element") if tpu_compiler.RELEASE < "0.0.50" else ():
  compile_for("v4", os.path.join(inputs, kernel + ".mlir"))
# This chip has SparseCores.
compile_for("v6e", os.path.join(kernels, "sparsecore.mlir"))
for kernel in ("gather_rows", "lanes", "lane_counts"):
  compile_for("v6e", os.path.join(inputs, kernel + ".mlir"))
