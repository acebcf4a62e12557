//===- pallas-opt.cpp - Runs passes on modules ----------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pallas/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::pallas::registerAllDialects(registry);
  mlir::pallas::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Pallas kernel optimizer\n", registry));
}
