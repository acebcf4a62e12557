//===- Passes.td - Passes on the pallas dialect ------------*- tablegen -*-===//

#ifndef PALLAS_TRANSFORMS_PASSES_TD
#define PALLAS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PallasDischargeState : Pass<"pallas-discharge-state", "::mlir::ModuleOp"> {
  let summary = "turn refs into values";
  let description = [{
    Reads of refs become slices of values, and writes make new values, which
    control flow, scopes and calls of functions hand on. A function returns what
    its refs hold at the end, behind its results. A `pallas_call` becomes loops
    over its grid that cut windows out of its arrays and put them back. Only
    refs that are written in a region are threaded through it.

    Operations take part by `DischargeableOpInterface`. With `memory-spaces`,
    only refs in these spaces are discharged and calls stay; `acc` stands for
    accumulators.
  }];
  let options = [
    ListOption<"memorySpaces", "memory-spaces", "std::string",
               "Spaces whose refs become values; all, and calls, if empty">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // PALLAS_TRANSFORMS_PASSES_TD
