//===- DeviceArrays.h - Arrays of several devices in files ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array whose name holds `{}` has a file per device, with the number of the
// device in place of `{}`. Otherwise an input that has the shape of the
// argument goes to every device, one that is longer along its first dimension
// is cut into equal parts, and outputs are joined along their first dimension.
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_RUN_DEVICEARRAYS_H
#define PALLAS_TOOLS_PALLAS_RUN_DEVICEARRAYS_H

#include "pallas/Runner/Npy.h"

namespace mlir::pallas {

/// Calls `entry` on all devices of the mesh with arrays from files, and writes
/// the outputs that have a name.
llvm::Error runOnDevices(const Engine &engine, StringRef entry,
                         const DeviceMesh &mesh, ArrayRef<std::string> inPaths,
                         ArrayRef<std::string> outPaths);

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_RUN_DEVICEARRAYS_H
