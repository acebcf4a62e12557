//===- Tasks.h - Marks of loops whose iterations are tasks ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_TASKS_H
#define PALLAS_SUPPORT_TASKS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::pallas {

/// The attribute of a loop of tasks that names the axes along which they lie,
/// for the messages of the runtime.
inline constexpr llvm::StringLiteral kTaskAxesAttrName = "pallas.axes";

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_TASKS_H
