//===- TPU.h - The tpu dialect ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_IR_TPU_H
#define PALLAS_DIALECT_MOSAICTPU_IR_TPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "pallas/Dialect/MosaicTPU/IR/TPUDialect.h.inc"
#include "pallas/Dialect/MosaicTPU/IR/TPUEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUAttributes.h.inc"

#define GET_OP_CLASSES
#include "pallas/Dialect/MosaicTPU/IR/TPUOps.h.inc"

namespace mlir::tpu {

/// Attribute of a function that names the core it runs on.
inline constexpr llvm::StringLiteral kCoreTypeAttrName = "tpu.core_type";

/// Memory space of a memref: nothing when it has none, `any` when it has one
/// that is not of this dialect.
std::optional<MemorySpace> getMemorySpace(MemRefType type);

/// Core whose memory the memref type names; nothing when it names none.
std::optional<CoreType> getNamedCoreType(MemRefType type);

/// Core that runs a function, or an operation in it. A function without the
/// attribute runs on the TensorCore.
CoreType getCoreType(Operation *op);

/// The function of a module that runs on a core, or null when there is none.
/// Several such functions are an error.
FailureOr<func::FuncOp> getFuncWithCoreType(ModuleOp module, CoreType core);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_IR_TPU_H
