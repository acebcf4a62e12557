//===- LibtpuRelease.h - What releases of libtpu read -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_LIBTPURELEASE_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_LIBTPURELEASE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace mlir::tpu {

/// A release of libtpu, whose Mosaic compiler reads the call, as numbers:
/// 0.0.50 is {0, 0, 50}. The calls of one release may be unknown to another.
class LibtpuRelease {
public:
  /// The oldest release that calls are written for, whose calls all later ones
  /// read as well.
  LibtpuRelease() : numbers({0, 0, 42, 1}) {}

  /// Nothing when the text is no release, or an older one than the oldest.
  static std::optional<LibtpuRelease> parse(StringRef text);

  /// Newest version of the kernel's bytes that the release reads.
  int64_t getStableMosaicVersion() const;
  /// Whether the SparseCores of a kernel are named by their own
  /// configuration, which older releases do not know.
  bool namesSparseCores() const;

private:
  explicit LibtpuRelease(ArrayRef<unsigned> numbers) : numbers(numbers) {}

  SmallVector<unsigned, 4> numbers;
};

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_LIBTPURELEASE_H
