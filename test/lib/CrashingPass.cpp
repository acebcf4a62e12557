//===- CrashingPass.cpp - A pass that crashes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include <csignal>

using namespace mlir;

namespace {
struct CrashingPass : public PassWrapper<CrashingPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingPass)

  StringRef getArgument() const override { return "test-crash"; }
  StringRef getDescription() const override { return "end the process"; }
  void runOnOperation() override { std::raise(SIGSEGV); }
};
} // namespace

// Linked into pallas-crash-opt, which is pallas-opt with this pass.
static PassRegistration<CrashingPass> registration;
