//===- Edges.h - Marks of windows at the ends of arrays ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_EDGES_H
#define PALLAS_SUPPORT_EDGES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::pallas {

/// The attribute of branches that yield a part of an array or a copy, "input"
/// or "output". Elements of the copy beyond the array have no defined value.
/// For example, the window of an input:
///
///   %window = scf.if %isInside -> (tensor<8xf32>) {...} else {...}
///       {pallas.edge = "input"}
inline constexpr llvm::StringLiteral kEdgeAttrName = "pallas.edge";

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_EDGES_H
