//===- Report.h - Files that analyses write ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_SUPPORT_REPORT_H
#define PALLAS_SUPPORT_REPORT_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/JSON.h"

namespace mlir::pallas {

/// Writes a report to a file, or to the standard output when the name is `-`;
/// nothing without a name.
LogicalResult writeReport(Operation *module, StringRef path,
                          llvm::json::Array calls);

} // namespace mlir::pallas

#endif // PALLAS_SUPPORT_REPORT_H
