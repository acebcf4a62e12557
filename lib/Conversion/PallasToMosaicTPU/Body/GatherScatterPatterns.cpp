//===- GatherScatterPatterns.cpp - Accesses by arrays of indices ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of vector subcores keep their gathers and scatters, since some of
// these are instructions there. The others are decomposed here; the driver
// converts the operations that they become in turn.
//
//===----------------------------------------------------------------------===//

#include "../Prepare/GatherIndices.h"
#include "Patterns.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// A gather within a kernel that was outlined without the pass
/// pallas-decompose-gather-scatter, or on a vector subcore without an
/// instruction for it.
struct ConvertGather : TPUPattern<GatherOp> {
  using TPUPattern::TPUPattern;
  Results convert(GatherOp op, Adaptor, Emitter &emit) const override {
    const tpu::TPUChip &chip = emit.getChip();
    FailureOr<Value> result =
        decomposeGather(emit.getBuilder(), op, {chip.sublanes, chip.lanes});
    if (failed(result))
      return failure();
    return one(*result);
  }
};

/// The same for a scatter.
struct ConvertScatter : TPUPattern<ScatterOp> {
  using TPUPattern::TPUPattern;
  Results convert(ScatterOp op, Adaptor, Emitter &emit) const override {
    FailureOr<Value> result = decomposeScatter(emit.getBuilder(), op);
    if (failed(result))
      return failure();
    return one(*result);
  }
};

} // namespace

void mlir::pallas::populateGatherScatterPatterns(const TPUTypeConverter &types,
                                                 TPUPatternSet &patterns) {
  addTPUPatterns<ConvertGather, ConvertScatter>(types, patterns);
}
