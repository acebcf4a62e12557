//===- Reducer.cpp - Looks for the smallest module that still shows it ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::pallas;

Reducer::Reducer(OwningOpRef<ModuleOp> module, StringRef program,
                 ArrayRef<std::string> arguments)
    : best(std::move(module)), bestCost(measure(*best)), program(program),
      arguments(arguments), tester(this->program, this->arguments) {}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

Reducer::Cost Reducer::measure(ModuleOp module) {
  uint64_t number = 0;
  double elements = 0;
  auto add = [&](Type type) {
    ++number;
    auto shaped = dyn_cast<ShapedType>(type);
    Type element = getElementTypeOrSelf(type);
    double bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    elements += shaped && shaped.hasStaticShape()
                    ? bits * shaped.getNumElements()
                    : bits;
  };
  module.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), add);
    if (op->hasTrait<OpTrait::ConstantLike>())
      return;
    ++number;
    llvm::for_each(op->getResultTypes(), add);
    if (auto call = dyn_cast<PallasCallOp>(op))
      for (int64_t size : call.getGrid())
        elements += size;
    op->getAttrDictionary().walk(
        [&](MeshAxisAttr axis) { elements += axis.getSize(); });
  });
  return {number, elements, print(module).size()};
}

bool Reducer::isOver() const {
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return (stop && *stop) || (limit > 0 && taken.count() > limit);
}

bool Reducer::test(ModuleOp module) {
  ++numTests;
  return tester.isInteresting(module).first == Tester::Interestingness::True;
}

void Reducer::report(StringRef what) {
  llvm::errs() << llvm::formatv("[{0} tests] {1} operations, {2} lines: {3}\n",
                                numTests, std::get<0>(bestCost),
                                StringRef(print(*best)).count('\n'), what);
}

/// Does something that no kernel that people write leads to. What it was done
/// to is lost if it crashes.
static bool survive(llvm::function_ref<void()> work,
                    OwningOpRef<ModuleOp> &module) {
  llvm::CrashRecoveryContext guard;
  if (guard.RunSafely(work))
    return true;
  (void)module.release();
  return false;
}

/// Takes a changed copy if it is valid, smaller, and still shows it.
bool Reducer::attempt(llvm::function_ref<bool(ModuleOp)> change) {
  if (isOver())
    return false;
  OwningOpRef<ModuleOp> candidate = best->clone();
  bool isValid = false;
  auto prepare = [&] {
    isValid = change(*candidate) && succeeded(verify(*candidate));
    IRRewriter rewriter(candidate->getContext());
    if (isValid)
      (void)runRegionDCE(rewriter, candidate->getOperation()->getRegions());
  };
  if (!survive(prepare, candidate) || !isValid)
    return false;
  Cost cost = measure(*candidate);
  if (cost >= bestCost)
    return false;
  std::string text = print(*candidate);
  if (dull.contains(text))
    return false;
  if (!test(*candidate)) {
    dull.insert(text);
    return false;
  }
  best = std::move(candidate);
  bestCost = cost;
  return true;
}

/// Halves what is changed at a time, from all places to one.
bool Reducer::reduce(const Reduction &reduction) {
  bool isSmaller = false;
  unsigned number = reduction.count(*best);
  for (unsigned chunk = reduction.inChunks ? number : 1; chunk > 0;
       chunk /= 2) {
    for (unsigned end = number; end > 0 && !isOver();) {
      // Alternatives start with the boldest one.
      unsigned at = reduction.inChunks ? end : number - end + 1;
      unsigned begin = at > chunk ? at - chunk : 0;
      bool isTaken = attempt(
          [&](ModuleOp module) { return reduction.apply(module, begin, at); });
      isSmaller |= isTaken;
      if (isTaken)
        number = reduction.count(*best);
      if (isTaken && !reduction.inChunks)
        end = number;
      else
        end = std::min(reduction.inChunks ? begin : end - 1, number);
    }
    number = reduction.count(*best);
    chunk = std::min(chunk, number);
  }
  if (isSmaller)
    report(reduction.name);
  return isSmaller;
}

bool Reducer::runPass(std::unique_ptr<Pass> pass) {
  if (isOver())
    return false;
  OwningOpRef<ModuleOp> candidate = best->clone();
  PassManager manager(candidate->getContext());
  manager.enableVerifier(false);
  manager.addPass(std::move(pass));
  // The passes end the process where two tests of one module disagree.
  bool isDone = false;
  if (!survive([&] { isDone = succeeded(manager.run(*candidate)); }, candidate))
    return false;
  return isDone && attempt([&](ModuleOp module) {
           module.getBodyRegion().takeBody(candidate->getBodyRegion());
           return true;
         });
}

bool Reducer::runTree() {
  ReductionTreePassOptions options;
  options.testerName = program;
  options.testerArgs.assign(arguments.begin(), arguments.end());
  bool isSmaller = runPass(createReductionTreePass(options));
  if (isSmaller)
    report("MLIR's reduction tree");
  return isSmaller;
}

bool Reducer::runPasses(StringRef passes) {
  OptReductionPassOptions options;
  options.optPass = passes.str();
  options.testerName = program;
  options.testerArgs.assign(arguments.begin(), arguments.end());
  bool isSmaller = runPass(createOptReductionPass(options));
  if (isSmaller)
    report(passes);
  return isSmaller;
}

void Reducer::run(double seconds, const volatile sig_atomic_t &stopFlag) {
  start = std::chrono::steady_clock::now();
  limit = seconds;
  stop = &stopFlag;
  llvm::CrashRecoveryContext::Enable();
  SmallVector<Reduction> reductions;
  addOperationReductions(reductions);
  addCallReductions(reductions);
  addDeviceReductions(reductions);
  addTypeReductions(reductions);
  report("as given");
  bool isSmaller = true;
  while (isSmaller && !isOver()) {
    isSmaller = false;
    for (StringRef passes : {"symbol-dce", "canonicalize", "cse"})
      isSmaller |= runPasses(passes);
    for (const Reduction &reduction : reductions)
      isSmaller |= reduce(reduction);
    // It asks about each region several times, so it comes last.
    if (!isSmaller)
      isSmaller = runTree();
  }
}
