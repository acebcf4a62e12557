# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Op builders that mlir-tblgen writes from the .td files of a dialect."""
