//===- Passes.h - Conversions out of the pallas dialect ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PASSES_H
#define PALLAS_CONVERSION_PASSES_H

#include "pallas/Conversion/CheckTarget/CheckTarget.h"
#include "pallas/Conversion/MosaicGPUToPallas/MosaicGPUToPallas.h"
#include "pallas/Conversion/MosaicTPUToPallas/MosaicTPUToPallas.h"
#include "pallas/Conversion/PallasToCPU/PallasToCPU.h"
#include "pallas/Conversion/PallasToLinalg/PallasToLinalg.h"
#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"

namespace mlir::pallas {

#define GEN_PASS_REGISTRATION
#include "pallas/Conversion/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_PASSES_H
