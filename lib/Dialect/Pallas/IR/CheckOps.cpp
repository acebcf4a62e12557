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

LogicalResult CheckBoundsOp::verify() {
  return inferAccessShape(getIndexer(), getRef().getType().getShape(),
                          getIndices().getTypes(),
                          [&] { return emitOpError(); });
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
