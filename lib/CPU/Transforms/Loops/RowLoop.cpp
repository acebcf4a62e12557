//===- RowLoop.cpp - A loop over the rows of operations -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"
#include "LoopPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

FailureOr<std::optional<unsigned>> cpu::findRowPosition(AffineMap map,
                                                        unsigned rowDim) {
  std::optional<unsigned> position;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(rowDim))
      continue;
    if (position || expr != getAffineDimExpr(rowDim, map.getContext()))
      return failure();
    position = i;
  }
  return position;
}

std::optional<RowMember>
cpu::getRowMember(linalg::LinalgOp op, int64_t vectorBits, bool allowsDynamic) {
  AffineMap outputMap =
      op.getMatchingIndexingMap(&*op.getDpsInitsMutable().begin());
  if (outputMap.getNumResults() == 0)
    return std::nullopt;
  auto row = dyn_cast<AffineDimExpr>(outputMap.getResult(0));
  if (!row || op.getIteratorTypesArray()[row.getPosition()] !=
                  utils::IteratorType::parallel)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  RowMember member{op,
                   *getMemoryUses(op),
                   row.getPosition(),
                   sizes[row.getPosition()],
                   false,
                   1};
  for (const MemoryUse &use : member.uses)
    if ((!allowsDynamic &&
         !cast<MemRefType>(use.memory.getType()).hasStaticShape()) ||
        (use.map && failed(findRowPosition(use.map, member.rowDim))))
      return std::nullopt;
  for (int64_t size : sizes)
    member.numIterations *= size;
  LoopPlan plan = planLoops(op, vectorBits);
  member.losesVectors =
      plan.vectorDim == member.rowDim || plan.tileDim == member.rowDim;
  if (!ShapedType::isDynamic(member.numRows) && member.numRows < 2)
    return std::nullopt;
  return member;
}

bool RowGroup::add(const RowMember &member) {
  if (!members.empty() && getNumRows() != member.numRows)
    return false;
  auto getPosition = [&](const MemoryUse &use) -> std::optional<unsigned> {
    return use.map ? *findRowPosition(use.map, member.rowDim) : std::nullopt;
  };
  if (!memory.add(member.op, member.uses, getPosition))
    return false;
  members.push_back(member);
  return true;
}

namespace {
/// Emits one row of a group.
class RowEmitter {
public:
  RowEmitter(RewriterBase &rewriter, const RowGroup &group, Value row)
      : b(rewriter), group(group), row(row) {}

  void run();

private:
  bool hasRows(MemRefType type, unsigned position) const;
  Value getRow(Value memory, unsigned position, Location loc);
  void emit(const RowMember &member);

  RewriterBase &b;
  const RowGroup &group;
  Value row;
  /// The current row of memory along one of its dimensions. Memory that is only
  /// read has a row for each dimension that goes through rows: one operation
  /// reads x[i, j] in iteration i, and another one, or the same, x[j, i].
  DenseMap<std::pair<Value, unsigned>, Value> rowOf;
};
} // namespace

/// Whether the loop goes through all of this dimension and not beyond.
[[maybe_unused]] bool RowEmitter::hasRows(MemRefType type,
                                          unsigned position) const {
  int64_t size = type.getDimSize(position), numRows = group.getNumRows();
  return ShapedType::isDynamic(size) || ShapedType::isDynamic(numRows) ||
         size == numRows;
}

/// The current row of `memory`, without the dimension that goes through rows.
///
///   %row = memref.subview %x[%i, 0] [1, 1024] [1, 1]
///       : memref<1024x1024xf32> to memref<1024xf32, strided<[1], offset: ?>>
///
/// or, for a private buffer, an allocation of one row.
Value RowEmitter::getRow(Value memory, unsigned position, Location loc) {
  Value &known = rowOf[{memory, position}];
  if (known)
    return known;
  auto type = cast<MemRefType>(memory.getType());
  assert(hasRows(type, position) && "a row must be one of the loop's");
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + position);
  if (auto alloc = memory.getDefiningOp<memref::AllocOp>();
      alloc && group.getMemory().isPrivate(alloc))
    return known = memref::AllocOp::create(
               b, loc, MemRefType::get(shape, type.getElementType()),
               alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memory);
  offsets[position] = row;
  sizes[position] = b.getIndexAttr(1);
  MemRefType rowType = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return known = memref::SubViewOp::create(b, loc, rowType, memory, offsets,
                                           sizes, strides);
}

/// `map` without its result at `position` and without the loop over rows. For
/// example, `(d0, d1) -> (d0, d1)` becomes `(d0) -> (d0)`.
static AffineMap dropRow(AffineMap map, std::optional<unsigned> position,
                         unsigned rowDim) {
  MLIRContext *context = map.getContext();
  if (position)
    map = map.dropResult(*position);
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    dims.push_back(d == rowDim ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(d - (d > rowDim), context));
  return map.replaceDimsAndSymbols(dims, {}, map.getNumDims() - 1, 0);
}

/// Emits one row of `member`, with `linalg.index` adapted to the missing loop.
void RowEmitter::emit(const RowMember &member) {
  linalg::LinalgOp op = member.op;
  Location loc = op.getLoc();
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::optional<unsigned> position = *findRowPosition(map, member.rowDim);
    if (position)
      value = getRow(value, *position, loc);
    (op.isDpsInit(&operand) ? outputs : inputs).push_back(value);
    maps.push_back(dropRow(map, position, member.rowDim));
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.erase(kinds.begin() + member.rowDim);
  auto part = linalg::GenericOp::create(b, loc, inputs, outputs, maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&part.getRegion(), mapping);
  part.walk([&](linalg::IndexOp index) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(index);
    if (index.getDim() == member.rowDim)
      b.replaceOp(index, row);
    else if (index.getDim() > member.rowDim)
      index.setDim(index.getDim() - 1);
  });
}

void RowEmitter::run() {
  for (const RowMember &member : group.getMembers())
    emit(member);
  for (const RowMember &member : group.getMembers())
    b.eraseOp(member.op);
  // Rows have taken the place of private memory, which has only one each.
  for (auto &[place, replacement] : rowOf)
    if (place.first.use_empty())
      b.eraseOp(place.first.getDefiningOp());
}

void cpu::emitRow(RewriterBase &rewriter, const RowGroup &group, Value row) {
  RowEmitter(rewriter, group, row).run();
}
