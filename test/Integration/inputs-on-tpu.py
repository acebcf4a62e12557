# RUN: %python %s %root
"""The kernels that the compiler for TPUs is asked about: lowered they give what they give as they stand."""
import os
import re
import subprocess
import sys

import ml_dtypes
import numpy as np

root = sys.argv[1]
sys.path.append(os.path.join(root, "test/Integration/Inputs"))
import module_execution

folder = os.path.join(root, "test/Conversion/PallasToMosaicTPU")
kernels = [("Inputs/" + name, "v5e") for name in (
    "transposed_views", "long_cumsum", "vectors_in_branches", "pipelines", "table_of_bytes", "take_leading", "one_dimension",
    "packed_masks", "extremes_of_repeated")]
# What chips differ in; v5e has no SparseCores.
kernels += [("Inputs/lanes", "v6e"), ("Inputs/lane_counts", "v6e"), ("Inputs/columns", "v4"), ("Inputs/spread_element", "v4")]
kernels += [("Memory/tiles", chip) for chip in ("v5e", "v6e", "tpu7x")]
# Small numbers, which are indices of blocks and counts of iterations, too.
for name, chip in kernels:
  with open(os.path.join(folder, name + ".mlir")) as file:
    module = file.read()
  signature = re.search(r"func.func @\w+\((.*)\) -> (.*) {", module)
  rng = np.random.default_rng(0)
  inputs = [module_execution.random_array(rng, element, [int(size) for size in shape.split("x")[:-1]], 0, 3)
            for shape, element in re.findall(r"tensor<((?:\d+x)+)(\w+)>", signature[1])]
  lowered = subprocess.run(["pallas-opt", "--pallas-to-mosaic-tpu=chip=" + chip, "-"], input=module, capture_output=True, text=True)
  assert lowered.returncode == 0, lowered.stderr
  results = [module_execution.run_module(text, inputs, signature[2].count("tensor<")) for text in (module, lowered.stdout)]
  for pair in zip(*results):
    # Files know no bf16.
    as_it_stands, from_tpu = ((x.view(ml_dtypes.bfloat16) if x.dtype.itemsize == 2 else x).astype(np.float32) for x in pair)
    np.testing.assert_allclose(from_tpu, as_it_stands, rtol=1e-4, atol=1e-4, err_msg=f"{name} on {chip}")
