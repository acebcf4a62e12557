//===- PlaceOps.cpp - Elements at other places ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and inferred types of operations that move elements to other
// places: transposed, reversed, rolled. Comments such as V24 name rules of
// docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pallas;

/// Inference runs before the verifier, so it has to survive any operand.
LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // V24
  if (!input || int64_t(permutation.size()) != input.getRank() ||
      !isPermutationVector(permutation))
    return emitOptionalError(loc, "[", permutation,
                             "] is not a permutation of the input's "
                             "dimensions");
  types.push_back(input.clone(applyPermutation(input.getShape(), permutation)));
  return success();
}

/// Reports again what inference has found, now with the operation at hand.
LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> permutation = getPermutation();
  // V24
  if (int64_t(permutation.size()) == getInput().getType().getRank() &&
      isPermutationVector(permutation))
    return success();
  return emitOpError() << "[" << permutation << "] is not a permutation of the "
                       << getInput().getType().getRank()
                       << " dimensions of the input; name each once";
}

LogicalResult RevOp::verify() {
  return verifyDimensions(*this, getDimensions(),
                          getInput().getType().getRank(), "reversed");
}

/// With a stride, rows are rolled by amounts that grow along another dimension:
///
///   pallas.roll %v by %c1 dim 1 stride 2 along 0
///   row 0 goes 1 to the right, row 1 goes 3, row 2 goes 5
LogicalResult RollOp::verify() {
  int64_t rank = getInput().getType().getRank();
  if (failed(verifyDimensions(*this, int64_t(getDimension()), rank, "rolled")))
    return failure();
  // V24
  if (getStride().has_value() != getStrideDimension().has_value())
    return emitOpError() << "needs both a stride and its dimension, or neither";
  if (!getStride())
    return success();
  return verifyDimensions(
      *this, {int64_t(getDimension()), int64_t(*getStrideDimension())}, rank,
      "rolled or strided");
}
