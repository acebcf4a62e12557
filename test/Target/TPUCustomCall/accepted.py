# REQUIRES: libtpu, pallas-python
# RUN: pallas-translate --to-tpu-custom-call %S/Inputs/accepted.mlir -o %t.mlir
# RUN: %python %s %root %t.mlir

"""The compiler for TPUs takes our calls as they stand, for two generations."""

import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import tpu_compiler

text = open(sys.argv[2]).read()
for topology in ("v5e:2x2", "v6e:2x2"):
  hlo = tpu_compiler.compile_stablehlo(text, topology).hlo_modules()[0].to_string()
  assert 'custom_call_target="tpu_custom_call"' in hlo, hlo
