//===- StructureOps.cpp - Operations with regions -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

static bool isVector(Type type) { return isa<VectorType>(type); }

/// The operands of a terminator are the results of the operation around it.
static LogicalResult verifyReturned(Operation *op) {
  TypeRange given = op->getOperandTypes();
  TypeRange wanted = op->getParentOp()->getResultTypes();
  if (given.size() != wanted.size())
    return op->emitOpError("returns ")
           << given.size() << " values, but '" << op->getParentOp()->getName()
           << "' has " << wanted.size() << " results";
  for (auto [index, have, want] : llvm::enumerate(given, wanted))
    if (have != want)
      return op->emitOpError("returns a value of type ")
             << have << ", but result " << index << " of '"
             << op->getParentOp()->getName() << "' has type " << want;
  return success();
}

LogicalResult ReturnOp::verify() { return verifyReturned(*this); }
LogicalResult AllocaScopeReturnOp::verify() { return verifyReturned(*this); }

/// Memory of a scope ends with it.
static LogicalResult verifyNoMemory(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<BaseMemRefType>(type))
      return op->emitOpError("gives a result of type ")
             << type << "; memory does not leave its scope";
  return success();
}

LogicalResult AllocaScopeOp::verify() { return verifyNoMemory(*this); }

//===----------------------------------------------------------------------===//
// CustomPrimitiveOp, RunScopedOp, WarpMapOp
//===----------------------------------------------------------------------===//

/// The compiler pairs layouts and transforms with operands by their order among
/// operands of the same kind, so one too few would shift all behind it.
LogicalResult CustomPrimitiveOp::verify() {
  auto check = [&](StringRef what, size_t values, StringRef attr,
                   size_t entries) -> LogicalResult {
    if (values == entries)
      return success();
    return emitOpError("has ") << values << " " << what << ", but " << entries
                               << " entries in " << attr;
  };
  size_t shared = llvm::count_if(getOperandTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && getMemory(memref) == Memory::Shared;
  });
  if (failed(check("vector operands",
                   llvm::count_if(getOperandTypes(), isVector), "in_layouts",
                   getInLayouts().size())) ||
      failed(check("operands in shared memory", shared, "in_transforms",
                   getInTransforms().size())) ||
      failed(check("vector results", llvm::count_if(getResultTypes(), isVector),
                   "out_layouts", getOutLayouts().size())))
    return failure();
  for (Type type : getResultTypes())
    if (isa<ShapedType>(type) && !isVector(type))
      return emitOpError("gives a result of type ")
             << type << "; results are scalars and vectors";
  return success();
}

LogicalResult RunScopedOp::verify() {
  Block &body = getRegion().front();
  if (body.getNumArguments() != getBufferAttrs().size())
    return emitOpError("has ")
           << body.getNumArguments() << " buffers, but "
           << getBufferAttrs().size() << " entries in buffer_attrs";
  for (auto [argument, attr] :
       llvm::zip_equal(body.getArguments(), getBufferAttrs())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || getMemory(type) != Memory::Shared)
      return emitOpError("has a buffer of type ")
             << argument.getType()
             << "; give a static memref in #gpu.address_space<workgroup>";
    if (!isa<SmemAllocAttr>(attr))
      return emitOpError("has ")
             << attr << " in buffer_attrs; give #mosaic_gpu.smem_alloc";
  }
  return verifyNoMemory(*this);
}

LogicalResult WarpMapOp::verify() {
  for (Type type : getOperandTypes())
    if (isVector(type))
      return emitOpError("takes a vector of type ")
             << type << "; a warp holds a part of it only";
  TypeRange arguments = getRegion().front().getArgumentTypes();
  if (arguments != getOperandTypes())
    return emitOpError("has ")
           << getNumOperands() << " operands and " << arguments.size()
           << " block arguments; number and types are equal";
  return success();
}
