//===- KernelArrays.h - The arrays that a kernel takes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H
#define PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::mosaic_gpu {

/// On the function of a kernel, the types of the arrays that it takes, where
/// code names some of them by no memref.
inline constexpr llvm::StringLiteral kArraysAttrName = "mosaic_gpu.arrays";

/// On a memref that is an array of the call, the number of its buffer; and that
/// it is the array on this device.
inline constexpr llvm::StringLiteral kArrayIndexAttrName =
    "mosaic_gpu.from_kernel_arg_idx";
inline constexpr llvm::StringLiteral kOwnArrayAttrName =
    "mosaic_gpu.original_kernel_arg";

/// On what reads the number of this device.
inline constexpr llvm::StringLiteral kDeviceIdAttrName =
    "mosaic_gpu.device_id_load";

/// On a module whose kernel takes the addresses of arrays on other devices; on
/// one that reaches all of them at once, and for which arrays.
inline constexpr llvm::StringLiteral kDevicesUsedAttrName =
    "mosaic_gpu.collective_metadata_used";
inline constexpr llvm::StringLiteral kMultimemUsedAttrName =
    "mosaic_gpu.multimem_used";
inline constexpr llvm::StringLiteral kMultimemArgsAttrName =
    "mosaic_gpu.multimem_args";

/// Where the numbers lie that tell a kernel of other devices. The call gives
/// them in an array behind all others, in this order:
///   - four numbers, the first of which is that of this device;
///   - for each array, its address on each device;
///   - for each array, the address that means it on all devices.
struct DeviceTable {
  static constexpr int64_t kHeader = 4;

  int64_t numDevices = 0, numArrays = 0;

  int64_t getSize() const { return kHeader + (numDevices + 1) * numArrays; }
  /// The place of the address of an array on device 0; that of the next device
  /// follows.
  int64_t getFirst(int64_t array) const { return kHeader + numDevices * array; }
  /// The place of the address on all devices.
  int64_t getCommon(int64_t array) const { return getFirst(numArrays) + array; }
};

} // namespace mlir::mosaic_gpu

#endif // PALLAS_DIALECT_MOSAICGPU_IR_KERNELARRAYS_H
