//===- IndexedCopies.cpp - Async copies through index arrays --------------===//
//
// They go element by element. Views of unknown size may turn out to have
// different ones.
//
//===----------------------------------------------------------------------===//

#include "AsyncLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pallas;

SliceRefOp AsyncLowering::getGather(Value ref) {
  auto slice = ref.getDefiningOp<SliceRefOp>();
  return slice && slice.getIndexer().hasGather() ? slice : SliceRefOp();
}

bool AsyncLowering::isThroughIndices(DMAStartOp start) {
  return getGather(start.getSource()) || getGather(start.getTarget());
}

/// Copies between elements that index arrays select and a plain view. Indices
/// outside the ref are moved inside where elements are read; where they would
/// be written, they are dropped.
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
  if (from) {
    Value source = getMemory(from.getRef());
    return refs.forEachElement(
        cast<RefAccessOpInterface>(from.getOperation()), AccessKind::Read,
        [&](ValueRange at, ValueRange position, Value) {
          lowerInside(target, position, [&] {
            b.storeElement(loc, b.loadInside(loc, source, at), target, position,
                           start.getAdd());
          });
        });
  }
  Value source = getMemory(start.getSource());
  return refs.forEachElement(
      cast<RefAccessOpInterface>(to.getOperation()), AccessKind::Write,
      [&](ValueRange at, ValueRange position, Value inside) {
        b.when(loc, inside, [&] {
          lowerInside(source, position, [&] {
            b.storeElement(loc,
                           memref::LoadOp::create(b, loc, source, position),
                           target, at, start.getAdd());
          });
        });
      });
}
