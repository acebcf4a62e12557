//===- CheckMeshes.h - Whether a chip has the cores of a kernel -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKMESHES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKMESHES_H

#include "../Memory/TargetUtils.h"

namespace mlir::pallas {

/// Whether the chip has the SparseCores that kernels in `root` run on.
LogicalResult checkTPUMeshes(Operation *root, const TPUChip &chip);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_PLAN_CHECKMESHES_H
