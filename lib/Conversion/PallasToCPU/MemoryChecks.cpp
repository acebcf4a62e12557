//===- MemoryChecks.cpp - Checks of memory --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the operations by which pallas-insert-memory-checks tells of
// memory, and those that make values which nothing has written.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Checks.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"
#include "pallas/Support/FloatCodec.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Fillers
//===----------------------------------------------------------------------===//

/// Bits that an element gets which nothing has written: a small number, one
/// that is likely to show wherever it is used, then a large and a very negative
/// one: maxima, minima and comparisons ignore NaN or what lies on one side. A
/// checked call runs several times with different fillers. If its results
/// differ, something that nothing had written reached them. Loops that depend
/// on such integers still end.
static SmallVector<int64_t> getFillers(Type type) {
  SmallVector<int64_t> bits;
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    unsigned width = std::min<int64_t>(getBitWidth(type), 64);
    for (int64_t value : {1, 100, 1 << 20, -(1 << 20)})
      bits.push_back(width == 1 ? value != 1
                                : std::clamp(value, llvm::minIntN(width),
                                             llvm::maxIntN(width)));
    return bits;
  }
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  APFloat largest = APFloat::getLargest(semantics);
  for (const APFloat &number :
       {roundTo(semantics, APFloat(0.75)),
        APFloat::semanticsHasNaN(semantics) ? APFloat::getNaN(semantics)
                                            : largest,
        largest,
        APFloat::semanticsHasSignedRepr(semantics)
            ? neg(largest)
            : APFloat::getSmallest(semantics)})
    bits.push_back(number.bitcastToAPInt().zextOrTrunc(64).getSExtValue());
  return bits;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The checker has shadow memory only for memory that was announced; `flags`
/// are `RegionFlags`.
void CheckEmitter::announce(Value memory, StringRef name, MemoryState state,
                            int64_t flags) {
  Location loc = memory.getLoc();
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<Value> words{word(loc, static_cast<int64_t>(state)),
                           word(loc, flags)};
  for (int64_t bits : getFillers(type.getElementType()))
    words.push_back(word(loc, bits));
  appendView(words, memory);
  callChecker(loc, "pallas_check_region", b.createString(loc, name), words);
}

/// The shadow memory goes as well, as the address may be used again.
void CheckEmitter::endRegion(Value memory) {
  callChecker(memory.getLoc(), "pallas_check_region_end",
              getAddressWord(memory.getLoc(), memory), {});
}

void CheckEmitter::lower(CheckMemoryOp op) {
  bool isOfCores = isa<TaskScopeOp>(op->getParentOp());
  announce(getMemory(op.getRef()), op.getName(), op.getState(),
           (op.getIsNew() ? kNewRegion : 0) |
               (op.getShared() ? kSharedRegion : 0) |
               (isOfCores ? kRegionOfCores : 0));
}

void CheckEmitter::lower(CheckMemoryEndOp op) {
  endRegion(getMemory(op.getRef()));
}

void CheckEmitter::lower(CheckBuffersBeginOp op) {
  beginBuffers(b, op.getLoc(), op.getBuffers());
}

void CheckEmitter::lower(CheckBuffersEndOp op) {
  endBuffers(b, op.getLoc(), countBuffers(op.getBuffers()));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether `shape` is longer than `other` along some dimension.
static bool isLonger(ArrayRef<int64_t> shape, ArrayRef<int64_t> other) {
  return llvm::any_of(llvm::zip_equal(shape, other), [](auto sizes) {
    return std::get<0>(sizes) > std::get<1>(sizes);
  });
}

/// Of padded memory, the part that the array has is compared:
///
///   %interior = memref.subview %padded[1] [8] [1] : memref<12xf32> to ...
///   llvm.call @pallas_check_same_contents(%array, ..., %interior, ...)
void CheckEmitter::lower(CheckSameContentsOp op) {
  Location loc = op.getLoc();
  Value source = getMemory(op.getSource()), target = getMemory(op.getTarget());
  ArrayRef<int64_t> from = cast<MemRefType>(source.getType()).getShape(),
                    to = cast<MemRefType>(target.getType()).getShape();
  if (isLonger(from, to))
    source = b.createInterior(loc, source, to, op.getLow());
  else if (isLonger(to, from))
    target = b.createInterior(loc, target, from, op.getLow());
  SmallVector<Value> words;
  appendView(words, source);
  appendView(words, target);
  Value leading = words.front();
  callChecker(loc, "pallas_check_same_contents", leading,
              ArrayRef(words).drop_front());
}

/// The runtime maps each element of the copy to the bits of the ref that it
/// stems from.
void CheckEmitter::lower(CheckPackedViewOp op) {
  auto getBits = [&](RefType type) {
    return word(op.getLoc(), type.getElementTypeBitWidth());
  };
  SmallVector<Value> words;
  appendView(words, getMemory(op.getView()));
  words.push_back(getBits(op.getRef().getType()));
  appendView(words, getMemory(op.getRef()));
  callChecker(op.getLoc(), "pallas_check_packed_view",
              getBits(op.getView().getType()), words);
}

//===----------------------------------------------------------------------===//
// Values that nothing has written
//===----------------------------------------------------------------------===//

void CheckEmitter::beginUnwritten(Value memory, StringRef name, int64_t flags) {
  announce(memory, name, MemoryState::Unwritten, flags);
}

void CheckEmitter::checkAccessTo(Operation *check, AccessKind kind,
                                 StringRef name, Value view) {
  callAccess(check->getLoc(), createSite(check, getCheckedName(check), name),
             kind, view);
}

Value CheckEmitter::readUnwritten(Operation *check, StringRef name,
                                  Value memory, Type type) {
  checkAccessTo(check, AccessKind::Read, name, memory);
  Value value = b.readView(check->getLoc(), memory, type, /*copy=*/true,
                           /*writable=*/false);
  endRegion(memory);
  return value;
}

/// The read gives it another value in each run:
///
///   llvm.call @pallas_check_region(...)
///   llvm.call @pallas_check_access(%site, %read, ...)
///   %none = memref.load %memory[] : memref<i32>
void CheckEmitter::lower(CheckUnwrittenOp op) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  Value place = b.allocateValue(loc, type);
  b.fill(loc, place, b.getZeroAttr(type));
  beginUnwritten(place, op.getName(), kNewRegion);
  op.getValue().replaceAllUsesWith(
      readUnwritten(op, op.getName(), place, type));
}
