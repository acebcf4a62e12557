//===- Stages.cpp - The module after each pass, for pages -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page shows the first lines of each stage. Printing a module of 10^5
// operations after each of twenty passes takes longer than the passes, so only
// an excerpt is printed. Values have the names that they have in the whole,
// since a name depends only on the lines above it.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pallas::python;

/// Erases all but the first `limit` operations, index maps and terminators, and
/// returns how many went. What a terminator takes from an erased operation gets
/// a definition again:
///   %1500 = arith.addf %1499, %0 : f32
///   func.return %1500 : f32
/// ->
///   %1500 = builtin.unrealized_conversion_cast to f32
///   func.return %1500 : f32
static size_t cut(ModuleOp module, size_t limit) {
  size_t erased = 0;
  SmallVector<Operation *> late;
  SmallPtrSet<Operation *, 32> early = {module};
  // Index maps are printed ahead of the body of a call, and walked behind it.
  auto isInHead = [&](Operation *op) {
    return early.contains(op->getParentOp()) &&
           op->getParentRegion()->getRegionNumber() > 0 &&
           llvm::hasNItemsOrLess(*op->getBlock(), 16);
  };
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isEarly = early.size() <= limit;
    if (isEarly)
      early.insert(op);
    if (isEarly || op->hasTrait<OpTrait::IsTerminator>() || isInHead(op))
      return WalkResult::advance();
    op->walk([&](Operation *) { ++erased; });
    late.push_back(op);
    return WalkResult::skip();
  });
  // Blocks may use values of blocks behind them, so no order of erasing would
  // do.
  for (Operation *op : late)
    op->dropAllReferences();
  for (Operation *op : late) {
    OpBuilder b(op);
    if (!op->use_empty())
      op->replaceAllUsesWith(UnrealizedConversionCastOp::create(
          b, op->getLoc(), op->getResultTypes(), ValueRange()));
    op->erase();
  }
  return erased;
}

/// The first `limit` operations of a module that verifies, and terminators.
static Stage makeStage(const std::string &name, ModuleOp module, size_t limit) {
  size_t count = 0;
  module->walk([&](Operation *) { ++count; });
  Stage stage{name, "", 0};
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  llvm::raw_string_ostream os(stage.text);
  if (count <= limit) {
    module->print(os, flags);
    return stage;
  }
  OwningOpRef<ModuleOp> excerpt = module.clone();
  stage.numLeftOut = cut(*excerpt, limit);
  // The module was verified; its excerpt may lack what an operation asks for.
  (*excerpt)->print(os, flags.assumeVerified());
  return stage;
}

namespace {
/// Keeps the printer from a module that a failed pass left behind: it may not
/// verify, and operations print what the verifier promises.
struct FailureNote : public PassInstrumentation {
  explicit FailureNote(bool &failed) : failed(failed) {}
  void runAfterPassFailed(Pass *, Operation *) override { failed = true; }
  bool &failed;
};

/// MLIR finds out which passes change something; this prints what they made.
/// Passes on functions run on one function after the other, so in a module of n
/// functions each of them would make n stages of n functions. What they do
/// between two passes on the module is one stage there.
class StageList : public PassManager::IRPrinterConfig {
public:
  StageList(std::vector<Stage> &stages, size_t limit, const bool &failed)
      : IRPrinterConfig(/*printModuleScope=*/true,
                        /*printAfterOnlyOnChange=*/true),
        stages(stages), limit(limit), failed(failed) {}

  void printBeforeIfEnabled(Pass *, Operation *operation,
                            PrintCallbackFn) override {
    if (!operation->getParentOp())
      addJoint(cast<ModuleOp>(operation));
  }
  void printAfterIfEnabled(Pass *pass, Operation *operation,
                           PrintCallbackFn) override {
    if (failed)
      return;
    auto module = operation->getParentOfType<ModuleOp>();
    if (!module)
      module = cast<ModuleOp>(operation);
    else if (!llvm::hasSingleElement(module.getOps<FunctionOpInterface>())) {
      joint.insert(pass->getName());
      return;
    }
    stages.push_back(makeStage(pass->getName().str(), module, limit));
  }

  /// Adds what passes on functions have done since the last stage.
  void addJoint(ModuleOp module) {
    if (joint.empty() || failed)
      return;
    stages.push_back(makeStage(llvm::join(joint, ", "), module, limit));
    joint.clear();
  }

private:
  std::vector<Stage> &stages;
  size_t limit;
  const bool &failed;
  llvm::SetVector<StringRef> joint;
};
} // namespace

std::vector<Stage> mlir::pallas::python::runWithStages(PassManager &pm,
                                                       ModuleOp module,
                                                       size_t limit,
                                                       bool &failed) {
  std::vector<Stage> stages = {makeStage("as exported", module, limit)};
  auto list = std::make_unique<StageList>(stages, limit, failed);
  StageList &printer = *list;
  pm.enableIRPrinting(std::move(list));
  // Behind the printer: those that are added last hear of a failure first.
  pm.addInstrumentation(std::make_unique<FailureNote>(failed));
  if (mlir::failed(pm.run(module)))
    failed = true;
  printer.addJoint(module);
  return stages;
}
