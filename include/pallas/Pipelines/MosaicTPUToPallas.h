//===- MosaicTPUToPallas.h - Kernels of TPUs as calls -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_MOSAICTPUTOPALLAS_H
#define PALLAS_PIPELINES_MOSAICTPUTOPALLAS_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Appends the passes that give kernel modules of the tpu dialect functions
/// that a host can call.
void buildMosaicTPUToPallasPipeline(OpPassManager &pm);

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_MOSAICTPUTOPALLAS_H
