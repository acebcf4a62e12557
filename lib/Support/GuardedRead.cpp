//===- GuardedRead.cpp - Reading modules that may be hostile --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reads modules in a child process where upstream's readers may crash
// or take all memory. All bytecode is read there. Text is read there only if it
// holds one of the few phrases that upstream's parser trusts.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/GuardedRead.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

//===----------------------------------------------------------------------===//
// The child process
//===----------------------------------------------------------------------===//

/// Both limits are set, so that the child can't raise them again.
static void limit(int resource, rlim_t value) {
  rlimit limits{value, value};
  setrlimit(resource, &limits);
}

/// Memory for data that the process has at the moment.
static rlim_t getDataSize() {
  unsigned long total = 0, resident = 0, shared = 0, text = 0, lib = 0,
                data = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  int found = std::fscanf(file, "%lu %lu %lu %lu %lu %lu", &total, &resident,
                          &shared, &text, &lib, &data);
  std::fclose(file);
  return found == 6 ? rlim_t(data) * sysconf(_SC_PAGESIZE) : 0;
}

/// Runs `read` with limits that grow with the input, and ends the process
/// without destructors: they could use what was damaged.
[[noreturn]] static void runLimited(size_t bytes,
                                    llvm::function_ref<void()> read) {
  constexpr rlim_t megabyte = rlim_t(1) << 20;
  rlim_t seconds = 5 + bytes / megabyte;
  // The parent reports; no stack trace and no core of the child.
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP})
    std::signal(signal, SIG_DFL);
  if (!std::freopen("/dev/null", "w", stderr))
    _exit(1);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_DATA, getDataSize() + 2048 * megabyte + 64 * rlim_t(bytes));
  // A lock that another thread held during the fork stays locked here; limits
  // on processor time don't end a process that waits for it.
  alarm(8 * seconds);
  read();
  _exit(0);
}

/// Whether a child process returns from `read`.
static bool survives(size_t bytes, llvm::function_ref<void()> read) {
  pid_t child = fork();
  if (child == 0)
    runLimited(bytes, read);
  if (child < 0)
    return true; // No process to be had: read without the guard.
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

//===----------------------------------------------------------------------===//
// Text that may be harmful
//===----------------------------------------------------------------------===//

/// Whether an `iterator_types = [...]` holds anything but names. Linalg's
/// parser casts all entries to names without a check. For example:
///
///   linalg.generic {iterator_types = [1], ...}
static bool hasStrangeIterators(StringRef text) {
  StringRef word = "iterator_types";
  for (size_t at = 0; (at = text.find(word, at)) != StringRef::npos;
       at += word.size()) {
    StringRef list = text.substr(at + word.size()).ltrim(" =");
    if (!list.consume_front("["))
      return true;
    SmallVector<StringRef> entries;
    list.split(']').first.split(entries, ',', -1, /*KeepEmpty=*/false);
    for (StringRef entry : entries)
      if (!entry.ltrim().starts_with("\"") &&
          !entry.ltrim().starts_with("#linalg.iterator_type<"))
        return true;
  }
  return false;
}

/// Whether the text has a phrase that upstream's parser trusts: `%x#99999`
/// reserves as many values, and `array<...>` takes any element type.
static bool hasTrustedPhrase(StringRef text) {
  if (hasStrangeIterators(text))
    return true;
  for (size_t at = 0; (at = text.find('#', at)) != StringRef::npos; ++at) {
    StringRef number = text.substr(at + 1, 5);
    if (number.size() == 5 && llvm::all_of(number, llvm::isDigit))
      return true;
  }
  StringRef word = "array<";
  for (size_t at = 0; (at = text.find(word, at)) != StringRef::npos; ++at) {
    StringRef element = text.substr(at + word.size(), 2);
    bool isKnown =
        element.size() == 2 && (((element[0] == 'i' || element[0] == 'f') &&
                                 llvm::isDigit(element[1])) ||
                                element == "bf");
    if (!isKnown)
      return true;
  }
  return false;
}

/// Parsers and passes recurse where brackets and regions are nested.
static constexpr unsigned kMaxNesting = 1000;

/// How deep brackets are nested outside of strings and comments. A `>` that
/// ends an arrow `->` closes nothing.
static unsigned getNesting(StringRef text) {
  unsigned depth = 0, angles = 0, deepest = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
    case '"':
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
        at += text[at] == '\\';
      break;
    case '/':
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      break;
    case '(':
    case '[':
    case '{':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
      depth -= depth != 0;
      break;
    case '<':
      ++angles;
      break;
    case '>':
      angles -= angles != 0 && text[at - 1] != '-';
      break;
    }
    deepest = std::max(deepest, depth + angles);
  }
  return deepest;
}

/// Prints to nowhere: what is read has to survive that, too.
static void printBothWays(ModuleOp module) {
  module->print(llvm::nulls());
  module->print(llvm::nulls(), OpPrintingFlags().printGenericOpForm());
}

/// A context of the child's own: other threads of the parent may have held
/// locks of theirs when the child came to be.
static std::unique_ptr<MLIRContext>
createContext(const DialectRegistry &registry, bool allowUnregisteredDialects,
              raw_ostream &errors) {
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->allowUnregisteredDialects(allowUnregisteredDialects);
  context->getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    errors << diagnostic.str() << "\n";
    return success();
  });
  return context;
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

/// Writes the module behind an 'M', or the diagnostics behind an 'E', so that
/// the parent knows which of the two it reads.
static void
handOver(int file, const DialectRegistry &registry,
         bool allowUnregisteredDialects,
         llvm::function_ref<OwningOpRef<ModuleOp>(MLIRContext &)> read) {
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  auto context = createContext(registry, allowUnregisteredDialects, errors);
  OwningOpRef<ModuleOp> module = read(*context);
  llvm::raw_fd_ostream os(file, /*shouldClose=*/false);
  if (!module) {
    os << 'E' << messages;
    return;
  }
  printBothWays(*module);
  os << 'M';
  if (failed(writeBytecodeToFile(*module, os)))
    _exit(1);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> pallas::readInChild(
    size_t bytes, const DialectRegistry &registry,
    bool allowUnregisteredDialects,
    llvm::function_ref<OwningOpRef<ModuleOp>(MLIRContext &)> read) {
  int file = memfd_create("module", MFD_CLOEXEC);
  if (file < 0)
    return llvm::createStringError("no memory for the module");
  llvm::scope_exit close([&] { ::close(file); });
  if (!survives(bytes, [&] {
        handOver(file, registry, allowUnregisteredDialects, read);
      }))
    return llvm::createStringError("the bytecode is damaged; write it again");
  auto written =
      llvm::MemoryBuffer::getOpenFile(file, "module", lseek(file, 0, SEEK_END),
                                      /*RequiresNullTerminator=*/false);
  if (!written)
    return llvm::errorCodeToError(written.getError());
  StringRef text = (*written)->getBuffer();
  if (text.consume_front("M"))
    return llvm::MemoryBuffer::getMemBufferCopy(text, "module");
  if (text.consume_front("E"))
    return llvm::createStringError(text.rtrim());
  return llvm::createStringError("there is no process to read the bytecode in");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Modules of a split file are parsed one by one, as the tool will do.
static void readTexts(StringRef text, const DialectRegistry &registry,
                      const pallas::ReadOptions &options) {
  auto context =
      createContext(registry, options.allowUnregisteredDialects, llvm::nulls());
  SmallVector<StringRef> modules{text};
  if (!options.splitMarker.empty()) {
    modules.clear();
    text.split(modules, options.splitMarker);
  }
  for (StringRef text : modules)
    if (auto module =
            parseSourceString<ModuleOp>(text, ParserConfig(context.get())))
      printBothWays(*module);
}

std::unique_ptr<llvm::MemoryBuffer>
pallas::makeReadable(std::unique_ptr<llvm::MemoryBuffer> buffer,
                     const DialectRegistry &registry,
                     const ReadOptions &options, raw_ostream &errors) {
  StringRef text = buffer->getBuffer(), name = buffer->getBufferIdentifier();
  if (!isBytecode(*buffer)) {
    unsigned nesting = getNesting(text);
    if (nesting > kMaxNesting) {
      errors << name << ": error: brackets are nested " << nesting
             << " deep, but can be read up to " << kMaxNesting
             << "; make functions of inner regions\n";
      return nullptr;
    }
    if (!hasTrustedPhrase(text) ||
        survives(text.size(), [&] { readTexts(text, registry, options); }))
      return buffer;
    errors << name << ": error: the text cannot be read: a result number "
           << "behind '#', the type of an 'array<...>' or an entry of "
           << "'iterator_types' is beyond what any module has\n";
    return nullptr;
  }
  auto module = readInChild(
      text.size(), registry, options.allowUnregisteredDialects,
      [&](MLIRContext &context) {
        return parseSourceString<ModuleOp>(text, ParserConfig(&context), name);
      });
  if (module)
    return std::move(*module);
  errors << name << ": error: " << llvm::toString(module.takeError()) << "\n";
  return nullptr;
}
