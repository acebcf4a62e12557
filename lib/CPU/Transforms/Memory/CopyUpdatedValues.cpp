//===- CopyUpdatedValues.cpp - Copies of updated memory -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-copy-updated-values. An insertion into what
// memory holds changes a copy of it. As an operation, the copy can be made
// where the whole is stored.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUCOPYUPDATEDVALUES
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Values whose memory is writable are changed in place, so they stay.
///
///   %x = bufferization.to_tensor %memory
///   %y = tensor.insert_slice %row into %x[%i, 0] [1, 8] [1, 1]
///       : tensor<1x8xf32> into tensor<4x8xf32>
///
/// becomes
///
///   %x = bufferization.to_tensor %memory
///   %0 = linalg.generic ins(%x) outs(%empty) { linalg.yield %in }
///   %y = tensor.insert_slice %row into %0[%i, 0] [1, 8] [1, 1]
///       : tensor<1x8xf32> into tensor<4x8xf32>
static LogicalResult copyUpdatedValues(RewriterBase &rewriter,
                                       Operation *root) {
  SmallVector<tensor::InsertSliceOp> ops;
  root->walk([&](tensor::InsertSliceOp op) {
    auto read = op.getDest().getDefiningOp<bufferization::ToTensorOp>();
    if (read && !read.getWritable() && op.getResultType().hasStaticShape())
      ops.push_back(op);
  });
  for (tensor::InsertSliceOp op : ops) {
    rewriter.setInsertionPoint(op);
    RankedTensorType type = op.getResultType();
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    auto copy =
        linalg::CopyOp::create(rewriter, op.getLoc(), op.getDest(), empty);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, copy);
    if (failed(generic))
      return failure();
    op.getDestMutable().assign(generic->getResult(0));
  }
  return success();
}

namespace {
struct CopyUpdatedValues
    : public pallas::impl::PallasCPUCopyUpdatedValuesBase<CopyUpdatedValues> {
  using PallasCPUCopyUpdatedValuesBase::PallasCPUCopyUpdatedValuesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(copyUpdatedValues(rewriter, getOperation())))
      signalPassFailure();
  }
};
} // namespace
