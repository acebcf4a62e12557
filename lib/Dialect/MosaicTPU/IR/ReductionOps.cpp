//===- ReductionOps.cpp - Reductions and scans of vectors -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of operations that combine elements. Which kinds and elements
// combine is the same question for all of them.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// Kinds whose result is a position.
static bool isArgKind(ReductionKind kind) {
  return kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin;
}

/// The kind combines two elements of this type to a third one.
static LogicalResult verifyCombination(Operation *op, ReductionKind kind,
                                       Type element) {
  auto reject = [&]() {
    return op->emitOpError("has kind ") << stringifyReductionKind(kind);
  };
  switch (kind) {
  case ReductionKind::Sum:
    return success();
  case ReductionKind::Max:
  case ReductionKind::Min:
    return reject() << ", which leaves open how elements compare; use "
                    << stringifyReductionKind(kind) << "f for floats, "
                    << stringifyReductionKind(kind) << "si for signed and "
                    << stringifyReductionKind(kind)
                    << "ui for unsigned integers";
  case ReductionKind::MaxF:
  case ReductionKind::MinF:
    if (isa<FloatType>(element))
      return success();
    return reject() << " on " << element << " elements; it compares floats";
  case ReductionKind::MaxSI:
  case ReductionKind::MinSI:
  case ReductionKind::MaxUI:
  case ReductionKind::MinUI:
    if (isa<IntegerType>(element))
      return success();
    return reject() << " on " << element << " elements; it compares integers";
  case ReductionKind::ArgMax:
  case ReductionKind::ArgMin:
  case ReductionKind::FindFirstSet:
    break;
  }
  return reject() << "; a sum, maximum or minimum is supported";
}

//===----------------------------------------------------------------------===//
// ReduceOp, ReduceIndexOp
//===----------------------------------------------------------------------===//

///   %0 = tpu.reduce <sum>, %v [1] : vector<8x128xf32> -> vector<8x1xf32>
///
/// keeps the reduced dimensions with size 1.
LogicalResult ReduceOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getType());
  if (failed(verifyCombination(*this, getKind(), input.getElementType())))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  llvm::SmallBitVector seen(shape.size());
  for (int64_t dim : getDimensions()) {
    if (dim < 0 || dim >= input.getRank())
      return emitOpError("has dimension ")
             << dim << ", which is not in [0, " << input.getRank() << ")";
    if (seen.test(dim))
      return emitOpError("names dimension ") << dim << " twice";
    seen.set(dim);
    shape[dim] = 1;
  }
  auto expected = VectorType::get(shape, input.getElementType());
  if (output != expected)
    return emitOpError("gives ")
           << output << ", but reducing " << input << " leaves " << expected;
  return success();
}

/// A reduction of dimensions of size 1 is its operand.
OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getType() == getInput().getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

/// The index of an element is an integer as wide as the element.
static LogicalResult verifyIndexElements(Operation *op, VectorType input,
                                         VectorType output) {
  Type from = input.getElementType();
  if (!from.isF32() && !from.isBF16())
    return op->emitOpError("looks for an index among ")
           << from << " elements, but only f32 and bf16 are supported";
  if (!output.getElementType().isSignlessInteger(from.getIntOrFloatBitWidth()))
    return op->emitOpError("gives indices of type ")
           << output.getElementType() << " for elements of type " << from
           << "; use i" << from.getIntOrFloatBitWidth();
  return success();
}

///   %0 = tpu.reduce_index %v
///        {axis = 1 : i32, kind = #tpu.reduction_kind<arg_max>}
///        : vector<8x128xf32> -> vector<8xi32>
///
/// The result has at least one dimension, because vectors have one.
LogicalResult ReduceIndexOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getType());
  int64_t axis = static_cast<int32_t>(getAxis());
  if (!isArgKind(getKind()))
    return emitOpError("has kind ") << stringifyReductionKind(getKind())
                                    << "; arg_max and arg_min give an index";
  if (failed(verifyIndexElements(*this, input, output)))
    return failure();
  if (axis < 0 || axis >= input.getRank())
    return emitOpError("has axis ")
           << axis << ", which is not in [0, " << input.getRank() << ")";
  if (input.getRank() < 2)
    return emitOpError("reduces a vector of rank ")
           << input.getRank() << ", but rank 2 or more is needed";
  SmallVector<int64_t> shape(input.getShape());
  int64_t size = shape[axis];
  shape.erase(shape.begin() + axis);
  if (output.getShape() != ArrayRef<int64_t>(shape))
    return emitOpError("gives ")
           << output << ", but reducing axis " << axis << " of " << input
           << " leaves " << VectorType::get(shape, output.getElementType());
  // bf16 has indices of 16 bits.
  unsigned width = output.getElementTypeBitWidth();
  if (size > (int64_t(1) << width))
    return emitOpError("looks among ")
           << size << " elements, whose indices do not fit into i" << width;
  return success();
}

//===----------------------------------------------------------------------===//
// AllReduceOp
//===----------------------------------------------------------------------===//

/// Masks are counted or searched.
static LogicalResult verifyMaskAllReduce(AllReduceOp op, VectorType output) {
  if (op.getKind() != ReductionKind::Sum &&
      op.getKind() != ReductionKind::FindFirstSet)
    return op.emitOpError("has kind ")
           << stringifyReductionKind(op.getKind())
           << " on i1 elements; sum and find_first_set are supported";
  if (!output.getElementType().isSignlessInteger(32))
    return op.emitOpError("gives ")
           << output << " for i1 elements; the result holds i32";
  return success();
}

/// Every element of the result is the combination, so the shape stays.
LogicalResult AllReduceOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getType());
  if (input.getElementType().isSignlessInteger(1))
    return verifyMaskAllReduce(*this, output);
  if (getKind() == ReductionKind::FindFirstSet)
    return emitOpError("looks for a set bit among ")
           << input.getElementType() << " elements; find_first_set takes i1";
  if (isArgKind(getKind())) {
    if (input.getShape() != output.getShape())
      return emitOpError("gives ")
             << output << " for " << input << "; both need the same shape";
    return verifyIndexElements(*this, input, output);
  }
  if (failed(verifyCombination(*this, getKind(), input.getElementType())))
    return failure();
  if (input != output)
    return emitOpError("gives ")
           << output << " for " << input << "; "
           << stringifyReductionKind(getKind()) << " keeps the type";
  return success();
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

/// The kind that a scan of older releases means on elements of this type.
static ReductionKind getComparingKind(ReductionKind kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  if (kind == ReductionKind::Max)
    return isFloat ? ReductionKind::MaxF : ReductionKind::MaxUI;
  if (kind == ReductionKind::Min)
    return isFloat ? ReductionKind::MinF : ReductionKind::MinUI;
  return kind;
}

/// The syntax is that of the Mosaic compiler, with the comma that an absent
/// mask leaves. Text of older releases has no dimension: it was the last one,
/// and kinds didn't name a comparison.
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  ReductionKindAttr kind;
  OpAsmParser::UnresolvedOperand input, mask;
  VectorType inputType, outputType;
  Type maskType;
  if (parser.parseCustomAttributeWithFallback(kind, Type()) ||
      parser.parseComma() || parser.parseOperand(input))
    return failure();
  bool hasMask = succeeded(parser.parseOptionalKeyword("masked"));
  if ((hasMask && parser.parseOperand(mask)) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseType(inputType) || parser.parseComma() ||
      (hasMask && parser.parseType(maskType)) || parser.parseArrow() ||
      parser.parseType(outputType) ||
      parser.resolveOperand(input, inputType, state.operands) ||
      (hasMask && parser.resolveOperand(mask, maskType, state.operands)))
    return failure();
  StringAttr dimension = getDimensionAttrName(state.name);
  if (!state.attributes.get(dimension)) {
    state.addAttribute(dimension, parser.getBuilder().getI64IntegerAttr(
                                      inputType.getRank() - 1));
    kind = ReductionKindAttr::get(
        parser.getContext(),
        getComparingKind(kind.getValue(), inputType.getElementType()));
  }
  state.addAttribute(getKindAttrName(state.name), kind);
  state.addTypes(outputType);
  return success();
}

///   %0 = tpu.scan <sum>, %v masked %k {dimension = 0 : i64}
///        : vector<16xf32>, vector<16xi1> -> vector<16xf32>
void ScanOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printStrippedAttrOrType(getKindAttr());
  printer << ", " << getInput();
  if (getMask())
    printer << " masked " << getMask();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getKindAttrName().strref()});
  printer << " : " << getInput().getType() << ", ";
  if (getMask())
    printer << getMask().getType();
  printer << " -> " << getType();
}

/// Masks are counted as i32, and need no mask themselves.
LogicalResult ScanOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getType());
  int64_t dim = static_cast<int64_t>(getDimension());
  CoreType core = getCoreType(*this);
  if (core != CoreType::ScVectorSubcore)
    return emitOpError("runs on ")
           << stringifyCoreType(core) << ", but only sc_vector_subcore scans";
  bool isMask = input.getElementType().isSignlessInteger(1);
  if (isMask && getKind() != ReductionKind::Sum)
    return emitOpError("has kind ") << stringifyReductionKind(getKind())
                                    << " on i1 elements; only sum is supported";
  if (failed(verifyCombination(*this, getKind(), input.getElementType())))
    return failure();
  if (dim < 0 || dim >= input.getRank())
    return emitOpError("has dimension ")
           << dim << ", which is not in [0, " << input.getRank() << ")";
  Type element =
      isMask ? IntegerType::get(getContext(), 32) : input.getElementType();
  if (output != VectorType::get(input.getShape(), element))
    return emitOpError("gives ")
           << output << " for " << input << "; the result is "
           << VectorType::get(input.getShape(), element);
  if (!getMask())
    return success();
  auto mask = cast<VectorType>(getMask().getType());
  if (isMask)
    return emitOpError("has a mask on i1 elements, which is not supported");
  if (mask.getRank() != 1 || mask.getDimSize(0) != input.getDimSize(dim))
    return emitOpError("has a mask of type ")
           << mask << " for " << input << " along dimension " << dim
           << "; give vector<" << input.getDimSize(dim) << "xi1>";
  return success();
}
