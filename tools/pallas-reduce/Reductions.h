//===- Reductions.h - Ways to make a module smaller -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction may break what a module means, and rules of the dialect: modules
// that do not verify are dropped before anybody is asked about them.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_REDUCE_REDUCTIONS_H
#define PALLAS_TOOLS_PALLAS_REDUCE_REDUCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::pallas {

/// One way to make modules smaller, in as many places as they have.
struct Reduction {
  /// For messages.
  StringRef name;
  unsigned (*count)(ModuleOp module);
  /// Changes the places from `begin` to `end`, and returns whether any is
  /// another one now.
  bool (*apply)(ModuleOp module, unsigned begin, unsigned end);
  /// Whether several places may be changed at a time. Those of sizes are
  /// alternatives.
  bool inChunks = true;
};

/// Bodies: operations that become constants or one of their operands, loops
/// that run once, branches that are taken, functions that go.
void addOperationReductions(SmallVectorImpl<Reduction> &reductions);
/// Calls: grids, operands, outputs, and what else they carry.
void addCallReductions(SmallVectorImpl<Reduction> &reductions);
/// Copies and signals that stay here, meshes with fewer axes.
void addDeviceReductions(SmallVectorImpl<Reduction> &reductions);
/// Sizes of arrays, blocks and meshes, and element types.
void addTypeReductions(SmallVectorImpl<Reduction> &reductions);

/// Gives MLIR's reduction tree the patterns of the pallas dialect.
void registerReductionPatterns(DialectRegistry &registry);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_REDUCE_REDUCTIONS_H
