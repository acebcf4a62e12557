//===-- pallas-c/Passes.h - C API of the passes -------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_C_PASSES_H
#define PALLAS_C_PASSES_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers all passes and pipelines of the project, so that
/// `mlirParsePassPipeline` knows them by name.
MLIR_CAPI_EXPORTED void pallasRegisterAllPasses(void);

#ifdef __cplusplus
}
#endif

#endif // PALLAS_C_PASSES_H
