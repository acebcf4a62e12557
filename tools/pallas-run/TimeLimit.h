//===- TimeLimit.h - Runs that have to end ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_RUN_TIMELIMIT_H
#define PALLAS_TOOLS_PALLAS_RUN_TIMELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Runner/Engine.h"
#include "llvm/ADT/StringMap.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mlir::pallas {

/// The operations of a module by their places, kept for when it is gone.
class SourceOperations {
public:
  struct Named {
    std::string name, place;
  };
  /// An operation, and the one around it that repeats it.
  struct Entry {
    std::string name;
    Named repeatedBy;
  };

  explicit SourceOperations(ModuleOp module);

  /// Null if none is there.
  const Entry *find(StringRef place) const;

private:
  llvm::StringMap<Entry> entries;
};

/// While it lives, the process has so many seconds. Native code has no end from
/// outside, so the process ends with it: first it tells where each thread is,
/// then it calls `finish`.
class TimeLimit {
public:
  TimeLimit(unsigned seconds, const Engine &engine,
            const SourceOperations &operations, std::function<void()> finish);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;

private:
  void watch();
  void report() const;

  unsigned seconds;
  const Engine &engine;
  const SourceOperations &operations;
  std::function<void()> finish;
  std::mutex mutex;
  std::condition_variable changed;
  bool hasEnded = false;
  std::thread watcher;
};

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_RUN_TIMELIMIT_H
