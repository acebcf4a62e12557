//===- GridAttributes.h - What calls may be asked to do ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_GRIDATTRIBUTES_H
#define PALLAS_DIALECT_PALLAS_IR_GRIDATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::pallas {

/// Attribute of pallas_call: into how many parts `pallas-coarsen-grid` splits
/// the block of its first result, along each dimension.
inline constexpr llvm::StringLiteral kSplitAttrName = "pallas.split";

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_GRIDATTRIBUTES_H
