//===- TypeConversion.h - TPU types as pallas has them ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_TYPECONVERSION_H
#define PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_TYPECONVERSION_H

#include "pallas/Conversion/Utils/Raising.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

CoreKind convertCore(tpu::CoreType core);
MemorySpace convertMemorySpace(tpu::MemorySpace space);

/// The ref that a memref becomes; null if refs can't hold its elements. A
/// memref of no memory space is in VMEM. How tiles lie in memory does not
/// change what a kernel means, so a tiled layout is left out.
RefType convertMemRef(MemRefType type);

/// Vectors become tensors, memrefs become refs.
class MosaicTPUTypeConverter : public RaisingTypeConverter {
public:
  MosaicTPUTypeConverter();
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICTPUTOPALLAS_TYPECONVERSION_H
