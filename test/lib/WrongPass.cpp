//===- WrongPass.cpp - A pass that changes what a module computes ---------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {
/// Swaps the operands of the first subtraction.
struct WrongPass : public PassWrapper<WrongPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)

  StringRef getArgument() const override { return "test-swap-subtraction"; }
  StringRef getDescription() const override { return "swap operands"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::SubFOp op) {
      Value left = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(left);
      return WalkResult::interrupt();
    });
  }
};
} // namespace

// Linked into pallas-test-run, which is pallas-run with this pass.
static PassRegistration<WrongPass> registration;
