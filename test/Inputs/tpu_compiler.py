# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The real compiler for TPUs, ahead of time: it needs libtpu and no TPU.

  tpu_compiler.py [TOPOLOGY] FILE    ends with status 1 if it refuses the module, and tells why
"""

import pathlib
import sys

import pallas_mlir.tuning.libtpu as libtpu

# The release that judges; calls are written for it.
RELEASE = libtpu.release()
compile_stablehlo = libtpu.compile_stablehlo


if __name__ == "__main__":
  try:
    compile_stablehlo(pathlib.Path(sys.argv[-1]).read_text(), sys.argv[1] if len(sys.argv) > 2 else "v5e:2x2")
  except Exception as error:
    sys.exit(str(error))
