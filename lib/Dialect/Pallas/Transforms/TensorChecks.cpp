//===- TensorChecks.cpp - Accesses of tensors by index --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file checks accesses of tensors by index. In the tensor dialect an
// index out of bounds is undefined. Such indices of refs are clamped, and
// checked code reports them; accesses of tensors in the input are checked here.
//
//===----------------------------------------------------------------------===//

#include "TensorChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The bounds that an operation has to keep.
class BoundsCheck {
public:
  BoundsCheck(Operation *op, Value tensor)
      : op(op), tensor(tensor), b(op), loc(op->getLoc()) {}

  /// `length` elements from `start` on lie in dimension `dim`.
  void require(unsigned dim, OpFoldResult start, OpFoldResult length,
               OpFoldResult stride);
  /// Emits the check; from then on these operands are 0 where it fails.
  void emit(MutableOperandRange operands);

private:
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  void add(Value condition) {
    inside =
        inside ? arith::AndIOp::create(b, loc, inside, condition) : condition;
  }

  Operation *op;
  Value tensor;
  OpBuilder b;
  Location loc;
  Value inside;
};
} // namespace

/// A slice fits if its start is in bounds and `length` steps remain:
///
///   %room = arith.subi %size, %start : index
///   %steps = arith.ceildivsi %room, %stride : index
///   %fits = arith.cmpi sle, %length, %steps : index
void BoundsCheck::require(unsigned dim, OpFoldResult start, OpFoldResult length,
                          OpFoldResult stride) {
  OpFoldResult size = tensor::getMixedSize(b, loc, tensor, dim);
  if (llvm::all_of(ArrayRef{start, length, stride, size},
                   [](OpFoldResult value) { return isa<Attribute>(value); }))
    return;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value first = toValue(start), count = toValue(length);
  add(compare(arith::CmpIPredicate::sge, first, zero));
  add(compare(arith::CmpIPredicate::sge, count, zero));
  // Only differences are computed: `start + length` could overflow.
  Value room = arith::SubIOp::create(b, loc, toValue(size), first);
  Value steps = arith::CeilDivSIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, room, zero),
      arith::MaxSIOp::create(b, loc, toValue(stride), one));
  add(compare(arith::CmpIPredicate::sle, count, steps));
}

///   %x = tensor.extract %t[%i] : tensor<8xf32>
///
/// becomes
///
///   pallas.check_tensor_bounds %inside by "tensor.extract"
///   %safe = arith.select %inside, %i, %c0 : index
///   %x = tensor.extract %t[%safe] : tensor<8xf32>
///
/// The select is needed since checked code goes on after a finding.
void BoundsCheck::emit(MutableOperandRange operands) {
  if (!inside)
    return;
  CheckTensorBoundsOp::create(b, loc, inside, op->getName().getStringRef());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (OpOperand &operand : operands)
    operand.set(arith::SelectOp::create(b, loc, inside, operand.get(), zero));
}

/// Elements that `indices` name.
static void checkElement(Operation *op, Value tensor,
                         MutableOperandRange indices) {
  BoundsCheck check(op, tensor);
  Builder b(op->getContext());
  for (auto [d, index] : llvm::enumerate(indices))
    check.require(d, getAsOpFoldResult(index.get()), b.getIndexAttr(1),
                  b.getIndexAttr(1));
  check.emit(indices);
}

/// The slice of `tensor` that the offsets, sizes and strides of `op` name.
static void checkSlice(OffsetSizeAndStrideOpInterface op, Value tensor,
                       MutableOperandRange offsets) {
  BoundsCheck check(op, tensor);
  for (auto [d, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()))
    check.require(d, offset, size, stride);
  check.emit(offsets);
}

/// Collects the accesses first, as the checks add operations. Bodies of linalg
/// operations index by their own dimensions, which are in bounds.
void pallas::checkTensorAccesses(func::FuncOp func) {
  SmallVector<Operation *> accesses;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    if (isa<tensor::ExtractOp, tensor::InsertOp, tensor::ExtractSliceOp,
            tensor::InsertSliceOp>(op))
      accesses.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : accesses) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      checkElement(op, extract.getTensor(), extract.getIndicesMutable());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      checkElement(op, insert.getDest(), insert.getIndicesMutable());
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      checkSlice(slice, slice.getSource(), slice.getOffsetsMutable());
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      checkSlice(slice, slice.getDest(), slice.getOffsetsMutable());
  }
}
