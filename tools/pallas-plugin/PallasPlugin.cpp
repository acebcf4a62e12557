//===- PallasPlugin.cpp - Dialect and passes for the stock mlir-opt -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt --load-dialect-plugin=PallasPlugin.so --load-pass-plugin=... parses
// its options before it loads plugins: it knows our passes in the text of
// --pass-pipeline, not as options of their own.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "pallas/Register.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Pallas", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::pallas::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Pallas", LLVM_VERSION_STRING,
          [] { mlir::pallas::registerAllPasses(); }};
}
