//===- TensorMemory.h - Columns of tensor memory ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TENSORMEMORY_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TENSORMEMORY_H

#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Utils/TargetInfo.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

class KernelEmitter;

/// Bytes of shared memory that the address of an allocation takes.
inline constexpr int64_t kTensorAddressBytes = 4;

/// A ref in tensor memory.
struct TensorBuffer {
  Location loc;
  /// The number among the arguments of the scope.
  unsigned index;
  int64_t offset, columns;
};

/// The tensor memory of a kernel: one allocation, which the kernel makes when
/// it starts, and of which scopes take columns as they take bytes of shared
/// memory.
struct TensorMemory {
  /// Null for a kernel that takes none.
  mosaic_gpu::TmemAllocOp alloc;
  /// Where hardware writes the address of the allocation.
  mosaic_gpu::SliceSMEMOp address;
  bool isCollective = false;
  int64_t usedColumns = 0, maxColumns = 0;
  SmallVector<TensorBuffer> buffers;

  /// The columns of the allocation: hardware gives powers of two.
  int64_t getAllocatedColumns() const;
};

/// The memref of a ref that a scope makes.
FailureOr<Value> allocateTensorMemory(KernelEmitter &emit, RefType type,
                                      unsigned index);

/// Writes the end of the kernel's tensor memory; its address in shared memory
/// lies at `bytes`. Reports an allocation that is too large.
LogicalResult finishTensorMemory(KernelEmitter &emit, Operation *kernel,
                                 int64_t bytes);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_TENSORMEMORY_H
