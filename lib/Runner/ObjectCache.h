//===- ObjectCache.h - Compiled objects on disk -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_OBJECTCACHE_H
#define PALLAS_LIB_RUNNER_OBJECTCACHE_H

#include "pallas/Runner/Engine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace mlir::pallas {

/// A folder of objects, each named by a hash of everything that its code
/// depends on.
///
/// Loaded objects are run, so the folder must be one that only the user (or
/// root) can write, and each entry carries its key and a digest. An entry that
/// is not what was stored counts as missing, and the next store replaces it.
/// Trouble with the folder is never an error: it costs a compilation, and the
/// first time in a process a warning on stderr.
class ObjectCache {
public:
  /// Opens the folder, and makes it if there is none.
  explicit ObjectCache(const EngineOptions &options);
  ~ObjectCache();
  ObjectCache(const ObjectCache &) = delete;
  ObjectCache &operator=(const ObjectCache &) = delete;

  /// Whether there is a folder to look into.
  explicit operator bool() const { return folder >= 0; }

  /// The name for this module under these options on this machine.
  static std::string computeKey(ModuleOp module, const EngineOptions &options);

  /// The object that was stored under this key, in memory of this process.
  std::unique_ptr<llvm::MemoryBuffer> load(StringRef key) const;

  /// Appears under its name complete or not at all. Removes what is too old or
  /// too much, from time to time.
  void store(StringRef key, llvm::MemoryBufferRef object) const;

  /// The file that holds the entry of this key.
  std::string getPath(StringRef key) const;

private:
  std::error_code write(StringRef key, StringRef object) const;
  void prune() const;
  void warn(const llvm::Twine &reason) const;

  std::string path;
  /// Entries are looked up in the folder whose owner was checked, also if its
  /// path leads elsewhere by then.
  int folder = -1;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_OBJECTCACHE_H
