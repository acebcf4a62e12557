//===- KernelNames.cpp - What users call their kernels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file finds the names of kernels, for reports and timelines.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/KernelNames.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

StringRef pallas::getKernelName(Operation *op) {
  if (auto call = dyn_cast<PallasCallOp>(op))
    return call.getKernelName().value_or("");
  if (auto mpmd = dyn_cast<MpmdMapOp>(op))
    if (std::optional<ArrayAttr> names = mpmd.getKernelNames())
      for (Attribute name : *names)
        if (auto text = dyn_cast<StringAttr>(name))
          return text;
  return "";
}

/// A kernel without a name goes by that of its function, which users know.
StringRef pallas::getKernelTitle(Operation *op) {
  if (!isa<PallasCallOp, MpmdMapOp, CoreMapOp>(op))
    return "";
  StringRef name = getKernelName(op);
  auto function = op->getParentOfType<FunctionOpInterface>();
  return name.empty() && function ? function.getName() : name;
}
