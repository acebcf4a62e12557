//===- RaiseToPallas.h - Kernels of targets as calls ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_PIPELINES_RAISETOPALLAS_H
#define PALLAS_PIPELINES_RAISETOPALLAS_H

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace mlir::pallas {

/// Appends the passes that give kernel modules of the tpu and mosaic_gpu
/// dialects functions that a host can call. If `checked`, what only hardware
/// minds is reported first.
void buildRaiseToPallasPipeline(OpPassManager &pm, bool checked = false);

/// Whether a module is a kernel of such a dialect, which has no function that a
/// host can call.
bool isTargetKernelModule(ModuleOp module);

} // namespace mlir::pallas

#endif // PALLAS_PIPELINES_RAISETOPALLAS_H
