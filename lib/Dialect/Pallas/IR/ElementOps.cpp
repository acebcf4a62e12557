//===- ElementOps.cpp - Packing, rounding, hints --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and inferred types of operations that work element by element.
// Comments such as V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Number of packed elements in a word, or 0 when they do not fit.
static int64_t getPackingFactor(Type word, Type packed) {
  if (!word.isInteger() || !packed.isIntOrFloat())
    return 0;
  int64_t bits = packed.getIntOrFloatBitWidth(),
          all = word.getIntOrFloatBitWidth();
  return bits < all && all % bits == 0 ? all / bits : 0;
}

/// Checks that a word can hold elements of a type that others are narrowed to,
/// or widened from.
static LogicalResult verifyPacked(Operation *op, Type packed, Type wide) {
  // V24
  if (wide.isIntOrFloat() && isa<FloatType>(wide) == isa<FloatType>(packed) &&
      wide.getIntOrFloatBitWidth() >= packed.getIntOrFloatBitWidth())
    return success();
  return op->emitOpError() << "holds " << wide << " elements as " << packed
                           << "; both must be floats, or both integers, and "
                              "the packed ones no wider";
}

LogicalResult PackElementwiseOp::verify() {
  Type word = getResult().getType().getElementType();
  int64_t factor = getPackingFactor(word, getPackedType());
  // V24
  if (factor == 0)
    return emitOpError() << "cannot pack elements of type " << getPackedType()
                         << " into " << word
                         << "; a word is an integer of a multiple of their "
                            "width";
  // V24
  if (int64_t(getInputs().size()) != factor)
    return emitOpError() << "packs " << factor << " elements of type "
                         << getPackedType() << " per " << word << ", but has "
                         << getInputs().size()
                         << " operands; give one per element";
  for (Type type : getInputs().getTypes()) {
    // V24
    if (cast<RankedTensorType>(type).getShape() !=
        getResult().getType().getShape())
      return emitOpError() << "operands and result must have the same shape, "
                              "but have "
                           << type << " and " << getResult().getType();
    if (failed(verifyPacked(*this, getPackedType(),
                            cast<RankedTensorType>(type).getElementType())))
      return failure();
  }
  return success();
}

LogicalResult UnpackElementwiseOp::verify() {
  Type word = getInput().getType().getElementType();
  int64_t factor = getPackingFactor(word, getPackedType());
  int64_t index = getIndex();
  // V24
  if (factor == 0 || index < 0 || index >= factor)
    return emitOpError()
           << word << " holds " << factor << " elements of type "
           << getPackedType() << ", but element " << index
           << " is asked for; count from 0, the lowest bits first";
  // V24
  if (getInput().getType().getShape() != getResult().getType().getShape())
    return emitOpError() << "operand and result must have the same shape, but "
                            "have "
                         << getInput().getType() << " and "
                         << getResult().getType();
  return verifyPacked(*this, getPackedType(),
                      getResult().getType().getElementType());
}

LogicalResult StochasticRoundOp::verify() {
  Type input = getInput().getType(), bits = getBits().getType(),
       result = getResult().getType();
  // V24
  if (getValueShape(input) != getValueShape(bits) ||
      getValueShape(input) != getValueShape(result))
    return emitOpError() << "rounds " << input << " by " << bits << " to "
                         << result << "; all three must have the same shape";
  Type target = getElementTypeOrSelf(result);
  // V24
  if (getElementTypeOrSelf(input).isF32() &&
      getElementTypeOrSelf(bits).isSignlessInteger(32) &&
      target.getIntOrFloatBitWidth() < 32)
    return success();
  return emitOpError() << "rounds " << getElementTypeOrSelf(input) << " by "
                       << getElementTypeOrSelf(bits) << " to " << target
                       << "; it takes f32 and i32 to a narrower float";
}

/// Hints hold positive numbers, one for a scalar or one per dimension.
static LogicalResult verifyHint(Operation *op, ArrayRef<int64_t> numbers,
                                Type type) {
  size_t rank = getValueShape(type).size();
  // V24
  if (numbers.size() != std::max<size_t>(rank, 1) && numbers.size() != 1)
    return op->emitOpError()
           << "has " << numbers.size() << " numbers for a value of rank "
           << rank << "; give one, or one per dimension";
  for (int64_t number : numbers)
    // V24
    if (number < 1)
      return op->emitOpError()
             << "numbers must be at least 1, but one is " << number;
  // V24
  if (getElementTypeOrSelf(type).isIntOrIndex())
    return success();
  return op->emitOpError() << "is about integers, but the value has type "
                           << type << "; put it on the index";
}

LogicalResult MultipleOfOp::verify() {
  return verifyHint(*this, getMultiples(), getValue().getType());
}
LogicalResult MaxContiguousOp::verify() {
  return verifyHint(*this, getLengths(), getValue().getType());
}

LogicalResult OptimizationBarrierOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}
