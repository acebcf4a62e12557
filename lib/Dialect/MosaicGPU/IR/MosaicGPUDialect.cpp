//===- MosaicGPUDialect.cpp - The mosaic_gpu dialect ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/IR/Hints.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUDialect.cpp.inc"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUTypes.cpp.inc"

void MosaicGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
}

void MosaicGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPUTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

LogicalResult mosaic_gpu::verifyHint(Operation *op, StringRef name,
                                     Attribute value) {
  StringRef remedy;
  if (name == kOptimizedHint && !isa<BoolAttr>(value))
    remedy = "true or false";
  else if (name == kOOBFillModeHint && !isa<OOBFillModeAttr>(value))
    remedy = "0 : i32 for undefined, 1 : i32 for promise in bounds or 2 : i32 "
             "for zeros";
  if (remedy.empty())
    return success();
  return op->emitOpError("has the attribute '")
         << name << "' with the value " << value << "; give " << remedy;
}

LogicalResult
MosaicGPUDialect::verifyOperationAttribute(Operation *op,
                                           NamedAttribute attribute) {
  return verifyHint(op, attribute.getName(), attribute.getValue());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Other spaces are valid attributes, but no operation here takes them.
Memory mosaic_gpu::getMemory(MemRefType type) {
  Attribute space = type.getMemorySpace();
  if (!space)
    return Memory::Global;
  if (isa<TmemAttr>(space))
    return Memory::Tensor;
  if (isa<SmemClusterAttr>(space))
    return Memory::Cluster;
  return space == getSharedMemorySpace(type.getContext()) ? Memory::Shared
                                                          : Memory::Other;
}

gpu::AddressSpaceAttr mosaic_gpu::getSharedMemorySpace(MLIRContext *context) {
  return gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
}

//===----------------------------------------------------------------------===//
// B6x16P32Type, P2B6Type
//===----------------------------------------------------------------------===//

/// Both types pad elements of 6 bits: 16 of them by 32 bits, or each by 2.
static LogicalResult verifySixBits(function_ref<InFlightDiagnostic()> emitError,
                                   Type element) {
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 6)
    return success();
  return emitError() << "element type " << element
                     << " does not have 6 bits; give an integer or float that "
                        "has, for example f6E2M3FN";
}

LogicalResult B6x16P32Type::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Type element) {
  return verifySixBits(emitError, element);
}

LogicalResult P2B6Type::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type element) {
  return verifySixBits(emitError, element);
}
