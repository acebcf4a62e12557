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
bool AsyncLowering::isThroughIndices(DMAStartOp start) {
  return getGather(start.getSource()) || getGather(start.getTarget());
}

/// Reports the refs that hold the indices to checked code: they are read until
/// the copy has ended.
void AsyncLowering::checkIndices(DMAStartOp start) {
  for (Value side : {start.getSource(), start.getTarget()})
    if (SliceRefOp slice = getGather(side))
      for (Value index : slice.getIndices())
        if (isa<RefType>(index.getType()))
          checker.checkCopyIndices(start, index);
}

void AsyncLowering::copyElement(const ElementCopy &copy, ValueRange sourceAt,
                                ValueRange targetAt) {
  Location loc = copy.op->getLoc();
  if (checked)
    checker.checkCopyPart(copy.op, copy.source, copy.target,
                          b.createElement(loc, copy.sourceMemory, sourceAt),
                          b.createElement(loc, copy.targetMemory, targetAt),
                          copy.adds);
  b.storeElement(loc,
                 memref::LoadOp::create(b, loc, copy.sourceMemory, sourceAt),
                 copy.targetMemory, targetAt, copy.adds);
}

/// Copies between elements that index arrays select and a plain view. Indices
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
LogicalResult AsyncLowering::copyElements(DMAStartOp start, Value target) {
  Location loc = start.getLoc();
  SliceRefOp from = getGather(start.getSource()),
             to = getGather(start.getTarget());
  if (from && to)
    return start.emitOpError("selects elements of both its source and its "
                             "target by index arrays; copy through a ref in "
                             "between");
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
  Value source = getMemory(from ? from.getRef() : start.getSource());
  ElementCopy copy{start,  start.getSource(), start.getTarget(), source,
                   target, start.getAdd()};
  // Where nothing is inside, nothing can be read.
  if (from &&
      llvm::is_contained(cast<MemRefType>(source.getType()).getShape(), 0))
    return success();
  if (from)
    return refs.forEachElement(
        cast<RefAccessOpInterface>(from.getOperation()),
        [&](ValueRange at, ValueRange position, Value) {
          lowerInside(target, position, [&] {
            copyElement(copy, b.moveInside(loc, source, at), position);
          });
        });
  return refs.forEachElement(
      cast<RefAccessOpInterface>(to.getOperation()),
      [&](ValueRange at, ValueRange position, Value inside) {
        b.when(loc, inside, [&] {
          lowerInside(source, position,
                      [&] { copyElement(copy, position, at); });
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
LogicalResult AsyncLowering::copyRows(Operation *op, Value source, Value target,
                                      Value barrier) {
  Location loc = op->getLoc();
  SliceRefOp from = getGather(source), to = getGather(target);
  Value sourceMemory = getMemory(from ? from.getRef() : source),
        targetMemory = getMemory(to ? to.getRef() : target);
  if (from) {
    checker.checkAccessTo(op, AccessKind::CopyWrite, describeRef(target),
                          targetMemory);
    b.fill(loc, targetMemory,
           b.getZeroAttr(
               cast<MemRefType>(targetMemory.getType()).getElementType()));
  }
  checker.checkCopyBegin(op, source, target);
  ElementCopy copy{op,           source,       target,
                   sourceMemory, targetMemory, /*adds=*/false};
  if (failed(refs.forEachElement(
          cast<RefAccessOpInterface>((from ? from : to).getOperation()),
          [&](ValueRange at, ValueRange position, Value inside) {
            b.when(loc, inside, [&] {
              copyElement(copy, from ? at : position, to ? at : position);
            });
          })))
    return failure();
  checker.checkCopyEnd(loc, {{}, {}, barrier, Value()},
                       barrier ? b.createInteger(loc, 1, 64) : Value());
  return success();
}
