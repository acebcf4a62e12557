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

namespace {
/// Code for lanes that finds an element in its byte.
struct ElementPlace {
  ElementPlace(OpBuilder &b, Location loc, Value memref);
  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value getPointer(Value at) const {
    return LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), isShared ? 3 : 0),
        at);
  }
  /// The element, in the low bits of `packed` behind `place`.
  Value getElement(Value packed, Value place) const;

  OpBuilder &b;
  Location loc;
  Type element;
  int64_t bits;
  bool isShared;
  /// The address of the byte, and the first bit in it, an index.
  Value address, place;
};
} // namespace

ElementPlace::ElementPlace(OpBuilder &b, Location loc, Value memref)
    : b(b), loc(loc) {
  auto type = cast<MemRefType>(memref.getType());
  element = type.getElementType();
  bits = element.getIntOrFloatBitWidth();
  isShared = mosaic_gpu::getMemory(type) == mosaic_gpu::Memory::Shared;
  int64_t perByte = 8 / bits;
  Value number =
      memref::ExtractStridedMetadataOp::create(b, loc, memref).getOffset();
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, b.getIndexType(), memref);
  Value byte =
      arith::ShRUIOp::create(b, loc, number, constant(llvm::Log2_64(perByte)));
  address = arith::IndexCastOp::create(
      b, loc, b.getI64Type(), arith::AddIOp::create(b, loc, start, byte));
  place = arith::MulIOp::create(
      b, loc, arith::AndIOp::create(b, loc, number, constant(perByte - 1)),
      constant(bits));
}

Value ElementPlace::getElement(Value packed, Value place) const {
  Value shifted = arith::ShRUIOp::create(b, loc, packed, place);
  Value own = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), shifted);
  return element.isInteger()
             ? own
             : arith::BitcastOp::create(b, loc, element, own).getResult();
}

/// Code for lanes, which gets the place of the element at run time. Raising
/// knows that form only.
static Value
writeCode(KernelEmitter &emit, Value memref, ValueRange scalars,
          function_ref<Value(Value element, ValueRange scalars)> write) {
  auto type = cast<MemRefType>(memref.getType());
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, {});
  auto place =
      MemRefType::get({}, type.getElementType(), layout, type.getMemorySpace());
  if (place != type)
    memref = memref::CastOp::create(emit.b, emit.loc, place, memref);
  return emit.emitLaneCode(memref, scalars, write);
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
  ElementPlace at(b, loc, memref);
  Value packed =
      LLVM::LoadOp::create(b, loc, b.getI8Type(), at.getPointer(at.address));
  return at.getElement(
      packed, arith::IndexCastOp::create(b, loc, b.getI8Type(), at.place));
}

Value mlir::pallas::loadPackedElement(KernelEmitter &emit, Value memref) {
  return writeCode(emit, memref, {}, [&](Value element, ValueRange) {
    return writeLoad(emit.b, emit.loc, element);
  });
}

/// Other lanes may store to the same byte. There are atomic operations of
/// words. Lanes that store different values to one element leave the bits of
/// both, and all lanes that store a single element clear it in between:
///   "mosaic_gpu.custom_primitive"(%element, %value) ({
///   ^bb0(%e: memref<i4, strided<[], offset: ?>>, %v: i32):
///     %address = %start + %number / 2, as above
///     %shift = %address % 4 * 8 + %number % 2 * 4
///     %before = llvm.atomicrmw _and (%address & -4), ~(15 << %shift)
///     llvm.atomicrmw _or (%address & -4), %v << %shift
///     mosaic_gpu.return trunc (%before >> %shift) to i4
///   })
static Value writeStore(OpBuilder &b, Location loc, Value memref, Value value) {
  ElementPlace at(b, loc, memref);
  Type word = b.getI32Type(), wide = b.getI64Type();
  auto constant = [&](Type type, int64_t number) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, number));
  };
  Value pointer = at.getPointer(
      arith::AndIOp::create(b, loc, at.address, constant(wide, -4)));
  Value byte = arith::TruncIOp::create(
      b, loc, word,
      arith::AndIOp::create(b, loc, at.address, constant(wide, 3)));
  Value shift = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, byte, constant(word, 8)),
      arith::IndexCastOp::create(b, loc, word, at.place));
  auto update = [&](LLVM::AtomicBinOp kind, Value operand) -> Value {
    return LLVM::AtomicRMWOp::create(b, loc, kind, pointer, operand,
                                     LLVM::AtomicOrdering::monotonic);
  };
  Value own = arith::ShLIOp::create(
      b, loc, constant(word, (int64_t(1) << at.bits) - 1), shift);
  Value before = update(LLVM::AtomicBinOp::_and,
                        arith::XOrIOp::create(b, loc, own, constant(word, -1)));
  update(LLVM::AtomicBinOp::_or, arith::ShLIOp::create(b, loc, value, shift));
  return at.getElement(before, shift);
}

void mlir::pallas::storeElementAt(KernelEmitter &emit, Value memref,
                                  Value value) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  Type type = value.getType();
  if (!isPacked(type)) {
    memref::StoreOp::create(b, loc, value, memref);
    return;
  }
  if (!type.isInteger())
    value = arith::BitcastOp::create(
        b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  value = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  writeCode(emit, memref, value, [&](Value element, ValueRange scalars) {
    return writeStore(b, loc, element, scalars[0]);
  });
}
