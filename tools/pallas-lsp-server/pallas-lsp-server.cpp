//===- pallas-lsp-server.cpp - Language server for Pallas modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "pallas/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::pallas::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
