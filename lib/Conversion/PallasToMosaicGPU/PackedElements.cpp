//===- PackedElements.cpp - Elements that share a byte --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "pallas/Support/Divisibility.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr int64_t kLanes = 128;

bool mlir::pallas::isPacked(Type stored) {
  return stored.isIntOrFloat() && stored.getIntOrFloatBitWidth() < 8;
}

/// The multiple that a kernel promises.
static int64_t getPromised(Operation *op) {
  auto hint = dyn_cast<MultipleOfOp>(op);
  if (!hint || isa<ShapedType>(hint.getValue().getType()))
    return 0;
  return hint.getMultiples().front();
}

/// Booleans have a byte each:
///   %r[%i, ds(2, 8)] of 4x16 of i4, but not %r[%i, 3] or %r[%i, ds(%j, 8)]
bool mlir::pallas::splitsBytes(RefAccessOpInterface op) {
  RefType type = op.getRef().getType();
  Type element = type.getElementType();
  SmallVector<AccessDim> dims = op.getAccessDims();
  if (element.isInteger(1) || !isPacked(element) || op.isWholeAccess())
    return false;
  int64_t perByte = 8 / element.getIntOrFloatBitWidth();
  const AccessDim &last = dims.back();
  if (type.getShape().back() % perByte != 0)
    return true;
  if (last.entry.kind == IndexKind::Full)
    return false;
  bool isWhole =
      last.entry.kind == IndexKind::Slice && last.entry.size % perByte == 0;
  return !isWhole ||
         (last.start ? getKnownMultiple(last.start, perByte, getPromised)
                     : last.entry.start) %
                 perByte !=
             0;
}

bool mlir::pallas::takesPackedElements(RefAccessOpInterface op) {
  Type element = op.getRef().getType().getElementType();
  if (element.isInteger(1) || !isPacked(element))
    return false;
  int64_t byLanes = kLanes * 8 / element.getIntOrFloatBitWidth();
  if (splitsBytes(op) || llvm::product_of(op.getAccessShape()) % byLanes != 0)
    return true;
  Value ref = op.getRef();
  while (Operation *view = ref.getDefiningOp()) {
    auto transpose = dyn_cast<TransposeRefOp>(view);
    if (transpose &&
        transpose.getPermutation().back() !=
            static_cast<int64_t>(transpose.getPermutation().size()) - 1)
      return true;
    auto slice = dyn_cast<RefAccessOpInterface>(view);
    if (slice && splitsBytes(slice))
      return true;
    ref = view->getOperand(0);
  }
  return false;
}

/// The compiler loads bytes, except in code for lanes. Element 5 is the upper
/// half of byte 2:
///   "mosaic_gpu.custom_primitive"(%element) ({
///   ^bb0(%e: memref<i4, strided<[], offset: ?>>):
///     %base, %number = memref.extract_strided_metadata %e
///     %start = memref.extract_aligned_pointer_as_index %e
///     %pair = llvm.load (%start + %number / 2) : i8
///     %half = %pair >> (%number % 2) * 4
///     mosaic_gpu.return trunc %half to i4
///   })
static Value writeLoad(OpBuilder &b, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Type element = type.getElementType(), index = b.getIndexType();
  int64_t bits = element.getIntOrFloatBitWidth(), perByte = 8 / bits;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value number =
      memref::ExtractStridedMetadataOp::create(b, loc, memref).getOffset();
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, index, memref);
  Value byte =
      arith::ShRUIOp::create(b, loc, number, constant(llvm::Log2_64(perByte)));
  Value address = arith::IndexCastOp::create(
      b, loc, b.getI64Type(), arith::AddIOp::create(b, loc, start, byte));
  bool isShared = mosaic_gpu::getMemory(type) == mosaic_gpu::Memory::Shared;
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), isShared ? 3 : 0),
      address);
  Value packed = LLVM::LoadOp::create(b, loc, b.getI8Type(), pointer);
  Value place = arith::MulIOp::create(
      b, loc, arith::AndIOp::create(b, loc, number, constant(perByte - 1)),
      constant(bits));
  Value shifted = arith::ShRUIOp::create(
      b, loc, packed, arith::IndexCastOp::create(b, loc, b.getI8Type(), place));
  Value own = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), shifted);
  return element.isInteger()
             ? own
             : arith::BitcastOp::create(b, loc, element, own).getResult();
}

Value mlir::pallas::loadPackedElement(KernelEmitter &emit, Value memref) {
  return emit.emitLaneCode(memref, {}, [&](Value element, ValueRange) {
    return writeLoad(emit.b, emit.loc, element);
  });
}
