//===- MemoryOps.cpp - Shared memory --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

LogicalResult WithTransformsOp::verify() {
  for (Attribute transform : getTransforms())
    if (!isa<TileTransformAttr, SwizzleTransformAttr>(transform))
      return emitOpError("has the transform ")
             << transform << "; give #mosaic_gpu.tile and #mosaic_gpu.swizzle";
  return success();
}

LogicalResult ReinterpretCastOp::verify() {
  MemRefType from = getSource().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes elements of type ")
           << from.getElementType() << " to " << to.getElementType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return emitOpError("casts ")
           << from << " to " << to << "; shapes have to be static";
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("casts ")
           << from.getNumElements() << " elements to " << to.getNumElements();
  return success();
}

LogicalResult GetClusterRefOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &inferred) {
  auto source = operands.empty()
                    ? MemRefType()
                    : dyn_cast<MemRefType>(operands.front().getType());
  if (!source)
    return emitOptionalError(loc, "has no memref as source");
  inferred.assign(
      {MemRefType::get(source.getShape(), source.getElementType(),
                       source.getLayout(), SmemClusterAttr::get(context))});
  return success();
}

LogicalResult AllocSmemOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  if (!type.hasStaticShape() || getMemory(type) != Memory::Shared)
    return emitOpError("allocates ")
           << type << "; give a static shape in #gpu.address_space<workgroup>";
  if (std::optional<uint64_t> alignment = getAlignment())
    if (!llvm::isPowerOf2_64(*alignment))
      return emitOpError("has an alignment of ")
             << static_cast<int64_t>(*alignment) << "; give a power of two";
  if (!(*this)->getParentOfType<AllocaScopeOp>())
    return emitOpError("is in no mosaic_gpu.alloca_scope, with which it would "
                       "end");
  return success();
}
