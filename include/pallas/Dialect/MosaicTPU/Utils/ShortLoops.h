//===- ShortLoops.h - Which iterations are scheduled together ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_SHORTLOOPS_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_SHORTLOOPS_H

#include <cstdint>

namespace mlir::tpu {

/// The most iterations of a long loop that become one.
inline constexpr int64_t kMaxJoinedIterations = 8;

/// Of a loop that runs `count` times over `size` operations, how many
/// iterations `tpu-unroll-short-loops` makes one of: all, a divisor of their
/// number, or 1.
inline int64_t getNumUnrolled(int64_t size, int64_t count) {
  constexpr int64_t kMaxUnrolledOperations = 1024;
  constexpr int64_t kMaxUnrolledIterations = 16;
  constexpr int64_t kMaxJoinedOperations = 256;
  if (count <= kMaxUnrolledIterations && size * count <= kMaxUnrolledOperations)
    return count;
  // The largest divisor that keeps the body short: no iteration is left over.
  for (int64_t joined = kMaxJoinedIterations; joined > 1; --joined)
    if (count % joined == 0 && size * joined <= kMaxJoinedOperations)
      return joined;
  return 1;
}

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_SHORTLOOPS_H
