//===-- pallas-c/Attributes.h - C API of the pallas attributes ----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_C_ATTRIBUTES_H
#define PALLAS_C_ATTRIBUTES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `#pallas.memory_space<name>`; null when no space has this name.
MLIR_CAPI_EXPORTED MlirAttribute pallasMemorySpaceAttrGet(MlirContext context,
                                                          MlirStringRef name);
MLIR_CAPI_EXPORTED bool pallasAttrIsAMemorySpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirStringRef
pallasMemorySpaceAttrGetName(MlirAttribute attr);

/// One dimension of a block. `kind` is `blocked`, `squeezed`, `element`,
/// `bounded` or `indirect`; padding is for `element` only. Emits an error and
/// returns null when the parts do not make a dimension.
MLIR_CAPI_EXPORTED MlirAttribute
pallasBlockDimAttrGetChecked(MlirLocation loc, MlirStringRef kind, int64_t size,
                             int64_t padLow, int64_t padHigh);
MLIR_CAPI_EXPORTED bool pallasAttrIsABlockDim(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t pallasBlockDimAttrGetSize(MlirAttribute attr);

/// How an operand is cut into blocks. `pipelineMode`, `transforms` and `origin`
/// (a string attribute) may be null.
MLIR_CAPI_EXPORTED MlirAttribute pallasBlockMappingAttrGet(
    intptr_t numDims, const MlirAttribute *dims, MlirAttribute memorySpace,
    MlirAttribute pipelineMode, MlirAttribute transforms, MlirAttribute origin);
MLIR_CAPI_EXPORTED bool pallasAttrIsABlockMapping(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t
pallasBlockMappingAttrGetNumDims(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAttribute
pallasBlockMappingAttrGetDim(MlirAttribute attr, intptr_t index);
MLIR_CAPI_EXPORTED MlirAttribute
pallasBlockMappingAttrGetMemorySpace(MlirAttribute attr);
/// Type of the ref that a kernel sees for an array of these elements.
MLIR_CAPI_EXPORTED MlirType
pallasBlockMappingAttrGetRefType(MlirAttribute attr, MlirType elementType);

/// `#pallas.indexer<[...]>`, the whole ref.
MLIR_CAPI_EXPORTED MlirAttribute pallasIndexerAttrGetWhole(MlirContext context);
MLIR_CAPI_EXPORTED bool pallasAttrIsAIndexer(MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif // PALLAS_C_ATTRIBUTES_H
