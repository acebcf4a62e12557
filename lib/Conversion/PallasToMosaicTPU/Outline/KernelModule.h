//===- KernelModule.h - Modules of kernels out of calls ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_KERNELMODULE_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_KERNELMODULE_H

#include "../Memory/TypeConversion.h"
#include "HostCall.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::pallas {

/// Moves the kernel of a call into a module of its own, with the signature and
/// the attributes that the compiler expects, and calls it. The bodies are still
/// those of the pallas dialect.
FailureOr<ModuleOp> outlinePallasCall(PallasCallOp op, SymbolTable &symbols,
                                      const TPUChip &chip);
FailureOr<ModuleOp> outlineMpmdMap(MpmdMapOp op, SymbolTable &symbols,
                                   const TPUChip &chip);

/// Lets `argument` of a kernel be the memref `memref` from now on.
void replaceRef(OpBuilder &builder, Value argument, Value memref);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_KERNELMODULE_H
