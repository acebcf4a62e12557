//===- HostFunctions.h - Functions of the process around kernels -*- C++ -*===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_HOSTFUNCTIONS_H
#define PALLAS_DIALECT_PALLAS_UTILS_HOSTFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::pallas {

/// On a declaration: the number under which the process knows the function.
inline constexpr StringLiteral kHostCallAttrName = "pallas.host_call";

/// Whether a declaration names a function of the process around kernels.
bool isHostFunction(func::FuncOp func);
/// The function of the process that `op` calls, if it calls one.
func::FuncOp getHostFunction(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_HOSTFUNCTIONS_H
