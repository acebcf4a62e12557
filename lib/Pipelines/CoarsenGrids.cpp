//===- CoarsenGrids.cpp - The option that joins steps of grids ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/CoarsenGrids.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/Passes.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::pallas;

void pallas::addGridCoarsening(OpPassManager &pm, ArrayRef<std::string> coarsen,
                               bool reassociate) {
  if (coarsen == ArrayRef<std::string>{"off"})
    return;
  PallasCoarsenGridOptions options;
  options.factors.assign(coarsen.begin(), coarsen.end());
  options.reassociate = reassociate;
  pm.addPass(createPallasCoarsenGrid(options));
  pm.addPass(createPallasSplitBlocks());
}

void pallas::addTPUGridCoarsening(OpPassManager &pm,
                                  ArrayRef<std::string> coarsen,
                                  bool reassociate, StringRef chip) {
  if (!coarsen.empty() && coarsen != ArrayRef<std::string>{"auto"})
    return addGridCoarsening(pm, coarsen, reassociate);
  pm.addPass(createChooseTPUCoarsening({chip.str(), reassociate}));
  addGridCoarsening(pm, {}, reassociate);
}
