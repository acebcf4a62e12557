# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's Python bindings, which come with jaxlib: the op builders of `pallas_mlir.dialects` create operations of these.

A second copy of MLIR in the process would meet jaxlib's, so there is none.
"""
from jaxlib.mlir.ir import *
