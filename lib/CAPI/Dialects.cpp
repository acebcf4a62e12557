//===- Dialects.cpp - C API of the dialects -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of everything at once, as the tools and the plugin do it.
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Dialects.h"
#include "mlir/CAPI/Registration.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Register.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Pallas, pallas,
                                      mlir::pallas::PallasDialect)

void pallasRegisterAllDialects(MlirDialectRegistry registry) {
  mlir::pallas::registerAllDialects(*unwrap(registry));
}
