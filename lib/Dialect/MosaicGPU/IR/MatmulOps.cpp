//===- MatmulOps.cpp - Matmuls --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Sizes of (m, k) times (k, n) into (m, n).
static LogicalResult verifySizes(Operation *op, ShapedType acc, ShapedType a,
                                 ShapedType b) {
  auto refuse = [&](StringRef what, int64_t left, int64_t right) {
    return op->emitOpError("multiplies ")
           << a << " by " << b << " into " << acc << ": " << what << " are "
           << left << " and " << right;
  };
  if (acc.getDimSize(0) != a.getDimSize(0))
    return refuse("rows of the accumulator and of a", acc.getDimSize(0),
                  a.getDimSize(0));
  if (a.getDimSize(1) != b.getDimSize(0))
    return refuse("columns of a and rows of b", a.getDimSize(1),
                  b.getDimSize(0));
  if (b.getDimSize(1) != acc.getDimSize(1))
    return refuse("columns of b and of the accumulator", b.getDimSize(1),
                  acc.getDimSize(1));
  return success();
}

/// Hardware multiplies both kinds of 8-bit floats with each other.
static LogicalResult verifyElements(Operation *op, Type a, Type b) {
  auto isFloat8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (a == b || (isFloat8(a) && isFloat8(b)))
    return success();
  return op->emitOpError("multiplies elements of type ")
         << a << " by " << b
         << "; they are equal, or both are floats of 8 bits";
}

//===----------------------------------------------------------------------===//
// WGMMAOp, MMAOp
//===----------------------------------------------------------------------===//

/// A warpgroup multiplies tiles of 64 rows.
LogicalResult WGMMAOp::verify() {
  auto acc = cast<ShapedType>(getAccumulator().getType());
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  if (failed(verifyElements(*this, a.getElementType(), b.getElementType())) ||
      failed(verifySizes(*this, acc, a, b)))
    return failure();
  if (acc.getDimSize(0) % 64 != 0)
    return emitOpError("has an accumulator of ")
           << acc.getDimSize(0) << " rows; rows are a multiple of 64";
  return success();
}

/// Operands are registers, so shapes have no tiles to keep to.
LogicalResult MMAOp::verify() {
  auto acc = cast<ShapedType>(getAccumulator().getType());
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  Type element = a.getElementType(), sum = acc.getElementType();
  if (element != b.getElementType())
    return emitOpError("multiplies elements of type ")
           << element << " by " << b.getElementType() << "; they are equal";
  if (failed(verifySizes(*this, acc, a, b)))
    return failure();
  if (isa<IntegerType>(element) ? !sum.isInteger(32) : !isa<FloatType>(sum))
    return emitOpError("adds products of ")
           << element << " in " << sum
           << "; integers are added in i32, floats in floats";
  return success();
}

//===----------------------------------------------------------------------===//
// TCGen05MMAOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyMemory(Operation *op, StringRef name, Value value,
                                  ArrayRef<Memory> allowed) {
  auto type = cast<MemRefType>(value.getType());
  if (llvm::is_contained(allowed, getMemory(type)))
    return success();
  return op->emitOpError("has ")
         << name << " of type " << type << ", which lies in "
         << (allowed.size() == 2            ? "neither shared nor tensor memory"
             : allowed[0] == Memory::Shared ? "no shared memory"
                                            : "no tensor memory");
}

/// Where the operands lie.
static LogicalResult verifyMemories(TCGen05MMAOp op) {
  const Memory tensor[] = {Memory::Tensor}, shared[] = {Memory::Shared},
               both[] = {Memory::Tensor, Memory::Shared};
  if (failed(verifyMemory(op, "an accumulator", op.getAccumulator(), tensor)) ||
      failed(verifyMemory(op, "a", op.getA(), both)) ||
      failed(verifyMemory(op, "b", op.getB(), shared)))
    return failure();
  for (Value value : {op.getAScale(), op.getBScale(), op.getASparseMetadata()})
    if (value && failed(verifyMemory(op, "scales or metadata", value, tensor)))
      return failure();
  return success();
}

/// The shapes that are compared are those of the whole matmul:
///   acc 128x256, a 128x64 (sparse), b 128x128 (of one of two blocks)
/// is a matmul of 128x128 by 128x256.
LogicalResult TCGen05MMAOp::verify() {
  auto acc = cast<MemRefType>(getAccumulator().getType());
  auto a = cast<MemRefType>(getA().getType());
  auto b = cast<MemRefType>(getB().getType());
  if (failed(verifyElements(*this, a.getElementType(), b.getElementType())))
    return failure();
  // A sparse a has half of its columns; two blocks have half of b's each.
  SmallVector<int64_t> wholeA(a.getShape()), wholeB(b.getShape());
  if (getASparseMetadata())
    wholeA[1] *= 2;
  if (getCollective())
    wholeB[1] *= 2;
  if (failed(verifySizes(*this, acc,
                         RankedTensorType::get(wholeA, a.getElementType()),
                         RankedTensorType::get(wholeB, b.getElementType()))))
    return failure();
  if (acc.getDimSize(0) % 32 != 0)
    return emitOpError("has an accumulator of ")
           << acc.getDimSize(0) << " rows; rows are a multiple of 32";
  if (!getAScale() != !getBScale())
    return emitOpError("has scales of one operand; give both or none");
  if (failed(verifyMemories(*this)))
    return failure();
  if (Value metadata = getASparseMetadata())
    if (cast<MemRefType>(metadata.getType()).getShape() != a.getShape())
      return emitOpError("has metadata of type ")
             << metadata.getType() << " for a of type " << a
             << "; the shapes are equal";
  return success();
}
