//===- BlockPairs.cpp - Work of two blocks of a cluster -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// PTX calls these `.cta_group::2`: two blocks of a cluster compute one
/// product, and the copies and commits around it concern both.
bool mlir::pallas::isOfBlockPair(Operation *op) {
  if (auto copy = dyn_cast<CopyGmemToSmemOp>(op))
    return copy.getLeaderTracked() || copy.getPartitionedDim();
  if (auto product = dyn_cast<Tcgen05MMAOp>(op))
    return product.getCollectiveAxis().has_value();
  if (auto copy = dyn_cast<AsyncCopyToTmemOp>(op))
    return copy.getCollectiveAxis().has_value();
  auto commit = dyn_cast<Tcgen05CommitOp>(op);
  return commit && commit.getCollectiveAxis();
}
