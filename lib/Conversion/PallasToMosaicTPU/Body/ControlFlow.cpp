//===- ControlFlow.cpp - Control flow of kernels --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mosaic knows scf.for, scf.if and scf.while. Other control flow becomes these
// before bodies are converted.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Support/Nests.h"
#include "pallas/Support/Switches.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

///   scf.for ... {pallas.parallel_loop = 4 : i64}
///
/// becomes, on SparseCores,
///
///   scf.for ... {sc.loop_unroll_factor = 4 : i64, sc.parallel_access}
///
/// On TensorCores the attribute is only removed.
void mlir::pallas::markParallelLoops(Operation *root, tpu::CoreType core) {
  root->walk([&](scf::ForOp loop) {
    Attribute factor = loop->removeAttr(kParallelLoopAttrName);
    if (!factor || core == tpu::CoreType::TensorCore)
      return;
    loop->setAttr(tpu::kParallelAccessAttrName,
                  UnitAttr::get(loop.getContext()));
    loop->setAttr(tpu::kUnrollFactorAttrName, factor);
  });
}

//===----------------------------------------------------------------------===//
// Switches and short loops
//===----------------------------------------------------------------------===//

/// Switches become branches. Loops that run once become their bodies, so that
/// their induction variables fold into addresses.
void mlir::pallas::simplifyControlFlow(Operation *root) {
  IRRewriter rewriter(root->getContext());
  walkNests(root, [&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      (void)loop.promoteIfSingleIteration(rewriter);
    else if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
      expandSwitch(rewriter, choice);
  });
}
