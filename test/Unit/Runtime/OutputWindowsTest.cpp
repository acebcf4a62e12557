//===- OutputWindowsTest.cpp - Tests for windows that overlap -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/OutputWindows.h"
#include "gtest/gtest.h"
#include <random>

using namespace pallas_rt;

using Windows = std::vector<llvm::SmallVector<WindowDim, 4>>;

/// Whether two windows share an element of an array of 40 along each dimension,
/// tried element by element along each.
static bool shareElement(llvm::ArrayRef<WindowDim> lhs,
                         llvm::ArrayRef<WindowDim> rhs) {
  for (size_t d = 0; d < lhs.size(); ++d) {
    bool shares = false;
    for (int64_t i = 0; i < 40; ++i)
      shares |= i >= lhs[d].start && i < lhs[d].start + lhs[d].size &&
                i >= rhs[d].start && i < rhs[d].start + rhs[d].size;
    if (!shares)
      return false;
  }
  return true;
}

static bool haveSameStart(llvm::ArrayRef<WindowDim> lhs,
                          llvm::ArrayRef<WindowDim> rhs) {
  for (size_t d = 0; d < lhs.size(); ++d)
    if (lhs[d].start != rhs[d].start)
      return false;
  return true;
}

/// Random windows, some of which begin in front of the array, end behind it, or
/// are much larger than the first.
TEST(OutputWindowsTest, AgreesWithAllPairs) {
  size_t found = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto draw = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    size_t rank = draw(1, 3);
    int64_t largest = draw(0, 1) ? 3 : 30;
    OutputWindows windows;
    Windows earlier;
    for (int i = 0; i < 12; ++i) {
      llvm::SmallVector<WindowDim, 4> dims;
      for (size_t d = 0; d < rank; ++d)
        dims.push_back({draw(-2, 39), i ? draw(1, largest) : 1, 0, 40});
      bool isExpected = llvm::any_of(earlier, [&](auto &other) {
        return shareElement(other, dims) && !haveSameStart(other, dims);
      });
      llvm::ArrayRef<WindowDim> other = windows.add(dims);
      EXPECT_EQ(isExpected, !other.empty()) << "seed " << seed;
      if (!other.empty()) {
        EXPECT_TRUE(shareElement(other, dims)) << "seed " << seed;
      }
      found += isExpected;
      earlier.push_back(dims);
    }
  }
  EXPECT_GT(found, 300u);
}

TEST(OutputWindowsTest, BlocksDoNotOverlap) {
  OutputWindows windows;
  for (int64_t i = 0; i < 100000; ++i)
    EXPECT_TRUE(
        windows
            .add({{8 * (i / 100), 8, 0, 8000}, {16 * (i % 100), 16, 0, 1600}})
            .empty());
}
