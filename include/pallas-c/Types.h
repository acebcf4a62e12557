//===-- pallas-c/Types.h - C API of the pallas types --------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_C_TYPES_H
#define PALLAS_C_TYPES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool pallasTypeIsARef(MlirType type);

/// `!pallas.ref<shape x elementType, memorySpace>`. The memory space is a
/// `#pallas.memory_space` attribute and `transforms` an array attribute, or
/// null where there are none. Emits an error and returns null when the parts do
/// not make a type.
MLIR_CAPI_EXPORTED MlirType pallasRefTypeGetChecked(
    MlirLocation loc, intptr_t rank, const int64_t *shape, MlirType elementType,
    MlirAttribute memorySpace, MlirAttribute transforms);

MLIR_CAPI_EXPORTED intptr_t pallasRefTypeGetRank(MlirType type);
/// Size of one dimension; `mlirShapedTypeGetDynamicSize()` where it is not
/// known.
MLIR_CAPI_EXPORTED int64_t pallasRefTypeGetDimSize(MlirType type, intptr_t dim);
MLIR_CAPI_EXPORTED MlirType pallasRefTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED MlirAttribute pallasRefTypeGetMemorySpace(MlirType type);
/// The layout transforms, or null.
MLIR_CAPI_EXPORTED MlirAttribute pallasRefTypeGetTransforms(MlirType type);
/// The type that a read of the whole ref yields; null for semaphores and
/// barriers.
MLIR_CAPI_EXPORTED MlirType pallasRefTypeGetValueType(MlirType type);

//===----------------------------------------------------------------------===//
// Accumulators, semaphores, barriers
//===----------------------------------------------------------------------===//

MLIR_CAPI_EXPORTED bool pallasTypeIsAAccumulator(MlirType type);
MLIR_CAPI_EXPORTED MlirType
pallasAccumulatorTypeGetChecked(MlirLocation loc, intptr_t rank,
                                const int64_t *shape, MlirType elementType);

MLIR_CAPI_EXPORTED bool pallasTypeIsASemaphore(MlirType type);
MLIR_CAPI_EXPORTED MlirType pallasSemaphoreTypeGet(MlirContext context);
MLIR_CAPI_EXPORTED bool pallasTypeIsADMASemaphore(MlirType type);
MLIR_CAPI_EXPORTED MlirType pallasDMASemaphoreTypeGet(MlirContext context);
MLIR_CAPI_EXPORTED bool pallasTypeIsABarrier(MlirType type);
MLIR_CAPI_EXPORTED MlirType pallasBarrierTypeGetChecked(MlirLocation loc,
                                                        int64_t numArrivals,
                                                        bool ordersTensorCore);

#ifdef __cplusplus
}
#endif

#endif // PALLAS_C_TYPES_H
