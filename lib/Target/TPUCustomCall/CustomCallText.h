//===- CustomCallText.h - The StableHLO text of one call --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_TPUCUSTOMCALL_CUSTOMCALLTEXT_H
#define PALLAS_LIB_TARGET_TPUCUSTOMCALL_CUSTOMCALLTEXT_H

#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

namespace mlir::tpu {

/// Writes the call on operands of these names; result `i` is `result#i`. Arrays
/// of booleans are those of 32-bit integers that the kernel takes.
void writeCustomCall(const TPUCustomCall &call, StringRef config,
                     ArrayRef<std::string> operands, StringRef result,
                     raw_ostream &os);

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_TPUCUSTOMCALL_CUSTOMCALLTEXT_H
