//===- HostFunctions.cpp - Functions of the process around kernels --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/HostFunctions.h"

using namespace mlir;
using namespace mlir::pallas;

/// A declaration without the attribute is an ordinary external symbol.
bool pallas::isHostFunction(func::FuncOp func) {
  return func.isExternal() && func->hasAttr(kHostCallAttrName);
}

/// Such a call has effects that the IR does not show, so its grid runs in
/// order.
func::FuncOp pallas::getHostFunction(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return {};
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && isHostFunction(callee) ? callee : func::FuncOp();
}
