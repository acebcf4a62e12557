//===- CheckTarget.h - Modules that a chip cannot compile -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKTARGET_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKTARGET_H

#include "../Memory/TargetUtils.h"
#include "llvm/Support/JSON.h"

namespace mlir::pallas {

/// Reports everything that the chip cannot compile, and the memory of each
/// call, as remarks and in `calls`.
LogicalResult checkTPUTarget(ModuleOp module, const TPUChip &chip,
                             llvm::json::Array &calls);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKTARGET_H
