//===- ElementOps.cpp - Casts and packing of elements ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folders of elementwise operations.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// BitcastOp
//===----------------------------------------------------------------------===//

///   %0 = tpu.bitcast %v : vector<16x128xf32> -> vector<32x128xbf16>
///
/// Rows of narrow elements share registers, so the second to last dimension
/// changes with the width.
LogicalResult BitcastOp::verify() {
  auto from = cast<VectorType>(getInput().getType());
  auto to = cast<VectorType>(getType());
  for (VectorType type : {from, to})
    if (!type.getElementType().isIntOrFloat())
      return emitOpError("casts elements of type ")
             << type.getElementType() << ", which have no fixed width";
  int64_t fromBits = from.getElementTypeBitWidth();
  int64_t toBits = to.getElementTypeBitWidth();
  SmallVector<int64_t> shape(from.getShape());
  if (fromBits != toBits) {
    if (from.getRank() < 2 || to.getRank() < 2)
      return emitOpError("changes the width of the elements from ")
             << fromBits << " to " << toBits
             << " bits in a vector of rank 1; rank 2 or more is needed";
    int64_t &rows = shape[shape.size() - 2];
    if (rows * fromBits % toBits != 0)
      return emitOpError("casts ") << rows << " rows of " << fromBits
                                   << "-bit elements, which do not make whole "
                                   << toBits << "-bit ones";
    rows = rows * fromBits / toBits;
  }
  if (to.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("turns ")
           << from << " into " << to << ", but the bits make "
           << VectorType::get(shape, to.getElementType());
  return success();
}

/// A cast to the same type is its operand.
OpFoldResult BitcastOp::fold(FoldAdaptor) {
  return getType() == getInput().getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// PackElementwiseOp, UnpackElementwiseOp
//===----------------------------------------------------------------------===//

/// How many `narrow` elements one `wide` one holds; fails when there is no
/// conversion between the two.
static FailureOr<unsigned> getPackingFactor(Operation *op, Type wide,
                                            Type narrow) {
  bool supported = (wide.isF32() && narrow.isBF16()) ||
                   (isa<IntegerType>(wide) && isa<IntegerType>(narrow));
  if (!supported)
    return op->emitOpError("packs ")
           << wide << " as " << narrow
           << "; f32 as bf16, and integers as integers are supported";
  unsigned factor =
      wide.getIntOrFloatBitWidth() / narrow.getIntOrFloatBitWidth();
  if (factor == 0)
    return op->emitOpError("packs ")
           << wide << " as " << narrow << ", which is wider";
  return factor;
}

///   %0 = tpu.pack_elementwise %a, %b {target_type = bf16}
///       : vector<8x128xf32>, vector<8x128xf32> -> vector<8x128xi32>
///
/// needs exactly as many operands as fit into an element of the result.
LogicalResult PackElementwiseOp::verify() {
  if (getSources().empty())
    return emitOpError("packs no vectors; give at least 1");
  Type source =
      cast<VectorType>(getSources().front().getType()).getElementType();
  Type output = cast<VectorType>(getType()).getElementType();
  if (!output.isSignlessInteger())
    return emitOpError("gives elements of type ")
           << output << "; the result holds signless integers";
  if (output.getIntOrFloatBitWidth() != source.getIntOrFloatBitWidth())
    return emitOpError("packs ") << source << " elements into " << output
                                 << "; both need the same width";
  FailureOr<unsigned> factor = getPackingFactor(*this, source, getTargetType());
  if (failed(factor))
    return failure();
  if (getSources().size() != *factor)
    return emitOpError("packs ")
           << getSources().size() << " vectors, but " << output << " holds "
           << *factor << " elements of type " << getTargetType();
  return success();
}

/// The index selects one of the packed elements, from the low bits up.
LogicalResult UnpackElementwiseOp::verify() {
  Type output = cast<VectorType>(getType()).getElementType();
  FailureOr<unsigned> factor = getPackingFactor(*this, output, getSourceType());
  if (failed(factor))
    return failure();
  if (getIndex() >= *factor)
    return emitOpError("takes element ")
           << static_cast<int32_t>(getIndex()) << " of " << *factor
           << "; elements are counted from 0";
  return success();
}

//===----------------------------------------------------------------------===//
// ReducePrecisionOp
//===----------------------------------------------------------------------===//

/// A float has at least one bit of exponent.
LogicalResult ReducePrecisionOp::verify() {
  int32_t exponent = getExponentBits(), mantissa = getMantissaBits();
  if (exponent < 1 || mantissa < 0)
    return emitOpError("rounds to a float of ")
           << exponent << " exponent and " << mantissa
           << " mantissa bits; give at least 1 and 0";
  return success();
}

///   %0 = tpu.reduce_precision %v {exponent_bits = 8, mantissa_bits = 23}
///
/// of f32 elements is %v.
OpFoldResult ReducePrecisionOp::fold(FoldAdaptor) {
  auto element = cast<FloatType>(getElementTypeOrSelf(getType()));
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  // The leading bit of the mantissa is not stored, and one bit is the sign.
  int32_t mantissa = APFloat::semanticsPrecision(semantics) - 1;
  int32_t exponent = element.getWidth() - 1 - mantissa;
  bool keepsAll = static_cast<int32_t>(getExponentBits()) >= exponent &&
                  static_cast<int32_t>(getMantissaBits()) >= mantissa;
  return keepsAll ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// PackSubelementsOp, UnpackSubelementsOp
//===----------------------------------------------------------------------===//

/// Width of an element; 0 when it has none.
static unsigned getElementBits(Type vector) {
  Type element = cast<VectorType>(vector).getElementType();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// How many narrow elements a wide one holds.
static FailureOr<unsigned> getSubelementCount(Operation *op, Type wide,
                                              Type narrow) {
  unsigned wideBits = getElementBits(wide), narrowBits = getElementBits(narrow);
  if (narrowBits == 0 || wideBits < narrowBits)
    return op->emitOpError("packs elements as those of ")
           << narrow << " into those of " << wide << ", which are not wider";
  return wideBits / narrowBits;
}

/// Positions place each operand within the wide elements; those that none takes
/// are unspecified.
LogicalResult PackSubelementsOp::verify() {
  if (getSources().empty())
    return emitOpError("packs no vectors; give at least 1");
  if (getSources().size() != getPositions().size())
    return emitOpError("has ")
           << getPositions().size() << " positions for " << getSources().size()
           << " vectors; give one each";
  FailureOr<unsigned> count =
      getSubelementCount(*this, getSources().front().getType(), getType());
  if (failed(count))
    return failure();
  llvm::SmallBitVector seen(*count);
  for (int32_t position : getPositions()) {
    if (position < 0 || position >= static_cast<int64_t>(*count))
      return emitOpError("has position ")
             << position << ", which is not in [0, " << *count << ")";
    if (seen.test(position))
      return emitOpError("uses position ") << position << " twice";
    seen.set(position);
  }
  return success();
}

/// The counterpart: one operand, one position.
LogicalResult UnpackSubelementsOp::verify() {
  FailureOr<unsigned> count =
      getSubelementCount(*this, getType(), getSource().getType());
  if (failed(count))
    return failure();
  if (getIndex() >= *count)
    return emitOpError("takes element ")
           << static_cast<int32_t>(getIndex()) << " of " << *count
           << "; elements are counted from 0";
  Type source = cast<VectorType>(getSource().getType()).getElementType();
  if (getUnsignedIntegers() && !isa<IntegerType>(source))
    return emitOpError("has unsigned_integers set on ")
           << source << " elements; it is for integers";
  return success();
}
