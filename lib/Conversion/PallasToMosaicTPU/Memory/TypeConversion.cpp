//===- TypeConversion.cpp - Types of kernels on a TPU core ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One converter serves all stages of the lowering, so that an operand has the
// same type in the plan, in the module and in the body.
//
//===----------------------------------------------------------------------===//

#include "TypeConversion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

std::optional<tpu::MemorySpace>
mlir::pallas::convertMemorySpace(MemorySpace space, tpu::CoreType core) {
  switch (space) {
  case MemorySpace::Default:
    // Scalar subcores have no VMEM.
    return core == tpu::CoreType::ScScalarSubcore ? tpu::MemorySpace::Smem
                                                  : tpu::MemorySpace::Vmem;
  // Global memory of a kernel for another accelerator is an operand that it
  // reads and writes directly: here that can only be VMEM.
  case MemorySpace::Gmem:
    return tpu::MemorySpace::Vmem;
  case MemorySpace::Any:
    return tpu::MemorySpace::Any;
  case MemorySpace::Vmem:
    return tpu::MemorySpace::Vmem;
  case MemorySpace::Smem:
  case MemorySpace::Index:
  case MemorySpace::Key:
  case MemorySpace::Error:
    return tpu::MemorySpace::Smem;
  case MemorySpace::Hbm:
    return tpu::MemorySpace::Hbm;
  case MemorySpace::Cmem:
    return tpu::MemorySpace::Cmem;
  case MemorySpace::VmemShared:
    return tpu::MemorySpace::VmemShared;
  case MemorySpace::Semaphore:
    return tpu::MemorySpace::SemaphoreMem;
  case MemorySpace::Host:
    return tpu::MemorySpace::Host;
  case MemorySpace::Tmem:
  case MemorySpace::Regs:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Memory of another core, as kernels on SparseCores hold it.
static tpu::CoreType convertCore(CoreKind kind) {
  switch (kind) {
  case CoreKind::TensorCore:
    return tpu::CoreType::TensorCore;
  case CoreKind::ScScalar:
    return tpu::CoreType::ScScalarSubcore;
  case CoreKind::ScVector:
    return tpu::CoreType::ScVectorSubcore;
  }
  return tpu::CoreType::TensorCore;
}

/// Elements that vector memory can hold: they fill up 32-bit words evenly.
bool mlir::pallas::isTPUElement(Type type) {
  if (!type.isIntOrFloat() || isa<FloatTF32Type>(type))
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits <= 32 && llvm::isPowerOf2_32(bits);
}

/// Masks are 32 bits wide in memory, and f16, which the units lack, is moved as
/// its bits and computed as f32.
static Type convertRefElement(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isInteger(1))
    return IntegerType::get(context, 32);
  if (type.isF16())
    return IntegerType::get(context, 16);
  if (isa<SemaphoreType, BarrierSemaphoreType>(type))
    return tpu::SemaphoreType::get(context);
  if (isa<DMASemaphoreType>(type))
    return tpu::DMASemaphoreType::get(context);
  // Barriers of GPUs have no counterpart.
  if (isa<BarrierType, ClusterBarrierType>(type))
    return {};
  return isTPUElement(type) ? type : Type();
}

MemRefType TPUTypeConverter::convertRef(RefType ref,
                                        ArrayRef<int64_t> shape) const {
  Type element = convertRefElement(ref.getElementType());
  std::optional<tpu::MemorySpace> space =
      convertMemorySpace(ref.getSpace(), core);
  if (!element || !space || ref.getTransforms())
    return {};
  // The core that runs the code is left out: the compiler treats a space of
  // that core and the plain space as different.
  std::optional<tpu::CoreType> owner;
  if (std::optional<CoreKind> kind = ref.getMemorySpace().getCore())
    if (convertCore(*kind) != core)
      owner = convertCore(*kind);
  auto spaceAttr = tpu::MemorySpaceAttr::get(ref.getContext(), *space, owner);
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         spaceAttr);
}

/// Tensors become vectors, and those without dimensions become scalars, which
/// the scalar unit computes. f16 is computed as f32.
Type TPUTypeConverter::convertType(Type type) const {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return {};
    Type element = convertType(tensor.getElementType());
    if (tensor.getRank() == 0)
      return element;
    return VectorType::get(tensor.getShape(), element);
  }
  if (type.isF16())
    return Float32Type::get(type.getContext());
  if (auto ref = dyn_cast<RefType>(type))
    return convertRef(ref);
  return isa<AccumulatorType>(type) ? Type() : type;
}

LogicalResult
TPUTypeConverter::convertTypes(TypeRange types,
                               SmallVectorImpl<Type> &results) const {
  for (Type type : types) {
    results.push_back(convertType(type));
    if (!results.back())
      return failure();
  }
  return success();
}
