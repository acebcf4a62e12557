//===- PallasToMosaicTPU.h - From pallas to the tpu dialect -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H
#define PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H

#include "mlir/Pass/Pass.h"

namespace mlir::pallas {

#define GEN_PASS_DECL_CHOOSETPUCOARSENING
#define GEN_PASS_DECL_CONVERTPALLASTOMOSAICTPU
#define GEN_PASS_DECL_DECOMPOSEGATHERSCATTER
#define GEN_PASS_DECL_OUTLINETPUKERNELS
#include "pallas/Conversion/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_PALLASTOMOSAICTPU_PALLASTOMOSAICTPU_H
