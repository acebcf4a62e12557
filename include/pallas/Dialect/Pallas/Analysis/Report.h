//===- Report.h - What analyses write down ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_REPORT_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_REPORT_H

#include "mlir/IR/Operation.h"
#include "pallas/Support/Report.h"
#include "llvm/Support/JSON.h"

namespace mlir::pallas {

/// The first entries of every report on an operation: its name, its
/// location and its meshes.
llvm::json::Object describeOperation(Operation *op);

/// Calls `body` for the outermost operations that run kernels.
void forEachCall(Operation *module, function_ref<void(Operation *)> body);

/// `(3, 0)`
std::string spellTuple(ArrayRef<int64_t> numbers);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_REPORT_H
