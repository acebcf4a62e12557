//===- ShareRows.cpp - One loop over rows for several operations ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-share-rows, which tiles and fuses rows.
// Operations on a large array are tiled by rows and fused, so that a row is in
// the cache when the next operation reads it, and temporaries shrink to a row:
//   %t = memref.alloc() : memref<1024x1024xf32>
//   linalg.generic ins(%x) outs(%t) { exp }
//   linalg.generic ins(%t) outs(%sums) { sum of a row }
// becomes
//   scf.for %i = %c0 to %c1024 step %c1 {
//     %t = memref.alloc() : memref<1024xf32>
//     linalg.generic ins(row %i of %x) outs(%t) { exp }
//     linalg.generic ins(%t) outs(element %i of %sums) { sum }
//   }
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"
#include "LoopPlan.h"
#include "SharedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Widths.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSHAREROWS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

namespace {
/// An operation that can run row by row.
struct Member {
  linalg::LinalgOp op;
  SmallVector<MemoryUse> uses;
  /// The loop that goes through rows, and how many there are.
  unsigned rowDim;
  int64_t numRows;
  /// Whether the rows were to be the lanes of vectors.
  bool losesVectors;
  int64_t numIterations;
};

/// Members that share the loop.
struct Rows {
  std::vector<Member> members;
  LoopMemory memory;
};
} // namespace

/// The dimension of memory that goes through rows. The result is null if it
/// does so in a way that no part of the memory is a row.
static FailureOr<std::optional<unsigned>> findRowPosition(AffineMap map,
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

/// Rows are along the first dimension of the first output, the outermost one in
/// memory.
static std::optional<Member> getMember(linalg::LinalgOp op, int64_t vectorBits,
                                       bool allowsDynamic = false) {
  AffineMap outputMap =
      op.getMatchingIndexingMap(&*op.getDpsInitsMutable().begin());
  if (outputMap.getNumResults() == 0)
    return std::nullopt;
  auto row = dyn_cast<AffineDimExpr>(outputMap.getResult(0));
  if (!row || op.getIteratorTypesArray()[row.getPosition()] !=
                  utils::IteratorType::parallel)
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  Member member{op,
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

/// Adds a member, unless rows of it and of others would not be independent.
static bool add(Rows &rows, const Member &member) {
  if (!rows.members.empty() && rows.members.front().numRows != member.numRows)
    return false;
  auto getPosition = [&](const MemoryUse &use) -> std::optional<unsigned> {
    return use.map ? *findRowPosition(use.map, member.rowDim) : std::nullopt;
  };
  if (!rows.memory.add(member.op, member.uses, getPosition))
    return false;
  rows.members.push_back(member);
  return true;
}

/// Whether sharing rows pays: the group must not fit into the cache, and must
/// not lose vectors that run along the rows.
static bool isProfitable(const Rows &rows, int64_t cacheBytes) {
  if (rows.members.size() < 2)
    return false;
  int64_t largest = 0, bytes = 0;
  for (const Member &member : rows.members)
    largest = std::max(largest, member.numIterations);
  // Short vectors of one value per row are cheap even as scalars.
  for (const Member &member : rows.members)
    if (member.losesVectors && member.numIterations * 32 > largest)
      return false;
  for (const TouchedMemory &touched : rows.memory.getTouched()) {
    auto type = cast<MemRefType>(touched.memory.getType());
    if (touched.position && type.getElementType().isIntOrFloat())
      bytes += getByteWidth(type.getElementType()) * type.getNumElements();
  }
  return bytes > cacheBytes;
}

namespace {
/// Emits the loop over the rows of a group.
class RowEmitter {
public:
  RowEmitter(RewriterBase &rewriter, const Rows &rows)
      : b(rewriter), rows(rows) {}

  void run();
  void emitRow(Value index);

private:
  bool hasRows(MemRefType type, unsigned position) const;
  Value getRow(Value memory, unsigned position, Location loc);
  void emit(const Member &member);

  RewriterBase &b;
  const Rows &rows;
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
  int64_t size = type.getDimSize(position),
          numRows = rows.members.front().numRows;
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
      alloc && rows.memory.isPrivate(alloc))
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
void RowEmitter::emit(const Member &member) {
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

/// Emits the loop in front of the first member. All members are in one run, so
/// nothing in between depends on them.
void RowEmitter::run() {
  linalg::LinalgOp first = rows.members.front().op;
  Location loc = first.getLoc();
  b.setInsertionPoint(first);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size =
      arith::ConstantIndexOp::create(b, loc, rows.members.front().numRows);
  auto loop = scf::ForOp::create(b, loc, zero, size, one);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  emitRow(loop.getInductionVar());
}

/// Replaces the operations by their parts for one row.
void RowEmitter::emitRow(Value index) {
  row = index;
  for (const Member &member : rows.members)
    emit(member);
  for (const Member &member : rows.members)
    b.eraseOp(member.op);
  // Rows have taken the place of private memory, which has only one each.
  for (auto &[place, replacement] : rowOf)
    if (place.first.use_empty())
      b.eraseOp(place.first.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Rows of several programs
//===----------------------------------------------------------------------===//

/// The operation on memory in a loop that does nothing else.
static linalg::LinalgOp getOnlyOp(scf::ForOp loop) {
  linalg::LinalgOp only;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp && !only && linalgOp.hasPureBufferSemantics())
      only = linalgOp;
    else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      return nullptr;
  }
  return loop.getInitArgs().empty() ? only : nullptr;
}

/// An upper bound of a value that is a minimum with a constant.
static std::optional<int64_t> getBound(OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return known;
  auto minimum = cast<Value>(value).getDefiningOp<arith::MinSIOp>();
  return minimum ? getConstantIntValue(minimum.getRhs()) : std::nullopt;
}

/// Whether each iteration of the loop sees a part of an array that no other
/// iteration sees.
static bool hasOwnPart(Value memory, scf::ForOp loop) {
  auto view = memory.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return false;
  for (auto [offset, size] :
       llvm::zip_equal(view.getMixedOffsets(), view.getMixedSizes())) {
    auto start = dyn_cast<Value>(offset);
    std::optional<int64_t> bound = getBound(size);
    if (!start || !bound)
      continue;
    // A part that begins at the end of the array is empty.
    if (auto clamped = start.getDefiningOp<arith::MinSIOp>();
        clamped && !getConstantIntValue(size))
      start = clamped.getLhs();
    APInt step(64, 1);
    if (auto product = start.getDefiningOp<arith::MulIOp>();
        product && matchPattern(product.getRhs(), m_ConstantInt(&step)))
      start = product.getLhs();
    if (start == loop.getInductionVar() && step.sge(*bound))
      return true;
  }
  return false;
}

/// Whether rows of this view are short pieces of long rows.
static bool isNarrow(const MemoryUse &use, unsigned rowDim) {
  constexpr int64_t shortRow = 4096;
  auto type = cast<MemRefType>(use.memory.getType());
  if (!use.map)
    return false;
  FailureOr<std::optional<unsigned>> position =
      findRowPosition(use.map, rowDim);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(position) || !*position || !type.getElementType().isIntOrFloat() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  auto view = use.memory.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return false;
  int64_t row = 1;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (unsigned d = 0, kept = 0; d < dropped.size(); ++d) {
    if (dropped[d] || kept++ == **position)
      continue;
    std::optional<int64_t> bound = getBound(view.getMixedSizes()[d]);
    if (!bound)
      return false;
    row *= *bound;
  }
  return row * type.getElementTypeBitWidth() <= 8 * shortRow &&
         strides[**position] > row;
}

/// Programs that compute element by element on windows side by side go through
/// the first row of all windows, then through the second: hardware reads ahead
/// along rows, and a row of one window is over before that helps.
///
///   scf.for %program = ... {
///     linalg.generic ins(window %program of %x) outs(window %program of %y)
///   }
///
/// becomes
///
///   scf.for %row = ... {
///     scf.for %program = ... {
///       linalg.generic ins(row %row of window %program of %x) ...
///     }
///   }
///
/// The exchange is legal if each iteration writes to a part of its own and
/// reads nothing that is written.
static void exchangeRows(RewriterBase &rewriter, scf::ForOp loop,
                         int64_t bits) {
  linalg::LinalgOp op = getOnlyOp(loop);
  if (!op || op.getNumParallelLoops() != op.getNumLoops() ||
      failed(getMemoryUses(op)))
    return;
  std::optional<Member> member = getMember(op, bits, /*allowsDynamic=*/true);
  Rows rows;
  if (!member || member->losesVectors || !add(rows, *member))
    return;
  DenseSet<Value> written;
  for (const MemoryUse &use : member->uses)
    if (use.writes) {
      if (!hasOwnPart(use.memory, loop) || !isNarrow(use, member->rowDim))
        return;
      written.insert(use.root);
    }
  for (const MemoryUse &use : member->uses)
    if (!use.writes && written.contains(use.root))
      return;
  Location loc = loop.getLoc();
  moveLoopInvariantCode(loop);
  rewriter.setInsertionPoint(op);
  Value numRows = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      memref::getMixedSize(rewriter, loc, op.getDpsInits()[0], 0));
  if (numRows.getDefiningOp<arith::ConstantOp>())
    rewriter.moveOpBefore(numRows.getDefiningOp(), loop);
  if (!loop.isDefinedOutsideOfLoop(numRows))
    return;
  rewriter.setInsertionPoint(loop);
  auto outer = scf::ForOp::create(
      rewriter, loc, arith::ConstantIndexOp::create(rewriter, loc, 0), numRows,
      arith::ConstantIndexOp::create(rewriter, loc, 1));
  rewriter.moveOpBefore(loop, outer.getBody()->getTerminator());
  rewriter.setInsertionPoint(op);
  RowEmitter(rewriter, rows).emitRow(outer.getInductionVar());
}

namespace {
struct ShareRows : public pallas::impl::PallasCPUShareRowsBase<ShareRows> {
  using PallasCPUShareRowsBase::PallasCPUShareRowsBase;

  /// Returns whether anything changed.
  bool shareOnce(RewriterBase &rewriter, int64_t bits) {
    std::vector<Rows> groups;
    for (const LoopRun &run : collectRuns(rewriter, getOperation())) {
      Rows rows;
      for (linalg::LinalgOp op : run.ops) {
        std::optional<Member> member = getMember(op, bits);
        if (member && add(rows, *member))
          continue;
        groups.push_back(std::move(rows));
        rows = Rows();
        if (member)
          add(rows, *member);
      }
      groups.push_back(std::move(rows));
    }
    bool changed = false;
    for (const Rows &rows : groups) {
      if (!isProfitable(rows, cacheBytes))
        continue;
      RowEmitter(rewriter, rows).run();
      changed = true;
    }
    return changed;
  }

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    int64_t bits = target.vectorBits;
    // Each round cuts one more dimension.
    while (shareOnce(rewriter, bits))
      ;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      exchangeRows(rewriter, loop, bits);
  }

private:
  cpu::Target target;
};
} // namespace
