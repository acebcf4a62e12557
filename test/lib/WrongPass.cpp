//===- WrongPass.cpp - Passes that are wrong in one way each --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include <cstdlib>

using namespace mlir;

/// Swaps the operands of the first subtraction.
static void swapSubtraction(Operation *root) {
  root->walk([](arith::SubFOp op) {
    Value left = op.getLhs();
    op.getLhsMutable().assign(op.getRhs());
    op.getRhsMutable().assign(left);
    return WalkResult::interrupt();
  });
}

namespace {
struct WrongPass : public PassWrapper<WrongPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongPass)

  StringRef getArgument() const override { return "test-swap-subtraction"; }
  StringRef getDescription() const override { return "swap operands"; }
  void runOnOperation() override { swapSubtraction(getOperation()); }
};

/// Makes a pass that comes later wrong, wherever it stands in a pipeline, but
/// not on the copies that are executed.
struct PlantingPass : public PassWrapper<PlantingPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantingPass)

  PlantingPass() = default;
  PlantingPass(const PlantingPass &other) : PassWrapper(other) {
    target = other.target;
  }

  StringRef getArgument() const override { return "test-plant"; }
  StringRef getDescription() const override { return "make a pass wrong"; }
  void runOnOperation() override {
    getContext().registerActionHandler(
        [name = target.getValue(), root = getOperation()](
            llvm::function_ref<void()> run, const tracing::Action &action) {
          run();
          const auto *execution = dyn_cast<PassExecutionAction>(&action);
          if (execution && execution->getPass().getArgument() == name &&
              root->isAncestor(execution->getOp()))
            swapSubtraction(execution->getOp());
        });
  }

  Option<std::string> target{*this, "in",
                             llvm::cl::desc("Name of the wrong pass")};
};

/// Ends the compiler.
struct CrashingPass : public PassWrapper<CrashingPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingPass)

  StringRef getArgument() const override { return "test-crash"; }
  StringRef getDescription() const override { return "end the compiler"; }
  void runOnOperation() override { std::abort(); }
};

/// Says that it failed.
struct FailingPass : public PassWrapper<FailingPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailingPass)

  StringRef getArgument() const override { return "test-fail"; }
  StringRef getDescription() const override { return "fail"; }
  void runOnOperation() override { signalPassFailure(); }
};

/// Gives functions code in front that does not come to its end.
template <typename Derived>
struct CodePass : public PassWrapper<Derived, OperationPass<ModuleOp>> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    this->getOperation().walk([](func::FuncOp func) {
      OpBuilder b(func.getBody());
      Derived::emit(b, func.getLoc());
    });
  }
};

struct CrashingCode : public CodePass<CrashingCode> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingCode)

  StringRef getArgument() const override { return "test-crash-code"; }
  StringRef getDescription() const override { return "make code trap"; }
  static void emit(OpBuilder &b, Location loc) { LLVM::Trap::create(b, loc); }
};

struct EndlessCode : public CodePass<EndlessCode> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EndlessCode)

  StringRef getArgument() const override { return "test-endless-code"; }
  StringRef getDescription() const override { return "make code loop"; }
  static void emit(OpBuilder &b, Location loc) {
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    scf::WhileOp::create(
        b, loc, TypeRange(), ValueRange(),
        [&](OpBuilder &b, Location loc, ValueRange) {
          scf::ConditionOp::create(b, loc, yes, ValueRange());
        },
        [](OpBuilder &b, Location loc, ValueRange) {
          // A loop without effects would be dropped.
          LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
          scf::YieldOp::create(b, loc);
        });
  }
};
} // namespace

// Linked into pallas-test-run, which is pallas-run with these passes.
static PassRegistration<WrongPass> swapsOperands;
static PassRegistration<PlantingPass> plantsErrors;
static PassRegistration<CrashingPass> crashes;
static PassRegistration<FailingPass> fails;
static PassRegistration<CrashingCode> makesCodeCrash;
static PassRegistration<EndlessCode> makesCodeLoop;
