//===- MeshLowering.h - Kernels that run on meshes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H

#include "MemorySharing.h"
#include "RandomLowering.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"

namespace mlir::pallas {

/// The cores that kernels run on, with their scratch: one after the other, or
/// at the same time, as tasks.
class MeshLowering : ThemeLowering {
public:
  MeshLowering(FunctionState &state, MemorySharing &sharing,
               RandomLowering &random)
      : ThemeLowering(state), state(state), sharing(sharing), random(random) {}

  LogicalResult lower(OnCoreOp op);
  LogicalResult lower(TaskScopeOp op);
  LogicalResult lower(CoreScratchOp op);
  /// Memory that all cores share which differ along the collective axes only;
  /// null if the allocation isn't collective. The axes of a barrier of a
  /// cluster are its own.
  Value allocateCollective(RunScopedOp op, BlockArgument ref);

private:
  Value allocateInstances(BlockArgument ref, int64_t count);

  FunctionState &state;
  MemorySharing &sharing;
  RandomLowering &random;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H
