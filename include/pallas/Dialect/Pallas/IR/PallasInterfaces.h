//===- PallasInterfaces.h - Interfaces of the pallas dialect -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H
#define PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

namespace mlir::pallas {

/// One entry of an access with its operands, which are null where the entry
/// itself is complete.
struct AccessDim {
  DimIndex entry;
  /// The start of a slice, or a scalar.
  Value start;
  Value size;
  /// The index array of a gather.
  Value array;
  /// Which dimensions of the selection it becomes: one for a slice, and for
  /// scalars and index arrays those that they have in common.
  unsigned firstSelected = 0, numSelected = 0;
};

} // namespace mlir::pallas

#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h.inc"

namespace mlir::pallas {

/// Checks that grid, block mappings and aliases fit the operands and results.
/// Runs before anything inside the operation is checked, so that operations of
/// the kernel can rely on the grid around them.
LogicalResult verifyGridMappingSignature(GridMappingOpInterface op);

/// Checks that index maps and the kernel's argument list fit the operands.
LogicalResult verifyGridMapping(GridMappingOpInterface op);

/// The shape and elements of an array operand: a tensor, a pinned one or a ref.
/// Null when it has no rank.
ShapedType getArrayShapedType(Type type);

/// The constant that `value` is, if it is an integer constant.
std::optional<int64_t> getConstantInteger(Value value);

/// The grid that `program_id` refers to at this operation, if there is one.
GridMappingOpInterface getEnclosingGrid(Operation *op);

/// The meaning of an axis name at an operation.
struct AxisLookup {
  /// The innermost operation that names axes; null in a function of its own,
  /// where any name may be an axis.
  Operation *owner = nullptr;
  /// The innermost operation around that has an axis of this name.
  Operation *holder = nullptr;
  /// Size of the axis, dynamic when an operand gives it; nothing when no
  /// operation around names such an axis.
  std::optional<int64_t> size;
};
AxisLookup lookUpAxis(Operation *op, StringRef name);

/// Checks that the kernel around has this axis. `what` describes the use of the
/// axis in the error. A function of its own does not know its axes.
LogicalResult verifyAxisName(Operation *op, StringRef what, StringRef name);

/// Spells out `...` and `:` for a ref of this shape.
SmallVector<DimIndex> getFullEntries(IndexerAttr indexer,
                                     ArrayRef<int64_t> refShape);

/// The dimension of a selection at which the shape starts that scalars and
/// index arrays have in common. NumPy puts it in the place of the first one
/// where they are adjacent, and in front otherwise.
unsigned getCommonPosition(ArrayRef<DimIndex> entries);

/// Shape that an indexer selects from a ref of this shape. `indices` are its
/// operands; index arrays broadcast together. Fails, with an error through
/// `emitError`, where the rules of indexing are broken. Slices under a mask may
/// extend past the end of the ref.
FailureOr<SmallVector<int64_t>> inferAccessShape(
    IndexerAttr indexer, ArrayRef<int64_t> refShape, TypeRange indices,
    function_ref<InFlightDiagnostic()> emitError, bool mayHangOver = false);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_PALLASINTERFACES_H
