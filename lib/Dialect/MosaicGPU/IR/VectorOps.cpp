//===- VectorOps.cpp - Vectors --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of vectors follow from memrefs wherever they can, so that a module that
// the Mosaic compiler would refuse is an error here, at the operation.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/IR/Reductions.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Vector that holds a whole memref.
static FailureOr<VectorType> inferVector(std::optional<Location> loc,
                                         Value source) {
  auto memref = dyn_cast<MemRefType>(source.getType());
  if (!memref || !memref.hasStaticShape() || memref.getRank() == 0 ||
      !VectorType::isValidElementType(memref.getElementType())) {
    (void)emitOptionalError(loc, "a memref of type ", source.getType(),
                            " fills no vector; its shape has to be static");
    return failure();
  }
  return VectorType::get(memref.getShape(), memref.getElementType());
}

//===----------------------------------------------------------------------===//
// VectorLoadOp, VectorStoreOp
//===----------------------------------------------------------------------===//

LogicalResult VectorLoadOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             ValueRange operands,
                                             DictionaryAttr, OpaqueProperties,
                                             RegionRange,
                                             SmallVectorImpl<Type> &inferred) {
  FailureOr<VectorType> type = inferVector(loc, operands.front());
  if (failed(type))
    return failure();
  inferred.assign({*type});
  return success();
}

/// Multicast memory is an address range of global memory, so nothing else can
/// be stored to on all devices.
LogicalResult VectorStoreOp::verify() {
  VectorType value = getValueToStore().getType();
  MemRefType destination = getDestination().getType();
  if (value.getShape() != destination.getShape() ||
      value.getElementType() != destination.getElementType())
    return emitOpError("stores ") << value << " to " << destination
                                  << "; shape and element type have to match";
  if (getMultimem() && getMemory(destination) != Memory::Global)
    return emitOpError("stores on all devices to ")
           << destination << ", which is not in global memory";
  return success();
}

//===----------------------------------------------------------------------===//
// MultimemLoadReduceOp
//===----------------------------------------------------------------------===//

LogicalResult MultimemLoadReduceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &inferred) {
  FailureOr<VectorType> type = inferVector(loc, operands.front());
  if (failed(type))
    return failure();
  inferred.assign({*type});
  return success();
}

/// The combinations are those of PTX's `multimem.ld_reduce`.
StringRef
mlir::mosaic_gpu::getMultimemReductionError(MultimemLoadReductionType kind,
                                            Type element) {
  using Kind = MultimemLoadReductionType;
  bool isExtreme = kind == Kind::Min || kind == Kind::Max;
  if (isa<IntegerType>(element)) {
    if (!element.isInteger(32) && !element.isInteger(64))
      return "integers have 32 or 64 bits";
    return isExtreme ? "name the sign: umin, umax, smin or smax" : "";
  }
  if (!isa<Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType,
           Float8E5M2Type>(element))
    return "floats are f32, f16, bf16, f8E4M3FN or f8E5M2";
  if (kind != Kind::Add && !isExtreme)
    return "floats are added, or their min or max is taken";
  return element.isF32() && isExtreme ? "f32 can only be added" : "";
}

LogicalResult MultimemLoadReduceOp::verify() {
  Type element = getSource().getType().getElementType();
  MultimemLoadReductionType kind = getReductionType();
  StringRef error = getMultimemReductionError(kind, element);
  if (!error.empty())
    return emitOpError("reduces ")
           << element << " by " << stringifyMultimemLoadReductionType(kind)
           << "; " << error;
  if (getMemory(getSource().getType()) != Memory::Global)
    return emitOpError("loads ")
           << getSource().getType() << ", which is not in global memory";
  return success();
}

//===----------------------------------------------------------------------===//
// BroadcastInDimOp, BroadcastedIotaOp
//===----------------------------------------------------------------------===//

/// Increasing dimensions keep it free of a transpose, which a layout could not
/// express.
LogicalResult BroadcastInDimOp::verify() {
  auto from = cast<VectorType>(getOperand().getType());
  auto to = cast<VectorType>(getResult().getType());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (from.getRank() == 0)
    return emitOpError("broadcasts a vector of rank 0; use vector.broadcast of "
                       "a scalar");
  if (from.getRank() > to.getRank())
    return emitOpError("broadcasts rank ")
           << from.getRank() << " to the smaller rank " << to.getRank();
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError("has ")
           << dims.size() << " broadcast_dimensions for an operand of rank "
           << from.getRank();
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= to.getRank())
      return emitOpError("maps dimension ")
             << index << " to dimension " << dim << " of a result of rank "
             << to.getRank();
    if (index > 0 && dim <= dims[index - 1])
      return emitOpError("has broadcast_dimensions that do not increase: ")
             << dim << " follows " << dims[index - 1];
    if (from.getDimSize(index) != 1 &&
        from.getDimSize(index) != to.getDimSize(dim))
      return emitOpError("maps dimension ")
             << index << " of size " << from.getDimSize(index)
             << " to dimension " << dim << " of size " << to.getDimSize(dim)
             << "; sizes are equal, or the first is 1";
  }
  return success();
}

LogicalResult BroadcastedIotaOp::verify() {
  int64_t rank = cast<VectorType>(getResult().getType()).getRank();
  if (getDimension() >= rank)
    return emitOpError("counts along dimension ")
           << getDimension() << " of a vector of rank " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// VectorConcatOp, OptimizationBarrierOp
//===----------------------------------------------------------------------===//

/// All operands agree in every dimension but one, along which sizes add up.
LogicalResult VectorConcatOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (operands.empty())
    return emitOptionalError(loc, "concatenates no vectors; give one or more");
  auto first = dyn_cast<VectorType>(operands.front().getType());
  int64_t dim = static_cast<int32_t>(adaptor.getDimension());
  if (!first || dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "concatenates along dimension ", dim, " of ",
                             operands.front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value operand : operands) {
    auto type = dyn_cast<VectorType>(operand.getType());
    bool fits = type && type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    for (int64_t other = 0; fits && other < first.getRank(); ++other)
      fits = other == dim || type.getDimSize(other) == first.getDimSize(other);
    if (!fits)
      return emitOptionalError(loc, "concatenates ", operand.getType(), " and ",
                               first, ", which differ in more than dimension ",
                               dim);
    shape[dim] += type.getDimSize(dim);
  }
  inferred.assign({VectorType::get(shape, first.getElementType())});
  return success();
}

/// Each value passes as it is.
LogicalResult OptimizationBarrierOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr, OpaqueProperties, RegionRange,
    SmallVectorImpl<Type> &inferred) {
  if (operands.empty())
    return emitOptionalError(loc, "holds no value; give at least one");
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

/// Global memory has no layout to print: it is row-major.
LogicalResult PrintLayoutOp::verify() {
  auto memref = dyn_cast<MemRefType>(getValue().getType());
  if (!memref)
    return success();
  Memory memory = getMemory(memref);
  if (memory != Memory::Shared && memory != Memory::Tensor)
    return emitOpError("prints the layout of ")
           << memref << "; shared memory and tensor memory have layouts";
  return success();
}
