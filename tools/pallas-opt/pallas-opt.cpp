//===- pallas-opt.cpp - Runs passes on modules ----------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"
#include "pallas/Register.h"

/// Prints what a chip can do, or all of them; a name that is none gets the
/// known ones.
static int printTargetInfo(llvm::StringRef name) {
  if (name == "all") {
    mlir::pallas::printTPUTargets(llvm::outs());
    return 0;
  }
  if (const mlir::pallas::TPUChip *chip = mlir::pallas::findTPUChip(name)) {
    mlir::pallas::printTPUTargetInfo(*chip, llvm::outs());
    return 0;
  }
  llvm::errs() << "pallas-opt: chip '" << name << "' is unknown; use";
  for (const mlir::pallas::TPUChip &chip : mlir::pallas::getTPUChips())
    llvm::errs() << " " << chip.name;
  llvm::errs() << "\n";
  return 1;
}

int main(int argc, char **argv) {
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc).drop_front())
    if (argument.consume_front("--print-target-info="))
      return printTargetInfo(argument);
  mlir::DialectRegistry registry;
  mlir::pallas::registerAllDialects(registry);
  mlir::pallas::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Pallas kernel optimizer\n", registry));
}
