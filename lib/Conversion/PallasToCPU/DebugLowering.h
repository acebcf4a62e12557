//===- DebugLowering.h - Printing, checks, devices --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_DEBUGLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_DEBUGLOWERING_H

#include "MemorySharing.h"

namespace mlir::pallas {

/// Printing and checks, and questions about devices.
class DebugLowering : ThemeLowering {
public:
  DebugLowering(FunctionState &state, MemorySharing &sharing)
      : ThemeLowering(state), sharing(sharing) {}

  LogicalResult lowerDebug(Operation *op);

private:
  void printText(Operation *op, StringRef text);
  void printScalar(Operation *op, Value value, bool isUnsigned);
  void printValue(Operation *op, Value value, bool isUnsigned,
                  SmallVector<Value> &at);

  MemorySharing &sharing;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_DEBUGLOWERING_H
