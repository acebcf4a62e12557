//===- pallas-values-opt.cpp - The dialect and its lowering to linalg -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A change of an operation rebuilds all that includes it. This tool has the
// dialect and one conversion, so it shows an operation on values verify and
// lower after a fraction of that.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {
#define GEN_PASS_DECL_CONVERTPALLASTOLINALG
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, pallas::PallasDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  registerPass([] { return pallas::createConvertPallasToLinalg(); });
  registerCanonicalizerPass();
  return asMainReturnCode(MlirOptMain(
      argc, argv, "Pallas operations on values, to linalg\n", registry));
}
