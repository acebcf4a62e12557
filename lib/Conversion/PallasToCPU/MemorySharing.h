//===- MemorySharing.h - Memory of other tasks and devices ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H

#include "FunctionState.h"
#include "Mesh.h"

namespace mlir::pallas {

/// What the runtime is told of memory that others name, and where it is.
class MemorySharing : ThemeLowering {
public:
  explicit MemorySharing(FunctionState &state) : ThemeLowering(state) {}

  /// What the runtime does with this memory at the ends of its scope.
  int64_t getSharedKind(Type refType) const;
  void share(Location loc, Value memory, Type refType, int64_t numInstances);
  void shareArray(Location loc, Value memory);
  void unshare(Location loc, Value memory);
  void endScope(Location loc, Value ref);

  /// A device, and a point of its mesh if that is another one; no device where
  /// an operation stays here.
  struct Peer {
    Value device, point;
  };
  Value getDeviceQuery(Operation *op, StringRef function, StringRef axis);
  PlacedKernel *findKernelAlong(ArrayAttr axes) const;
  FailureOr<Peer> getPeer(Operation *op, ValueRange ids, ArrayAttr axes,
                          std::optional<DeviceIdType> type, Value core,
                          Value ref);
  Value getAtPeer(Operation *op, Value view, const Peer &peer);

  /// The kernels on meshes that the operation at hand is in.
  SmallVector<PlacedKernel *> kernels;
  /// Scratch of which there is an instance per point, with its mesh.
  DenseMap<Value, PlacedKernel *> instanceOwners;

private:
  /// Memory that the runtime knows.
  DenseSet<Value> shared;
  /// What devices are asked for, by function and axis.
  llvm::StringMap<Value> deviceQueries;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H
