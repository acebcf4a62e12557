//===- WireBuffer.h - Bytes of MLIR bytecode --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_STABLEMOSAIC_WIREBUFFER_H
#define PALLAS_LIB_TARGET_STABLEMOSAIC_WIREBUFFER_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tpu {

/// Bytes with the encodings of numbers that bytecode has.
class WireBuffer {
public:
  StringRef str() const { return bytes.str(); }
  size_t size() const { return bytes.size(); }

  void byte(uint8_t value) { bytes.push_back(char(value)); }
  void append(StringRef text) { bytes += text; }
  void setByte(size_t place, uint8_t value) { bytes[place] = char(value); }

  /// The trailing zeros of the first byte tell how many bytes follow.
  void varInt(uint64_t value) {
    if (LLVM_LIKELY(value < (1u << 7)))
      return byte(uint8_t(value << 1) | 1);
    unsigned count = llvm::divideCeil(llvm::Log2_64(value) + 1, 7);
    if (count > 8) {
      byte(0);
      return littleEndian(value, 8);
    }
    littleEndian(((value << 1) | 1) << (count - 1), count);
  }
  void varIntWithFlag(uint64_t value, bool flag) {
    varInt((value << 1) | uint64_t(flag));
  }
  /// The sign becomes the lowest bit.
  void signedVarInt(int64_t value) {
    varInt((uint64_t(value) << 1) ^ uint64_t(value >> 63));
  }

private:
  void littleEndian(uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, value >>= 8)
      byte(uint8_t(value));
  }

  SmallString<0> bytes;
};

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_WIREBUFFER_H
