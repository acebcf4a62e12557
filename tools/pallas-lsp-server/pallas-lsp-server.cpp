//===- pallas-lsp-server.cpp - Language server for Pallas modules ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "pallas/Register.h"

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::pallas::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

static int serveGuarded() {
  char name[] = "pallas-lsp-server";
  char *arguments[] = {name, nullptr};
  return serve(1, arguments);
}

/// Options are those of MLIR's server, which then runs by itself.
int main(int argc, char **argv) {
  if (argc > 1)
    return serve(argc, argv);
  return mlir::pallas::Guard(serveGuarded).run();
}
