//===- CheckOps.cpp - Operations of checked code --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "AccessVerifier.h"
#include "AsmHelpers.h"

using namespace mlir;
using namespace mlir::pallas;

#include "pallas/Dialect/Pallas/IR/PallasCheckEnums.cpp.inc"

/// The rules are those of the access that the check is about, which have the
/// same numbers.
LogicalResult CheckAccessOp::verify() {
  if (failed(verifyAccess(*this)))
    return failure();
  return getMask() ? verifyMask(*this, getMask().getType(), /*exact=*/false)
                   : success();
}

/// The load takes elements from the value.
LogicalResult CheckLeftOutOp::verify() {
  if (failed(verifyAccess(*this)))
    return failure();
  Type type = getValue().getType(),
       expected = cast<RefAccessOpInterface>(getOperation()).getAccessType();
  if (type != expected)
    return emitOpError() << "makes a value of type " << type
                         << ", but the load behind it yields " << expected
                         << "; both must be equal";
  return getMask() ? verifyMask(*this, getMask().getType(), /*exact=*/false)
                   : success();
}

LogicalResult CheckBoundsOp::verify() {
  return inferAccessShape(getIndexer(), getRef().getType().getShape(),
                          getIndices().getTypes(),
                          [&] { return emitOpError(); });
}

LogicalResult CheckSameContentsOp::verify() {
  RefType source = getSource().getType(), target = getTarget().getType();
  if (source.getRank() == target.getRank() &&
      int64_t(getLow().size()) == source.getRank() &&
      source.getElementType() == target.getElementType())
    return success();
  return emitOpError() << "is a copy of " << source << " to " << target
                       << " with " << getLow().size()
                       << " starts; both refs must have the same elements, and "
                          "a start per dimension";
}

/// Elements of the same width need no copy.
LogicalResult CheckPackedViewOp::verify() {
  if (getView().getType().getElementTypeBitWidth() !=
      getRef().getType().getElementTypeBitWidth())
    return success();
  return emitOpError() << "is about a view of " << getRef().getType() << " as "
                       << getView().getType()
                       << ", whose elements have the same width; only others "
                          "are packed";
}

LogicalResult CheckProductOp::verify() {
  size_t numRefs = getMatrices().size() + (getAcc() ? 1 : 0);
  if (getNames().size() == numRefs)
    return success();
  return emitOpError() << "has " << getNames().size() << " names for "
                       << numRefs
                       << " refs; name each matrix, then the accumulator";
}

#define GET_OP_CLASSES
#include "pallas/Dialect/Pallas/IR/PallasCheckOps.cpp.inc"
