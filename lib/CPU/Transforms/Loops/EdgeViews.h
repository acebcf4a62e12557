//===- EdgeViews.h - Windows of partial blocks -----------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_EDGEVIEWS_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_EDGEVIEWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace mlir::pallas::cpu {

/// A window that is a part of an array if the block is inside of it, and a copy
/// otherwise. Elements of the copy beyond the array are undefined.
struct EdgeView {
  scf::IfOp branches;
  /// The part of the array, if the block lies inside.
  memref::SubViewOp inside;
  /// How much of each dimension of the window the array has.
  SmallVector<OpFoldResult> sizes;
  /// The branch that copies the window back, if it is an output.
  scf::IfOp writeBack;
};

/// The window of an input.
std::optional<EdgeView> getInputEdge(Value memory);

/// The window of an output.
std::optional<EdgeView> getOutputEdge(Value memory);

/// Whether the values are defined in a region around `op`.
bool areKnownAt(ArrayRef<OpFoldResult> values, Operation *op);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_EDGEVIEWS_H
