//===- compile-bench.cpp - How long it takes to compile a module ----------===//
//
// Prints the milliseconds from text to code that can be called: of the first
// time in this process, and of the fastest of some more.
//
//===----------------------------------------------------------------------===//

#include "mlir/Parser/Parser.h"
#include "pallas/Runner/Engine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE"));
static cl::opt<unsigned> repetitions("repetitions", cl::init(20),
                                     cl::desc("How often to compile"));
static cl::opt<unsigned> optLevel("O", cl::Prefix, cl::init(2),
                                  cl::desc("Optimization level, 0 to 3"));

/// Compiles the text in a context of its own, as one that comes for the first
/// time is.
static llvm::Expected<double> compile(StringRef text) {
  auto start = std::chrono::steady_clock::now();
  DialectRegistry registry;
  pallas::registerPallasToLLVMDependencies(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("not a valid module");
  pallas::EngineOptions options;
  options.optLevel = optLevel;
  options.useCache = false;
  auto engine = pallas::Engine::create(*module, options);
  auto end = std::chrono::steady_clock::now();
  if (!engine)
    return engine.takeError();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Measure compile time\n");
  auto file = llvm::MemoryBuffer::getFile(inputFile);
  if (!file) {
    llvm::errs() << inputFile << ": " << file.getError().message() << "\n";
    return 1;
  }
  double first = 0, best = 0;
  for (unsigned i = 0; i < repetitions; ++i) {
    auto time = compile((*file)->getBuffer());
    if (!time) {
      llvm::errs() << llvm::toString(time.takeError()) << "\n";
      return 1;
    }
    if (i == 0)
      first = best = *time;
    best = std::min(best, *time);
  }
  llvm::outs() << llvm::formatv("first: {0:f2} ms\nbest: {1:f2} ms\n", first,
                                best);
  return 0;
}
