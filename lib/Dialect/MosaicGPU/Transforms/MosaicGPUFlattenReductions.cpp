//===- MosaicGPUFlattenReductions.cpp - Reductions of all dimensions ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of a product is reduced to a scalar one dimension after the other,
// as it has no layout as a vector of one dimension. Where lanes hold the
// elements in turn, one reduction takes them all: it exchanges once, and needs
// no layout that has dimensions.
//   %r = vector.multi_reduction <add>, %v, %zero [0]
//     : vector<128x64xf32> to vector<64xf32>
//   %s = vector.reduction <add>, %r : vector<64xf32> into f32
// -->
//   %r = vector.shape_cast %v : vector<128x64xf32> to vector<8192xf32>
//   %s = vector.reduction <add>, %r : vector<8192xf32> into f32
//
//===----------------------------------------------------------------------===//

#include "VectorGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUFLATTENREDUCTIONS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

static bool isNeutral(vector::CombiningKind kind, const APFloat &value) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return value.isZero();
  case vector::CombiningKind::MAXIMUMF:
    return value.isInfinity() && value.isNegative();
  case vector::CombiningKind::MINIMUMF:
    return value.isInfinity() && !value.isNegative();
  default:
    return false;
  }
}

static bool isNeutral(vector::CombiningKind kind, const APInt &value) {
  switch (kind) {
  case vector::CombiningKind::ADD:
  case vector::CombiningKind::MAXUI:
    return value.isZero();
  case vector::CombiningKind::MAXSI:
    return value.isMinSignedValue();
  case vector::CombiningKind::MINSI:
    return value.isMaxSignedValue();
  case vector::CombiningKind::MINUI:
    return value.isAllOnes();
  default:
    return false;
  }
}

/// Whether the reduction starts from what leaves its result as it is.
static bool startsNeutral(vector::MultiDimReductionOp op) {
  APInt integer;
  if (matchPattern(op.getAcc(), m_ConstantInt(&integer)))
    return isNeutral(op.getKind(), integer);
  APFloat number(0.0f);
  return matchPattern(op.getAcc(), m_ConstantFloat(&number)) &&
         isNeutral(op.getKind(), number);
}

namespace {
struct Chain {
  vector::ReductionOp last;
  SmallVector<Operation *> others;
  Value source;
};
} // namespace

/// The reductions of single dimensions that end in one to a scalar.
static std::optional<Chain> findChain(vector::ReductionOp last) {
  Chain chain{last, {}, last.getVector()};
  if (last.getAcc())
    return std::nullopt;
  while (auto op = chain.source.getDefiningOp<vector::MultiDimReductionOp>()) {
    if (op.getKind() != last.getKind() || !op->hasOneUse() ||
        !startsNeutral(op))
      return std::nullopt;
    chain.others.push_back(op);
    chain.source = op.getSource();
  }
  if (chain.others.empty())
    return std::nullopt;
  return chain;
}

/// All dimensions are reduced in one step:
///
///   %flat = vector.shape_cast %x : vector<8x64xf32> to vector<512xf32>
///   %sum = vector.reduction <add>, %flat : vector<512xf32> into f32
static void flatten(Chain &chain) {
  VectorType type = getVectorType(chain.source);
  OpBuilder b(chain.last);
  Value flat = vector::ShapeCastOp::create(
      b, chain.last.getLoc(),
      VectorType::get(type.getNumElements(), type.getElementType()),
      chain.source);
  chain.last.getVectorMutable().assign(flat);
  for (Operation *op : chain.others)
    op->erase();
}

namespace {
struct FlattenReductions
    : mlir::mosaic_gpu::impl::MosaicGPUFlattenReductionsBase<
          FlattenReductions> {
  void runOnOperation() override {
    SmallVector<Chain> chains;
    getOperation()->walk([&](vector::ReductionOp op) {
      if (std::optional<Chain> chain = findChain(op))
        chains.push_back(std::move(*chain));
    });
    if (chains.empty())
      return;
    // Layouts of vectors as they would be without these reductions.
    Grouper grouper;
    for (const Chain &chain : chains)
      for (Operation *op : chain.others)
        grouper.ignore(op);
    grouper.run(getOperation());
    DenseSet<Value> isFlat;
    for (const Group &group : grouper.takeGroups())
      if (!group.isSettled && canInfer(group) && !hasTransforms(group))
        isFlat.insert_range(group.members);
    for (Chain &chain : chains)
      if (isFlat.contains(chain.source))
        flatten(chain);
  }
};
} // namespace
