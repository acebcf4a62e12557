//===- PallasDialect.h - The pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H

#include "mlir/IR/Dialect.h"

#include "pallas/Dialect/Pallas/IR/PallasDialect.h.inc"

namespace mlir::pallas {

/// Attribute of functions: the axes of the mesh of devices that they run on,
/// the slowest first.
inline constexpr llvm::StringLiteral kDeviceMeshAttrName = "pallas.device_mesh";

/// Attribute of scf.for: its iterations are independent, and this many of them
/// at a time are worth running together.
inline constexpr llvm::StringLiteral kParallelLoopAttrName =
    "pallas.parallel_loop";

/// Attribute of pallas_call: how many steps of each dimension of its grid
/// become one in `pallas-coarsen-grid`.
inline constexpr llvm::StringLiteral kCoarsenAttrName = "pallas.coarsen";

struct DeviceAxis {
  llvm::StringRef name;
  int64_t size;
};

/// The axes that `pallas.device_mesh` of an operation lists; none without it.
llvm::SmallVector<DeviceAxis> getDeviceMesh(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASDIALECT_H
