//===- RootRefs.h - The refs that others are views of -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_ROOTREFS_H
#define PALLAS_DIALECT_PALLAS_UTILS_ROOTREFS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <string>

namespace mlir::pallas {

/// The memory that a ref is a view of: a kernel argument, a scoped ref, ...
Value getRootRef(Value ref);

/// The view of a ref by index arrays that this one is; null for other refs.
SliceRefOp getGather(Value ref);

/// Name of a ref in messages: its role in the call that declares it, and the
/// name that the operand has in the source.
std::string describeRef(Value ref);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_ROOTREFS_H
