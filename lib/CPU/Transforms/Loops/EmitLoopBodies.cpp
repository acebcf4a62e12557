//===- EmitLoopBodies.cpp - What runs in the loops of an operation --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits loads, stores, the body and reductions of a linalg operation,
// on single elements and on vectors.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Fetches a later row of `length` elements, if rows are one loop iteration and
/// at least half a page apart, and more of them than the second cache holds. A
/// loop that ends before the later row has none to fetch.
///
///   %later = arith.addi %i, %c16 : index
///   memref.prefetch %x[%later, %j], read, locality<2>, data : ...
void LoopEmitter::fetchRow(OpOperand &operand, unsigned dim, int64_t length) {
  constexpr int64_t ahead = 16, lineBytes = 64, longest = 1024,
                    leastStride = 2048, cacheBytes = 512 * 1024;
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t size = op.getStaticLoopRanges()[dim];
  AffineExpr here = getAffineDimExpr(dim, b.getContext());
  std::optional<unsigned> position = map.getResultPosition(here);
  if (!type || !position || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 32 ||
      getAccess(op, operand, *plan.vectorDim) != Access::Contiguous ||
      ShapedType::isDynamic(size))
    return;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t stride = getStrideBytes(type, *position).value_or(0);
  if (length * bytes > longest || stride < leastStride ||
      stride < 2 * length * bytes || size <= ahead ||
      size * stride <= cacheBytes)
    return;
  Value row = ivs[dim], first = ivs[*plan.vectorDim];
  ivs[dim] = arith::AddIOp::create(b, loc, row, index(ahead));
  for (int64_t at = 0; at < length; at += lineBytes / bytes) {
    ivs[*plan.vectorDim] = arith::AddIOp::create(b, loc, first, index(at));
    memref::PrefetchOp::create(b, loc, operand.get(), getIndices(operand),
                               /*isWrite=*/op.isDpsInit(&operand),
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
  ivs[dim] = row;
  ivs[*plan.vectorDim] = first;
}

void LoopEmitter::fetchRows(unsigned dim, int64_t length) {
  if (!plan.fetchesRows || ShapedType::isDynamic(length))
    return;
  for (OpOperand &operand : op->getOpOperands())
    fetchRow(operand, dim, length);
}

/// Loads what doesn't change along the vector dimension once. The optimizer
/// can't, since it doesn't know that outputs are no inputs of other elements.
void LoopEmitter::preload(unsigned dim) {
  preloaded.clear();
  bool isParallel = llvm::is_contained(plan.parallelDims, dim);
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isKnown = isa<MemRefType>(input->get().getType()) &&
                   !map.isFunctionOfDim(dim) &&
                   !op.getMatchingBlockArgument(input).use_empty();
    if (isParallel)
      for (unsigned inner : plan.reductionDims)
        isKnown &= !map.isFunctionOfDim(inner);
    if (isKnown)
      preloaded[input] =
          memref::LoadOp::create(b, loc, input->get(), getIndices(*input));
  }
}

LoopEmitter::Values LoopEmitter::getIndices(OpOperand &operand) {
  Values indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(affine::expandAffineExpr(b, loc, expr, ivs, {}));
  return indices;
}

/// How an operand lies along a vector.
Access LoopEmitter::getLaneAccess(OpOperand &operand, Mode mode) {
  if (!mode.isVector)
    return Access::Uniform;
  if (plan.shortDim &&
      op.getMatchingIndexingMap(&operand).isFunctionOfDim(*plan.shortDim))
    return Access::Contiguous;
  return getAccess(op, operand, *plan.vectorDim);
}

/// Repeats each element of a vector that has one for each short row, as often
/// as the row has elements.
Value LoopEmitter::repeat(Value narrow) {
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < plan.lanes; ++lane)
    places.push_back(lane / plan.shortSize);
  return vector::ShuffleOp::create(b, loc, narrow, narrow, places);
}

/// Every second element, or third, or fourth, from vectors of all of them. The
/// last of these ends with the last element that is wanted, so that none is
/// read behind it:
///
///   %low = vector.load %x[%at] : memref<?xf32>, vector<4xf32>
///   %high = vector.load %x[%at + 3] : memref<?xf32>, vector<4xf32>
///   %even = vector.shuffle %low, %high [0, 2, 5, 7]
///       : vector<4xf32>, vector<4xf32>
Value LoopEmitter::loadStrided(OpOperand &operand, int64_t stride) {
  auto memory = memref::ExtractStridedMetadataOp::create(b, loc, operand.get());
  Value first = memory.getOffset();
  for (auto [place, step] :
       llvm::zip_equal(getIndices(operand), memory.getStrides()))
    first = arith::AddIOp::create(b, loc, first,
                                  arith::MulIOp::create(b, loc, place, step));
  VectorType type = vectorOf(getElementTypeOrSelf(operand.get().getType()));
  int64_t lanes = plan.lanes;
  auto load = [&](int64_t start) -> Value {
    Value offset = arith::AddIOp::create(b, loc, first, index(start));
    auto viewType = MemRefType::get(
        {lanes}, type.getElementType(),
        StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
    Value view = memref::ReinterpretCastOp::create(
        b, loc, viewType, memory.getBaseBuffer(), OpFoldResult(offset),
        ArrayRef<OpFoldResult>(b.getIndexAttr(lanes)),
        ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
    return vector::LoadOp::create(b, loc, type, view, index(0));
  };
  // Lanes that come from vectors before this one stay where they are.
  Value found;
  for (int64_t i = 0; i < stride; ++i) {
    int64_t start = std::min(i * lanes, (lanes - 1) * stride + 1 - lanes);
    Value next = load(start);
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t place = lane * stride - start;
      bool isHere = place >= 0 && place < lanes && lane * stride >= i * lanes;
      places.push_back(isHere ? lanes + place : lane);
    }
    found =
        vector::ShuffleOp::create(b, loc, found ? found : next, next, places);
  }
  return found;
}

Value LoopEmitter::emitVectorLoad(Value memory, ValueRange indices,
                                  int64_t lanes, Mode mode) {
  VectorType type =
      vectorOf(cast<MemRefType>(memory.getType()).getElementType(), lanes);
  if (!mode.mask)
    return vector::LoadOp::create(b, loc, type, memory, indices);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, loc, type, memory, indices, mode.mask,
                                      zero);
}

/// Loads the elements of an operand, for a dimension of vectors `j`:
///
///   (i, j) -> (i, j)    vector.load %x[%i, %j], or masked at the end
///   (i, j) -> (i)       memref.load %x[%i]: one element for all lanes
///   (i, j) -> (j, i)    a memref.load per lane, put together
///
/// Behind the end, loads of single lanes read the last element again, since
/// the one that they would read may be outside of the allocation.
Value LoopEmitter::emitLoad(OpOperand &operand, Mode mode) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  if (Value value = preloaded.lookup(&operand))
    return value;
  Access access = getLaneAccess(operand, mode);
  if (access == Access::Scattered && !mode.mask)
    if (std::optional<int64_t> stride =
            getShortStride(op, operand, *plan.vectorDim))
      return loadStrided(operand, *stride);
  if (access == Access::Scattered) {
    SmallVector<Values> lanes;
    Value first = ivs[*plan.vectorDim], limit;
    if (mode.mask)
      limit = arith::SubIOp::create(
          b, loc,
          getValueOrCreateConstantIndexOp(b, loc, ranges[*plan.vectorDim].size),
          index(1));
    Values elements;
    for (int64_t lane = 0; lane < plan.lanes; ++lane) {
      Value iv = arith::AddIOp::create(b, loc, first, index(lane));
      ivs[*plan.vectorDim] =
          limit ? arith::MinUIOp::create(b, loc, iv, limit) : iv;
      elements.push_back(
          memref::LoadOp::create(b, loc, operand.get(), getIndices(operand)));
    }
    ivs[*plan.vectorDim] = first;
    return vector::FromElementsOp::create(
        b, loc, vectorOf(type.getElementType()), elements);
  }
  Values indices = getIndices(operand);
  if (access == Access::Uniform)
    return memref::LoadOp::create(b, loc, operand.get(), indices);
  bool hasRows = op.getMatchingIndexingMap(&operand).isFunctionOfDim(
      plan.shortDim.value_or(*plan.vectorDim));
  return emitVectorLoad(operand.get(), indices,
                        hasRows ? plan.lanes : plan.getStep(), mode);
}

/// Stores a choice between a new value and the one that is there. LLVM makes a
/// masked store of it, for which AMD's CPUs with AVX2 take some 12 cycles. Most
/// masks keep off the end of an array, so most have all lanes:
///
///   %all = vector.reduction <and>, %mask : vector<8xi1> into i1
///   scf.if %all { vector.store %new } else { vector.store %chosen }
void LoopEmitter::emitChosenStore(arith::SelectOp chosen, Value memory,
                                  ValueRange indices) {
  Value all = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND,
                                          chosen.getCondition());
  auto storing = [&](Value value) {
    return [=](OpBuilder &nested, Location loc) {
      vector::StoreOp::create(nested, loc, value, memory, indices);
      scf::YieldOp::create(nested, loc);
    };
  };
  scf::IfOp::create(b, loc, all, storing(chosen.getTrueValue()),
                    storing(chosen));
}

/// Whether the value is chosen lane by lane between a new one and the one at
/// the place that it is stored to. Elements of less than 32 bits have no masked
/// stores.
static bool keepsLanes(arith::SelectOp chosen, Value memory,
                       ValueRange indices) {
  if (!chosen || !isa<VectorType>(chosen.getCondition().getType()))
    return false;
  auto old = chosen.getFalseValue().getDefiningOp<vector::LoadOp>();
  return old && old.getVectorType().getElementTypeBitWidth() >= 32 &&
         old.getBase() == memory && llvm::equal(old.getIndices(), indices);
}

/// The same three forms for what the body yields. A value that is alike in all
/// lanes stays a scalar up to here, and becomes a vector for the store.
void LoopEmitter::emitStore(OpOperand &operand, Value value, Mode mode) {
  Access access = getLaneAccess(operand, mode);
  if (access == Access::Scattered) {
    Value whole = broadcast(value), first = ivs[*plan.vectorDim];
    for (int64_t lane = 0; lane < plan.lanes; ++lane) {
      ivs[*plan.vectorDim] = arith::AddIOp::create(b, loc, first, index(lane));
      memref::StoreOp::create(b, loc,
                              vector::ExtractOp::create(b, loc, whole, lane),
                              operand.get(), getIndices(operand));
    }
    ivs[*plan.vectorDim] = first;
    return;
  }
  Values indices = getIndices(operand);
  if (access == Access::Uniform) {
    memref::StoreOp::create(b, loc, value, operand.get(), indices);
  } else if (mode.isOneLane) {
    // LLVM 22 stores the wide element when the mask of a truncated vector is
    // known to have a single lane, over the neighbours that follow.
    Value first = vector::ExtractOp::create(b, loc, broadcast(value), 0);
    memref::StoreOp::create(b, loc, first, operand.get(), indices);
  } else if (mode.mask) {
    vector::MaskedStoreOp::create(b, loc, operand.get(), indices, mode.mask,
                                  broadcast(value));
  } else if (auto chosen = value.getDefiningOp<arith::SelectOp>();
             plan.splitsChoices && keepsLanes(chosen, operand.get(), indices)) {
    emitChosenStore(chosen, operand.get(), indices);
  } else {
    vector::StoreOp::create(b, loc, broadcast(value), operand.get(), indices);
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// By how much the index of each lane along `dim` exceeds that of the first:
/// 0, 1, 2, ... along the vector dimension, and 0, 1, 0, 1, ... in rows of two.
Value LoopEmitter::getLaneSteps(unsigned dim, Type type) {
  int64_t count = plan.getStep(), size = count;
  if (dim == plan.shortDim) {
    count = plan.lanes;
    size = plan.shortSize;
  } else if (type.isIndex()) {
    return vector::StepOp::create(b, loc, vectorOf(type, count));
  }
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < count; ++lane)
    steps.emplace_back(bits, lane % size);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vectorOf(type, count), steps));
}

/// The indices of all lanes along `dim`, from the first one on.
Value LoopEmitter::addLaneSteps(unsigned dim, Value first) {
  Value steps = getLaneSteps(dim, first.getType());
  int64_t lanes = cast<VectorType>(steps.getType()).getDimSize(0);
  return arith::AddIOp::create(b, loc, broadcast(first, lanes), steps);
}

/// Whether the index along `dim` differs from lane to lane.
bool LoopEmitter::variesInLanes(unsigned dim, Mode mode) const {
  return mode.isVector && (dim == *plan.vectorDim || dim == plan.shortDim);
}

Value LoopEmitter::emitIndex(linalg::IndexOp indexOp, Mode mode) {
  unsigned dim = indexOp.getDim();
  return variesInLanes(dim, mode) ? addLaneSteps(dim, ivs[dim]) : ivs[dim];
}

/// A load at computed indices, which is done lane by lane when they differ.
Value LoopEmitter::emitLaneLoads(Value memory, ArrayRef<Value> indices,
                                 Mode mode) {
  auto isVector = [](Value v) { return isa<VectorType>(v.getType()); };
  if (llvm::none_of(indices, isVector))
    return memref::LoadOp::create(b, loc, memory, indices);
  Values elements;
  for (int64_t lane = 0; lane < plan.lanes; ++lane) {
    Values own;
    for (Value value : indices)
      own.push_back(isVector(value) ? vector::ExtractOp::create(
                                          b, loc, broadcast(value), lane)
                                    : value);
    elements.push_back(memref::LoadOp::create(b, loc, memory, own));
  }
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  return vector::FromElementsOp::create(b, loc, vectorOf(element), elements);
}

/// A load in the body: a vector where lanes read elements side by side.
///
///   %j = linalg.index 1 : index
///   %element = memref.load %x[%row, %j] : memref<8x128xf32>
///
/// becomes
///
///   %elements = vector.load %x[%row, %first]
///       : memref<8x128xf32>, vector<8xf32>
Value LoopEmitter::emitBodyLoad(memref::LoadOp load, IRMapping &mapping,
                                Mode mode) {
  Values indices;
  for (Value value : load.getIndices())
    indices.push_back(mapping.lookupOrDefault(value));
  std::optional<Value> start;
  if (mode.isVector && !plan.shortDim)
    start = getRowStart(op, load, *plan.vectorDim);
  if (!start)
    return emitLaneLoads(load.getMemRef(), indices, mode);
  indices.back() = ivs[*plan.vectorDim];
  if (*start)
    indices.back() = arith::AddIOp::create(
        b, loc, mapping.lookupOrDefault(*start), indices.back());
  return emitVectorLoad(load.getMemRef(), indices, plan.lanes, mode);
}

/// An operation of the body becomes one of vectors as soon as an operand is a
/// vector; until then it is computed once for all lanes. A vector with one
/// element for each short row stays narrow until a wide operand meets it:
///
///   %s = arith.mulf %scale, %two : f32     both are alike in all lanes
///   %v = arith.mulf %x, %s : vector<16xf32>
Value LoopEmitter::emitInner(Operation &inner, IRMapping &mapping, Mode mode) {
  if (auto indexOp = dyn_cast<linalg::IndexOp>(inner))
    return emitIndex(indexOp, mode);
  // Counting in the type that is wanted keeps index vectors from being twice
  // as wide as the data.
  if (auto castOp = dyn_cast<arith::IndexCastOp>(inner)) {
    auto indexOp = castOp.getIn().getDefiningOp<linalg::IndexOp>();
    if (indexOp && castOp.getType().isInteger(32) &&
        variesInLanes(indexOp.getDim(), mode))
      return addLaneSteps(indexOp.getDim(),
                          arith::IndexCastOp::create(b, loc, castOp.getType(),
                                                     ivs[indexOp.getDim()]));
  }
  if (auto load = dyn_cast<memref::LoadOp>(inner))
    return emitBodyLoad(load, mapping, mode);
  Values operands;
  bool isUniform = true;
  int64_t lanes = plan.getStep();
  for (Value operand : inner.getOperands()) {
    operands.push_back(mapping.lookupOrDefault(operand));
    bool isVector = isa<VectorType>(operands.back().getType());
    isUniform &= !isVector;
    if (isVector && !isNarrow(operands.back()))
      lanes = plan.lanes;
  }
  if (isUniform)
    return b.clone(inner, mapping)->getResult(0);
  for (auto [number, operand] : llvm::enumerate(operands)) {
    // LLVM makes two loops of a choice that is the same for a whole row.
    bool isCommonChoice = isa<arith::SelectOp>(inner) && number == 0 &&
                          !isa<VectorType>(operand.getType());
    if (!isCommonChoice)
      operand =
          lanes == plan.lanes ? broadcast(operand) : broadcast(operand, lanes);
  }
  OperationState state(inner.getLoc(), inner.getName());
  state.addOperands(operands);
  state.addAttributes(inner.getAttrs());
  for (Type type : inner.getResultTypes())
    state.addTypes(vectorOf(type, lanes));
  Operation *vectorOp = b.create(state);
  mapping.map(inner.getResults(), vectorOp->getResults());
  return vectorOp->getResult(0);
}

/// Clones the body with vectors for scalars.
LoopEmitter::Values LoopEmitter::emitBody(Mode mode, ValueRange running) {
  IRMapping mapping;
  Block *body = op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand) && !running.empty())
      mapping.map(argument,
                  running[operand.getOperandNumber() - op.getNumDpsInputs()]);
    else if (!argument.use_empty())
      mapping.map(argument, emitLoad(operand, mode));
  }
  for (Operation &inner : body->without_terminator()) {
    Value result = emitInner(inner, mapping, mode);
    if (inner.getNumResults() == 1)
      mapping.map(inner.getResult(0), result);
  }
  Values results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  if (!running.empty() && mode.isVector)
    for (Value &result : results)
      result = broadcast(result);
  // Lanes that are masked off keep what they had.
  if (!running.empty() && mode.mask)
    for (auto [result, before] : llvm::zip_equal(results, running))
      result = arith::SelectOp::create(b, loc, mode.mask, result, before);
  return results;
}

//===----------------------------------------------------------------------===//
// Reductions over the vector dimension
//===----------------------------------------------------------------------===//

Value LoopEmitter::getNeutral(unsigned output) {
  Operation *combiner = getCombiner(op, output);
  TypedAttr neutral = *arith::getNeutralElement(combiner);
  auto type = vectorOf(neutral.getType());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, neutral));
}

Value LoopEmitter::combine(unsigned output, Value lhs, Value rhs) {
  Operation *combiner = getCombiner(op, output);
  OperationState state(loc, combiner->getName());
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  state.addAttributes(combiner->getAttrs());
  return b.create(state)->getResult(0);
}

/// Halves the vector until one element is left: the sum of a tree, which is
/// more exact and faster than one after the other.
Value LoopEmitter::collapse(unsigned output, Value partial, Value initial) {
  Type element = initial.getType();
  // The order of extrema doesn't matter.
  Operation *combiner = getCombiner(op, output);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner))
    return vector::ReductionOp::create(b, loc,
                                       isa<arith::MaximumFOp>(combiner)
                                           ? vector::CombiningKind::MAXIMUMF
                                           : vector::CombiningKind::MINIMUMF,
                                       partial, initial);
  for (int64_t lanes = plan.lanes / 2; lanes >= 1; lanes /= 2) {
    VectorType half = vectorOf(element, lanes);
    Value low = vector::ExtractStridedSliceOp::create(
        b, loc, partial, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{lanes},
        ArrayRef<int64_t>{1});
    Value high = vector::ExtractStridedSliceOp::create(
        b, loc, partial, ArrayRef<int64_t>{lanes}, ArrayRef<int64_t>{lanes},
        ArrayRef<int64_t>{1});
    partial = combine(output, low, high);
    assert(partial.getType() == half);
  }
  Value last = vector::ExtractOp::create(b, loc, partial, 0);
  return combine(output, initial, last);
}
