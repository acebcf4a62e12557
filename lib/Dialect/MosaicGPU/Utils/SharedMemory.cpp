//===- SharedMemory.cpp - Transforms of shared memory ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/Utils/SharedMemory.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Goes from a view to what it is a view of, until `isFound` holds:
///   %a = "mosaic_gpu.with_transforms"(%s) {transforms = [.., #swizzle<64>]}
///   %t = memref.transpose %a (i, j) -> (j, i)
static Operation *findAbove(Value memref,
                            function_ref<bool(Operation *)> isFound) {
  while (Operation *op = memref.getDefiningOp()) {
    if (isFound(op))
      return op;
    if (!isa<ViewLikeOpInterface, memref::TransposeOp, WithTransformsOp>(op))
      return nullptr;
    memref = op->getOperand(0);
  }
  return nullptr;
}

WithTransformsOp mlir::mosaic_gpu::findTransforms(Value memref) {
  return cast_or_null<WithTransformsOp>(
      findAbove(memref, llvm::IsaPred<WithTransformsOp>));
}

SliceSMEMOp mlir::mosaic_gpu::findSharedMemory(Value memref) {
  return cast_or_null<SliceSMEMOp>(
      findAbove(memref, llvm::IsaPred<SliceSMEMOp>));
}

void mlir::mosaic_gpu::keepPlain(SliceSMEMOp memory) {
  OpBuilder b(memory.getContext());
  b.setInsertionPointAfter(memory);
  Value plain = WithTransformsOp::create(b, memory.getLoc(), memory.getResult(),
                                         b.getArrayAttr({}));
  memory.getResult().replaceAllUsesExcept(plain, plain.getDefiningOp());
}
