//===-- pallas-c/Dialects.h - C API of the dialects ---------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_C_DIALECTS_H
#define PALLAS_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Pallas, pallas);

/// Registers all dialects of the project and those that kernels are written in
/// beside them (func, arith, math, linalg, tensor, scf).
MLIR_CAPI_EXPORTED void pallasRegisterAllDialects(MlirDialectRegistry registry);

#ifdef __cplusplus
}
#endif

#endif // PALLAS_C_DIALECTS_H
