# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generated builders import from the package that they are in."""
from jaxlib.mlir.dialects._ods_common import *
from jaxlib.mlir.dialects import _ods_common as _jaxlib

_cext = _jaxlib._cext
