//===- CheckTarget.h - Modules that a target cannot compile ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CONVERSION_CHECKTARGET_CHECKTARGET_H
#define PALLAS_CONVERSION_CHECKTARGET_CHECKTARGET_H

#include "mlir/Pass/Pass.h"

namespace mlir::pallas {

#define GEN_PASS_DECL_PALLASCHECKTARGET
#include "pallas/Conversion/Passes.h.inc"

} // namespace mlir::pallas

#endif // PALLAS_CONVERSION_CHECKTARGET_CHECKTARGET_H
