//===- SplitSearch.h - Blocks that are too large for VMEM -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_SPLITSEARCH_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_SPLITSEARCH_H

#include "../Memory/TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Into how many parts the block of the first result falls along a dimension,
/// and the VMEM of the call without and with that.
struct SplitChoice {
  unsigned dim = 0;
  int64_t numParts = 1;
  int64_t vmemBefore = 0, vmemBytes = 0;
};

/// Chooses parts for a call that the chip has too little VMEM for; nothing
/// where the call fits, or no parts do. Of several, the one with the fewest
/// predicted cycles is taken.
std::optional<SplitChoice> chooseSplit(PallasCallOp call, const TPUChip &chip,
                                       const tpu::CostTable &table);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_SPLITSEARCH_H
