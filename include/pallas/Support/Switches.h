//===- Switches.h - Branches instead of switches ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_SWITCHES_H
#define PALLAS_SUPPORT_SWITCHES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::pallas {

/// Turns a switch into a chain of ifs, the last case being the default. Without
/// cases the default takes its place.
void expandSwitch(RewriterBase &rewriter, scf::IndexSwitchOp op);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_SWITCHES_H
