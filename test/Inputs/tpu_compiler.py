# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The real compiler for TPUs, ahead of time: it needs libtpu and no TPU."""

import pallas_mlir.tuning.libtpu as libtpu

# The release that judges; calls are written for it.
RELEASE = libtpu.release()
compile_stablehlo = libtpu.compile_stablehlo
