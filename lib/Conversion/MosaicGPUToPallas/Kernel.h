//===- Kernel.h - A GPU kernel on its way to pallas -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_KERNEL_H
#define PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_KERNEL_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Conversion/Utils/Raising.h"
#include "pallas/Dialect/MosaicGPU/IR/KernelArrays.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <array>

namespace mlir::pallas {

inline constexpr int64_t kWarpSize = 32, kWarpgroupSize = 128;

/// An array in global memory that a kernel takes.
struct KernelArray {
  /// The memref in the function around the launch; null without uses.
  Value memref;
  MemRefType type;
  /// The number of its buffer in the call.
  int64_t position = 0;
  bool isRead = false, isWritten = false;

  RankedTensorType getArrayType() const {
    return RankedTensorType::get(type.getShape(), type.getElementType());
  }
};

/// The array of the words that are semaphores, which has no memref.
struct SemaphoreArray {
  /// Null without semaphores.
  MemRefType type;
  int64_t position = 0;
  /// Pointers and memrefs that name it in the function around the launch.
  SmallVector<Value> names;
};

/// The addresses of arrays on other devices.
struct DeviceAddresses {
  /// Null if the kernel stays on its device.
  Value memref;
  mosaic_gpu::DeviceTable table;
};

/// An entry of the table, read to name an array on another device.
struct RemoteArray {
  int64_t position;
  /// The device is `device + offset`, or `offset` where that is null, unless it
  /// is all of them.
  Value device;
  int64_t offset = 0;
  bool isAll = false;
};

/// The array that a load of the table names; nothing for an index that is not a
/// constant, or the number of a device behind a constant.
std::optional<RemoteArray> getRemoteArray(memref::LoadOp load,
                                          const mosaic_gpu::DeviceTable &table);
/// The memrefs that are made of an address.
SmallVector<UnrealizedConversionCastOp> getMemRefsOf(Value address);

/// Fails with an error where the kernel of `op` takes no table of devices.
LogicalResult checkReachesDevices(Operation *op);

/// The value that the code of warps takes from around it as an argument.
Value getCaptured(Value value);

/// A function that launches a kernel.
struct LaunchedKernel {
  func::FuncOp func;
  gpu::LaunchOp launch;
  SmallVector<KernelArray> arrays;
  SemaphoreArray semaphores;
  DeviceAddresses devices;
  /// Clusters of the grid and blocks of a cluster along x, y and z.
  std::array<int64_t, 3> grid, cluster;
  int64_t numWarpgroups;
  std::optional<int64_t> sharedBytes;
};

/// Whether the function launches a kernel.
bool launchesKernel(func::FuncOp func);

/// Reads a kernel; an error names what is unsupported.
FailureOr<LaunchedKernel> readKernel(func::FuncOp func);

/// The ref that a memref becomes, whatever its strides: views are of the
/// logical elements. Null if refs can't hold its elements.
RefType convertGPUMemRef(MemRefType type);

/// Whether the operation yields its first operand, or a part of it, as a memref
/// of the same memory.
bool isMemRefView(Operation *op);

/// Calls `access` for each use of the memory of `memref`, its views included.
void forEachAccess(Value memref, function_ref<void(OpOperand &)> access);

/// Whether an operation writes to the memory of this operand, and whether it
/// reads from it.
bool writesTo(OpOperand &use);
bool readsFrom(OpOperand &use);

/// The indexer of a box of `ref`, as copies of global memory name it.
struct Box {
  IndexerAttr indexer;
  SmallVector<Value> operands;
};
Box getBox(RefType ref, ValueRange starts, ArrayRef<int64_t> lengths);

/// The bytes of a box.
int64_t getBoxBytes(Type element, ArrayRef<int64_t> lengths);

/// A kernel whose body has moved to an mpmd_map, and is rewritten there until
/// conversion patterns know all operations.
class KernelRaiser {
public:
  KernelRaiser(const LaunchedKernel &kernel, func::FuncOp entry)
      : kernel(kernel), entry(entry), b(entry.getContext()) {}

  /// Patterns know the operations `known`.
  LogicalResult run(const DenseSet<OperationName> &known);

  // RaiseKernel.cpp
  MeshAttr getMesh();
  void createMap();
  LogicalResult moveBody();
  LogicalResult replaceIds();
  void fold();
  void replaceAllocas();
  void eraseCommits();
  LogicalResult checkOperations(const DenseSet<OperationName> &known);
  Value addScratch(RefType type, Location loc) {
    return block->addArgument(type, loc);
  }
  /// The coordinate along an axis of the mesh, as an index.
  Value createAxisIndex(Location loc, StringRef name, int64_t size);

  // Devices.cpp
  LogicalResult raiseDevices();

  // Semaphores.cpp
  LogicalResult raiseSemaphores();

  // Threads.cpp
  LogicalResult raiseThreads();

  // SharedMemory.cpp
  LogicalResult raiseSharedMemory();

  // TensorMemory.cpp
  LogicalResult raiseTensorMemory();

  // Barriers.cpp
  LogicalResult raiseBarriers();

  // Conditions.cpp
  void moveConditions();

  const LaunchedKernel &kernel;
  func::FuncOp entry;
  OpBuilder b;
  MpmdMapOp map;
  Block *block = nullptr;
  /// The refs of arrays by the numbers of their buffers, and a placeholder for
  /// the table of their addresses.
  DenseMap<int64_t, Value> refs;
  Value deviceTable;
  /// Placeholder for the index of a thread in its block until code for threads
  /// is understood.
  Value threadId;
};

/// The axis that all devices lie along.
inline constexpr StringLiteral kDeviceAxis = "devices";
StringRef getGridAxis(unsigned dim);
StringRef getClusterAxis(unsigned dim);
/// The axis along which two blocks work together: hardware pairs them along x.
StringAttr getPairAxis(OpBuilder &builder, bool isCollective);
inline constexpr StringLiteral kWarpgroupAxis = "warpgroup";
inline constexpr StringLiteral kWarpAxis = "warp";

/// Code for lanes that takes an element out of its byte, or puts one into it,
/// becomes a load or a store.
void raisePackedElements(Block &block);

class MosaicGPUTypeConverter : public RaisingTypeConverter {
public:
  MosaicGPUTypeConverter();
};

void populateGPUValuePatterns(const TypeConverter &types,
                              RewritePatternSet &patterns);
void populateGPUMemoryPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateGPUTensorPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateGPUCopyPatterns(const TypeConverter &types,
                             RewritePatternSet &patterns);
void populateGPUDebugPatterns(const TypeConverter &types,
                              RewritePatternSet &patterns);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_MOSAICGPUTOPALLAS_KERNEL_H
