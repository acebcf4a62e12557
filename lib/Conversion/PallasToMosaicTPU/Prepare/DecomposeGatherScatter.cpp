//===- DecomposeGatherScatter.cpp - Accesses by arrays of indices ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather or scatter becomes operations along one dimension, as Prepare does
// with everything that no later stage has a form for. It runs before outlining,
// while the operands are still tensors of the pallas dialect.
//
//===----------------------------------------------------------------------===//

#include "GatherIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_DECOMPOSEGATHERSCATTER
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether the operation runs on vector subcores, which have instructions for
/// some gathers and scatters.
///
/// Those in kernels of vector subcores stay: the patterns of SparseCores in
/// Body load and store by indices.
static bool isOnVectorSubcore(Operation *op) {
  MeshAttr mesh = getEnclosingMesh(op);
  return mesh && mesh.getKind() == MeshKind::ScVector;
}

namespace {
/// Decomposes all gathers and scatters of kernels. They are collected first: a
/// scatter may put its updates into a loop, which a walk would enter.
struct DecomposeGatherScatterPass
    : pallas::impl::DecomposeGatherScatterBase<DecomposeGatherScatterPass> {
  using DecomposeGatherScatterBase::DecomposeGatherScatterBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<GatherOp, ScatterOp>(op) && !isOnVectorSubcore(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(decompose(op)))
        return signalPassFailure();
  }

private:
  LogicalResult decompose(Operation *op) {
    OpBuilder builder(op);
    auto gather = dyn_cast<GatherOp>(op);
    FailureOr<Value> value =
        gather ? decomposeGather(builder, gather, {tileRows, tileColumns})
               : decomposeScatter(builder, cast<ScatterOp>(op));
    if (failed(value))
      return failure();
    ++(gather ? numGathers : numScatters);
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
    return success();
  }
};
} // namespace
