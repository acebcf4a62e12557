//===- VectorShapes.cpp - Moving elements within vectors ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of vectors are layouts of registers for Mosaic, and it accepts only
// some changes between them. The functions here find a sequence that it
// accepts.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

/// To 32 bits: the width that every operation has.
Value mlir::tpu::widen(Emitter &emit, Value value) {
  Type element = getElementType(value.getType());
  OpBuilder &builder = emit.getBuilder();
  if (element.isInteger(1))
    return emit.boolToI32(value);
  if (isa<FloatType>(element))
    return emit.resizeFloat(value, builder.getF32Type());
  return emit.resize(value, builder.getI32Type(), /*isSigned=*/true);
}

/// Back from 32 bits.
Value mlir::tpu::narrow(Emitter &emit, Value value, Type element) {
  if (getElementType(value.getType()) == element)
    return value;
  if (element.isInteger(1))
    return emit.i32ToBool(value);
  if (isa<FloatType>(element))
    return emit.resizeFloat(value, element);
  return emit.resize(value, element, /*isSigned=*/true);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// The shape without dimensions of size 1, which don't change a layout.
static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  llvm::copy_if(shape, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  return result;
}

/// Whether `shape` is `lead` followed by two dimensions that `merged` has as
/// one, with at least one dimension in front.
static bool mergesLastTwo(ArrayRef<int64_t> shape, ArrayRef<int64_t> merged) {
  size_t lead = merged.size() - 1;
  return lead >= 1 && shape.size() == lead + 2 &&
         shape.take_front(lead) == merged.take_front(lead);
}

/// Whether the last dimension of `whole` is several of `parts`, behind more
/// than one row; other dimensions may change as well.
///
///   vector.shape_cast %v : vector<8x6x64xf32> to vector<48x4x1x16xf32>
static bool splitsLast(ArrayRef<int64_t> whole, ArrayRef<int64_t> parts) {
  if (whole.size() < 2 || whole.back() == 1 || whole.end()[-2] == 1)
    return false;
  int64_t size = 1;
  for (; !parts.empty() && size < whole.back(); parts = parts.drop_back())
    size *= parts.back();
  return size == whole.back() && !withoutUnits(parts).empty();
}

/// Whether the compiler cuts or joins rows of one lane so. A size of 20 is no
/// whole number of registers, and these it takes apart as lanes only:
///
///   vector.shape_cast %v : vector<20x1xf32> to vector<2x10x1xf32>
static bool keepsColumns(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         const TPUChip &chip) {
  int64_t rows = from.size() > 1 ? from.end()[-2] : 1;
  int64_t wanted = to.size() > 1 ? to.end()[-2] : 1;
  return wanted == 1 || rows == wanted ||
         (rows % chip.sublanes == 0 && wanted % chip.sublanes == 0);
}

/// Whether rows of whole registers become one dimension, or are cut from it, as
/// they are. Two rows fill no register, and are another layout. Several
/// registers beside each other must be a power of two, in one matrix:
///
///   vector.shape_cast %v : vector<4x2x128xf32> to vector<1024xf32>     not so
///   vector.shape_cast %v : vector<8x384xf32> to vector<3072xf32>       not so
static bool keepsRegisters(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                           const TPUChip &chip) {
  if (from.size() > 1 && to.size() > 1)
    return true;
  ArrayRef<int64_t> rows = from.size() > 1 ? from : to;
  if (rows.end()[-2] % chip.sublanes != 0)
    return false;
  int64_t columns = rows.back() / chip.lanes;
  return columns == 1 || (llvm::isPowerOf2_64(columns) &&
                          withoutUnits(rows.drop_back(2)).empty());
}

/// Whether both shapes have rows of whole registers.
static bool haveWholeRows(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          const TPUChip &chip) {
  return from.back() % chip.lanes == 0 && to.back() % chip.lanes == 0;
}

/// Whether the compiler takes this as one shape cast.
///
/// Accepted are casts that keep the last dimension, that keep rows of whole
/// registers, that add or drop unit dimensions, or that join the last two. From
/// generation 5 on more than two are joined.
static bool isDirectReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                            const TPUChip &chip) {
  if (withoutUnits(from) == withoutUnits(to))
    return true;
  if (from.back() == 1 && to.back() == 1)
    return keepsColumns(from, to, chip);
  if (haveWholeRows(from, to, chip))
    return keepsRegisters(from, to, chip);
  return from.back() == to.back() || mergesLastTwo(from, to) ||
         mergesLastTwo(to, from) ||
         (chip.generation >= 5 &&
          (splitsLast(from, to) || splitsLast(to, from)));
}

/// The same bits as another type. The compiler joins casts of shapes that
/// follow each other, and finds no way for the result: this keeps them apart.
static Value separate(Emitter &emit, Value value) {
  OpBuilder &builder = emit.getBuilder();
  bool isFloat = isa<FloatType>(getElementType(value.getType()));
  Type bits = isFloat ? Type(builder.getI32Type()) : Type(builder.getF32Type());
  return emit.create<tpu::BitcastOp>(withElementType(value.getType(), bits),
                                     value);
}

/// Two casts of bits, there and back, that the compiler doesn't join.
Value mlir::tpu::keepApart(Emitter &emit, Value value) {
  return separate(emit, separate(emit, value));
}

/// The same operation on other operands.
static Value insertAs(Emitter &emit, Operation *op, Type type,
                      ValueRange operands) {
  Operation *copy = emit.getBuilder().insert(
      Operation::create(op->getLoc(), op->getName(), type, operands,
                        NamedAttrList(op->getDiscardableAttrDictionary()),
                        op->getPropertiesStorage()));
  return copy->getResult(0);
}

/// `value` under another shape, where all that it is computed from had that
/// shape before and has moved between lanes since, or is constant: the
/// computation is repeated there. Null where that is not so.
///
///   %0 = vector.shape_cast %a : vector<8x128xf32> to vector<1024xf32>
///   %1 = math.exp %0 : vector<1024xf32>
///   %2 = vector.shape_cast %1 : vector<1024xf32> to vector<8x128xf32>
///
/// becomes math.exp of %a. The first cast may then be dead. `ofLeaf` may give
/// the values of other operations under that shape.
static Value recompute(Emitter &emit, Value value, ArrayRef<int64_t> shape,
                       bool moved, unsigned depth,
                       function_ref<Value(Value)> ofLeaf = {}) {
  Type type = VectorType::get(shape, getElementType(value.getType()));
  // Without a move between lanes the cast itself is cheap, and the computation
  // is not repeated for it. Unit dimensions in front of rows move nothing.
  ArrayRef<int64_t> from = getShape(value.getType());
  bool hasRows = moved && std::min(from.size(), shape.size()) > 1 &&
                 from.back() == shape.back();
  if (from == shape || (hasRows && withoutUnits(from) == withoutUnits(shape)))
    return moved ? emit.reshape(value, shape) : Value();
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return {};
  // Only casts that change the last dimension move elements between lanes.
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    bool moves = cast.getSourceVectorType().getShape().back() !=
                 cast.getResultVectorType().getShape().back();
    return recompute(emit, cast.getSource(), shape, moved || moves, depth - 1,
                     ofLeaf);
  }
  if (SplatElementsAttr all; matchPattern(op, m_Constant(&all)))
    return emit.splat(type, all.getSplatValue<TypedAttr>());
  if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::Elementwise>())
    return ofLeaf ? ofLeaf(value) : Value();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<VectorType>(operand.getType()))
      return {};
    operands.push_back(
        recompute(emit, operand, shape, moved, depth - 1, ofLeaf));
    if (!operands.back())
      return {};
  }
  return insertAs(emit, op, type, operands);
}

/// One lane of a value whose lanes are all equal, or null. The operations that
/// compute the value are repeated for one lane.
///
///   %0 = vector.broadcast %v : vector<4x8x1xf32> to vector<4x8x6xf32>
///   %1 = vector.multi_reduction <add>, %0, %zeros [0] ... to vector<8x6xf32>
///
/// For %1 that is a reduction of %v.
static Value getOneLane(Emitter &emit, Value value, unsigned depth = 16) {
  ArrayRef<int64_t> shape = getShape(value.getType());
  if (shape.empty() || shape.back() == 1)
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || depth == 0)
    return {};
  SmallVector<int64_t> column(shape);
  column.back() = 1;
  Type type = VectorType::get(column, getElementType(value.getType()));
  if (SplatElementsAttr all; matchPattern(op, m_Constant(&all)))
    return emit.splat(type, all.getSplatValue<TypedAttr>());
  if (auto iota = dyn_cast<tpu::IotaOp>(op);
      iota && iota.getDimensions().back() != int32_t(shape.size()) - 1)
    return emit.iota(column, iota.getDimensions().back());
  auto repeated = dyn_cast<vector::BroadcastOp>(op);
  if (repeated || isa<vector::ShapeCastOp>(op)) {
    Value source = op->getOperand(0);
    ArrayRef<int64_t> from = getShape(source.getType());
    if (!repeated && from.back() != shape.back())
      return {};
    Value lane = getOneLane(emit, source, depth - 1);
    if (!lane)
      return {};
    return repeated ? emit.broadcast(lane, column)
                    : reshapeVector(emit, lane, column);
  }
  auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
  if (reduction ? reduction.getReductionMask().back()
                : !op->hasTrait<OpTrait::Elementwise>())
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getOneLane(emit, operand, depth - 1));
    if (!operands.back())
      return {};
  }
  return insertAs(emit, op, type, operands);
}

/// `value` under another shape, where all that it is computed from repeats one
/// lane: the rest changes its shape, and lanes are repeated then. The compiler
/// keeps one lane for them, and has no way from there to rows that it has to
/// join, nor to columns. Null where that is not so.
///
///   %0 = vector.broadcast %v : vector<64x2x1xf32> to vector<64x2x4xf32>
///   %1 = vector.shape_cast %0 : vector<64x2x4xf32> to vector<128x4x1xf32>
///
/// becomes
///
///   %0 = vector.shape_cast %v : vector<64x2x1xf32> to vector<128x1x1xf32>
///   %1 = vector.broadcast %0 : vector<128x1x1xf32> to vector<128x4x1xf32>
static Value reshapeRepeated(Emitter &emit, Value value,
                             ArrayRef<int64_t> shape) {
  // Where lanes are in the new shape: unit dimensions may follow.
  SmallVector<int64_t> columns(shape);
  auto lanes = llvm::find_if(llvm::reverse(columns),
                             [](int64_t size) { return size != 1; });
  if (lanes == columns.rend())
    return {};
  int64_t count = std::exchange(*lanes, 1);
  auto ofRepeated = [&](Value leaf) -> Value {
    auto repeated = leaf.getDefiningOp<vector::BroadcastOp>();
    if (repeated && !isa<VectorType>(repeated.getSourceType()))
      return emit.broadcast(repeated.getSource(), shape);
    Value lane = getShape(leaf.getType()).back() == count
                     ? getOneLane(emit, leaf)
                     : Value();
    return lane ? emit.broadcast(reshapeVector(emit, lane, columns), shape)
                : Value();
  };
  return recompute(emit, value, shape, /*moved=*/false, /*depth=*/8,
                   ofRepeated);
}

/// Between any two shapes: rows join to one under a leading dimension, and that
/// is cut into other rows.
///
///   %0 = vector.shape_cast %v : vector<4x6xf32> to vector<1x4x6xf32>
///   %1 = vector.shape_cast %0 : vector<1x4x6xf32> to vector<1x24xf32>
///   %2 = vector.shape_cast %1 : vector<1x24xf32> to vector<1x8x3xf32>
///   %3 = vector.shape_cast %2 : vector<1x8x3xf32> to vector<8x3xf32>
///
/// with casts of bits in between.
static Value reshapeThroughRow(Emitter &emit, Value value,
                               ArrayRef<int64_t> shape) {
  auto toMatrix = [](ArrayRef<int64_t> shape) {
    int64_t rows = ShapedType::getNumElements(shape.drop_back());
    return std::array<int64_t, 3>{1, rows, shape.back()};
  };
  auto from = toMatrix(getShape(value.getType())), to = toMatrix(shape);
  ArrayRef<int64_t> matrix = ArrayRef(from).drop_front();
  Value joined = reshapeRepeated(emit, value, matrix);
  value = joined ? joined : emit.reshape(value, matrix);
  value = separate(emit, emit.reshape(value, from));
  value = separate(emit, emit.reshape(value, {1, from[1] * from[2]}));
  value = separate(emit, emit.reshape(value, to));
  value = emit.reshape(value, ArrayRef(to).drop_front());
  value = emit.reshape(value, shape);
  return separate(emit, value);
}

/// The value of which this one is another shape, as far as casts show it: of
/// shapes, of bits and back, and of narrow elements to 32 bits and back. The
/// compiler joins casts of shapes that follow each other, and refuses them if
/// it finds no way for them as one.
///
///   %0 = arith.extf %v : vector<8x128xbf16> to vector<8x128xf32>
///   %1 = vector.shape_cast %0 : vector<8x128xf32> to vector<8x128x1xf32>
///   %2 = arith.truncf %1 : vector<8x128x1xf32> to vector<8x128x1xbf16>
///
/// For %2 that is %v.
static Value getReshaped(Value value) {
  Type element = getElementType(value.getType());
  Value reshaped = value, current = value;
  bool isWidened = false;
  while (Operation *op = current.getDefiningOp()) {
    if (isa<arith::TruncFOp, arith::TruncIOp>(op) && !isWidened)
      isWidened = true;
    else if (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op) &&
             isWidened &&
             getElementType(op->getOperand(0).getType()) == element)
      isWidened = false;
    else if (!isa<vector::ShapeCastOp>(op) &&
             !(isa<tpu::BitcastOp>(op) &&
               getShape(op->getOperand(0).getType()) ==
                   getShape(current.getType())))
      break;
    current = op->getOperand(0);
    if (!isWidened && getElementType(current.getType()) == element)
      reshaped = current;
  }
  return reshaped;
}

/// The cases are in the order of their cost: nothing, a recomputation, one
/// cast, a cast in 32 bits, and at last the way through a row.
static Value castShape(Emitter &emit, Value value, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = getShape(value.getType());
  if (from == shape)
    return value;
  if (from.empty())
    return emit.reshape(value, shape);
  if (shape.empty())
    return extractElement(emit, value, SmallVector<int64_t>(from.size(), 0));
  Type element = getElementType(value.getType());
  // Masks have no shape casts.
  if (element.isInteger(1))
    return emit.i32ToBool(reshapeVector(emit, emit.boolToI32(value), shape));
  if (Value again = recompute(
          emit, value, shape, from.back() != shape.back(), /*depth=*/8,
          [&](Value leaf) { return joinRepeated(emit, leaf, shape); }))
    return again;
  if (from.back() != 1 && shape.back() == 1)
    if (Value repeated = reshapeRepeated(emit, value, shape))
      return repeated;
  // A new unit dimension at the end moves elements from lanes to sublanes, and
  // one that is gone back, for which they need 32 bits.
  const TPUChip &chip = emit.getChip();
  bool isDirect = isDirectReshape(from, shape, chip);
  bool needsWide = (shape.back() == 1 && from.back() != 1) || !isDirect ||
                   (from.back() == 1 && splitsLast(shape, from));
  if (needsWide && element.getIntOrFloatBitWidth() < 32)
    return narrow(emit, reshapeVector(emit, widen(emit, value), shape),
                  element);
  if (isDirect)
    return emit.reshape(value, shape);
  // One row is between one dimension and several.
  if (haveWholeRows(from, shape, chip)) {
    int64_t size = ShapedType::getNumElements(shape);
    Value row = castShape(emit, value, {1, size});
    return castShape(emit, keepApart(emit, row), shape);
  }
  // Rows of one lane become lanes first, or last.
  if (from.size() > 1 && from.back() == 1)
    return castShape(
        emit, keepApart(emit, emit.reshape(value, from.drop_back())), shape);
  if (shape.size() > 1 && shape.back() == 1)
    return emit.reshape(
        keepApart(emit, castShape(emit, value, shape.drop_back())), shape);
  return reshapeThroughRow(emit, value, shape);
}

Value mlir::tpu::reshapeVector(Emitter &emit, Value value,
                               ArrayRef<int64_t> shape) {
  return castShape(emit, getReshaped(value), shape);
}

///   %0 = vector.extract %v[0, 3] : f32 from vector<8x128xf32>
///
/// Only elements of 32 bits go to the scalar unit.
Value mlir::tpu::extractElement(Emitter &emit, Value value,
                                ArrayRef<int64_t> position) {
  Type element = getElementType(value.getType());
  if (element.getIntOrFloatBitWidth() < 32)
    return narrow(emit, extractElement(emit, widen(emit, value), position),
                  element);
  return emit.create<vector::ExtractOp>(value, position);
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

/// Fills up a dimension with zeros.
Value mlir::tpu::padTo(Emitter &emit, Value value, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(getShape(value.getType()));
  if (shape[dim] >= size)
    return value;
  shape[dim] = size - shape[dim];
  Value zeros =
      emit.zero(VectorType::get(shape, getElementType(value.getType())));
  return emit.concatenate({value, zeros}, dim);
}

/// Runs `rotate` on a vector of 32-bit elements with at least two dimensions.
static Value inRotatableForm(Emitter &emit, Value value, int64_t dim,
                             function_ref<Value(Value, int64_t)> rotate) {
  Type element = getElementType(value.getType());
  Value wide = widen(emit, value);
  ArrayRef<int64_t> shape = getShape(wide.getType());
  if (shape.size() > 1)
    return narrow(emit, rotate(wide, dim), element);
  // A row is a matrix of one row.
  Value row = rotate(emit.reshape(wide, {1, shape[0]}), 1);
  return narrow(emit, emit.reshape(row, {getShape(row.getType()).back()}),
                element);
}

/// Rotates element `start` to the beginning: a rotation by the rest of the
/// size.
Value mlir::tpu::rotateToFront(Emitter &emit, Value value, Value start,
                               int64_t dim) {
  return inRotatableForm(emit, value, dim, [&](Value wide, int64_t dim) {
    ArrayRef<int64_t> shape = getShape(wide.getType());
    // Rotations take whole registers.
    int64_t size = llvm::alignTo(
        shape[dim], emit.getChip().getRegisterSize(shape.size(), dim));
    Value padded = padTo(emit, wide, dim, size);
    return emit.rotate(padded, emit.sub(emit.i32(size), start), dim);
  });
}

/// The inverse: rotates the first element to `start`, in a dimension of `size`.
Value mlir::tpu::rotateFromFront(Emitter &emit, Value value, Value start,
                                 int64_t dim, int64_t size) {
  return inRotatableForm(emit, value, dim, [&](Value wide, int64_t dim) {
    int64_t rank = getShape(wide.getType()).size();
    int64_t padded =
        llvm::alignTo(size, emit.getChip().getRegisterSize(rank, dim));
    Value rotated = emit.rotate(padTo(emit, wide, dim, padded), start, dim);
    return emit.extractSlice(rotated, dim, 0, size);
  });
}
