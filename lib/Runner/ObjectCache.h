//===- ObjectCache.h - Compiled objects on disk -----------------*- C++ -*-===//

#ifndef PALLAS_LIB_RUNNER_OBJECTCACHE_H
#define PALLAS_LIB_RUNNER_OBJECTCACHE_H

#include "pallas/Runner/Engine.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::pallas {

/// A folder of objects, each named by a hash of everything that its code
/// depends on. Trouble with the folder is never an error: it only costs a
/// compilation.
class ObjectCache {
public:
  explicit ObjectCache(const EngineOptions &options);

  /// The name for this module under these options on this machine.
  static std::string computeKey(ModuleOp module, const EngineOptions &options);

  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) const;

  /// Appears under its name complete or not at all.
  void store(StringRef key, llvm::MemoryBufferRef object) const;

private:
  std::string getPath(StringRef key) const;
  std::string directory;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_OBJECTCACHE_H
