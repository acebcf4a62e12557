//===- LoopPlan.cpp - How a linalg operation becomes loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file decides how a linalg operation becomes loops: the order of the
// dimensions, which of them is cut into vectors, and how long the vectors are.
// EmitLoops.cpp emits them.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "pallas/CPU/Target/Target.h"
#include "pallas/Support/Widths.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::pallas;

/// For example, in `(i, j) -> (i, j)` of a dense memref, j is contiguous and i
/// is scattered; in `(i, j) -> (j)`, i is uniform.
cpu::Access cpu::getAccess(linalg::LinalgOp op, OpOperand &operand,
                           unsigned dim) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return Access::Uniform;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isFunctionOfDim(dim))
    return Access::Uniform;
  unsigned last = map.getNumResults() - 1;
  for (unsigned i = 0; i < last; ++i)
    if (map.getResult(i).isFunctionOfDim(dim))
      return Access::Scattered;
  // One step along the dimension must be one element.
  AffineExpr expr = map.getResult(last);
  AffineExpr here = getAffineDimExpr(dim, map.getContext());
  AffineExpr step = simplifyAffineExpr(expr.replace(here, here + 1) - expr,
                                       map.getNumDims(), map.getNumSymbols());
  return step == getAffineConstantExpr(1, map.getContext()) &&
                 type.isLastDimUnitStride()
             ? Access::Contiguous
             : Access::Scattered;
}

std::optional<int64_t> cpu::getShortStride(linalg::LinalgOp op,
                                           OpOperand &input, unsigned dim) {
  constexpr int64_t longest = 4;
  auto type = dyn_cast<MemRefType>(input.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&input);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || op.isDpsInit(&input) || map.getNumResults() == 0 ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8 ||
      map.getResults().back() != getAffineDimExpr(dim, map.getContext()) ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(map.getResults().drop_back(),
                   [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); }))
    return std::nullopt;
  int64_t stride = strides.back();
  return stride >= 2 && stride <= longest ? std::optional(stride)
                                          : std::nullopt;
}

/// For example the `arith.addf` of
///
///   %product = arith.mulf %a, %b : f32
///   %sum = arith.addf %running, %product : f32
///   linalg.yield %sum : f32
///
/// Only such reductions may be reordered into lanes.
Operation *cpu::getCombiner(linalg::LinalgOp op, unsigned index) {
  Block *body = op.getBlock();
  Value running = op.getRegionOutputArgs()[index];
  Operation *combiner =
      body->getTerminator()->getOperand(index).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 || !running.hasOneUse() ||
      *running.user_begin() != combiner || !combiner->getResult(0).hasOneUse())
    return nullptr;
  if (!isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
           arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          combiner))
    return nullptr;
  return combiner;
}

bool cpu::isVectorizable(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<linalg::IndexOp, linalg::YieldOp, arith::ConstantOp,
             memref::LoadOp>(op);
}

/// Whether a value of the body is the same for all elements along `dim`.
static bool isUniform(linalg::LinalgOp op, Value value, unsigned dim) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Value next = reached[i];
    if (next.getParentRegion() != &op->getRegion(0))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (op.isDpsInit(operand) ||
          cpu::getAccess(op, *operand, dim) != cpu::Access::Uniform)
        return false;
      continue;
    }
    auto indexOp = next.getDefiningOp<linalg::IndexOp>();
    if (indexOp && indexOp.getDim() == dim)
      return false;
    reached.insert_range(next.getDefiningOp()->getOperands());
  }
  return true;
}

/// For example, `%x[%row, %j]` where `%j` is the index along `dim`, or that
/// index and a start:
///
///   %j = linalg.index 1 : index
///   %column = arith.addi %start, %j : index
///   %element = memref.load %x[%row, %column] : memref<8x128xf32>
std::optional<Value> cpu::getRowStart(linalg::LinalgOp op, memref::LoadOp load,
                                      unsigned dim) {
  if (load.getIndices().empty() ||
      !load.getMemRefType().isLastDimUnitStride() ||
      !llvm::all_of(load.getIndices().drop_back(),
                    [&](Value index) { return isUniform(op, index, dim); }))
    return std::nullopt;
  auto isAlongDim = [&](Value value) {
    auto indexOp = value.getDefiningOp<linalg::IndexOp>();
    return indexOp && indexOp.getDim() == dim;
  };
  Value last = load.getIndices().back();
  if (isAlongDim(last))
    return Value();
  auto sum = last.getDefiningOp<arith::AddIOp>();
  if (!sum || !isAlongDim(sum.getRhs()) || !isUniform(op, sum.getLhs(), dim))
    return std::nullopt;
  return sum.getLhs();
}

/// A masked-off lane may hold anything. So no operation may trap on it, as a
/// division by zero does, or use it as an address.
static bool isSafeOnAnyInput(linalg::LinalgOp op, Operation &inner,
                             unsigned dim) {
  if (auto load = dyn_cast<memref::LoadOp>(inner))
    return cpu::getRowStart(op, load, dim).has_value();
  // Upstream takes remainders for harmless.
  if (isa<arith::RemSIOp, arith::RemUIOp>(inner)) {
    std::optional<int64_t> divisor = getConstantIntValue(inner.getOperand(1));
    return divisor && *divisor != 0 && *divisor != -1;
  }
  return inner.hasTrait<OpTrait::IsTerminator>() || isSpeculatable(&inner);
}

/// Whether one masked vector along `dim` can run the body.
static bool isMaskable(linalg::LinalgOp op, unsigned dim) {
  return llvm::all_of(*op.getBlock(),
                      [&](Operation &inner) {
                        return isSafeOnAnyInput(op, inner, dim);
                      }) &&
         llvm::none_of(op.getDpsInitsMutable(), [&](OpOperand &operand) {
           return cpu::getAccess(op, operand, dim) == cpu::Access::Scattered;
         });
}

unsigned cpu::getWidestBits(linalg::LinalgOp op) {
  unsigned widest = 8;
  auto see = [&](Type type) {
    if (type.isIntOrFloat())
      widest = std::max(widest, type.getIntOrFloatBitWidth());
  };
  for (Value argument : op.getBlock()->getArguments())
    see(argument.getType());
  for (Operation &inner : *op.getBlock())
    for (Type type : inner.getResultTypes())
      see(type);
  return std::min(widest, 64u);
}

/// Whether a loop sums up.
static bool isReduction(utils::IteratorType kind) {
  return kind == utils::IteratorType::reduction;
}

/// Whether a map misses a loop: then the same elements are read again and
/// again, from the cache.
static bool isRepeated(AffineMap map, ArrayRef<int64_t> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size != 1 && !map.isFunctionOfDim(dim))
      return true;
  return false;
}

/// How good `dim` is as the vector dimension; negative if it can't be. The
/// numbers weigh accesses against each other: a scattered one costs about as
/// much as a contiguous one gains, and writing matters more than reading.
static int64_t rateDim(linalg::LinalgOp op, unsigned dim, int64_t size,
                       bool isReduction, bool countsRepeated) {
  if (size == 1)
    return -1;
  if (isReduction)
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      if (!cpu::getCombiner(op, i))
        return -1;
  int64_t rating = isReduction ? 0 : 1;
  for (OpOperand &operand : op->getOpOperands()) {
    cpu::Access access = cpu::getAccess(op, operand, dim);
    bool isOutput = op.isDpsInit(&operand);
    bool isSmall =
        !countsRepeated && isRepeated(op.getMatchingIndexingMap(&operand),
                                      op.getStaticLoopRanges());
    if (access == cpu::Access::Contiguous)
      rating += isSmall ? 2 : isOutput ? 12 : 10;
    else if (cpu::getShortStride(op, operand, dim))
      rating += 4;
    else if (access == cpu::Access::Scattered)
      rating -= isOutput ? 12 : 8;
  }
  if (!ShapedType::isDynamic(size) && size < 4)
    rating -= 8;
  return std::max<int64_t>(rating, 0);
}

/// The dimension along which `input`, scattered along another one, can be read
/// by vectors.
static std::optional<unsigned> getContiguousDim(linalg::LinalgOp op,
                                                OpOperand &input) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  Type element = getElementTypeOrSelf(input.get().getType());
  if (!dim || !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8 ||
      cpu::getAccess(op, input, dim.getPosition()) != cpu::Access::Contiguous)
    return std::nullopt;
  return dim.getPosition();
}

/// Lets transposed inputs be read by squares, if the loops have whole ones.
static void planTiles(linalg::LinalgOp op, cpu::LoopPlan &plan) {
  constexpr size_t mostOps = 64;
  unsigned dim = *plan.vectorDim;
  std::optional<unsigned> tileDim;
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      op.getBlock()->getOperations().size() > mostOps)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (cpu::getAccess(op, operand, dim) != cpu::Access::Scattered)
      continue;
    std::optional<unsigned> other = getContiguousDim(op, operand);
    if (op.isDpsInit(&operand) || !other || (tileDim && tileDim != other))
      return;
    tileDim = other;
  }
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!tileDim || *tileDim == dim || ShapedType::isDynamicShape(sizes))
    return;
  // Rows of a square are a line of the cache, if there are registers for it.
  bool hasManyRegisters = plan.lanes * plan.widestBits >= 512;
  for (int64_t lanes : {32, 16, 8, 4})
    if (lanes <= plan.lanes && (lanes < 32 || hasManyRegisters) &&
        sizes[dim] % lanes == 0 && sizes[*tileDim] % lanes == 0) {
      plan.lanes = lanes;
      plan.tileDim = tileDim;
      llvm::erase(plan.parallelDims, *tileDim);
      return;
    }
}

/// The last two dimensions of `operand`, if what follows one element along the
/// first lies right behind all of the second. For example, i and j of `x[i, j]`
/// with rows of 4 elements: a vector of 64 elements has 16 whole rows.
static std::optional<std::pair<unsigned, unsigned>>
getShortRows(linalg::LinalgOp op, OpOperand &operand) {
  constexpr int64_t longest = 8;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned rank = map.getNumResults();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || rank < 2 || failed(type.getStridesAndOffset(strides, offset)) ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  auto outer = dyn_cast<AffineDimExpr>(map.getResult(rank - 2)),
       inner = dyn_cast<AffineDimExpr>(map.getResult(rank - 1));
  int64_t size = type.getShape().back();
  if (!outer || !inner || size < 2 || size > longest || strides.back() != 1 ||
      strides[rank - 2] != size ||
      llvm::any_of(map.getResults().drop_back(2), [&](AffineExpr expr) {
        return expr.isFunctionOfDim(outer.getPosition()) ||
               expr.isFunctionOfDim(inner.getPosition());
      }))
    return std::nullopt;
  return std::make_pair(outer.getPosition(), inner.getPosition());
}

/// Those of `input` where the first is parallel and the second is reduced.
/// Numbers narrower than a byte are not shuffled.
static std::optional<std::pair<unsigned, unsigned>>
getGroups(linalg::LinalgOp op, OpOperand &input) {
  auto rows = getShortRows(op, input);
  if (rows &&
      cast<MemRefType>(input.get().getType()).getElementTypeBitWidth() < 8)
    return std::nullopt;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  return rows && !isReduction(kinds[rows->first]) &&
                 isReduction(kinds[rows->second])
             ? rows
             : std::nullopt;
}

/// Lets short rows be reduced many at once, if all operands allow it.
static void planGroups(linalg::LinalgOp op, int64_t lanes,
                       cpu::LoopPlan &plan) {
  std::optional<std::pair<unsigned, unsigned>> groups;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!groups)
      groups = getGroups(op, *input);
  if (!groups)
    return;
  auto [dim, groupDim] = *groups;
  if (op.getStaticLoopRanges()[dim] < lanes)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    cpu::Access access = cpu::getAccess(op, operand, dim);
    bool isOutput = op.isDpsInit(&operand);
    if (isOutput ? access != cpu::Access::Contiguous
                 : access == cpu::Access::Scattered &&
                       getGroups(op, operand) != groups)
      return;
  }
  plan.vectorDim = dim;
  plan.groupDim = groupDim;
}

/// Lets short rows be written many at once. An operand has such rows, too, or
/// one element for each, which is repeated, or one for all:
///
///   %some = vector.load %x[%i] : memref<64xf32>, vector<4xf32>
///   %all = vector.shuffle %some, %some [0, 0, 1, 1, 2, 2, 3, 3]
///       : vector<4xf32>, vector<4xf32>
///   vector.store %all, %y[%i, %c0] : memref<64x2xf32>, vector<8xf32>
/// Rows behind the last vector are no vector, since few masks are as wide.
static void planRows(linalg::LinalgOp op, int64_t lanes, cpu::LoopPlan &plan) {
  // Each value takes as many registers as a row has elements. Spilled ones
  // still cost less than a masked vector for each row.
  constexpr int64_t mostRegisters = 256;
  if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() == 0)
    return;
  auto rows = getShortRows(op, *op.getDpsInitOperand(0));
  if (!rows)
    return;
  auto [dim, shortDim] = *rows;
  int64_t size = op.getStaticLoopRanges()[shortDim];
  int64_t ops = op.getBlock()->getOperations().size();
  if (size >= lanes || op.getStaticLoopRanges()[dim] < lanes ||
      size * ops > mostRegisters)
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isRepeated =
        !op.getMatchingIndexingMap(&operand).isFunctionOfDim(shortDim) &&
        cpu::getAccess(op, operand, dim) != cpu::Access::Scattered;
    if (getShortRows(op, operand) != rows &&
        (op.isDpsInit(&operand) || !isRepeated))
      return;
  }
  plan.vectorDim = dim;
  plan.shortDim = shortDim;
  plan.shortSize = size;
}

/// The order is fixed: parallel loops outside, reductions inside, and the
/// vector dimension last among its kind, so that vectors of one output stay in
/// registers while they are summed up.
cpu::LoopPlan cpu::planLoops(linalg::LinalgOp op, int64_t vectorBits) {
  LoopPlan plan;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  bool isVectorizable = llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return cpu::isVectorizable(&inner);
  });
  // Vectors along what is small are better than none.
  for (bool countsRepeated : {false, true}) {
    int64_t best = 0;
    if (!isVectorizable || plan.vectorDim)
      break;
    for (unsigned dim = 0; dim < sizes.size(); ++dim) {
      int64_t rating =
          rateDim(op, dim, sizes[dim], isReduction(kinds[dim]), countsRepeated);
      if (rating > best) {
        best = rating;
        plan.vectorDim = dim;
      }
    }
  }
  plan.widestBits = getWidestBits(op);
  int64_t lanes = std::max<int64_t>(vectorBits / plan.widestBits, 2);
  if (isVectorizable)
    planGroups(op, lanes, plan);
  if (isVectorizable && !plan.groupDim)
    planRows(op, lanes, plan);
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (plan.vectorDim != dim && plan.groupDim != dim && plan.shortDim != dim)
      (isReduction(kinds[dim]) ? plan.reductionDims : plan.parallelDims)
          .push_back(dim);
  }
  if (!plan.vectorDim)
    return plan;
  unsigned dim = *plan.vectorDim;
  (isReduction(kinds[dim]) ? plan.reductionDims : plan.parallelDims)
      .push_back(dim);
  plan.lanes = lanes * plan.shortSize;
  if (plan.shortDim)
    return plan;
  if (plan.groupDim) {
    plan.reductionDims.push_back(*plan.groupDim);
    return plan;
  }
  bool scattered = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return getAccess(op, operand, dim) == Access::Scattered &&
           !getShortStride(op, operand, dim);
  });
  // Several registers per vector hide the latency of a running value and the
  // cost of the loop; a long body fills the machine by itself.
  bool isShort = op.getBlock()->getOperations().size() <= 8;
  // Columns that are summed up go through rows, which are the longer the
  // better.
  bool sumsColumns = !plan.reductionDims.empty() && !isReduction(kinds[dim]);
  // An extremum of floats is three bounds, which AVX2 has registers for four
  // times.
  if (vectorBits == 256 && llvm::any_of(*op.getBlock(), [](Operation &inner) {
        return isa<arith::MaximumFOp, arith::MinimumFOp>(inner);
      }))
    sumsColumns = false;
  if (!scattered && isShort)
    for (int count : {sumsColumns ? 8 : 4, 4, 2})
      if (sizes[dim] >= plan.lanes * count) {
        plan.lanes *= count;
        break;
      }
  if (scattered)
    planTiles(op, plan);
  // Narrower vectors have no masked stores, and those of AVX-512 are fast.
  plan.splitsChoices = vectorBits == 256;
  // Not measured with AVX-512, whose CPUs have larger caches.
  plan.fetchesRows = vectorBits == 256 && !plan.tileDim;
  plan.maskable = isMaskable(op, dim);
  return plan;
}

std::optional<int64_t> cpu::getStrideBytes(MemRefType type, unsigned dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.getElementType().isIntOrFloat() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(strides[dim]))
    return std::nullopt;
  return strides[dim] * getByteWidth(type.getElementType());
}

int64_t cpu::countCachedRows(MemRefType type, unsigned dim,
                             const Target &target) {
  constexpr int64_t ways = 8;
  int64_t wayBytes = target.secondCacheBytes / ways;
  std::optional<int64_t> rowBytes = getStrideBytes(type, dim);
  return rowBytes ? ways * (wayBytes / std::gcd(*rowBytes, wayBytes))
                  : std::numeric_limits<int64_t>::max();
}
