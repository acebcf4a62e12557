//===- AliasedRefs.h - Refs of one array on meshes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_ALIASEDREFS_H
#define PALLAS_DIALECT_PALLAS_IR_ALIASEDREFS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Makes all kernels use the output's ref for an input that is aliased to it:
/// on meshes both are the array itself.
void joinAliasedRefs(MpmdMapOp map);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_ALIASEDREFS_H
