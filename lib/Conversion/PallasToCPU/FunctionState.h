//===- FunctionState.h - A function while it is lowered ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H

#include "Checks.h"
#include "Hazards.h"
#include "MemoryBuilder.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/HostFunctions.h"
#include <functional>

namespace mlir::pallas {

/// Analyses of a function, and the memory of the refs lowered so far.
struct FunctionState {
  FunctionState(func::FuncOp func, bool checked)
      : func(func), concurrency(func), hazards(func, concurrency.synchronizes),
        checked(checked), b(func), checker(func, b, memory, checked) {}

  func::FuncOp func;
  Concurrency concurrency;
  Hazards hazards;
  bool checked;
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
        hazards(state.hazards), checked(state.checked), memory(state.memory),
        b(state.b), checker(state.checker) {}

  Value getMemory(Value ref) const { return memory.lookup(ref); }
  /// Fresh memory for a ref, which checked code is told of.
  Value allocateRef(Value ref);
  /// A copy of memory, which holds what checked code knows of the original.
  Value copyMemory(Location loc, Value source);

  func::FuncOp func;
  const Concurrency &concurrency;
  const Hazards &hazards;
  const bool checked;
  DenseMap<Value, Value> &memory;
  MemoryBuilder &b;
  CheckEmitter &checker;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_FUNCTIONSTATE_H
