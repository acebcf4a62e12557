//===- AccessBounds.h - Accesses that leave their refs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_IR_ACCESSBOUNDS_H
#define PALLAS_DIALECT_PALLAS_IR_ACCESSBOUNDS_H

#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

namespace mlir::pallas {

class SliceRefOp;

/// Whether the elements of a slice stay in place where others lie outside of
/// the ref, which are not touched. Plain accesses move the whole slice inside.
bool keepsElementsInPlace(RefAccessOpInterface op);

/// Whether a negative index along this dimension counts from the end, as NumPy
/// has it. What stays in place begins in front of the ref instead, except for
/// elements that index arrays name.
bool countsFromEnd(RefAccessOpInterface op, const AccessDim &dim);

/// Whether an access may leave its ref along a dimension, as far as the ranges
/// of program ids, loop counters and arithmetic on them tell, and the
/// conditions around it. Index arrays may.
bool mayReachOutside(RefAccessOpInterface op, unsigned dim);
bool mayReachOutside(RefAccessOpInterface op);

/// On which sides an access may leave its ref along a dimension.
struct AccessReach {
  bool inFront = false, behind = false;
  bool isOutside() const { return inFront || behind; }
};
AccessReach getReach(RefAccessOpInterface op, unsigned dim);

/// The same, of slices only.
bool mayHangOver(RefAccessOpInterface op);

/// Whether a view is a box of its ref: no index arrays, strides or sizes that
/// operands give.
bool isBox(SliceRefOp slice);

/// The operand that gives the length of a view along a dimension, or null. The
/// length may exceed that of the ref, in which case accesses stay within the
/// ref. For example %n for dimension 0 of
///
///   %view = pallas.slice_ref %ref[ds(0, %n), 3] : !pallas.ref<8x4xf32, vmem>
Value getGivenLength(Value ref, unsigned dim);

/// Whether `op` makes a view that only copies of boxes use, which may lie
/// outside of the ref.
bool mayLeaveRef(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_IR_ACCESSBOUNDS_H
