//===- MosaicTPUToPallas.h - From the tpu dialect to pallas -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H
#define PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H

#include "mlir/Pass/Pass.h"

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTMOSAICTPUTOPALLAS
#include "pallas/Conversion/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H
