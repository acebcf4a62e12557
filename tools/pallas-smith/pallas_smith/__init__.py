# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random Pallas kernels by number: what all fuzzers of this project draw."""
