//===- SparseCoreMemory.h - Memory of SparseCores ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_SPARSECOREMEMORY_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_SPARSECOREMEMORY_H

#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"

namespace mlir::tpu {

/// Bytes of VMEM that each vector subcore has to itself; 0 on chips without
/// SparseCores.
int64_t getSubcoreVmemBytes(const TPUChip &chip);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_SPARSECOREMEMORY_H
