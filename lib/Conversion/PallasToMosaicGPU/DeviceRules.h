//===- DeviceRules.h - Memory of other devices ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_DEVICERULES_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_DEVICERULES_H

#include "KernelEmitter.h"

namespace mlir::pallas {

/// Looks for operations that ask for other devices, and for the mesh of devices
/// around the kernel. The result has no devices if the kernel stays on its own.
/// `numArrays` counts the buffers of the call.
FailureOr<ReachableDevices> planDevices(MpmdMapOp op, int64_t numArrays);

/// The address of array `index` of the call at `place`, which is not here.
Value getArrayAddress(KernelEmitter &emit, int64_t index,
                      const DevicePlace &place);
/// An array of the call at `place`: `memref` if that is here.
Value getArrayAt(KernelEmitter &emit, Value memref, const DevicePlace &place);

/// Whether the host, which describes copies before the launch, can compute the
/// device that a copy goes to.
LogicalResult checkPeerOfCopy(Operation *op, const DevicePlace &place);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_DEVICERULES_H
