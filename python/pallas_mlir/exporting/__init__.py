# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From jaxprs to operations of the pallas dialect."""
