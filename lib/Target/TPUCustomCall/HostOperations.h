//===- HostOperations.h - Operations of StableHLO ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callers of kernels are StableHLO. Its dialect is not linked, so operations
// are built by name and printed in the generic form, which XLA and JAX read.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_TPUCUSTOMCALL_HOSTOPERATIONS_H
#define PALLAS_LIB_TARGET_TPUCUSTOMCALL_HOSTOPERATIONS_H

#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::tpu {

/// An empty module in which operations of StableHLO may be built.
OwningOpRef<ModuleOp> createHostModule(MLIRContext *context);

/// A function with an entry block, into which `builder` then inserts.
func::FuncOp createHostFunction(OpBuilder &builder, StringAttr name,
                                TypeRange arguments, TypeRange results,
                                bool isPublic);

/// The operation `stablehlo.<name>`.
Operation *createHostOp(OpBuilder &builder, StringRef name, TypeRange results,
                        ValueRange operands,
                        ArrayRef<NamedAttribute> attributes = {});

/// The call of a kernel. Arrays of booleans are those of 32-bit integers that
/// the kernel takes.
Operation *createCustomCall(OpBuilder &builder, const TPUCustomCall &call,
                            StringRef config, ValueRange operands);

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_TPUCUSTOMCALL_HOSTOPERATIONS_H
