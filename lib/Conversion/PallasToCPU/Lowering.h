//===- Lowering.h - A function, operation by operation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H

#include "DebugLowering.h"
#include "GPULowering.h"
#include "MeshLowering.h"
#include "WindowLowering.h"

namespace mlir::pallas {

/// Lowers the refs of one function, operation by operation in program order.
/// Most operations are left to the class of their theme.
class Lowering : ThemeLowering {
public:
  explicit Lowering(FunctionState &state)
      : ThemeLowering(state), sharing(state), refs(state, sharing),
        async(state, sharing, refs), gpu(state, async), random(state),
        windows(state, sharing), meshes(state, sharing, random),
        debug(state, sharing) {
    state.lowerBlock = [this](Block &block) { return lowerBlock(block); };
  }

  LogicalResult run();

private:
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerCheck(Operation *op);
  LogicalResult lowerOp(Operation *op);
  /// Whether a result of `op` is a ref; then it is erased with its block.
  static bool definesMemory(Operation *op);

  // Scopes.cpp
  LogicalResult lowerRunScoped(RunScopedOp op);
  LogicalResult lowerRunState(RunStateOp op);
  LogicalResult lowerGlobal(GetGlobalOp op);
  LogicalResult lowerNewRef(NewRefOp op);
  LogicalResult lowerRefLifetime(Operation *op);

  // HostCalls.cpp
  LogicalResult lowerHostCall(func::CallOp call, func::FuncOp callee);

  MemorySharing sharing;
  RefLowering refs;
  AsyncLowering async;
  GPULowering gpu;
  RandomLowering random;
  WindowLowering windows;
  MeshLowering meshes;
  DebugLowering debug;
  /// Memory that all programs of a kernel share, by name.
  llvm::StringMap<Value> globals;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_LOWERING_H
