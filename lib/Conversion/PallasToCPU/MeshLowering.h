//===- MeshLowering.h - Kernels that run on meshes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H

#include "MemorySharing.h"
#include "RandomLowering.h"

namespace mlir::pallas {

/// Kernels that run once per core of a mesh, in order or as tasks.
class MeshLowering : ThemeLowering {
public:
  MeshLowering(FunctionState &state, MemorySharing &sharing,
               RandomLowering &random)
      : ThemeLowering(state), state(state), sharing(sharing), random(random) {}

  LogicalResult lowerMap(MpmdMapOp map);
  LogicalResult lowerCoreMap(CoreMapOp map);
  /// Memory that all cores share which differ along the collective axes only;
  /// null if the allocation isn't collective. The axes of a barrier of a
  /// cluster are its own.
  Value allocateCollective(RunScopedOp op, BlockArgument ref);

private:
  LogicalResult createMapArrays(MpmdMapOp map, SmallVectorImpl<Value> &inputs,
                                SmallVectorImpl<Value> &outputs);
  SmallVector<PlacedKernel, 1> bindMapKernels(MpmdMapOp map,
                                              ArrayRef<Value> inputs,
                                              ArrayRef<Value> outputs);
  /// `ownScratch` are refs to memory that each point has for itself.
  LogicalResult runPoint(PlacedKernel &kernel, ValueRange ownScratch);
  LogicalResult runInOrder(Location loc, PlacedKernel &kernel,
                           unsigned numKnownArguments);

  // Tasks.cpp
  /// Memory of a scratch argument for all cores of a mesh.
  struct ScratchArray {
    Value memory;
    PlacedKernel *owner = nullptr;

    bool isShared() const {
      return cast<MemRefType>(memory.getType()).getDimSize(0) == 1;
    }
  };
  /// Each of them has a stack.
  static constexpr int64_t maxTasks = 4096;
  LogicalResult runTasks(Location loc, MutableArrayRef<PlacedKernel> kernels,
                         unsigned numKnownArguments);
  ScratchArray allocateInstances(MutableArrayRef<PlacedKernel> kernels,
                                 unsigned position);
  Value selectInstance(PlacedKernel &kernel, const ScratchArray &array,
                       BlockArgument ref);

  FunctionState &state;
  MemorySharing &sharing;
  RandomLowering &random;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MESHLOWERING_H
