//===- TPULegalizeForGeneration.cpp - Forms that a generation lacks -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites operations of tpu and vector that a generation has no unit for,
// after bodies were converted: the conversion creates the same operations for
// all chips, and only this pass knows the exceptions. Most are for generation
// 4.
//
//===----------------------------------------------------------------------===//

#include "BranchValues.h"
#include "KernelFunctions.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPULEGALIZEFORGENERATION
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

/// Generation 4 can't spread masks over narrow elements, which the compiler
/// does where it finds booleans widened and narrowed, and no generation those
/// of one dimension whose elements lie along sublanes. This keeps the two steps
/// apart.
///
///   %0 = arith.extui %m : vector<32x128xi1> to vector<32x128xi32>
///   %1 = arith.trunci %0 : vector<32x128xi32> to vector<32x128xi8>
///
/// becomes
///
///   %2 = tpu.bitcast %0 : vector<32x128xi32> -> vector<32x128xf32>
///   %3 = tpu.bitcast %2 : vector<32x128xf32> -> vector<32x128xi32>
///   %1 = arith.trunci %3 : vector<32x128xi32> to vector<32x128xi8>
static bool keepMaskWide(arith::TruncIOp op, const TPUChip &chip) {
  auto wide = op.getIn().getDefiningOp<arith::ExtUIOp>();
  auto type = dyn_cast<VectorType>(op.getIn().getType());
  if (!wide || !type || !type.getElementType().isInteger(32) ||
      !getElementType(wide.getIn().getType()).isInteger(1) ||
      (chip.generation >= 5 && type.getRank() > 1))
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  op.getInMutable().set(keepApart(emit, op.getIn()));
  return true;
}

/// Keeps the equality of extended vectors wide. The compiler would compare the
/// narrow ones, for which generation 4 has no instruction.
///
///   %0 = arith.extsi %a : vector<32x128xi8> to vector<32x128xi32>
///   %1 = arith.extsi %b : vector<32x128xi8> to vector<32x128xi32>
///   %2 = arith.cmpi eq, %0, %1 : vector<32x128xi32>
///
/// %0 is cast to f32 and back on its way to the comparison.
static bool keepEqualityWide(arith::CmpIOp op, const TPUChip &chip) {
  Operation *wide = op.getLhs().getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(wide) ||
      !isa<VectorType>(op.getType()) ||
      !llvm::is_contained({arith::CmpIPredicate::eq, arith::CmpIPredicate::ne},
                          op.getPredicate()) ||
      getTPUSupport(TPUCase::EqualityOfExtended,
                    getElementType(wide->getOperand(0).getType()),
                    chip) != TPUSupport::Widened)
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  op.getLhsMutable().set(keepApart(emit, op.getLhs()));
  return true;
}

/// Extends narrow scalars by shifts of the word they were cut from. The
/// compiler folds a comparison of two extended scalars to one of narrow
/// scalars, for which scalar units have no instruction:
///
///   %narrow = arith.trunci %n : i32 to i8
///   %0 = arith.extsi %narrow : i8 to i32
///
/// becomes
///
///   %1 = arith.shli %n, %c24 : i32
///   %0 = arith.shrsi %1, %c24 : i32
static bool extendCut(Operation *op, const TPUChip &chip) {
  auto cut = op->getOperand(0).getDefiningOp<arith::TruncIOp>();
  if (!cut || !cut.getIn().getType().isInteger(32) ||
      cut.getType().isInteger(1) || !op->getResult(0).getType().isInteger(32))
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op->getLoc(), chip);
  unsigned bits = cut.getType().getIntOrFloatBitWidth();
  Value number = cut.getIn();
  if (isa<arith::ExtUIOp>(op)) {
    number = emit.create<arith::AndIOp>(number, emit.i32((1 << bits) - 1));
  } else {
    Value distance = emit.i32(32 - bits);
    number = emit.create<arith::ShLIOp>(number, distance);
    number = emit.create<arith::ShRSIOp>(number, distance);
  }
  op->getResult(0).replaceAllUsesWith(number);
  op->erase();
  return true;
}

/// Puts masks of packed elements in front of others. Where they are joined the
/// compiler brings the second mask to the layout of the first, and it can't
/// unpack to that of a mask that is the same in all rows or columns.
///
///   %2 = arith.andi %wide, %packed : vector<16x128xi1>
///
/// becomes
///
///   %2 = arith.andi %packed, %wide : vector<16x128xi1>
static void putPackedMasksFirst(Operation *root) {
  llvm::SmallDenseSet<Value> packed;
  root->walk([&](Operation *op) {
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      if (getElementType(compare.getLhs().getType()).isBF16())
        packed.insert(compare);
      return;
    }
    if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      return;
    bool first = packed.contains(op->getOperand(0));
    if (!first && !packed.contains(op->getOperand(1)))
      return;
    packed.insert(op->getResult(0));
    if (!first)
      op->setOperands({op->getOperand(1), op->getOperand(0)});
  });
}

/// Selects broadcast rows and columns in 32 bits. The conversion does so, too,
/// but unrolling replaces carried values by constants and shows more of them:
///
///   %r = arith.select %m, %row, %zeros : ..., vector<16x128xbf16>
///
/// becomes
///
///   %0 = arith.extf %row : vector<16x128xbf16> to vector<16x128xf32>
///   %1 = arith.select %m, %0, %wide_zeros : ..., vector<16x128xf32>
///   %r = arith.truncf %1 : vector<16x128xf32> to vector<16x128xbf16>
static bool selectSpread(arith::SelectOp op, const TPUChip &chip) {
  if (!isa<VectorType>(op.getCondition().getType()))
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  Value chosen =
      emit.select(op.getCondition(), op.getTrueValue(), op.getFalseValue());
  auto same = chosen.getDefiningOp<arith::SelectOp>();
  if (same && same->getOperands() == op->getOperands()) {
    same.erase();
    return false;
  }
  op.replaceAllUsesWith(chosen);
  op.erase();
  return true;
}

/// Tries one row after the other where the chip takes no elements along rows.
///
///   %0 = arith.cmpi eq, %indices, %row
///   %1 = arith.select %0, %source_row, %others
///
/// for each of the eight rows of a register.
static bool selectRows(tpu::DynamicGatherOp op, const TPUChip &chip) {
  auto type = cast<VectorType>(op.getSource().getType());
  int64_t dim = op.getDimensions().front();
  if (op.getDimensions().size() != 1 || dim != type.getRank() - 2 ||
      getTPUSupport(TPUCase::GatherAlongSublanes, type.getElementType(),
                    chip) == TPUSupport::Native)
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  ArrayRef<int64_t> shape = getShape(op.getType());
  Value result;
  for (int64_t row = 0; row < type.getDimSize(dim); ++row) {
    Value from =
        emit.broadcast(emit.extractSlice(op.getSource(), dim, row, 1), shape);
    Value here = emit.compare(arith::CmpIPredicate::eq, op.getIndices(),
                              emit.integer(op.getIndices().getType(), row));
    result = result ? emit.select(here, from, result) : from;
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return true;
}

/// Joins parts of tiles along sublanes, and of vectors of one dimension, in 32
/// bits where the chip can't mask parts of words.
///   %r = tpu.concatenate %a, %b in 0
///       : vector<4x128xi8>, vector<4x128xi8> -> vector<8x128xi8>
///
/// becomes
///
///   %0 = arith.extsi %a : vector<4x128xi8> to vector<4x128xi32>
///   %1 = arith.extsi %b : vector<4x128xi8> to vector<4x128xi32>
///   %2 = tpu.concatenate %0, %1 in 0
///   %r = arith.trunci %2 : vector<8x128xi32> to vector<8x128xi8>
static bool widenParts(tpu::ConcatenateOp op, const TPUChip &chip) {
  auto type = cast<VectorType>(op.getType());
  Type element = type.getElementType();
  int64_t dim = op.getDimension();
  bool isRow = type.getRank() == 1;
  if ((!isRow && dim != type.getRank() - 2) ||
      getTPUSupport(TPUCase::JoinPartsOfTiles, element, chip) ==
          TPUSupport::Native)
    return false;
  unsigned bits = element.getIntOrFloatBitWidth();
  int64_t tile = isRow ? chip.lanes * 32 / bits : getTPUWindowRows(bits, chip);
  auto isWhole = [&](Value part) {
    return getShape(part.getType())[dim] % tile == 0;
  };
  // Only the last part may end within a tile.
  if (llvm::all_of(op.getSources().drop_back(), isWhole))
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  SmallVector<Value> parts;
  for (Value part : op.getSources())
    parts.push_back(widen(emit, part));
  op.replaceAllUsesWith(narrow(emit, emit.concatenate(parts, dim), element));
  op.erase();
  return true;
}

/// Takes parts that begin in the middle of tiles in 32 bits, for the same
/// reason.
/// A rotate brings the part to the start of a tile, where a slice is legal.
static bool widenPart(vector::ExtractStridedSliceOp op, const TPUChip &chip) {
  Type element = getElementType(op.getType());
  SmallVector<int64_t> offsets =
      llvm::map_to_vector(op.getOffsets().getAsRange<IntegerAttr>(),
                          [](IntegerAttr offset) { return offset.getInt(); });
  if (offsets.size() < 2 || getTPUSupport(TPUCase::SlicePartsOfTiles, element,
                                          chip) == TPUSupport::Native)
    return false;
  int64_t rank = offsets.size();
  std::pair<int64_t, int64_t> tiles[] = {
      {rank - 2, getTPUWindowRows(element.getIntOrFloatBitWidth(), chip)},
      {rank - 1, chip.lanes}};
  if (llvm::all_of(tiles, [&](auto tile) {
        return offsets[tile.first] % tile.second == 0;
      }))
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  // The compiler would keep the offset for the narrow elements, too.
  Value wide = widen(emit, op.getSource());
  for (auto [dim, tile] : tiles)
    if (int64_t offset = std::exchange(offsets[dim], 0))
      wide = rotateToFront(emit, wide, emit.i32(offset), dim);
  Value part = emit.extractSlice(wide, offsets, getShape(op.getType()));
  op.replaceAllUsesWith(narrow(emit, part, element));
  op.erase();
  return true;
}

/// Spreads one element as a number: registers of narrow elements that are wide
/// by now can't be spread along lanes.
///   %0 = vector.extract %v[0, 0] : f32 from vector<1x1xf32>
///   %1 = vector.broadcast %0 : f32 to vector<8x128xf32>
static bool broadcastScalar(vector::BroadcastOp op, const TPUChip &chip) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  // Other broadcasts are along one of the dimensions.
  if (!source || source.getNumElements() != 1)
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  Value wide = widen(emit, op.getSource());
  SmallVector<int64_t> first(source.getRank(), 0);
  Value all =
      emit.broadcast(extractElement(emit, wide, first), getShape(op.getType()));
  op.replaceAllUsesWith(narrow(emit, all, source.getElementType()));
  op.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Lays columns, which have one element per sublane, along lanes: `[.., m, 1]`
/// becomes `[.., m]`. A square has the elements on its diagonal, and its rows
/// are added up.
///
///   %0 = vector.broadcast %columns : vector<8x1xi32> to vector<8x8xi32>
///   %1 = arith.cmpi eq, %row, %column
///   %2 = arith.select %1, %0, %zeros
///   %3 = vector.multi_reduction <add>, %2, %init [0]
static Value layColumns(Emitter &emit, Value columns) {
  SmallVector<int64_t> shape(getShape(columns.getType()));
  int64_t rows = shape.size() - 2, count = shape[rows];
  int64_t lanes = emit.getChip().lanes;
  if (count > lanes) {
    // One square for each register of the result.
    Value padded = padTo(emit, columns, rows, llvm::alignTo(count, lanes));
    SmallVector<int64_t> cut(shape), joined(shape);
    if (rows == 0)
      cut.insert(cut.begin(), 1);
    cut[cut.size() - 2] = llvm::divideCeil(count, lanes);
    cut.back() = lanes;
    cut.push_back(1);
    Value laid = layColumns(emit, emit.reshape(padded, cut));
    joined.pop_back();
    joined.back() = llvm::alignTo(count, lanes);
    return emit.extractSlice(reshapeVector(emit, laid, joined), rows, 0, count);
  }
  shape.back() = count;
  Value square = emit.broadcast(columns, shape);
  Value isDiagonal =
      emit.compare(arith::CmpIPredicate::eq, emit.iota(shape, rows),
                   emit.iota(shape, rows + 1));
  Value diagonal = emit.select(isDiagonal, square, emit.zero(square.getType()));
  return emit.reduce(vector::CombiningKind::ADD, diagonal, {rows});
}

/// The elements of `[.., m, 1]` as `[.., m]`, bit for bit.
/// Floats are added up as integers: -0 + 0 is 0, and a NaN may lose its bits.
static Value layColumnsOfAnyType(Emitter &emit, Value columns) {
  Type element = getElementType(columns.getType());
  Value wide = widen(emit, columns);
  Type type = wide.getType(), i32 = emit.getBuilder().getI32Type();
  bool isFloat = isa<FloatType>(getElementType(type));
  if (isFloat)
    wide = emit.create<tpu::BitcastOp>(withElementType(type, i32), wide);
  Value laid = layColumns(emit, wide);
  if (isFloat)
    laid = emit.create<tpu::BitcastOp>(
        withElementType(laid.getType(), getElementType(type)), laid);
  return narrow(emit, laid, element);
}

/// Whether the cast lays a column along lanes.
/// Masks are cast as i32 by the conversion.
static bool laysColumns(vector::ShapeCastOp op) {
  VectorType from = op.getSourceVectorType();
  return from.getRank() > 1 && from.getShape().back() == 1 &&
         op.getResultVectorType().getShape().back() != 1 &&
         !from.getElementType().isInteger(1);
}

/// Leading dimensions are joined, since only the last two matter for the
/// layout.
static void replaceColumnCast(vector::ShapeCastOp op, const TPUChip &chip) {
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  ArrayRef<int64_t> from = op.getSourceVectorType().getShape();
  ArrayRef<int64_t> to = op.getResultVectorType().getShape();
  // Rows that became columns just before.
  auto before = op.getSource().getDefiningOp<vector::ShapeCastOp>();
  if (before && before.getSourceVectorType().getShape().back() != 1) {
    op.replaceAllUsesWith(reshapeVector(emit, before.getSource(), to));
    op.erase();
    return;
  }
  // Unit dimensions behind the column are no columns of their own.
  int64_t last = from.size() - 1;
  while (last > 0 && from[last] == 1)
    --last;
  int64_t lead = ShapedType::getNumElements(from.take_front(last));
  SmallVector<int64_t> columns{lead, from[last], 1};
  if (lead == 1)
    columns.erase(columns.begin());
  Value laid = layColumnsOfAnyType(emit, emit.reshape(op.getSource(), columns));
  op.replaceAllUsesWith(reshapeVector(emit, laid, to));
  op.erase();
}

/// Lays the result of a reduction along lanes, which is in columns, along lanes
/// for users that don't take it as columns.
/// Generation 4 leaves a column where later ones move the result.
static bool layReduced(Operation *op, const TPUChip &chip) {
  Value result = op->getResult(0);
  auto isColumnUse = [](OpOperand &use) {
    auto shapeCast = dyn_cast<vector::ShapeCastOp>(use.getOwner());
    return shapeCast && shapeCast.getResultVectorType().getShape().back() == 1;
  };
  if (llvm::all_of(result.getUses(), isColumnUse))
    return false;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Emitter emit(builder, op->getLoc(), chip);
  SmallVector<int64_t> shape(getShape(result.getType()));
  shape.push_back(1);
  Value columns = emit.reshape(result, shape);
  Value laid = layColumnsOfAnyType(emit, columns);
  result.replaceUsesWithIf(laid,
                           [&](OpOperand &use) { return !isColumnUse(use); });
  return true;
}

/// Whether the operation leaves one element of each row of registers.
/// Such reductions leave the result in columns.
static bool reducesLanes(Operation *op) {
  if (auto index = dyn_cast<tpu::ReduceIndexOp>(op))
    return index.getAxis() == getShape(index.getInput().getType()).size() - 1;
  auto reduction = dyn_cast<vector::MultiDimReductionOp>(op);
  return reduction && isa<VectorType>(reduction.getType()) &&
         reduction.getReductionDims().size() == 1 &&
         reduction.getReductionDims().front() ==
             reduction.getSourceVectorType().getRank() - 1;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether the cast cuts rows into shorter ones that don't fill registers:
/// `[.., r * c]` into `[.., r, c]`.
static bool cutsRows(vector::ShapeCastOp op, const TPUChip &chip) {
  ArrayRef<int64_t> from = op.getSourceVectorType().getShape();
  ArrayRef<int64_t> to = op.getResultVectorType().getShape();
  return to.size() == from.size() + 1 && from.drop_back() == to.drop_back(2) &&
         to.back() != 1 && to.back() != from.back() &&
         to.back() % chip.lanes != 0;
}

///   %r = vector.shape_cast %v : vector<8x256xf32> to vector<8x4x64xf32>
///
/// becomes slices of 64 lanes, each as vector<8x1x64xf32>, joined in dimension
/// 1.
static void replaceRowCut(vector::ShapeCastOp op, const TPUChip &chip) {
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  SmallVector<int64_t> row(op.getResultVectorType().getShape());
  int64_t rows = row.size() - 2, count = std::exchange(row[rows], 1);
  Value wide = widen(emit, op.getSource());
  SmallVector<Value> parts;
  for (int64_t k = 0; k < count; ++k)
    parts.push_back(emit.reshape(
        emit.extractSlice(wide, rows, k * row.back(), row.back()), row));
  op.replaceAllUsesWith(narrow(emit, emit.concatenate(parts, rows),
                               getElementType(op.getType())));
  op.erase();
}

/// Reduces along lanes after the other dimensions, so that columns are left.
///
///   %r = vector.multi_reduction <add>, %v, %init [0, 2]
///
/// becomes
///
///   %0 = vector.multi_reduction <add>, %v, %zeros [0]
///   %r = vector.multi_reduction <add>, %0, %init [1]
static bool reduceLanesLast(vector::MultiDimReductionOp op,
                            const TPUChip &chip) {
  auto type = dyn_cast<VectorType>(op.getType());
  ArrayRef<int64_t> dims = op.getReductionDims();
  if (!type || type.getNumElements() == 1 || dims.size() < 2 ||
      dims.back() != op.getSourceVectorType().getRank() - 1)
    return false;
  OpBuilder builder(op);
  Emitter emit(builder, op.getLoc(), chip);
  Value rows = emit.reduce(op.getKind(), op.getSource(), dims.drop_back());
  int64_t last = getShape(rows.getType()).size() - 1;
  Value result = emit.reduce(op.getKind(), rows, {last});
  op.replaceAllUsesWith(result);
  op.erase();
  layReduced(result.getDefiningOp(), chip);
  return true;
}

/// Returns how many operations it replaced.
///
/// Masks come first, for all chips. Casts come last, because the other rewrites
/// create casts.
static unsigned legalize(Operation *root, const TPUChip &chip) {
  unsigned count = 0;
  root->walk([&](arith::SelectOp op) { count += selectSpread(op, chip); });
  root->walk([&](arith::TruncIOp op) { count += keepMaskWide(op, chip); });
  count += settleBranchValues(root);
  root->walk([&](Operation *op) {
    if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      count += extendCut(op, chip);
  });
  putPackedMasksFirst(root);
  // Everything below is for generation 4.
  if (chip.generation >= 5)
    return count;
  root->walk([&](Operation *op) {
    if (auto gather = dyn_cast<DynamicGatherOp>(op))
      count += selectRows(gather, chip);
    else if (auto join = dyn_cast<ConcatenateOp>(op))
      count += widenParts(join, chip);
    else if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op))
      count += widenPart(slice, chip);
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      count += keepEqualityWide(compare, chip);
    else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
      count += broadcastScalar(broadcast, chip);
    else if (reducesLanes(op))
      count += layReduced(op, chip);
    else if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op))
      count += reduceLanesLast(reduction, chip);
  });
  // Casts are written in place of others.
  auto replaceCasts = [&](TPUCase rule, auto isMeant, auto replace) {
    SmallVector<vector::ShapeCastOp> casts;
    root->walk([&](vector::ShapeCastOp op) {
      if (isMeant(op) &&
          getTPUSupport(rule, op.getResultVectorType().getElementType(),
                        chip) != TPUSupport::Native)
        casts.push_back(op);
    });
    for (vector::ShapeCastOp op : casts)
      replace(op, chip);
    count += casts.size();
  };
  replaceCasts(TPUCase::LayColumnsAlongRows, laysColumns, replaceColumnCast);
  replaceCasts(
      TPUCase::CutRows,
      [&](vector::ShapeCastOp op) { return cutsRows(op, chip); },
      replaceRowCut);
  return count;
}

namespace {
/// Legalizes each kernel function for its chip.
struct LegalizeForGenerationPass
    : public tpu::impl::TPULegalizeForGenerationBase<
          LegalizeForGenerationPass> {
  using TPULegalizeForGenerationBase::TPULegalizeForGenerationBase;

  void runOnOperation() override {
    if (failed(forEachKernelFunction(
            getOperation(), chip, [&](func::FuncOp function, const TPUChip &c) {
              numReplaced += legalize(function, c);
            })))
      signalPassFailure();
  }
};
} // namespace
