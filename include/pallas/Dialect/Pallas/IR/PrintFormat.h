//===- PrintFormat.h - Texts of prints --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PRINTFORMAT_H
#define PALLAS_DIALECT_PALLAS_IR_PRINTFORMAT_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::pallas {

/// The texts before, between and behind the placeholders of pallas.debug_print,
/// so one more than those. As in Python, `{{` and `}}` print one brace; other
/// braces print as they are.
///
///   "{{x}} = {}, y = {}" -> "{x} = ", ", y = ", ""
SmallVector<std::string> splitPrintFormat(StringRef format);

/// The format that prints `text` and has no placeholder.
std::string escapePrintText(StringRef text);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_PRINTFORMAT_H
