//===- ObjectCache.cpp - Compiled objects on disk -------------------------===//

#include "ObjectCache.h"
#include "Compiler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::pallas;

static void describeFile(raw_ostream &os, StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status))
    os << path << ' ' << status.getSize() << ' '
       << status.getLastModificationTime().time_since_epoch().count() << '\n';
}

/// Identifies the compiler itself: the program, and the library that holds this
/// code. A rebuilt compiler must not take the objects of its predecessor.
static void describeCompiler(raw_ostream &os) {
  void *here = reinterpret_cast<void *>(&describeCompiler);
  // For a program this may be the word on the command line, which need not be
  // the name of a file.
  Dl_info info;
  if (dladdr(here, &info))
    describeFile(os, info.dli_fname);
  describeFile(os, llvm::sys::fs::getMainExecutable(nullptr, here));
}

ObjectCache::ObjectCache(const EngineOptions &options) {
  if (!options.useCache)
    return;
  SmallString<128> path(options.cacheDirectory);
  if (path.empty())
    if (auto fromEnvironment = llvm::sys::Process::GetEnv("PALLAS_CACHE_DIR"))
      path = *fromEnvironment;
  if (path.empty() && llvm::sys::path::cache_directory(path))
    llvm::sys::path::append(path, "pallas-mlir");
  if (path.empty() || llvm::sys::fs::create_directories(path))
    return;
  directory = path.str().str();
}

std::string ObjectCache::computeKey(ModuleOp module,
                                    const EngineOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  describeCompiler(stream);
  stream << describeTarget(options) << '\n' << options.optLevel << ' ';
  const_cast<PallasToLLVMOptions &>(options.pipeline).print(stream);
  stream << '\n';
  // Messages of the kernel speak of its locations.
  module->print(stream,
                OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string ObjectCache::getPath(StringRef key) const {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, key + ".o");
  return path.str().str();
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::load(StringRef key) const {
  if (directory.empty())
    return nullptr;
  auto buffer = llvm::MemoryBuffer::getFile(getPath(key), /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? std::move(*buffer) : nullptr;
}

void ObjectCache::store(StringRef key, llvm::MemoryBufferRef object) const {
  if (directory.empty())
    return;
  llvm::consumeError(llvm::writeToOutput(
      getPath(key), [&](llvm::raw_ostream &stream) -> llvm::Error {
        stream << object.getBuffer();
        return llvm::Error::success();
      }));
}
