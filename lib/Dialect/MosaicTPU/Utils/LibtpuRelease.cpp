//===- LibtpuRelease.cpp - Differences between releases of libtpu ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtpu reads the kernels that we write. Releases differ in the version of the
// text, and in the names of a few entries.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/LibtpuRelease.h"

using namespace mlir;
using namespace mlir::tpu;

static bool isBefore(ArrayRef<unsigned> lhs, ArrayRef<unsigned> rhs) {
  return std::lexicographical_compare(lhs.begin(), lhs.end(), rhs.begin(),
                                      rhs.end());
}

std::optional<LibtpuRelease> LibtpuRelease::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '.');
  SmallVector<unsigned> numbers;
  for (StringRef part : parts)
    if (part.getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  // Releases before the oldest supported one are no releases.
  if (isBefore(numbers, LibtpuRelease().numbers))
    return std::nullopt;
  return LibtpuRelease(numbers);
}

/// The version of the serialized dialect that the release reads.
int64_t LibtpuRelease::getStableMosaicVersion() const {
  if (isBefore(numbers, {0, 0, 48}))
    return 15;
  if (isBefore(numbers, {0, 0, 50}))
    return 17;
  return 18;
}

bool LibtpuRelease::namesSparseCores() const {
  return !isBefore(numbers, {0, 0, 50});
}
