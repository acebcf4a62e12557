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

struct ConvertGather : TPUPattern<GatherOp> {
  using TPUPattern::TPUPattern;
  Results convert(GatherOp op, Adaptor, Emitter &emit) const override {
    FailureOr<Value> result = decomposeGather(emit.getBuilder(), op);
    if (failed(result))
      return failure();
    return one(*result);
  }
};

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
