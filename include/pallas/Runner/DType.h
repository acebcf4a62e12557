//===- DType.h - Element types of buffers -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_DTYPE_H
#define PALLAS_RUNNER_DTYPE_H

#include "mlir/IR/Types.h"
#include "pallas/Runtime/BufferView.h"
#include <optional>

namespace mlir::pallas {
using pallas_rt::DType;

/// The element type of a buffer that holds values of `type`, if there is one.
std::optional<DType> getDType(Type type);

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_DTYPE_H
