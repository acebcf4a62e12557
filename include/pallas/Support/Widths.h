//===- Widths.h - How much memory an element takes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_WIDTHS_H
#define PALLAS_SUPPORT_WIDTHS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pallas {

/// Bits of an element; an index is a word of 64 bits.
inline int64_t getBitWidth(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// Bytes that an element takes in memory, where narrow numbers have one each.
inline int64_t getByteWidth(Type element) {
  return llvm::divideCeil(getBitWidth(element), 8);
}

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_WIDTHS_H
