//===- TypeConversion.cpp - Types of TPU kernels as pallas has them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memrefs of kernels become refs. Vectors become tensors by the converter that
// both raising conversions share, in Conversion/Utils.
//
//===----------------------------------------------------------------------===//

#include "TypeConversion.h"

using namespace mlir;
using namespace mlir::pallas;

CoreKind mlir::pallas::convertCore(tpu::CoreType core) {
  switch (core) {
  case tpu::CoreType::ScScalarSubcore:
    return CoreKind::ScScalar;
  case tpu::CoreType::ScVectorSubcore:
    return CoreKind::ScVector;
  case tpu::CoreType::TensorCore:
    break;
  }
  return CoreKind::TensorCore;
}

/// Every space of the tpu dialect has one in pallas.
MemorySpace mlir::pallas::convertMemorySpace(tpu::MemorySpace space) {
  switch (space) {
  case tpu::MemorySpace::Any:
    return MemorySpace::Any;
  case tpu::MemorySpace::Smem:
    return MemorySpace::Smem;
  case tpu::MemorySpace::Hbm:
    return MemorySpace::Hbm;
  case tpu::MemorySpace::Cmem:
    return MemorySpace::Cmem;
  case tpu::MemorySpace::SemaphoreMem:
    return MemorySpace::Semaphore;
  case tpu::MemorySpace::VmemShared:
    return MemorySpace::VmemShared;
  case tpu::MemorySpace::Host:
    return MemorySpace::Host;
  case tpu::MemorySpace::Vmem:
    break;
  }
  return MemorySpace::Vmem;
}

/// Other elements are the same in both.
static Type convertElement(Type type) {
  MLIRContext *context = type.getContext();
  if (isa<tpu::SemaphoreType>(type))
    return SemaphoreType::get(context);
  if (isa<tpu::DMASemaphoreType>(type))
    return DMASemaphoreType::get(context);
  return type;
}

/// Tiles don't change what a ref holds, so tiled layouts are accepted; other
/// layouts would need strides, which refs don't have.
RefType mlir::pallas::convertMemRef(MemRefType type) {
  Type element = convertElement(type.getElementType());
  bool isTiled = isa<tpu::TiledLayoutAttr>(type.getLayout());
  if (!RefType::isValidElementType(element) ||
      (!isTiled && !type.getLayout().isIdentity()))
    return {};
  std::optional<tpu::MemorySpace> space = tpu::getMemorySpace(type);
  std::optional<CoreKind> owner;
  if (std::optional<tpu::CoreType> core = tpu::getNamedCoreType(type))
    owner = convertCore(*core);
  return RefType::get(
      type.getContext(), type.getShape(), element,
      MemorySpaceAttr::get(
          type.getContext(),
          // Mosaic puts memrefs without a space into VMEM.
          convertMemorySpace(space.value_or(tpu::MemorySpace::Vmem)), owner),
      /*transforms=*/{});
}

MosaicTPUTypeConverter::MosaicTPUTypeConverter() {
  addConversion([](MemRefType type) -> Type { return convertMemRef(type); });
}
