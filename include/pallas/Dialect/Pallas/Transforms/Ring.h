//===- Ring.h - Floats as integers mod 2^w ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_TRANSFORMS_RING_H
#define PALLAS_DIALECT_PALLAS_TRANSFORMS_RING_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace mlir::pallas {

/// The integer that ring mode computes with instead of a float, of the same
/// width: integers stay what they are mod 2^w, the infinities become the least
/// and the largest, and the bits of all others are mixed.
llvm::APInt getRingElement(const llvm::APFloat &value);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_TRANSFORMS_RING_H
