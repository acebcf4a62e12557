//===- PackedElements.cpp - Elements that share a byte --------------------===//
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

namespace {
/// Code for lanes that loads or stores one element of some bits, as the
/// lowering writes it.
struct ElementCode {
  explicit ElementCode(mosaic_gpu::CustomPrimitiveOp op)
      : body(op.getBody().front()), element(op.getResult(0).getType()),
        memref(body.getArgument(0)) {}

  bool isLoad() const;
  bool isStore() const;

private:
  unsigned getBits() const { return element.getIntOrFloatBitWidth(); }
  /// Whether this is the address of the byte, or the first bit in it.
  bool isAddress(Value value) const;
  bool isPlace(Value value) const;
  /// The bits of which the last are the element when shifted, and by how much.
  OperandRange getResultShift() const;

  Block &body;
  Type element;
  Value memref;
};
} // namespace

bool ElementCode::isAddress(Value value) const {
  OperandRange sum =
      operandsOf<arith::AddIOp>(operandOf<arith::IndexCastOp>(value));
  return sum.size() == 2 &&
         operandOf<memref::ExtractAlignedPointerAsIndexOp>(sum[0]) == memref &&
         isNumberOf(
             leftOf<arith::ShRUIOp>(sum[1], llvm::Log2_64(8 / getBits())),
             memref);
}

bool ElementCode::isPlace(Value value) const {
  Value place =
      leftOf<arith::MulIOp>(operandOf<arith::IndexCastOp>(value), getBits());
  return isNumberOf(leftOf<arith::AndIOp>(place, 8 / getBits() - 1), memref);
}

OperandRange ElementCode::getResultShift() const {
  Value own = body.getTerminator()->getOperand(0);
  if (!element.isInteger())
    own = operandOf<arith::BitcastOp>(own);
  return operandsOf<arith::ShRUIOp>(operandOf<arith::TruncIOp>(own));
}

bool ElementCode::isLoad() const {
  OperandRange shift = getResultShift();
  return shift.size() == 2 && shift[0].getType().isInteger(8) &&
         isPlace(shift[1]) &&
         isAddress(
             operandOf<LLVM::IntToPtrOp>(operandOf<LLVM::LoadOp>(shift[0])));
}

/// The operand of an atomic update of a word, or null.
static Value operandOfUpdate(Value before, LLVM::AtomicBinOp kind,
                             Value pointer) {
  auto update =
      before ? before.getDefiningOp<LLVM::AtomicRMWOp>() : LLVM::AtomicRMWOp();
  bool isKnown =
      update && update.getBinOp() == kind && update.getPtr() == pointer;
  return isKnown ? update.getVal() : Value();
}

bool ElementCode::isStore() const {
  auto updates = llvm::to_vector(body.getOps<LLVM::AtomicRMWOp>());
  OperandRange shift = getResultShift();
  if (updates.size() != 2 || shift.size() != 2 ||
      shift[0] != updates[0].getResult())
    return false;
  Value pointer = updates[0].getPtr(), bits = shift[1];
  Value address =
      leftOf<arith::AndIOp>(operandOf<LLVM::IntToPtrOp>(pointer), -4);
  OperandRange sum = operandsOf<arith::AddIOp>(bits);
  if (sum.size() != 2 || !isAddress(address) || !isPlace(sum[1]) ||
      leftOf<arith::AndIOp>(
          operandOf<arith::TruncIOp>(leftOf<arith::MulIOp>(sum[0], 8)), 3) !=
          address)
    return false;
  OperandRange own = operandsOf<arith::ShLIOp>(leftOf<arith::XOrIOp>(
      operandOfUpdate(updates[0], LLVM::AtomicBinOp::_and, pointer), -1));
  OperandRange stored = operandsOf<arith::ShLIOp>(
      operandOfUpdate(updates[1], LLVM::AtomicBinOp::_or, pointer));
  return own.size() == 2 && own[1] == bits &&
         getConstantIntValue(own[0]) == (1 << getBits()) - 1 &&
         stored.size() == 2 && stored[0] == body.getArgument(1) &&
         stored[1] == bits;
}

/// Whether code for lanes gets one packed element, and `scalars` more.
static bool takesElement(mosaic_gpu::CustomPrimitiveOp op, unsigned scalars) {
  if (op->getNumOperands() != 1 + scalars || op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<MemRefType>(op->getOperand(0).getType());
  Type element = op->getResultTypes()[0];
  return type && type.getRank() == 0 && type.getElementType() == element &&
         element.isIntOrFloat() && 8 % element.getIntOrFloatBitWidth() == 0;
}

/// The word holds the bits of the element, and zeros.
static void raiseStore(OpBuilder &b, mosaic_gpu::CustomPrimitiveOp op) {
  Type element = op->getResultTypes()[0];
  Value own = arith::TruncIOp::create(
      b, op.getLoc(), b.getIntegerType(element.getIntOrFloatBitWidth()),
      op->getOperand(1));
  if (!element.isInteger())
    own = arith::BitcastOp::create(b, op.getLoc(), element, own);
  memref::StoreOp::create(b, op.getLoc(), own, op->getOperand(0));
}

void mlir::pallas::raisePackedElements(Block &block) {
  SmallVector<mosaic_gpu::CustomPrimitiveOp> codes;
  block.walk([&](mosaic_gpu::CustomPrimitiveOp op) { codes.push_back(op); });
  for (mosaic_gpu::CustomPrimitiveOp op : codes) {
    OpBuilder b(op);
    if (takesElement(op, 0) && ElementCode(op).isLoad())
      op.getResult(0).replaceAllUsesWith(
          memref::LoadOp::create(b, op.getLoc(), op->getOperand(0)));
    else if (takesElement(op, 1) && op->use_empty() &&
             ElementCode(op).isStore())
      raiseStore(b, op);
    else
      continue;
    op.erase();
  }
}
