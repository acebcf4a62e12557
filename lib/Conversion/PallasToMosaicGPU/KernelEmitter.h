//===- KernelEmitter.h - Writes the body of a kernel for GPUs ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELEMITTER_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELEMITTER_H

#include "TensorMemory.h"
#include "mlir/IR/Builders.h"
#include "pallas/Dialect/MosaicGPU/IR/KernelArrays.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Utils/TargetInfo.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace mlir::pallas {

/// The kind of a dimension of a box in global memory.
struct BoxDim {
  /// The start, to which `offset` is added; null when that is all of it.
  Value start;
  int64_t offset = 0;
  int64_t size = 0;
  /// Whether refs to the box have this dimension.
  bool isVisible = true;
};

/// The device that has some memory: this one, another one, or all of them.
struct DevicePlace {
  /// The number of the other device; null for this one.
  Value peer;
  bool isAll = false;

  bool isHere() const { return !peer && !isAll; }
};

/// A part of an array in global memory. Copies take it as indices and sizes.
struct GlobalBox {
  /// The whole array on this device.
  Value memref;
  SmallVector<BoxDim> dims;
  DevicePlace place;
};

/// Barriers of one kind that lie one behind the other. Scopes take groups from
/// a pool, since a barrier is initialized once, when the kernel starts.
struct BarrierGroup {
  Type type;
  int64_t count = 0;
  /// Their address, and the word that holds the phase of each.
  Value pointer, phases;
  mosaic_gpu::SliceSMEMOp slice;
  bool isFree = true;
};

/// Barriers of a group, or semaphores, that a ref means: the first one, and how
/// far apart they lie along each dimension of the ref.
struct SyncSlots {
  /// The number of the first one as an i32; null for 0.
  Value number;
  SmallVector<int64_t> strides;
  /// Whose semaphores they are.
  DevicePlace place;
};

/// The barriers that a ref means.
struct BarrierSlot : SyncSlots {
  BarrierGroup *group = nullptr;
};

/// Where the semaphores of a kernel lie in their array.
struct SemaphorePlan {
  int64_t numShared = 0, numPerBlock = 0;
  /// Those that all blocks share, by name.
  llvm::StringMap<int64_t> globals;
  /// Those of scopes: whether all blocks share them, and their place.
  DenseMap<Value, std::pair<bool, int64_t>> scoped;
};

/// The devices that a kernel may reach, and the table of their addresses, which
/// the host function loads behind all arrays.
struct ReachableDevices {
  SmallVector<DeviceAxis> axes;
  /// Without devices if the kernel stays on its own.
  mosaic_gpu::DeviceTable table;
  Value memref;
};

/// Memory that a scope, or an operation for itself, takes of a block.
struct SharedBuffer {
  Location loc;
  StringRef role;
  /// The number among the arguments of the scope.
  unsigned index;
  int64_t offset, bytes;
  /// Whether lanes may have stored to it with no fence behind.
  bool hasOpenStores = true;
};

/// A barrier or fence for the memory of buffers. It goes if nothing lies at the
/// same place at another time for which it is meant: anything, scratch memory,
/// or memory with open stores. In loops, the buffers follow themselves.
struct SharedWait {
  enum Kind { Any, Scratch, OpenStores, OpenStoresInLoop };

  Operation *wait;
  /// The number of the first buffer.
  unsigned buffer;
  unsigned numBuffers = 1;
  Kind kind = Any;
};

using mosaic_gpu::GPUTarget;
class RuleTable;

/// Writes operations of the target in the order of the source. Values of the
/// source have one of four forms: a value (vector, scalar, memref in shared
/// memory), a box, a barrier, or what an accumulator or a ref in
/// registers holds now.
class KernelEmitter {
public:
  KernelEmitter(OpBuilder &b, MeshAttr mesh, GPUParamsAttr params,
                const GPUTarget &target, const RuleTable &rules, Location loc)
      : b(b), mesh(mesh), params(params), target(target), loc(loc),
        rules(rules) {}

  /// Writes the operations of a block in their new form, but its terminator. An
  /// operation that has no form is reported, and the others are looked at all
  /// the same, but for those that use its results.
  LogicalResult convertBlock(Block &block);
  /// The values of the operands of the terminator, in their order.
  FailureOr<SmallVector<Value>> getTerminatorValues(Block &block);

  /// The type of a vector for a tensor, without dimensions of size 1, for which
  /// the compiler has few layouts; of its element if there is only one. Other
  /// types stay.
  static Type convertType(Type type);
  /// The number of a dimension of a tensor in its vector, or nothing.
  static std::optional<int64_t> convertDim(ArrayRef<int64_t> shape,
                                           int64_t dim);
  /// The converted value of a value. Fails where the value has another form.
  FailureOr<Value> getValue(Value source);
  FailureOr<SmallVector<Value>> getValues(ValueRange sources);

  Value i32(int64_t value);
  Value toI32(Value value);
  Value toIndex(Value value);
  /// a + constant, and no operation when nothing is added.
  Value addConstant(Value value, int64_t constant);

  /// The number of this warpgroup, the same for all of its lanes.
  Value getWarpgroup();
  /// The number of this warp in its warpgroup, the same for all of its lanes.
  Value getWarp();
  /// Whether this thread is the one that acts for the lanes that run this code.
  Value electThread();
  /// Lets the lanes of this warpgroup wait for each other.
  void syncWarpgroup();
  /// Whether this is such a barrier.
  static bool isWarpgroupSync(Operation *op);
  /// Assembly with side effects; null where it has no result.
  Value emitAssembly(Type result, ValueRange operands, StringRef text,
                     StringRef constraints);
  /// Code for lanes on one element of memory. `write` gets its memref and
  /// `scalars`, and yields an element:
  ///   %r = "mosaic_gpu.custom_primitive"(%element, %v) ({
  ///   ^bb0(%e: memref<f32, ...>, %w: f32):
  ///     ...
  ///     mosaic_gpu.return %result
  ///   })
  Value
  emitLaneCode(Value element, ValueRange scalars,
               function_ref<Value(Value memref, ValueRange scalars)> write);
  /// A barrier of the lanes that run this code: those of a warp in `isInWarp`.
  void syncLanes();

  /// Orders what this lane has written to shared memory in front of what copies
  /// and tensor cores do there.
  void fenceSharedMemory();

  /// Takes bytes of shared memory; gives back all that were taken since
  /// `getUsedBytes()` was `mark`. Reports name the buffer by its role and
  /// index.
  int64_t allocate(int64_t bytes, StringRef role = "scratch",
                   unsigned index = 0);
  int64_t getUsedBytes() const { return usedBytes; }
  void releaseTo(int64_t mark);

  /// Takes scratch memory of an operation, in equal parts for the warpgroups,
  /// and gives back what was taken since `getNumScratch()` was `count`. A
  /// warpgroup may use its part while another one is ahead, so memory of
  /// several warpgroups is taken again with the same parts only.
  int64_t allocateScratch(int64_t bytes);
  size_t getNumScratch() const { return scratch.size(); }
  void releaseScratchTo(size_t count);
  /// Whether nothing has the scratch memory at this offset.
  bool isFreeScratch(int64_t offset) const;
  int64_t getMaxBytes() const { return maxBytes; }
  ArrayRef<SharedBuffer> getBuffers() const { return buffers; }
  void closeStores(unsigned buffer) { buffers[buffer].hasOpenStores = false; }

  /// Counts the registers of an accumulator, until they are given back.
  void takeRegisters(ShapedType accumulator);
  int64_t getUsedRegisters() const { return usedRegisters; }
  void releaseRegistersTo(int64_t mark) { usedRegisters = mark; }
  int64_t getMaxRegisters() const { return maxRegisters; }

  /// Keeps silent about what uses the value: why it has none is reported.
  void refuse(Value value) { refused.insert(value); }

  /// A number that tells an allocation from others of the same bytes.
  IntegerAttr getNextAlias() { return b.getI32IntegerAttr(numAliases++); }

  /// A free group of barriers, which the kernel initializes when it starts.
  FailureOr<BarrierGroup *> takeBarriers(Type type, int64_t count);
  ArrayRef<std::unique_ptr<BarrierGroup>> getBarrierGroups() const {
    return groups;
  }

  OpBuilder &b;
  MeshAttr mesh;
  GPUParamsAttr params;
  const GPUTarget &target;
  Location loc;
  /// Whether this is the code of a warp, which the other warps of the
  /// warpgroup may not run.
  bool isInWarp = false;
  /// Whether some vectors have a layout by dimensions; unknown before the first
  /// reshape.
  std::optional<bool> hasDimLayouts;
  TensorMemory tensorMemory;
  /// Barriers are initialized before this operation.
  Operation *prologueEnd = nullptr;

  DenseMap<Value, Value> values;
  DenseMap<Value, GlobalBox> boxes;
  DenseMap<Value, BarrierSlot> barriers;
  DenseMap<Value, SyncSlots> semaphores;
  const SemaphorePlan *semaphorePlan = nullptr;
  /// The memref of all semaphores; null without any.
  Value semaphoreArray;
  ReachableDevices devices;
  DenseMap<Value, Value> accumulators;
  SmallVector<SharedWait> sharedWaits;
  /// The numbers of the buffers that arguments of scopes have.
  DenseMap<Value, unsigned> scopedBuffers;

private:
  LogicalResult convert(Operation *op);
  LogicalResult applyRule(Operation *op);

  const RuleTable &rules;
  SmallVector<std::unique_ptr<BarrierGroup>> groups;
  SmallVector<SharedBuffer> buffers;
  int64_t usedBytes = 0, maxBytes = 0;
  /// Offsets and sizes.
  SmallVector<std::pair<int64_t, int64_t>> scratch, freeScratch;
  int64_t usedRegisters = 0, maxRegisters = 0;
  llvm::SmallDenseSet<Value> refused;
  int32_t numAliases = 0;
};

/// Bytes that a memref takes in memory, without gaps.
int64_t getNumBytes(ShapedType type);

/// How the blocks of a launch are counted: x, y and z, of which x runs fastest.
struct LaunchGrid {
  explicit LaunchGrid(MeshAttr mesh);

  /// Blocks in the grid, clusters taken together, and in a cluster.
  SmallVector<int64_t, 3> grid{1, 1, 1}, cluster{1, 1, 1};
  int64_t warpgroups = 1;
  bool hasCluster() const;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_KERNELEMITTER_H
