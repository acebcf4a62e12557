//===- ShapeOps.cpp - Shapes of values ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of operations that give elements another shape or width.
// Comments such as V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"

using namespace mlir;
using namespace mlir::pallas;

/// Counts along one dimension, which therefore has to exist; only integers and
/// floats can count.
LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  // V24
  if (!type.getElementType().isIntOrIndexOrFloat())
    return emitOpError() << "elements must be integers or floats, but are "
                         << type.getElementType();
  return verifyDimensions(*this, int64_t(getDimension()), type.getRank(),
                          "iota");
}

/// `dims` name a dimension of the result for each of the input, in order:
///
///   %b = pallas.broadcast %v dims [1] : tensor<128xf32> -> tensor<8x128xf32>
///
/// Ascending dims keep it free of transposes, which are operations of their
/// own.
LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  Type input = getInput().getType();
  ArrayRef<int64_t> shape = getValueShape(input), dims = getDimensions();
  // V24
  if (getElementTypeOrSelf(input) != result.getElementType())
    return emitOpError() << "broadcasts " << getElementTypeOrSelf(input)
                         << " elements to " << result.getElementType()
                         << "; both must be equal";
  // V24
  if (dims.size() != shape.size())
    return emitOpError() << "names " << dims.size()
                         << " result dimensions, but the input has rank "
                         << shape.size()
                         << "; name one for each input dimension";
  if (failed(verifyDimensions(*this, dims, result.getRank(), "result")))
    return failure();
  // V24
  if (!llvm::is_sorted(dims))
    return emitOpError() << "result dimensions [" << dims
                         << "] must be ascending; use pallas.transpose first";
  for (auto [index, dim] : llvm::enumerate(dims))
    // V24
    if (shape[index] != 1 && shape[index] != result.getDimSize(dim))
      return emitOpError() << "input dimension " << index << " of size "
                           << shape[index]
                           << " does not broadcast to result dimension " << dim
                           << " of size " << result.getDimSize(dim)
                           << "; both must be equal, or the input's 1";
  return success();
}

/// A dynamic size could not be compared with the number of elements.
LogicalResult ReshapeOp::verify() {
  Type input = getInput().getType(), result = getResult().getType();
  // V24
  if (getElementTypeOrSelf(input) != getElementTypeOrSelf(result))
    return emitOpError() << "keeps the elements, but "
                         << getElementTypeOrSelf(input) << " becomes "
                         << getElementTypeOrSelf(result)
                         << "; convert or bitcast them";
  ArrayRef<int64_t> from = getValueShape(input), to = getValueShape(result);
  // V24
  if (ShapedType::isDynamicShape(from) || ShapedType::isDynamicShape(to))
    return emitOpError() << "needs static shapes, but reshapes " << input
                         << " to " << result << "; slice a static part first";
  std::optional<int64_t> fromCount = countElements(from),
                         toCount = countElements(to);
  // V24
  if (!fromCount || fromCount != toCount)
    return emitOpError() << "reshapes " << input << " to " << result
                         << "; both shapes must hold the same number of "
                            "elements";
  return success();
}

/// Elements of another width take a dimension: it grows or shrinks, or, with
/// -1, appears or disappears behind the others, as in JAX:
///
///   tensor<8x128xf32> to i16 along 0     tensor<16x128xi16>
///   tensor<8x128xf32> to i16 along -1    tensor<8x128x2xi16>
LogicalResult BitcastOp::verify() {
  Type input = getInput().getType(), result = getResult().getType();
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(result);
  auto hasBits = [](Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() > 0;
  };
  // V24
  if (!hasBits(from) || !hasBits(to))
    return emitOpError() << "casts integers and floats only, but casts " << from
                         << " to " << to << "; convert it to one of them";
  int64_t fromBits = from.getIntOrFloatBitWidth(),
          toBits = to.getIntOrFloatBitWidth();
  SmallVector<int64_t> expected(getValueShape(input));
  if (fromBits != toBits) {
    std::optional<uint64_t> dimAttr = getDimension();
    // V24
    if (!dimAttr)
      return emitOpError() << "changes the width from " << fromBits << " to "
                           << toBits << " bits, so it needs a dimension";
    int64_t dim = *dimAttr, rank = expected.size();
    bool divides = fromBits % toBits == 0 || toBits % fromBits == 0;
    // V24
    if (!divides || dim < -1 || dim >= rank)
      return emitOpError()
             << "cannot cast " << fromBits << "-bit elements to " << toBits
             << " bits along dimension " << dim << " of a value of rank "
             << rank << "; the widths must divide, and the dimension exist";
    int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
    // V24
    if (ShapedType::isDynamicShape(expected))
      return emitOpError() << "changes the width of elements, which needs a "
                              "static shape, but casts "
                           << input << "; slice a static part first";
    if (dim >= 0 && fromBits > toBits) {
      // V24
      if (llvm::MulOverflow(expected[dim], ratio, expected[dim]))
        return emitOpError()
               << "splits dimension " << dim << " of " << input
               << " into more elements than 64 bits can count; split "
                  "a smaller dimension";
    } else if (dim >= 0 && expected[dim] % ratio == 0)
      expected[dim] /= ratio;
    else if (dim == -1 && fromBits > toBits)
      expected.push_back(ratio);
    else if (dim == -1 && rank > 0 && expected.back() == ratio)
      expected.pop_back();
    else
      return emitOpError() << "cannot join " << ratio
                           << " elements along dimension " << dim << " of ["
                           << expected << "]; slice or pad it";
  }
  return verifyResultType(*this, result, getValueType(expected, to));
}
