//===- PallasCSE.cpp - Common subexpressions of kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCSE
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// A core_map sees the values around it, but a query of a coordinate asks about
/// the innermost mesh, so the two below differ:
///
///   %device = pallas.axis_index "x"
///   pallas.core_map <tensorcore, [<core "x" = 2>]> () {
///     %core = pallas.axis_index "x"
static bool mayRename(func::FuncOp func) {
  return func.walk([](CoreMapOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct PallasCSEPass : public pallas::impl::PallasCSEBase<PallasCSEPass> {
  using PallasCSEBase::PallasCSEBase;

  void runOnOperation() override {
    if (mayRename(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance;
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }
};
} // namespace
