//===- MemorySharing.h - Memory of other tasks and devices ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H

#include "FunctionState.h"
#include "Mesh.h"
#include "pallas/Dialect/Pallas/IR/MeshOps.h"

namespace mlir::pallas {

/// Registers memory that others name with the runtime, and finds theirs.
class MemorySharing : ThemeLowering {
public:
  explicit MemorySharing(FunctionState &state) : ThemeLowering(state) {}

  /// How the runtime treats this memory at the ends of its scope.
  int64_t getSharedKind(Type refType) const;
  /// `ref` is null for arrays.
  void share(Location loc, Value memory, Value ref, int64_t numInstances);
  void shareArray(Location loc, Value memory);
  void unshare(Location loc, Value memory);
  void endScope(Location loc, Value ref);

  /// A device, and a core of its mesh if that is another one; no device if the
  /// operation stays here.
  struct Peer {
    Value device, point;
  };
  Value getDeviceQuery(Operation *op, StringRef function, StringRef axis);
  /// The mesh whose cores have an instance each of the scratch.
  static PlacedKernel getOwner(CoreScratchOp scratch);
  PlacedKernel *findKernelAlong(ArrayAttr axes) const;
  FailureOr<Peer> getPeer(Operation *op, ValueRange ids, ArrayAttr axes,
                          std::optional<DeviceIdType> type, Value core,
                          Value ref);
  Value getAtPeer(Operation *op, Value view, const Peer &peer);

  /// The kernels on meshes that the operation at hand is in.
  SmallVector<PlacedKernel *> kernels;

private:
  int64_t getOwnKind(Value ref);

  /// Memory that the runtime knows.
  DenseSet<Value> shared;
  /// Semaphores whose counts the checker reports.
  DenseSet<Value> reported;
  /// Results of device queries, by function and axis.
  llvm::StringMap<Value> deviceQueries;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_MEMORYSHARING_H
