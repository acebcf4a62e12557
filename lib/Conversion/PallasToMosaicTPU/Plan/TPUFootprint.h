//===- TPUFootprint.h - Memory that calls take on a chip --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_TPUFOOTPRINT_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_TPUFOOTPRINT_H

#include "WindowPlan.h"
#include "pallas/Dialect/Pallas/Analysis/MemoryFootprint.h"

namespace mlir::pallas {

/// The memory of a call with all tiles filled up, and what it adds up to.
struct TPUFootprint {
  MemoryFootprint memory;
  int64_t vmemBytes = 0;
  int64_t smemBytes = 0;
  /// Bytes of the largest value.
  int64_t valueBytes = 0;
};

/// A window is as large as its plan makes it on the host.
TPUFootprint computeTPUFootprint(PallasCallOp op, ArrayRef<WindowPlan> plans,
                                 const TPUChip &chip);

/// Reports by how much the call is too large for the chip, and why.
LogicalResult checkTPUFootprint(PallasCallOp op, const TPUFootprint &footprint,
                                const TPUChip &chip);

/// Leaves one buffer to windows without a pipeline mode, the largest first,
/// where two and the values that don't fit registers need more than the chip
/// has.
void dropBuffers(PallasCallOp op, MutableArrayRef<WindowPlan> plans,
                 TPUFootprint &footprint, const TPUChip &chip);

/// VMEM to ask the compiler for; nothing when the default of each kernel is
/// enough.
std::optional<int64_t> getVmemLimit(const TPUFootprint &footprint,
                                    const TPUChip &chip);

/// Whether a kernel fits the memory that the compiler gives to each kernel.
bool fitsByItself(const TPUFootprint &footprint, const TPUChip &chip);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_TPUFOOTPRINT_H
