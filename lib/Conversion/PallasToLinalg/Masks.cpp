//===- Masks.cpp - Counting the elements of masks -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers operations of SparseCores that count elements of masks. They
// are loops that carry scalars, as each step depends on the one before.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Tensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::linalgconv;

/// The elements in their order, along one dimension.
static Value flatten(OpBuilder &builder, Location loc, Value tensor) {
  int64_t size = getTensorType(tensor).getNumElements();
  return reshape(builder, loc, tensor, {size});
}

namespace {
/// Converts `pallas.mask_reduce`. Counting the elements that are set:
///
///   %n = scf.for %i = %c0 to %c16 step %c1
///       iter_args(%count = %c0_i32) -> (i32) {
///     %bit = tensor.extract %mask[%i] : tensor<16xi1>
///     %one = arith.extui %bit : i1 to i32
///     %next = arith.addi %count, %one : i32
///     scf.yield %next : i32
///   }
///
/// The other kind finds the first one that is set, or the size if none is.
struct ConvertMaskReduce : public OpRewritePattern<MaskReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaskReduceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value mask = flatten(rewriter, loc, op.getMask());
    int64_t size = getTensorType(mask).getNumElements();
    bool counts = op.getKind() == MaskReduction::Count;
    Value start = arith::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(counts ? 0 : size));
    auto step = [&](OpBuilder &builder, Location, ValueRange ivs,
                    ValueRange carried) -> SmallVector<Value> {
      Type i32 = builder.getI32Type();
      Value bit = tensor::ExtractOp::create(builder, loc, mask, ivs);
      if (counts) {
        Value one = arith::ExtUIOp::create(builder, loc, i32, bit);
        return {arith::AddIOp::create(builder, loc, carried[0], one)};
      }
      Value at = arith::IndexCastOp::create(builder, loc, i32, ivs[0]);
      Value first = arith::MinSIOp::create(builder, loc, carried[0], at);
      return {arith::SelectOp::create(builder, loc, bit, first, carried[0])};
    };
    rewriter.replaceOp(op,
                       createLoops(rewriter, loc, {size}, {start}, step)[0]);
    return success();
  }
};

/// Converts `pallas.scan_count`, which numbers equal elements and marks the
/// last of them. It compares each element with all others, of which a vector
/// register of a SparseCore holds 8 or 16.
struct ConvertScanCount : public OpRewritePattern<ScanCountOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanCountOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = getTensorType(op.getInput()).getShape();
    Value input = flatten(rewriter, loc, op.getInput());
    Value mask = flatten(rewriter, loc, op.getMask());
    int64_t size = getTensorType(input).getNumElements();
    Value outputs[] = {
        createEmpty(rewriter, loc, {size}, rewriter.getI32Type()),
        createEmpty(rewriter, loc, {size}, rewriter.getI1Type())};
    SmallVector<Value> results = createLoops(
        rewriter, loc, {size}, outputs,
        [&](OpBuilder &outer, Location, ValueRange ivs, ValueRange carried) {
          auto [count, isLast] =
              compareWithAll(outer, loc, input, mask, ivs[0]);
          return SmallVector<Value>{
              tensor::InsertOp::create(outer, loc, count, carried[0], ivs),
              tensor::InsertOp::create(outer, loc, isLast, carried[1], ivs)};
        });
    rewriter.replaceOp(op, {reshape(rewriter, loc, results[0], shape),
                            reshape(rewriter, loc, results[1], shape)});
    return success();
  }

private:
  /// How many elements up to `place` equal the one there, and whether none
  /// after it does.
  static std::pair<Value, Value> compareWithAll(OpBuilder &builder,
                                                Location loc, Value input,
                                                Value mask, Value place) {
    Value value = tensor::ExtractOp::create(builder, loc, input, place);
    Value counts = tensor::ExtractOp::create(builder, loc, mask, place);
    Value zero = createZero(builder, loc, builder.getI32Type());
    SmallVector<Value> found = createLoops(
        builder, loc, getTensorType(input).getShape(), {zero, counts},
        [&](OpBuilder &inner, Location, ValueRange ivs, ValueRange carried) {
          Value other = tensor::ExtractOp::create(inner, loc, input, ivs);
          Value matches = arith::AndIOp::create(
              inner, loc, isEqual(inner, loc, value, other),
              tensor::ExtractOp::create(inner, loc, mask, ivs));
          matches = arith::AndIOp::create(inner, loc, matches, counts);
          Value isAfter = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::ugt, ivs[0], place);
          Value next = arith::AddIOp::create(
              inner, loc, carried[0],
              arith::ExtUIOp::create(inner, loc, inner.getI32Type(), matches));
          Value seen =
              arith::SelectOp::create(inner, loc, isAfter, carried[0], next);
          Value no = createZero(inner, loc, inner.getI1Type());
          Value repeats = arith::AndIOp::create(inner, loc, isAfter, matches);
          Value isLast =
              arith::SelectOp::create(inner, loc, repeats, no, carried[1]);
          return SmallVector<Value>{seen, isLast};
        });
    return {found[0], found[1]};
  }

  /// NaN equals nothing, not even itself.
  static Value isEqual(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
    if (isa<FloatType>(lhs.getType()))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, lhs,
                                   rhs);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lhs,
                                 rhs);
  }
};
} // namespace

void linalgconv::populateMaskPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertMaskReduce, ConvertScanCount>(patterns.getContext());
}
