//===- RefEffects.h - What operations do to refs ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_REFEFFECTS_H
#define PALLAS_DIALECT_PALLAS_IR_REFEFFECTS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Whether an operation shows the memory of its first operand in another way.
bool isRefView(Operation *op);

/// Whether an operation gives memory of its first operand another name: it is a
/// view, or names the same place on other devices or in other blocks.
bool isRefAlias(Operation *op);

/// The ref that has the other names of its memory, or `ref` itself.
Value skipAliases(Value ref);

/// Whether a bitcast changes the width of elements. Others are the same memory
/// with another element type.
bool changesWidth(BitcastRefOp view);

/// Whether elements of a ref have another width than those of the memory that
/// it views. Rows of it interleave there, which strides can't express.
bool changesWidth(Value ref);

/// Whether an operation may itself write to what its operand `ref` names. One
/// that tells no effects at all may do anything.
bool mayWrite(Operation *op, Value ref);

/// Visits the uses of a ref and of all views of it, but not those views.
WalkResult walkRefUses(Value ref, function_ref<WalkResult(OpOperand &)> visit);

/// Whether anything may write to a ref, also through views of it.
bool mayBeWritten(Value ref);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_REFEFFECTS_H
