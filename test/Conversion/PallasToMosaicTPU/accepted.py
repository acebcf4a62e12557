# REQUIRES: libtpu
# RUN: %python %s %root

"""The compiler for TPUs takes kernels of the corpus as we lower them, for two generations."""

import os
import subprocess
import sys

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import tpu_compiler

kernels = os.path.join(root, "test", "Dialect", "Pallas", "IR", "kernels")
for chip in ("v5e", "v6e"):
    for kernel in ("matmul", "prefetch_gather", "softmax", "gmm"):
        path = os.path.join(kernels, kernel + ".mlir")
        text = subprocess.run(
            ["pallas-translate", "--to-tpu-custom-call", "--chip", chip, path],
            check=True, capture_output=True, text=True).stdout
        hlo = tpu_compiler.compile_stablehlo(text, chip + ":2x2").hlo_modules()[0].to_string()
        assert 'custom_call_target="tpu_custom_call"' in hlo, (chip, kernel)
