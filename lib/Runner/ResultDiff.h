//===- ResultDiff.h - How two executions differ -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_RESULTDIFF_H
#define PALLAS_LIB_RUNNER_RESULTDIFF_H

#include "pallas/Runner/Engine.h"

namespace mlir::pallas {

/// The arrays that one execution yields.
struct Results {
  SmallVector<BufferType> types;
  std::vector<std::string> memory;
};

/// Results as bytes, for a pipe.
std::string serialize(const Results &results);
Results deserialize(StringRef bytes);

/// How far apart sums in another order and functions of another library are in
/// a type of floats, relative to 1 + their size. Of narrow ones, one step.
double getTolerance(DType dtype);

/// How results differ; empty if they don't. Floats may be as far apart as
/// `toleranceOf` their type, relative to 1 + their size.
std::string compare(const Results &found, const Results &expected,
                    llvm::function_ref<double(DType)> toleranceOf);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_RESULTDIFF_H
