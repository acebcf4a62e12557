//===- MosaicTPUToPallas.h - From the tpu dialect to pallas -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H
#define PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace mlir::pallas {

#define GEN_PASS_DECL_CONVERTMOSAICTPUTOPALLAS
#include "pallas/Conversion/Passes.h.inc"

/// Whether functions of the module itself, not of one inside, are kernels of
/// the tpu dialect: then it has no function yet that a host could call.
bool isMosaicTPUKernelModule(ModuleOp module);

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_MOSAICTPUTOPALLAS_MOSAICTPUTOPALLAS_H
