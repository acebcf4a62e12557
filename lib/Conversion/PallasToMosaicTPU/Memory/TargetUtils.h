//===- TargetUtils.h - What the target dialect offers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TARGETUTILS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TARGETUTILS_H

#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"

namespace mlir::pallas {

using tpu::Emitter;
using tpu::getElementType;
using tpu::getShape;
using tpu::getVectorOrScalar;
using tpu::TPUBuffer;
using tpu::TPUCase;
using tpu::TPUChip;
using tpu::TPUSupport;
using tpu::withElementType;

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TARGETUTILS_H
