//===- Types.cpp - C API of the pallas types ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Attributes.cpp for the naming.
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Types.h"
#include "mlir/CAPI/IR.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

using namespace mlir;
using namespace mlir::pallas;

/// Getters of refs take the type by this cast, which asserts.
static RefType toRef(MlirType type) { return cast<RefType>(unwrap(type)); }

/// Reports what is wrong with the parts of a type.
static auto emitAt(MlirLocation loc) {
  return [loc] { return emitError(unwrap(loc)); };
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

bool pallasTypeIsARef(MlirType type) { return isa<RefType>(unwrap(type)); }

MlirType pallasRefTypeGetChecked(MlirLocation loc, intptr_t rank,
                                 const int64_t *shape, MlirType elementType,
                                 MlirAttribute memorySpace,
                                 MlirAttribute transforms) {
  auto emit = emitAt(loc);
  auto space = dyn_cast_or_null<MemorySpaceAttr>(unwrap(memorySpace));
  Attribute list = unwrap(transforms);
  // The types of attributes can't be checked by C's type system.
  if (!space || (list && !isa<ArrayAttr>(list))) {
    emit() << "a ref needs a memory space and, if any, an array of transforms";
    return wrap(Type());
  }
  return wrap(RefType::getChecked(
      emit, unwrap(loc)->getContext(), ArrayRef<int64_t>(shape, rank),
      unwrap(elementType), space, cast_or_null<ArrayAttr>(list)));
}

intptr_t pallasRefTypeGetRank(MlirType type) { return toRef(type).getRank(); }
int64_t pallasRefTypeGetDimSize(MlirType type, intptr_t dim) {
  return toRef(type).getDimSize(dim);
}
MlirType pallasRefTypeGetElementType(MlirType type) {
  return wrap(toRef(type).getElementType());
}
MlirAttribute pallasRefTypeGetMemorySpace(MlirType type) {
  return wrap(Attribute(toRef(type).getMemorySpace()));
}
MlirAttribute pallasRefTypeGetTransforms(MlirType type) {
  return wrap(Attribute(toRef(type).getTransforms()));
}
/// Null for refs to semaphores and barriers.
MlirType pallasRefTypeGetValueType(MlirType type) {
  return wrap(toRef(type).getValueType());
}

//===----------------------------------------------------------------------===//
// Accumulators, semaphores, barriers
//===----------------------------------------------------------------------===//

bool pallasTypeIsAAccumulator(MlirType type) {
  return isa<AccumulatorType>(unwrap(type));
}

MlirType pallasAccumulatorTypeGetChecked(MlirLocation loc, intptr_t rank,
                                         const int64_t *shape,
                                         MlirType elementType) {
  return wrap(AccumulatorType::getChecked(
      emitAt(loc), unwrap(loc)->getContext(), ArrayRef<int64_t>(shape, rank),
      unwrap(elementType)));
}

bool pallasTypeIsASemaphore(MlirType type) {
  return isa<SemaphoreType>(unwrap(type));
}
MlirType pallasSemaphoreTypeGet(MlirContext context) {
  return wrap(SemaphoreType::get(unwrap(context)));
}
bool pallasTypeIsADMASemaphore(MlirType type) {
  return isa<DMASemaphoreType>(unwrap(type));
}
MlirType pallasDMASemaphoreTypeGet(MlirContext context) {
  return wrap(DMASemaphoreType::get(unwrap(context)));
}
bool pallasTypeIsABarrier(MlirType type) {
  return isa<BarrierType>(unwrap(type));
}
MlirType pallasBarrierTypeGetChecked(MlirLocation loc, int64_t numArrivals,
                                     bool ordersTensorCore) {
  return wrap(BarrierType::getChecked(emitAt(loc), unwrap(loc)->getContext(),
                                      numArrivals, ordersTensorCore));
}
