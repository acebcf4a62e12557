//===- PassDiff.cpp - Which pass changes the answer -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file executes a module behind each pass of a pipeline and compares the
// results with those of the module as it was given. A pass may be wrong in any
// way, so all of that happens in a process of its own, which may crash or hang;
// then it happens again, with a process for each execution, which tells a pass
// that crashes from its code.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/PassDiff.h"
#include "ChildProcess.h"
#include "ResultDiff.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

namespace {
/// How a module is executed.
struct Execution {
  SmallVector<BufferView> inputs;
  PassDiffOptions options;
  /// To the LLVM dialect. It has run before, so that its patterns are there in
  /// the processes that copy this one.
  std::unique_ptr<PassManager> lowering;
};
} // namespace

/// Without what only makes code faster.
static EngineOptions getPlainOptions() {
  EngineOptions options;
  options.useCache = false;
  options.optLevel = 0;
  options.pipeline.parallel = false;
  options.pipeline.optimize = false;
  options.verifyEach = false;
  return options;
}

namespace {
/// A module in the LLVM dialect. Equal digests are the same program, which need
/// not run again.
struct Lowered {
  OwningOpRef<ModuleOp> module;
  std::string digest;
};
} // namespace

/// A digest of the module as LLVM gets it; empty if it can't be translated. The
/// text of the LLVM dialect differs where LLVM IR doesn't: in the order of
/// constants, in repeated ones, and in folded operations.
static std::string computeDigest(ModuleOp lowered) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(lowered, context);
  if (!module)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// Lowers a clone of `module`, which itself goes through the rest of the
/// pipeline.
static llvm::Expected<Lowered> lower(ModuleOp module, PassManager &lowering) {
  // Diagnostics become the reason why the module did not run.
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          stream << (reason.empty() ? "" : "\n") << diagnostic;
        return success();
      });
  Lowered lowered{module.clone(), ""};
  // The module comes from a pass that may be broken; the passes from here on
  // were looked at where they ran.
  if (succeeded(verify(*lowered.module)) &&
      succeeded(lowering.run(*lowered.module)) &&
      succeeded(verify(*lowered.module)))
    lowered.digest = computeDigest(*lowered.module);
  if (lowered.digest.empty())
    return llvm::createStringError("%s", reason.empty() ? "the pipeline failed"
                                                        : reason.c_str());
  return lowered;
}

/// Executes the lowered module with outputs of its own.
static llvm::Expected<Results> execute(ModuleOp module, StringRef entry,
                                       ArrayRef<BufferView> inputs) {
  auto engine = Engine::create(module, getPlainOptions());
  if (!engine)
    return engine.takeError();
  if (entry.empty() && (*engine)->getEntries().size() == 1)
    entry = (*engine)->getEntries().front();
  const EntrySignature *signature = (*engine)->getSignature(entry);
  if (!signature)
    return llvm::createStringError("the module has no function '%s'",
                                   entry.str().c_str());
  Results results;
  SmallVector<BufferView> views;
  std::vector<std::unique_ptr<llvm::WritableMemoryBuffer>> memory;
  results.types = signature->outputs;
  for (const BufferType &type : results.types) {
    auto allocated = allocateArrays(type);
    if (!allocated)
      return allocated.takeError();
    memory.push_back(std::move(*allocated));
    views.push_back({memory.back()->getBufferStart(), type.dtype, type.shape});
  }
  if (llvm::Error error = (*engine)->invoke(entry, inputs, views))
    return std::move(error);
  for (const auto &each : memory)
    results.memory.emplace_back(each->getBufferStart(), each->getBufferSize());
  return results;
}

namespace {
/// Reports of a process that lowers and executes a module, in this order.
enum Stage : char {
  /// The digest of the lowered module, which runs from now on.
  Digested = 'd',
  /// Why the module was not lowered or did not run.
  Refused = 'r',
  /// The results, unless a module of the same digest had them before.
  Finished = 'f'
};

/// How the execution of a module came out.
struct Outcome {
  /// A crash, or that it took too long.
  std::string failure;
  /// Why it did not run.
  std::string reason;
  std::string digest;
  std::optional<Results> results;
};
} // namespace

/// Lowers `module`, and executes it unless its digest is `known`. `begin` gets
/// the digest before its code runs.
static Outcome executeHere(ModuleOp module, const Execution &how,
                           const llvm::StringSet<> &known,
                           llvm::function_ref<void(StringRef)> begin) {
  Outcome outcome;
  auto lowered = lower(module, *how.lowering);
  if (!lowered) {
    outcome.reason = llvm::toString(lowered.takeError());
    return outcome;
  }
  outcome.digest = lowered->digest;
  begin(outcome.digest);
  if (known.contains(outcome.digest))
    return outcome;
  auto results = execute(*lowered->module, how.options.entry, how.inputs);
  if (results)
    outcome.results = std::move(*results);
  else
    outcome.reason = llvm::toString(results.takeError());
  return outcome;
}

/// The work of such a process.
static void runStage(const Reporter &reporter, ModuleOp module,
                     const Execution &how, const llvm::StringSet<> &known) {
  limitTime(how.options.seconds);
  Outcome outcome = executeHere(module, how, known, [&](StringRef digest) {
    reporter.report(Digested, digest);
  });
  if (!outcome.reason.empty())
    reporter.report(Refused, outcome.reason);
  else if (outcome.results)
    reporter.report(Finished, serialize(*outcome.results));
}

/// Executes `module` in a process of its own. Modules whose digest is `known`
/// need not run again.
static llvm::Expected<Outcome> executeApart(ModuleOp module,
                                            const Execution &how,
                                            const llvm::StringSet<> &known) {
  auto child = runInChild([&](const Reporter &reporter) {
    runStage(reporter, module, how, known);
  });
  if (!child)
    return child.takeError();
  Outcome outcome;
  for (const Report &report : child->reports) {
    if (report.kind == Digested)
      outcome.digest = report.text;
    else if (report.kind == Refused)
      outcome.reason = report.text;
    else
      outcome.results = deserialize(report.text);
  }
  if (!child->failure.empty())
    outcome.failure = (outcome.digest.empty() ? "its lowering " : "its code ") +
                      child->failure;
  return outcome;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Whether `op` computes floats, rather than moving them.
static bool computesFloats(Operation *op) {
  return isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperandTypes(), [](Type type) {
           return isa<FloatType>(getElementTypeOrSelf(type));
         });
}

/// How far results may be apart since values on the way to them are rounded to
/// narrow floats. Passes may drop such roundings, as XLA does, so that a wider
/// result tells how far apart the narrow ones are:
///
///   %d = arith.subf %a, %b : vector<128xbf16>
///   %p = arith.mulf %d, %c : vector<128xbf16>
///   %r = arith.extf %p : vector<128xbf16> to vector<128xf32>
static double getToleranceOfRoundings(ModuleOp module) {
  double tolerance = 0;
  module.walk([&](Operation *op) {
    if (computesFloats(op))
      for (Type type : op->getResultTypes())
        if (auto dtype = getDType(getElementTypeOrSelf(type)))
          tolerance = std::max(tolerance, getTolerance(*dtype));
  });
  return tolerance;
}

//===----------------------------------------------------------------------===//
// Observation of passes
//===----------------------------------------------------------------------===//

namespace {
/// Reports of a process that runs a pipeline.
enum Event : char {
  /// A pass begins.
  Begun = 'b',
  /// The module behind it was executed, or is one that was; the digest of code
  /// that is new and right.
  Executed = 'e',
  /// The module behind it could not be executed, and why.
  NotExecuted = 'n',
  /// It changes the answer, and how.
  Changed = 'c',
  /// It ended with an error.
  Failed = 'f'
};

class Observer : public PassInstrumentation {
public:
  Observer(const Reporter &reporter, ModuleOp module, const Results &expected,
           double toleranceOfRoundings, const Execution &how,
           llvm::StringSet<> known, bool apart)
      : reporter(reporter), module(module), fingerprint(module),
        expected(expected), toleranceOfRoundings(toleranceOfRoundings),
        how(how), known(std::move(known)), apart(apart) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass))
      return;
    reporter.report(Begun, describe(pass, op));
    limitTime(how.options.seconds);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass))
      return;
    limitTime(0);
    std::string digest;
    // A module that the pass left as it was need not run again; if it could not
    // run before, it still cannot.
    OperationFingerPrint now(module);
    if (now != fingerprint)
      reason = check(digest);
    fingerprint = now;
    if (reason.empty())
      reporter.report(Executed, digest);
    else
      reporter.report(NotExecuted, reason);
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    limitTime(0);
    if (!isAdaptor(pass))
      reporter.report(Failed);
  }

private:
  llvm::Expected<Outcome> execute() {
    if (apart)
      return executeApart(module, how, known);
    limitTime(how.options.seconds);
    Outcome outcome = executeHere(module, how, known, [](StringRef) {});
    limitTime(0);
    return outcome;
  }

  /// Executes the module; why it could not be, if it could not.
  std::string check(std::string &digest) {
    auto outcome = execute();
    if (!outcome)
      return llvm::toString(outcome.takeError());
    std::string change = outcome->failure;
    if (change.empty() && outcome->results)
      change = compare(*outcome->results, expected, [&](DType dtype) {
        return how.options.tolerance.value_or(
            std::max(getTolerance(dtype), toleranceOfRoundings));
      });
    if (!change.empty()) {
      reporter.report(Changed, change);
      // The rest of the pipeline would start from what is wrong.
      _exit(0);
    }
    if (outcome->results) {
      digest = outcome->digest;
      known.insert(digest);
    }
    return outcome->reason;
  }

  /// The adaptor that runs passes on nested operations is a pass as well.
  static bool isAdaptor(Pass *pass) {
    return pass->getName() == "mlir::detail::OpToOpPassAdaptor";
  }

  /// For example "canonicalize on func.func @f".
  static std::string describe(Pass *pass, Operation *op) {
    std::string name = pass->getArgument().str();
    if (name.empty())
      name = pass->getName().str();
    name += " on " + op->getName().getStringRef().str();
    if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
      name += " @" + symbol.getValue().str();
    return name;
  }

  const Reporter &reporter;
  ModuleOp module;
  /// The module behind the last pass, and why it did not run.
  OperationFingerPrint fingerprint;
  std::string reason;
  const Results &expected;
  double toleranceOfRoundings;
  const Execution &how;
  /// Digests of what yields the expected results.
  llvm::StringSet<> known;
  /// Whether each execution has a process of its own.
  bool apart;
};
} // namespace

//===----------------------------------------------------------------------===//
// The differ
//===----------------------------------------------------------------------===//

struct PassDiffer::Impl {
  OwningOpRef<ModuleOp> module;
  Execution how;
  Results expected;
  double toleranceOfRoundings;
  llvm::StringSet<> known;
  bool wasParallel;

  llvm::Expected<PassDiff> run(PassManager &pm, bool apart, std::string &error);
};

PassDiffer::PassDiffer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

PassDiffer::~PassDiffer() {
  impl->module->getContext()->disableMultithreading(!impl->wasParallel);
}

/// Loads dialects, and lowers and compiles an empty function, so that the
/// processes which copy this one find done what takes as long as the code of a
/// small kernel.
static llvm::Error warmUp(MLIRContext *context, PassManager &lowering) {
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  OpBuilder b(context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToStart(module->getBody());
  auto func = func::FuncOp::create(b, loc, "f", b.getFunctionType({}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  func::ReturnOp::create(b, loc);
  auto lowered = lower(*module, lowering);
  if (!lowered)
    return lowered.takeError();
  return Engine::create(*lowered->module, getPlainOptions()).takeError();
}

llvm::Expected<std::unique_ptr<PassDiffer>>
PassDiffer::create(ModuleOp module, ArrayRef<BufferView> inputs,
                   const PassDiffOptions &options) {
  MLIRContext *context = module.getContext();
  Execution how{SmallVector<BufferView>(inputs), options,
                std::make_unique<PassManager>(context)};
  how.lowering->enableVerifier(false);
  buildPallasToLLVMPipeline(*how.lowering, getPlainOptions().pipeline);
  if (llvm::Error error = warmUp(context, *how.lowering))
    return std::move(error);
  // Threads would not be there in another process.
  bool wasParallel = context->isMultithreadingEnabled();
  context->disableMultithreading();
  std::unique_ptr<PassDiffer> differ(new PassDiffer(std::make_unique<Impl>(Impl{
      module.clone(), std::move(how), Results(),
      getToleranceOfRoundings(module), llvm::StringSet<>(), wasParallel})));
  auto outcome = executeApart(module, differ->impl->how, {});
  if (!outcome)
    return outcome.takeError();
  if (!outcome->failure.empty())
    return llvm::createStringError("of the module as it was given, %s",
                                   outcome->failure.c_str());
  if (!outcome->results)
    return llvm::createStringError("%s", outcome->reason.c_str());
  differ->impl->expected = std::move(*outcome->results);
  differ->impl->known.insert(outcome->digest);
  return differ;
}

SmallVector<BufferView> PassDiffer::getResults() const {
  SmallVector<BufferView> views;
  Results &results = impl->expected;
  for (auto [type, memory] : llvm::zip_equal(results.types, results.memory))
    views.push_back({memory.data(), type.dtype, type.shape});
  return views;
}

/// Runs the pipeline in a child: a pass may crash, and so may code that is
/// executed there. A pass that fails is the `error`.
llvm::Expected<PassDiff> PassDiffer::Impl::run(PassManager &pm, bool apart,
                                               std::string &error) {
  auto child = runInChild([&](const Reporter &reporter) {
    pm.addInstrumentation(std::make_unique<Observer>(
        reporter, *module, expected, toleranceOfRoundings, how, known, apart));
    (void)pm.run(*module);
  });
  if (!child)
    return child.takeError();
  PassDiff diff;
  std::string pass;
  for (const Report &report : child->reports) {
    switch (report.kind) {
    case Begun:
      pass = report.text;
      ++diff.numPasses;
      break;
    case Executed:
      ++diff.numExecuted;
      if (!report.text.empty())
        known.insert(report.text);
      break;
    case NotExecuted:
      diff.notExecuted.push_back(pass + ": " + report.text);
      break;
    case Changed:
      diff.change = report.text;
      break;
    case Failed:
      error = llvm::formatv("pass {0}, {1}, fails", diff.numPasses, pass);
      break;
    }
  }
  if (!child->failure.empty())
    diff.change = (apart ? "the pass itself " : "the pass or code behind it ") +
                  child->failure;
  if (!diff.change.empty()) {
    diff.pass = pass;
    diff.number = diff.numPasses;
  }
  return diff;
}

/// Starting a process for each execution is a fifth of the work, so that is
/// done to look at a finding only. One that does not show again stays a
/// finding: code that writes where it must not may break what comes behind it.
llvm::Expected<PassDiff> PassDiffer::run(PassManager &pm) {
  std::string error;
  auto diff = impl->run(pm, /*apart=*/false, error);
  if (diff && !diff->change.empty()) {
    std::string errorApart;
    auto diffApart = impl->run(pm, /*apart=*/true, errorApart);
    if (!diffApart)
      return diffApart.takeError();
    if (!diffApart->change.empty())
      return diffApart;
  }
  if (diff && diff->change.empty() && !error.empty())
    return llvm::createStringError(error);
  return diff;
}
