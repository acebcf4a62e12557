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

/// How results differ; empty if they don't. Floats may be apart by `tolerance`,
/// or by as much as their type makes likely, relative to 1 + their size.
std::string compare(const Results &found, const Results &expected,
                    std::optional<double> tolerance);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_RESULTDIFF_H
