//===- pallas-fuzz.cpp - Parses and verifies mutants of a corpus ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing that a user can write may bring the process down. This tool mutates
// the modules of a corpus, as text and as bytecode, and parses, verifies and
// prints each mutant, behind the same guard as the tools. Child processes do
// the work, so that a crash costs one mutant and is reported with the number
// that makes it again.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "pallas/Register.h"
#include "pallas/Support/GuardedRead.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
namespace cl = llvm::cl;

static cl::list<std::string> corpus(cl::Positional, cl::OneOrMore,
                                    cl::desc("FILE or FOLDER..."));
static cl::opt<uint64_t> mutants("mutants", cl::init(5000),
                                 cl::desc("How many mutants to try"));
static cl::opt<uint64_t> first("first", cl::init(0),
                               cl::desc("Number of the first mutant"));
static cl::opt<uint64_t> seed("seed", cl::init(1),
                              cl::desc("Another seed, other mutants"));
static cl::opt<std::string>
    pipeline("pipeline", cl::desc("Passes to run on mutants that are valid"));
static cl::opt<bool> print("print",
                           cl::desc("Print the first mutant and stop"));

/// A context that says nothing.
static std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler(
      [](Diagnostic &) { return success(); });
  return context;
}

/// Parses and verifies a module, and when it is valid, prints it in both forms
/// and runs the passes. Returns whether it is valid.
static bool tryModule(MLIRContext &context, StringRef text) {
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return false;
  module->print(llvm::nulls());
  module->print(llvm::nulls(), OpPrintingFlags().printGenericOpForm());
  if (!pipeline.empty()) {
    PassManager manager(&context);
    if (succeeded(parsePassPipeline(pipeline, manager, llvm::nulls())))
      (void)manager.run(*module);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Corpus
//===----------------------------------------------------------------------===//

static void readFile(StringRef path, std::vector<std::string> &chunks) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  SmallVector<StringRef> parts;
  (*buffer)->getBuffer().split(parts, "// -----");
  for (StringRef part : parts) {
    // Mutants of comments would find nothing.
    std::string &chunk = chunks.emplace_back();
    SmallVector<StringRef> lines;
    part.split(lines, '\n');
    for (StringRef line : lines)
      if (!line.trim().starts_with("//"))
        chunk += line.str() + "\n";
  }
}

static std::vector<std::string> readCorpus() {
  std::vector<std::string> chunks;
  for (const std::string &path : corpus) {
    if (!llvm::sys::fs::is_directory(path)) {
      readFile(path, chunks);
      continue;
    }
    std::error_code error;
    std::vector<std::string> files;
    for (llvm::sys::fs::recursive_directory_iterator it(path, error), end;
         it != end && !error; it.increment(error))
      if (llvm::sys::path::extension(it->path()) == ".mlir")
        files.push_back(it->path());
    llvm::sort(files);
    for (const std::string &file : files)
      readFile(file, chunks);
  }
  return chunks;
}

/// Seeds: the text as it is, and for valid modules the generic form and the
/// bytecode. Valid modules count threefold: their mutants reach farther.
static pallas::Mutator createMutator() {
  std::vector<std::string> texts = readCorpus(), bytecodes;
  std::unique_ptr<MLIRContext> context = createContext();
  for (size_t i = 0, count = texts.size(); i < count; ++i) {
    auto readable = pallas::makeReadable(
        llvm::MemoryBuffer::getMemBuffer(texts[i]),
        context->getDialectRegistry(), pallas::ReadOptions(), llvm::nulls());
    if (!readable)
      continue;
    auto module =
        parseSourceString<ModuleOp>(readable->getBuffer(), context.get());
    if (!module)
      continue;
    texts.push_back(texts[i]);
    llvm::raw_string_ostream generic(texts.emplace_back());
    module->print(generic, OpPrintingFlags().printGenericOpForm());
    llvm::raw_string_ostream bytes(bytecodes.emplace_back());
    (void)writeBytecodeToFile(*module, bytes);
  }
  return pallas::Mutator(std::move(texts), std::move(bytecodes), seed);
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// What a child tells its parent.
struct Progress {
  std::atomic<uint64_t> current, valid, refused;
};

/// Works on mutants from `progress.current` on, in a process of its own.
static void work(const pallas::Mutator &mutator, Progress &progress,
                 uint64_t end) {
  // A context keeps every type that it has seen: now and then it starts anew.
  constexpr uint64_t mutantsPerContext = 512;
  std::unique_ptr<MLIRContext> context;
  for (uint64_t done = 0; progress.current < end; ++progress.current, ++done) {
    if (done % mutantsPerContext == 0)
      context = createContext();
    alarm(60);
    auto mutant = pallas::makeReadable(
        llvm::MemoryBuffer::getMemBufferCopy(
            mutator.getMutant(progress.current), "mutant"),
        context->getDialectRegistry(), pallas::ReadOptions(), llvm::nulls());
    if (!mutant)
      ++progress.refused;
    else if (tryModule(*context, mutant->getBuffer()))
      ++progress.valid;
  }
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Fuzzer of parsers and verifiers\n");
  pallas::registerAllPasses();
  pallas::Mutator mutator = createMutator();
  if (print) {
    llvm::outs() << mutator.getMutant(first);
    return 0;
  }
  void *shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    llvm::errs() << "cannot share memory with child processes\n";
    return 1;
  }
  auto &progress = *new (shared) Progress{{first}, {0}, {0}};
  const uint64_t end = first + mutants;
  unsigned crashes = 0;
  while (progress.current < end) {
    pid_t child = fork();
    if (child == 0) {
      work(mutator, progress, end);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    if (status == 0)
      continue;
    ++crashes;
    llvm::errs() << "mutant " << progress.current
                 << (pallas::Mutator::getKind(progress.current) ==
                             pallas::MutantKind::Text
                         ? ""
                         : " (bytecode)")
                 << (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM
                         ? ": no end in sight"
                         : ": crash")
                 << "; see --first=" << progress.current << " --print\n";
    ++progress.current;
  }
  uint64_t kinds[3] = {};
  for (uint64_t number = first; number < end; ++number)
    ++kinds[size_t(pallas::Mutator::getKind(number))];
  llvm::outs() << mutants << " mutants: " << kinds[0] << " of text, "
               << kinds[1] << " of text in bytecode, " << kinds[2]
               << " of the bytes of bytecode\n"
               << progress.valid << " valid, " << progress.refused
               << " refused by the guard, " << crashes << " crashes\n";
  return crashes != 0;
}
