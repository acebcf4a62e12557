//===- RandomLowering.h - Random bits ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_RANDOMLOWERING_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_RANDOMLOWERING_H

#include "FunctionState.h"

namespace mlir::pallas {

/// Random bits, for which every core has a generator.
class RandomLowering : ThemeLowering {
public:
  explicit RandomLowering(FunctionState &state) : ThemeLowering(state) {}

  LogicalResult lowerRandom(Operation *op);
  /// A generator at the insertion point, for what runs behind it: its key and
  /// its count.
  Value createGenerator(Location loc);

  /// The generator of the core that the operation at hand runs on; null before
  /// the first draw.
  Value generator;

private:
  Value getGenerator(Location loc);
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_RANDOMLOWERING_H
