//===- ShareColumns.cpp - Strips of columns for several loops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-share-columns. Operations that reduce
// columns have no rows to share, since each of them goes through all rows. A
// softmax of columns would go through its whole block five times. They share
// strips of columns instead, so that temporaries stay in the second cache:
//   linalg.generic ins(%x) outs(%largest) { largest of each column }
//   %t = memref.alloc() : memref<1024x128xf32>
//   linalg.generic ins(%x, %largest) outs(%t) { exp of the distance }
// becomes
//   scf.for %j = %c0 to %c128 step %c64 {
//     linalg.generic ins(64 columns of %x) outs(64 elements of %largest) ...
//     %t = memref.alloc() : memref<1024x64xf32>
//     linalg.generic ins(64 columns of %x, 64 elements of %largest) outs(%t)
//     ...
//   }
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"
#include "LoopPlan.h"
#include "SharedLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Widths.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUSHARECOLUMNS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

namespace {
/// An operation that can run on some columns alone.
struct Member {
  linalg::LinalgOp op;
  SmallVector<MemoryUse> uses;
  /// The loop that goes through columns.
  unsigned dim;
  int64_t numColumns, numRows;
};

/// Members that share a loop over strips.
struct Strips {
  SmallVector<Member> members;
  LoopMemory memory;
};

/// Emits the loop over the strips of a group.
class StripEmitter {
public:
  StripEmitter(RewriterBase &rewriter, const Strips &strips, int64_t width)
      : b(rewriter), strips(strips), width(width) {}

  void run();

private:
  Value getStrip(Value memory);
  void emit(const Member &member);

  RewriterBase &b;
  const Strips &strips;
  int64_t width;
  Value first;
  DenseMap<Value, Value> stripOf;
};
} // namespace

/// Whether elements along the loop are neighbors in memory, or the same one.
static bool hasColumns(const MemoryUse &use, unsigned dim) {
  return use.map && use.map.getNumResults() > 0 &&
         use.map.getResults().back() ==
             getAffineDimExpr(dim, use.map.getContext());
}

/// The columns are those of the first output.
static std::optional<Member> getMember(linalg::LinalgOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto column = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!column || op.getIteratorTypesArray()[column.getPosition()] !=
                     utils::IteratorType::parallel)
    return std::nullopt;
  unsigned dim = column.getPosition();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  Member member{op, *getMemoryUses(op), dim, sizes[dim], 1};
  for (const MemoryUse &use : member.uses) {
    auto type = cast<MemRefType>(use.memory.getType());
    if (!type.hasStaticShape() || !type.isLastDimUnitStride() ||
        !type.getElementType().isIntOrFloat())
      return std::nullopt;
    // Any other index that depends on the column has no strip.
    if (!use.map || use.map.getNumResults() == 0)
      continue;
    for (AffineExpr expr : use.map.getResults().drop_back(1))
      if (expr.isFunctionOfDim(dim))
        return std::nullopt;
    if (!hasColumns(use, dim) &&
        use.map.getResults().back().isFunctionOfDim(dim))
      return std::nullopt;
  }
  for (auto [i, size] : llvm::enumerate(sizes))
    if (i != dim)
      member.numRows *= size;
  return member;
}

/// Adds a member, unless columns of it and of others would not be independent.
static bool add(Strips &strips, const Member &member) {
  if (!strips.members.empty() &&
      strips.members.front().numColumns != member.numColumns)
    return false;
  // Columns are along the last dimension.
  auto getPosition = [&](const MemoryUse &use) -> std::optional<unsigned> {
    if (hasColumns(use, member.dim))
      return use.map.getNumResults() - 1;
    return std::nullopt;
  };
  if (!strips.memory.add(member.op, member.uses, getPosition))
    return false;
  strips.members.push_back(member);
  return true;
}

/// How many columns a strip has: as many as keep half of the second cache for
/// temporaries. 0 if strips don't pay.
static int64_t chooseWidth(const Strips &strips, const Target &target) {
  int64_t cacheBytes = target.secondCacheBytes;
  constexpr int64_t lineBits = 512;
  int64_t rowBits = 0, numRows = 1, bytes = 0;
  bool reduces = false;
  DenseMap<Value, unsigned> numUsers;
  for (const Member &member : strips.members) {
    linalg::LinalgOp op = member.op;
    reduces |= op.getNumReductionLoops() > 0;
    numRows = std::max(numRows, member.numRows);
    for (const MemoryUse &use : member.uses)
      ++numUsers[use.memory];
  }
  // Memory that is read once does not get closer.
  bool isReadAgain = false;
  for (const TouchedMemory &touched : strips.memory.getTouched()) {
    auto type = cast<MemRefType>(touched.memory.getType());
    int64_t bits = 8 * getByteWidth(type.getElementType());
    rowBits = std::max(rowBits, bits);
    bytes += bits / 8 * type.getNumElements();
    if (bits / 8 * type.getNumElements() <= cacheBytes / 2 ||
        numUsers.lookup(touched.memory) < 2)
      continue;
    isReadAgain = true;
    // Nor does what its own rows evict: whole rows are fetched ahead then.
    auto alloc = touched.memory.getDefiningOp<memref::AllocOp>();
    if (type.getRank() > 1 && !(alloc && strips.memory.isPrivate(alloc)) &&
        countCachedRows(type, type.getRank() - 2, target) < numRows)
      return 0;
  }
  if (!reduces || !isReadAgain || strips.members.size() < 3 || numRows < 32 ||
      bytes <= 2 * cacheBytes)
    return 0;
  int64_t numColumns = strips.members.front().numColumns;
  for (int64_t width = 4 * lineBits / rowBits; width * rowBits >= lineBits;
       width /= 2)
    if (numColumns > width && numColumns % width == 0 &&
        numRows * width * rowBits <= 4 * cacheBytes)
      return width;
  return 0;
}

///   %strip = memref.subview %x[0, %j] [1024, 64] [1, 1] : ...
///
/// or, for a private buffer, an allocation of a strip.
Value StripEmitter::getStrip(Value memory) {
  Value &known = stripOf[memory];
  if (known)
    return known;
  linalg::LinalgOp op = strips.members.front().op;
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = width;
  if (auto alloc = memory.getDefiningOp<memref::AllocOp>();
      alloc && strips.memory.isPrivate(alloc))
    return known = memref::AllocOp::create(
               b, loc, MemRefType::get(shape, type.getElementType()),
               alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1));
  offsets.back() = first;
  return known = memref::SubViewOp::create(
             b, loc, memory, offsets,
             getAsIndexOpFoldResult(b.getContext(), shape), strides);
}

/// Emits a strip of `member`. Its indices start at the first column.
void StripEmitter::emit(const Member &member) {
  linalg::LinalgOp op = member.op;
  SmallVector<Value> inputs, outputs;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (isa<MemRefType>(value.getType()) && map.isFunctionOfDim(member.dim))
      value = getStrip(value);
    (op.isDpsInit(&operand) ? outputs : inputs).push_back(value);
  }
  auto part = linalg::GenericOp::create(b, op.getLoc(), inputs, outputs, maps,
                                        op.getIteratorTypesArray());
  IRMapping mapping;
  op->getRegion(0).cloneInto(&part.getRegion(), mapping);
  SmallVector<linalg::IndexOp> indices;
  part.walk([&](linalg::IndexOp index) { indices.push_back(index); });
  OpBuilder::InsertionGuard guard(b);
  for (linalg::IndexOp index : indices) {
    if (index.getDim() != member.dim)
      continue;
    b.setInsertionPointAfter(index);
    auto sum = arith::AddIOp::create(b, index.getLoc(), index, first);
    b.replaceAllUsesExcept(index.getResult(), sum.getResult(), sum);
  }
}

/// Emits the loop in front of the first member. All members are in one run, so
/// nothing in between depends on them.
void StripEmitter::run() {
  linalg::LinalgOp op = strips.members.front().op;
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(
      b, loc, index(0), index(strips.members.front().numColumns), index(width));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  first = loop.getInductionVar();
  for (const Member &member : strips.members)
    emit(member);
  for (const Member &member : strips.members)
    b.eraseOp(member.op);
  // Strips have taken the place of private memory.
  for (auto &[memory, strip] : stripOf)
    if (memory.use_empty())
      b.eraseOp(memory.getDefiningOp());
}

namespace {
struct ShareColumns
    : public pallas::impl::PallasCPUShareColumnsBase<ShareColumns> {
  using PallasCPUShareColumnsBase::PallasCPUShareColumnsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return cpu::getTarget(context, cpu, target);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    std::vector<Strips> groups;
    for (const LoopRun &run : collectRuns(rewriter, getOperation())) {
      Strips strips;
      for (linalg::LinalgOp op : run.ops) {
        std::optional<Member> member = getMember(op);
        if (member && add(strips, *member))
          continue;
        groups.push_back(std::move(strips));
        strips = Strips();
        if (member)
          add(strips, *member);
      }
      groups.push_back(std::move(strips));
    }
    for (const Strips &strips : groups)
      if (strips.members.size() > 1)
        if (int64_t width = chooseWidth(strips, target))
          StripEmitter(rewriter, strips, width).run();
  }

private:
  Target target;
};
} // namespace
