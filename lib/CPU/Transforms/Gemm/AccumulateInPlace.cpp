//===- AccumulateInPlace.cpp - Sums where they are copied to --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-accumulate-in-place. Sums that are filled,
// added up and copied are made where they are copied to:
//   %acc = memref.alloc() : memref<128x128xf32>
//   linalg.fill ins(%zero : f32) outs(%acc : memref<128x128xf32>)
//   linalg.matmul ins(%a, %b) outs(%acc)
//   memref.copy %acc, %out : memref<128x128xf32> to memref<128x128xf32>
// becomes
//   linalg.fill ins(%zero : f32) outs(%out : memref<128x128xf32>)
//   linalg.matmul ins(%a, %b) outs(%out)
//
//===----------------------------------------------------------------------===//

#include "../Loops/LoopGroups.h"
#include "Gemm.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUACCUMULATEINPLACE
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether tiles see their sums once. Sums that they see again had better lie
/// close together.
static bool takesOnePass(linalg::LinalgOp product) {
  int64_t steps = 1;
  for (auto [size, kind] : llvm::zip_equal(product.getStaticLoopRanges(),
                                           product.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      steps *= size;
  int64_t bits = getElementTypeOrSelf(product.getDpsInputs()[1].getType())
                     .getIntOrFloatBitWidth();
  return steps * bits <= 32 * cpu::stepsPerPass;
}

static void accumulateInPlace(RewriterBase &rewriter, memref::CopyOp copy) {
  auto sums = copy.getSource().getDefiningOp<memref::AllocOp>();
  auto product =
      dyn_cast_or_null<linalg::LinalgOp>(cpu::getPreviousEffect(copy));
  if (!sums || !product || !cpu::isContraction(product) ||
      product.getDpsInits()[0] != sums.getResult())
    return;
  auto fill = dyn_cast_or_null<linalg::FillOp>(cpu::getPreviousEffect(product));
  auto type = cast<MemRefType>(copy.getTarget().getType());
  Value root = cpu::getRootMemory(copy.getTarget());
  if (!fill || fill.getDpsInits()[0] != sums.getResult() ||
      !sums.getResult().hasNUses(3) || !takesOnePass(product) || !root ||
      !type.isLastDimUnitStride())
    return;
  for (Value input : product.getDpsInputs()) {
    Value inputRoot = cpu::getRootMemory(input);
    if (!inputRoot || inputRoot == root)
      return;
  }
  rewriter.moveOpBefore(fill, copy);
  rewriter.moveOpBefore(product, copy);
  rewriter.replaceAllUsesWith(sums.getResult(), copy.getTarget());
  rewriter.eraseOp(copy);
  rewriter.eraseOp(sums);
}

namespace {
struct AccumulateInPlace
    : public pallas::impl::PallasCPUAccumulateInPlaceBase<AccumulateInPlace> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      accumulateInPlace(rewriter, copy);
  }
};
} // namespace
