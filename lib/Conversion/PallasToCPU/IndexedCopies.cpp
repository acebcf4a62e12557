//===- IndexedCopies.cpp - Async copies through index arrays --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers async copies whose source or target is selected by an array
// of indices. They go element by element. Views whose size is known at run time
// only may turn out to have different sizes on both sides.
//
//===----------------------------------------------------------------------===//

#include "AsyncLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pallas;

/// A view by index arrays has no memref: no strides describe it. Only copies
/// use it.
bool AsyncLowering::isThroughIndices(const CopyEnds &refs) {
  return getGather(refs.source) || getGather(refs.target);
}

void AsyncLowering::copyElement(Location loc, Value source, ValueRange from,
                                Value target, ValueRange to, bool adds) {
  b.storeElement(loc, memref::LoadOp::create(b, loc, source, from), target, to,
                 adds);
}

/// Visits the elements of a copy of which index arrays select one end. Indices
/// outside the ref are moved inside where elements are read; where they would
/// be written, they are dropped.
///
///   %rows = pallas.slice_ref %ref[gather(%i : !pallas.ref<4xi32, vmem>)]
///   pallas.dma_start %rows to %target signals %done : ...
///
/// becomes
///
///   scf.for %k = %c0 to %c4 step %c1 {
///     %index = memref.load %i[%k] : memref<4xi32>
///     ...
///     %v = memref.load %ref[%inside] : memref<8xf32>
///     memref.store %v, %target[%k] : memref<4xf32>
///   }
LogicalResult AsyncLowering::forEachCopiedElement(Operation *op,
                                                  const CopyEnds &ends,
                                                  Value target,
                                                  CopiedElementFn copy) {
  Location loc = op->getLoc();
  SliceRefOp from = getGather(ends.source), to = getGather(ends.target);
  if (from && to)
    return emitErrorOf(op)
           << "selects elements of both its source and its target by index "
              "arrays; copy through a ref in between";
  // The other side may be shorter than what the index arrays select.
  SmallVector<int64_t> selected =
      cast<RefAccessOpInterface>((from ? from : to).getOperation())
          .getAccessShape();
  auto lowerInside = [&](Value plain, ValueRange position,
                         function_ref<void()> body) {
    Value fits;
    auto type = cast<MemRefType>(plain.getType());
    for (auto [d, place] : llvm::enumerate(position)) {
      if (!type.isDynamicDim(d) && !ShapedType::isDynamic(selected[d]))
        continue;
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                memref::DimOp::create(b, loc, plain, d));
      fits = fits ? arith::AndIOp::create(b, loc, fits, isInside) : isInside;
    }
    b.when(loc, fits, body);
  };
  Value source = getMemory(from ? from.getRef() : ends.source);
  // Where nothing is inside, nothing can be read.
  if (from &&
      llvm::is_contained(cast<MemRefType>(source.getType()).getShape(), 0))
    return success();
  if (from)
    return refs.forEachElement(cast<RefAccessOpInterface>(from.getOperation()),
                               [&](ValueRange at, ValueRange position, Value) {
                                 lowerInside(target, position, [&] {
                                   copy(source, b.moveInside(loc, source, at),
                                        target, position);
                                 });
                               });
  return refs.forEachElement(
      cast<RefAccessOpInterface>(to.getOperation()),
      [&](ValueRange at, ValueRange position, Value inside) {
        b.when(loc, inside, [&] {
          lowerInside(source, position,
                      [&] { copy(source, position, target, at); });
        });
      });
}

/// Visits the elements of a copy of a GPU of rows that an index array names.
/// Rows outside of the array are left out.
LogicalResult AsyncLowering::forEachCopiedRow(Location loc, Value source,
                                              Value target,
                                              CopiedElementFn copy) {
  SliceRefOp from = getGather(source), to = getGather(target);
  Value sourceMemory = getMemory(from ? from.getRef() : source),
        targetMemory = getMemory(to ? to.getRef() : target);
  return refs.forEachElement(
      cast<RefAccessOpInterface>((from ? from : to).getOperation()),
      [&](ValueRange at, ValueRange position, Value inside) {
        b.when(loc, inside, [&] {
          copy(sourceMemory, from ? at : position, targetMemory,
               to ? at : position);
        });
      });
}

/// Rows outside of the array are read as zeros, and not written:
///
///   %rows = pallas.slice_ref %x[gather(%i : tensor<8xi32>), :]
///   pallas.copy_gmem_to_smem %rows to %s signals %b
///
/// becomes
///
///   linalg.fill ins(%zero : f16) outs(%s : memref<8x64xf16>)
///   scf.for %k = %c0 to %c8 step %c1 {
///     scf.for %j = %c0 to %c64 step %c1 {
///       %index = tensor.extract %i[%k] : tensor<8xi32>
///       scf.if %inside {
///         %v = memref.load %x[%index, %j] : memref<128x64xf16>
///         memref.store %v, %s[%k, %j] : memref<8x64xf16>
///       }
///     }
///   }
LogicalResult AsyncLowering::copyRows(Location loc, Value source,
                                      Value target) {
  if (getGather(source)) {
    Value memory = getMemory(target);
    b.fill(loc, memory,
           b.getZeroAttr(cast<MemRefType>(memory.getType()).getElementType()));
  }
  return forEachCopiedRow(
      loc, source, target,
      [&](Value source, ValueRange from, Value target, ValueRange to) {
        copyElement(loc, source, from, target, to, /*adds=*/false);
      });
}
