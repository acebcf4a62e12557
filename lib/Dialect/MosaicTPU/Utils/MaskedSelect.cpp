//===- MaskedSelect.cpp - Choosing between elements under a mask ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mosaic rejects selections whose mask and elements have layouts that don't fit
// each other. This file finds such cases, and widens what is selected.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

using namespace mlir;
using namespace mlir::tpu;

/// How far operations on elements are followed to what they compute with.
static constexpr int kMaxDepth = 6;

namespace {

/// Along which of the two dimensions of registers all elements are known to
/// come from one.
struct Uniformity {
  bool sublanes = false, lanes = false;

  Uniformity operator&(Uniformity other) const {
    return {sublanes && other.sublanes, lanes && other.lanes};
  }
  explicit operator bool() const { return sublanes || lanes; }
};

} // namespace

/// Whether all elements come from one: a constant or a number, in any shape.
static bool isSplat(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      value = broadcast.getSource();
    else if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
      value = cast.getSource();
    else
      break;
  }
  return !isa<VectorType>(value.getType()) ||
         matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

/// Follows a value to the operations that determine its layout: constants,
/// broadcasts, positions, and elementwise operations on these.
///
///   %0 = vector.broadcast %row : vector<1x128xf32> to vector<8x128xf32>
///
/// is uniform along sublanes.
///
/// A loop carries values in the layout of those that it starts with.
static Uniformity getUniformity(Value value, int depth = 0) {
  while (auto carried = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    OpOperand *start = loop ? loop.getTiedLoopInit(carried) : nullptr;
    if (!start)
      return {};
    value = start->get();
  }
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<VectorType>(value.getType());
  if (!op || !type || type.getRank() < 2 || depth > kMaxDepth)
    return {};
  int64_t rank = type.getRank();
  if (isSplat(value))
    return {true, true};
  // A missing or a shorter dimension is broadcast.
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    auto source = dyn_cast<VectorType>(broadcast.getSourceType());
    auto isSpread = [&](int64_t fromMinor) {
      if (!source || source.getRank() < fromMinor)
        return true;
      return source.getDimSize(source.getRank() - fromMinor) <
             type.getDimSize(rank - fromMinor);
    };
    return {isSpread(2), isSpread(1)};
  }
  if (auto iota = dyn_cast<tpu::IotaOp>(op)) {
    ArrayRef<int32_t> dims = iota.getDimensions();
    return {!llvm::is_contained(dims, rank - 2),
            !llvm::is_contained(dims, rank - 1)};
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return {};
  // An elementwise result is uniform where all operands are.
  Uniformity result{true, true};
  for (Value operand : op->getOperands()) {
    if (isa<VectorType>(operand.getType()))
      result = result & getUniformity(operand, depth + 1);
    if (!result)
      break;
  }
  return result;
}

/// The same mask out of comparisons of 32-bit elements, as far as they are
/// seen.
///
///   %m = arith.cmpf olt, %a, %b : vector<16x128xbf16>
///
/// becomes
///
///   %0 = arith.extf %a : vector<16x128xbf16> to vector<16x128xf32>
///   %1 = arith.extf %b : vector<16x128xbf16> to vector<16x128xf32>
///   %m = arith.cmpf olt, %0, %1 : vector<16x128xf32>
static Value widenMask(Emitter &emit, Value mask, int depth = 0) {
  Operation *op = mask.getDefiningOp();
  if (!op || !isa<VectorType>(mask.getType()) || depth > kMaxDepth)
    return mask;
  auto isNarrow = [](Value value) {
    unsigned width = getElementType(value.getType()).getIntOrFloatBitWidth();
    return width < 32 && width > 1;
  };
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return isNarrow(compare.getLhs())
               ? emit.compare(compare.getPredicate(),
                              widen(emit, compare.getLhs()),
                              widen(emit, compare.getRhs()))
               : mask;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (!isNarrow(compare.getLhs()))
      return mask;
    bool isSigned = compare.getPredicate() < arith::CmpIPredicate::ult;
    Type i32 = emit.getBuilder().getI32Type();
    return emit.compare(compare.getPredicate(),
                        emit.resize(compare.getLhs(), i32, isSigned),
                        emit.resize(compare.getRhs(), i32, isSigned));
  }
  // Logic on masks is repeated on the wide ones.
  auto join = [&](auto logic) -> Value {
    Value lhs = widenMask(emit, logic.getLhs(), depth + 1);
    Value rhs = widenMask(emit, logic.getRhs(), depth + 1);
    if (lhs == logic.getLhs() && rhs == logic.getRhs())
      return mask;
    return emit.create<decltype(logic)>(lhs, rhs);
  };
  if (auto logic = dyn_cast<arith::AndIOp>(op))
    return join(logic);
  if (auto logic = dyn_cast<arith::OrIOp>(op))
    return join(logic);
  if (auto logic = dyn_cast<arith::XOrIOp>(op))
    return join(logic);
  return mask;
}

/// The mask that this one negates; null when it negates none.
///   %0 = arith.xori %m, %true : vector<8x128xi1>
static Value getNegated(Value mask) {
  auto negation = mask.getDefiningOp<arith::XOrIOp>();
  return negation && matchPattern(negation.getRhs(), m_One())
             ? negation.getLhs()
             : Value();
}

/// Whether vectors of this element type are registers of a SparseCore here.
static bool isSparseCoreRegister(Emitter &emit, Type element) {
  return element.isBF16() &&
         getCoreType(emit.getBuilder().getInsertionBlock()->getParentOp()) ==
             CoreType::ScVectorSubcore;
}

///   %r = arith.select %m, %a, %b : vector<16x128xi1>, vector<16x128xi16>
///
/// becomes
///
///   %0 = arith.extsi %a : vector<16x128xi16> to vector<16x128xi32>
///   %1 = arith.extsi %b : vector<16x128xi16> to vector<16x128xi32>
///   %2 = arith.select %m, %0, %1 : vector<16x128xi1>, vector<16x128xi32>
///   %r = arith.trunci %2 : vector<16x128xi32> to vector<16x128xi16>
Value Emitter::select(Value condition, Value ifTrue, Value ifFalse) {
  // A negated mask selects the other way around.
  if (Value opposite = getNegated(condition))
    return select(opposite, ifFalse, ifTrue);
  Type type = ifTrue.getType(), element = getElementType(type);
  unsigned width = element.getIntOrFloatBitWidth();
  // The compiler makes a mask of one width fit elements of another, but not
  // where both choices are spread along a dimension, or the mask is spread
  // along one and each choice along some: those have 32 bits.
  Uniformity onTrue = getUniformity(ifTrue), onFalse = getUniformity(ifFalse);
  bool isSpread =
      (onTrue & onFalse) || (onTrue && onFalse && getUniformity(condition));
  if (isSpread)
    condition = widenMask(*this, condition);
  // Nor does it do so for vectors with one dimension, but SparseCores select
  // from bf16 as it is, and can't widen it. Scalar units know 32 bits only.
  bool isNarrow = width < 32 && width > 1;
  if (isNarrow &&
      (isa<IntegerType>(element) || width < 16 || isSpread ||
       !isa<VectorType>(type) ||
       (getShape(type).size() == 1 && !isSparseCoreRegister(*this, element)))) {
    Value wide = create<arith::SelectOp>(condition, widen(*this, ifTrue),
                                         widen(*this, ifFalse));
    return narrow(*this, wide, element);
  }
  return create<arith::SelectOp>(condition, ifTrue, ifFalse);
}
