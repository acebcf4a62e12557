//===- CompilerParams.h - Parameters of one target --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_COMPILERPARAMS_H
#define PALLAS_DIALECT_PALLAS_UTILS_COMPILERPARAMS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The compiler parameters of this kind, such as TPUParamsAttr; null if a call
/// has none. Those of other targets may be in the same list, so that one kernel
/// runs everywhere.
template <typename Params>
Params findParams(std::optional<ArrayAttr> compilerParams) {
  for (Attribute attr :
       compilerParams ? compilerParams->getValue() : ArrayRef<Attribute>())
    if (auto params = dyn_cast<Params>(attr))
      return params;
  return {};
}

/// The same of any operation; null as well if it takes no such parameters.
template <typename Params> Params findParams(Operation *op) {
  if (auto params = op->getAttrOfType<ArrayAttr>("compilerParams"))
    return findParams<Params>(std::optional(params));
  return {};
}

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_COMPILERPARAMS_H
