//===- CallArrays.cpp - Memory of operands and results --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the memory of values that the loops of a call work on.
//
//===----------------------------------------------------------------------===//

#include "WindowLowering.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::pallas;

///   %r = pallas.operand_ref "input 0" %x
///       : tensor<8xf32> -> !pallas.ref<8xf32, any>
///
/// becomes
///
///   %memory = bufferization.to_buffer %x read_only : tensor<8xf32> to ...
LogicalResult WindowLowering::lower(OperandRefOp op) {
  FailureOr<Value> buffer = b.getBuffer(op, op.getOperand());
  if (failed(buffer))
    return failure();
  memory[op.getRef()] = *buffer;
  return success();
}

/// An aliased output does not reuse the memory of its operand here. The value
/// may have other users:
///
///   %memory = memref.alloc() : memref<8xf32>
///   memref.copy %operand, %memory : memref<8xf32> to memref<8xf32>
LogicalResult WindowLowering::lower(ResultRefOp op) {
  RefType type = op.getRef().getType();
  FailureOr<Value> array = b.allocateResult(
      op, RankedTensorType::get(type.getShape(), type.getElementType()));
  if (failed(array))
    return failure();
  memory[op.getRef()] = *array;
  if (op.getSource())
    memref::CopyOp::create(b, op.getLoc(), getMemory(op.getSource()), *array);
  return success();
}

///   %v = bufferization.to_tensor %memory restrict
///       : memref<8xf32> to tensor<8xf32>
///
/// `restrict` promises that no other tensor aliases the memory, which holds as
/// each result has a private buffer.
LogicalResult WindowLowering::lower(RefValueOp op) {
  op.getValue().replaceAllUsesWith(bufferization::ToTensorOp::create(
      b, op.getLoc(), getPlainType(op.getValue().getType()),
      getMemory(op.getRef()), /*restrict=*/true));
  b.eraseOp(op);
  return success();
}

LogicalResult WindowLowering::lower(ShareRefsOp op) {
  for (Value ref : op.getRefs())
    sharing.shareArray(op.getLoc(), getMemory(ref));
  b.eraseOp(op);
  return success();
}

LogicalResult WindowLowering::lower(UnshareRefsOp op) {
  Location loc = op.getLoc();
  if (op.getTogether())
    b.callRuntime(loc, "pallas_rt_meet",
                  {b.createSiteNumber(loc), b.getPlace(loc)});
  for (Value ref : op.getRefs())
    sharing.unshare(loc, getMemory(ref));
  b.eraseOp(op);
  return success();
}
