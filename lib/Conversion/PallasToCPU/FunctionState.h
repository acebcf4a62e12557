//===- FunctionState.h - A function while it is lowered ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H

#include "Checks.h"
#include "Hazards.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/HostFunctions.h"
#include <functional>

namespace mlir::pallas {

/// Analyses of a function, and the memory of the refs lowered so far.
struct FunctionState {
  explicit FunctionState(func::FuncOp func)
      : func(func), concurrency(func), hazards(func, concurrency.synchronizes),
        b(func), checker(func, b, memory) {}

  func::FuncOp func;
  Concurrency concurrency;
  Hazards hazards;
  DenseMap<Value, Value> memory;
  MemoryBuilder b;
  CheckEmitter checker;
  /// Lowers what the region of an operation holds.
  std::function<LogicalResult(Block &)> lowerBlock;
};

/// Base of the classes that lower the operations of one theme, in files of that
/// theme.
class ThemeLowering {
protected:
  explicit ThemeLowering(FunctionState &state)
      : func(state.func), concurrency(state.concurrency),
        hazards(state.hazards), memory(state.memory), b(state.b),
        checker(state.checker) {}

  Value getMemory(Value ref) const { return memory.lookup(ref); }
  /// Others may access memory of a scope once it is shared, so the checker
  /// hears of it before.
  static Block::iterator findEndOfMemoryChecks(Block &body) {
    return llvm::find_if_not(body, llvm::IsaPred<CheckMemoryOp>);
  }
  func::FuncOp func;
  const Concurrency &concurrency;
  const Hazards &hazards;
  DenseMap<Value, Value> &memory;
  MemoryBuilder &b;
  CheckEmitter &checker;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H
