//===- PackedLoads.cpp - Loads of elements that share a byte --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::pallas;

/// Operands of an operation of this kind; empty for others.
template <typename OpTy> static OperandRange operandsOf(Value value) {
  auto op = value ? value.getDefiningOp<OpTy>() : OpTy();
  return op ? op->getOperands() : OperandRange(nullptr, 0);
}

template <typename OpTy> static Value operandOf(Value value) {
  OperandRange operands = operandsOf<OpTy>(value);
  return operands.size() == 1 ? operands[0] : Value();
}

/// The left operand of an operation whose right one is this number.
template <typename OpTy> static Value leftOf(Value value, int64_t right) {
  OperandRange operands = operandsOf<OpTy>(value);
  bool isKnown =
      operands.size() == 2 && getConstantIntValue(operands[1]) == right;
  return isKnown ? operands[0] : Value();
}

/// Whether a value is the number of the element that `memref` means, counted
/// from the start of its memory.
static bool isNumberOf(Value value, Value memref) {
  auto data = value ? value.getDefiningOp<memref::ExtractStridedMetadataOp>()
                    : memref::ExtractStridedMetadataOp();
  return data && value == data.getOffset() && data.getSource() == memref;
}

/// Whether code for lanes does nothing but to take one element out of its byte,
/// as the lowering writes it.
static bool loadsPackedElement(mosaic_gpu::CustomPrimitiveOp op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Block &body = op.getBody().front();
  Value memref = body.getArgument(0);
  auto type = dyn_cast<MemRefType>(memref.getType());
  Type element = op->getResultTypes()[0];
  if (!type || type.getRank() != 0 || type.getElementType() != element ||
      !element.isIntOrFloat() || 8 % element.getIntOrFloatBitWidth() != 0)
    return false;
  int64_t bits = element.getIntOrFloatBitWidth(), perByte = 8 / bits;
  Value own = body.getTerminator()->getOperand(0);
  if (!element.isInteger())
    own = operandOf<arith::BitcastOp>(own);
  OperandRange shift =
      operandsOf<arith::ShRUIOp>(operandOf<arith::TruncIOp>(own));
  if (shift.size() != 2)
    return false;
  Value place =
      leftOf<arith::MulIOp>(operandOf<arith::IndexCastOp>(shift[1]), bits);
  Value pointer = operandOf<LLVM::LoadOp>(shift[0]);
  OperandRange sum = operandsOf<arith::AddIOp>(
      operandOf<arith::IndexCastOp>(operandOf<LLVM::IntToPtrOp>(pointer)));
  return sum.size() == 2 && shift[0].getType().isInteger(8) &&
         operandOf<memref::ExtractAlignedPointerAsIndexOp>(sum[0]) == memref &&
         isNumberOf(leftOf<arith::ShRUIOp>(sum[1], llvm::Log2_64(perByte)),
                    memref) &&
         isNumberOf(leftOf<arith::AndIOp>(place, perByte - 1), memref);
}

void mlir::pallas::raisePackedLoads(Block &block) {
  SmallVector<mosaic_gpu::CustomPrimitiveOp> loads;
  block.walk([&](mosaic_gpu::CustomPrimitiveOp op) {
    if (loadsPackedElement(op))
      loads.push_back(op);
  });
  for (mosaic_gpu::CustomPrimitiveOp op : loads) {
    OpBuilder b(op);
    op.getResult(0).replaceAllUsesWith(
        memref::LoadOp::create(b, op.getLoc(), op->getOperand(0)));
    op.erase();
  }
}
