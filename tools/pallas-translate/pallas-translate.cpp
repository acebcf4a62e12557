//===- pallas-translate.cpp - Modules to and from other formats -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exactly one format is named on the command line. The output file appears only
// when all went well.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "pallas/Dialect/MosaicTPU/IR/DistinctVerifier.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Pipelines/PallasToMosaicTPU.h"
#include "pallas/Register.h"
#include "pallas/Support/CrashReport.h"
#include "pallas/Support/GuardedRead.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("pallas-translate options");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::desc("Where to put the output"),
                                       cl::value_desc("FILE"), cl::init("-"),
                                       cl::cat(category));
static cl::opt<std::string> toStableMosaic(
    "to-stable-mosaic", cl::ValueOptional, cl::value_desc("version"),
    cl::desc("tpu module -> bytes for the Mosaic compiler, at this version or "
             "one that all compilers read"),
    cl::cat(category));
static cl::opt<bool>
    fromStableMosaic("from-stable-mosaic",
                     cl::desc("bytes for the Mosaic compiler -> tpu module"),
                     cl::cat(category));

static cl::opt<bool> toTPUCustomCall(
    "to-tpu-custom-call",
    cl::desc("kernels -> StableHLO functions that call them on a TPU"),
    cl::cat(category));

static cl::opt<std::string>
    chip("chip", cl::desc("Chip to compile for, for example v5e or v6e"),
         cl::init("v5e"), cl::cat(category));

static cl::opt<std::string>
    libtpu("libtpu",
           cl::desc("Release of libtpu that reads the calls, for example "
                    "0.0.52; those of 0.0.42.1 are read by all later ones"),
           cl::value_desc("release"), cl::init("0.0.42.1"), cl::cat(category));

static cl::list<std::string>
    coarsen("coarsen", cl::CommaSeparated, cl::value_desc("d0=4,d2=2"),
            cl::desc("Coarsening factors of the dimensions of grids, auto, "
                     "which is the default, or off"),
            cl::cat(category));

static cl::opt<bool>
    reassociate("reassociate",
                cl::desc("Add up sums over steps that become one in another "
                         "order, where that is faster"),
                cl::init(false), cl::cat(category));

static cl::opt<bool>
    verifyEach("verify-each",
               cl::desc("Check the kernels that were lowered before they are "
                        "written"),
               cl::init(true), cl::cat(category));

/// Whether the command line has the option.
static bool isGiven(const cl::Option &option) {
  return option.getNumOccurrences() > 0;
}

/// Refuses options for lowering where nothing is lowered.
static LogicalResult checkNothingToLower(StringRef reason) {
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &chip, std::addressof(coarsen), &reassociate, &verifyEach})
    if (isGiven(*option)) {
      llvm::errs() << "pallas-translate: --" << option->ArgStr
                   << " is for kernels that --to-tpu-custom-call lowers, but "
                   << reason << "; leave it out\n";
      return failure();
    }
  return success();
}

static OwningOpRef<ModuleOp> parseModule(llvm::SourceMgr &sources,
                                         MLIRContext &context) {
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

static LogicalResult translateToStableMosaic(llvm::SourceMgr &sources,
                                             MLIRContext &context,
                                             raw_ostream &os) {
  int64_t version = tpu::kPortableStableMosaicVersion;
  if (!toStableMosaic.empty() &&
      StringRef(toStableMosaic).getAsInteger(10, version)) {
    llvm::errs() << "pallas-translate: '" << toStableMosaic
                 << "' is not a version number\n";
    return failure();
  }
  OwningOpRef<ModuleOp> module = parseModule(sources, context);
  if (!module)
    return failure();
  WalkResult result = module->walk<WalkOrder::PreOrder>([](Operation *op) {
    if (!isa_and_present<pallas::PallasDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitOpError("is nothing that the Mosaic compiler knows; lower the "
                    "module with --pallas-to-mosaic-tpu first");
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return tpu::serializeStableMosaic(*module, os, version);
}

static LogicalResult translateFromStableMosaic(llvm::SourceMgr &sources,
                                               MLIRContext &context,
                                               raw_ostream &os) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  OwningOpRef<ModuleOp> module =
      tpu::deserializeStableMosaic(buffer->getMemBufferRef(), &context);
  if (!module)
    return failure();
  module->print(os);
  os << "\n";
  return success();
}

static LogicalResult translateToTPUCustomCall(llvm::SourceMgr &sources,
                                              MLIRContext &context,
                                              raw_ostream &os) {
  std::optional<tpu::LibtpuRelease> release = tpu::LibtpuRelease::parse(libtpu);
  if (!release) {
    llvm::errs() << "pallas-translate: '" << libtpu
                 << "' is no release of libtpu from 0.0.42.1 on\n";
    return failure();
  }
  OwningOpRef<ModuleOp> module = parseModule(sources, context);
  if (!module)
    return failure();
  // The module of a single kernel has an attribute with the options of its
  // call; other modules hold the callers.
  if (!(*module)->hasAttr(tpu::kCallAttrName) &&
      !module->getOps<func::FuncOp>().empty()) {
    PassManager pm(&context);
    pm.enableVerifier(false);
    pallas::PallasToMosaicTPUOptions options;
    options.chip = chip;
    options.coarsen = coarsen;
    options.reassociate = reassociate;
    pallas::buildPallasToMosaicTPUPipeline(pm, options);
    if (failed(pm.run(*module)) ||
        (verifyEach && failed(tpu::verifyDistinct(*module))))
      return failure();
    return tpu::writeHostModule(*module, os, *release);
  }
  if (failed(checkNothingToLower("the module has been lowered")))
    return failure();
  FailureOr<tpu::TPUCustomCall> call = tpu::readCallAttribute(*module);
  if (failed(call))
    return failure();
  call->libtpu = *release;
  return tpu::writeCustomCallModule(*call, "main", os);
}

int main(int argc, char **argv) {
  pallas::installCrashReport(argc, argv);
  llvm::InitLLVM init(argc, argv);
  registerAsmPrinterCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Translate kernels to and from other formats\n");

  using Translation =
      LogicalResult (*)(llvm::SourceMgr &, MLIRContext &, raw_ostream &);
  const std::pair<const cl::Option *, Translation> translations[] = {
      {&toStableMosaic, translateToStableMosaic},
      {&fromStableMosaic, translateFromStableMosaic},
      {&toTPUCustomCall, translateToTPUCustomCall},
  };
  Translation chosen = nullptr;
  for (auto [option, translation] : translations) {
    if (!isGiven(*option))
      continue;
    if (chosen) {
      llvm::errs() << "pallas-translate: more than one format is named\n";
      return 2;
    }
    chosen = translation;
  }
  if (!chosen) {
    llvm::errs() << "pallas-translate: no format is named; see --help\n";
    return 2;
  }

  if (chosen != translateToTPUCustomCall) {
    if (failed(checkNothingToLower("another format is named")))
      return 2;
    if (isGiven(libtpu)) {
      llvm::errs() << "pallas-translate: --libtpu is for --to-tpu-custom-call, "
                      "but another format is named; leave it out\n";
      return 2;
    }
  }

  std::string message;
  auto input = openInputFile(inputFile, &message);
  if (!input) {
    llvm::errs() << "pallas-translate: " << message << "\n";
    return 1;
  }
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  // The reader of stable Mosaic has a guard of its own.
  if (chosen != translateFromStableMosaic)
    input = pallas::makeReadable(std::move(input), registry,
                                 pallas::ReadOptions(), llvm::errs());
  if (!input)
    return 1;
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);

  // Nothing is written before all is known to be right.
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(chosen(sources, context, os)))
    return 1;
  auto output = openOutputFile(outputFile, &message);
  if (!output) {
    llvm::errs() << "pallas-translate: " << message << "\n";
    return 1;
  }
  output->os() << text;
  output->keep();
  return 0;
}
