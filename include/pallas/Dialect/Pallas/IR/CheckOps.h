//===- CheckOps.h - Operations of checked code ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H
#define PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#include "pallas/Dialect/Pallas/IR/PallasCheckEnums.h.inc"

namespace mlir::pallas {
/// The trait of the operations that passes insert as checks.
template <typename ConcreteType>
class IsCheck : public OpTrait::TraitBase<ConcreteType, IsCheck> {};
} // namespace mlir::pallas

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasCheckOps.h.inc"

namespace mlir::pallas {

/// Whether an operation checks another one, instead of doing its work.
inline bool isCheck(Operation *op) { return op->hasTrait<IsCheck>(); }

/// On a copy to part of a buffer: a block has the rest outside of its array.
inline constexpr llvm::StringLiteral kFillsBufferAttrName =
    "pallas.fills_buffer";

/// On a module: checks have been inserted.
inline constexpr llvm::StringLiteral kHasChecksAttrName = "pallas.has_checks";
/// The same for checks of memory, which come later.
inline constexpr llvm::StringLiteral kHasMemoryChecksAttrName =
    "pallas.has_memory_checks";

/// On a scope of checked code, or an array of a call: the names of its refs in
/// messages, where a pass has made it for them.
inline constexpr llvm::StringLiteral kRefNamesAttrName = "pallas.ref_names";
/// On the same scope: the operation that messages name instead of it.
inline constexpr llvm::StringLiteral kMadeForAttrName = "pallas.made_for";

/// On a copy to several blocks: their barriers wait for the copies of all of
/// them, as on hardware. Elsewhere each waits for its own.
inline constexpr llvm::StringLiteral kArrivesTogetherAttrName =
    "pallas.arrives_together";

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_CHECKOPS_H
