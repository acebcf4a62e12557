//===- EmitLoops.cpp - Loops and vectors of a linalg operation ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits loops and vectors for a linalg operation, as LoopPlan.cpp
// decided.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"
#include "RegisterTiles.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

namespace {
/// One way to run the body: on single elements, on full vectors, or on the
/// lanes of `mask`.
struct Mode {
  bool isVector = false;
  Value mask;
  /// Whether the mask is known to have the first lane only.
  bool isOneLane = false;
};

class LoopEmitter {
public:
  LoopEmitter(RewriterBase &rewriter, linalg::LinalgOp op, const LoopPlan &plan)
      : b(rewriter), op(op), plan(plan), loc(op.getLoc()),
        ivs(op.getNumLoops()) {}

  void run();

private:
  using Values = SmallVector<Value>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  VectorType vectorOf(Type element, int64_t lanes) {
    return VectorType::get({lanes}, element);
  }
  VectorType vectorOf(Type element) { return vectorOf(element, plan.lanes); }
  Value broadcast(Value value) {
    return isa<VectorType>(value.getType())
               ? value
               : vector::BroadcastOp::create(b, loc, vectorOf(value.getType()),
                                             value);
  }

  void emitParallel(unsigned depth, Mode mode);
  void emitTiles();
  void emitProgram(Mode mode);
  Values emitReduction(unsigned depth, Mode mode, Values running);
  Values emitGroups(unsigned dim, Mode mode, Values running);
  Values emitBody(Mode mode, ValueRange running);
  Values emitVectorDim(unsigned dim, Values running,
                       llvm::function_ref<Values(Mode, Values)> emit);
  Values emitScalarDim(Value lower, Value upper, unsigned dim, Values running,
                       llvm::function_ref<Values(Values)> emit);

  void preload(unsigned dim);
  Values getIndices(OpOperand &operand);
  Value emitLoad(OpOperand &operand, Mode mode);
  void emitStore(OpOperand &operand, Value value, Mode mode);
  Value emitIndex(linalg::IndexOp indexOp, Mode mode);
  Value emitLaneLoads(Value memory, ArrayRef<Value> indices, Mode mode);
  Value emitInner(Operation &inner, IRMapping &mapping, Mode mode);
  Value getNeutral(unsigned output);
  Value collapse(unsigned output, Value partial, Value initial);
  Value combine(unsigned output, Value lhs, Value rhs);

  RewriterBase &b;
  linalg::LinalgOp op;
  const LoopPlan &plan;
  Location loc;
  SmallVector<Range> ranges;
  /// Elements of inputs that are the same for the whole vector dimension.
  DenseMap<OpOperand *, Value> preloaded;
  SmallVector<scf::ForOp> vectorLoops;
  /// Current index of each dimension; that of the vector dimension is the index
  /// of the first lane.
  Values ivs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Invariant code moves out last, when all loops are complete.
void LoopEmitter::run() {
  ranges = op.createLoopRanges(b, loc);
  emitParallel(0, Mode());
  for (scf::ForOp vectorLoop : vectorLoops)
    moveLoopInvariantCode(vectorLoop);
}

/// A loop from `lower` to `upper`, or nothing but its body when it runs once.
LoopEmitter::Values
LoopEmitter::emitScalarDim(Value lower, Value upper, unsigned dim,
                           Values running,
                           llvm::function_ref<Values(Values)> emit) {
  std::optional<int64_t> from = getConstantIntValue(lower),
                         to = getConstantIntValue(upper);
  if (from && to && *to - *from == 1) {
    ivs[dim] = lower;
    return emit(running);
  }
  auto loop = scf::ForOp::create(
      b, loc, lower, upper, index(1), running,
      [&](OpBuilder &, Location, Value iv, ValueRange carried) {
        ivs[dim] = iv;
        scf::YieldOp::create(b, loc, emit(Values(carried)));
      });
  return loop.getResults();
}

/// Emits full vectors, then the rest: masked, or element by element.
///
///   scf.for %i = %c0 to %c96 step %c16 {...}
///   %mask = vector.create_mask %c4 : vector<16xi1>
LoopEmitter::Values
LoopEmitter::emitVectorDim(unsigned dim, Values running,
                           llvm::function_ref<Values(Mode, Values)> emit) {
  preload(dim);
  Value size = getValueOrCreateConstantIndexOp(b, loc, ranges[dim].size);
  std::optional<int64_t> known = getConstantIntValue(size);
  Value zero = index(0), lanes = index(plan.lanes), full;
  if (known) {
    full = index(*known - *known % plan.lanes);
  } else {
    Value rest = arith::RemUIOp::create(b, loc, size, lanes);
    full = arith::SubIOp::create(b, loc, size, rest);
  }
  if (known && *known / plan.lanes == 1) {
    ivs[dim] = zero;
    running = emit(Mode{true, {}}, running);
  } else if (!known || *known >= plan.lanes) {
    auto loop = scf::ForOp::create(
        b, loc, zero, full, lanes, running,
        [&](OpBuilder &, Location, Value iv, ValueRange carried) {
          ivs[dim] = iv;
          scf::YieldOp::create(b, loc, emit(Mode{true, {}}, Values(carried)));
        });
    vectorLoops.push_back(loop);
    running = loop.getResults();
  }
  if (known && *known % plan.lanes == 0)
    return running;
  if (!plan.maskable)
    return emitScalarDim(full, size, dim, running,
                         [&](Values carried) { return emit(Mode(), carried); });
  auto emitMasked = [&](Values carried) {
    ivs[dim] = full;
    Value count = arith::SubIOp::create(b, loc, size, full);
    Value mask =
        vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type()), count);
    return emit(Mode{true, mask, known && *known % plan.lanes == 1}, carried);
  };
  if (known)
    return emitMasked(running);
  Value isPartial =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, full, size);
  auto rest = scf::IfOp::create(
      b, loc, isPartial,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, emitMasked(running));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, running); });
  return rest.getResults();
}

/// Emits the loops over parallel dimensions; each iteration writes elements of
/// its own.
void LoopEmitter::emitParallel(unsigned depth, Mode mode) {
  if (depth == plan.parallelDims.size())
    return emitProgram(mode);
  unsigned dim = plan.parallelDims[depth];
  if (plan.vectorDim == dim && plan.tileDim)
    return emitTiles();
  if (plan.vectorDim == dim) {
    emitVectorDim(dim, {}, [&](Mode inner, Values) {
      emitParallel(depth + 1, inner);
      return Values();
    });
    return;
  }
  Value size = getValueOrCreateConstantIndexOp(b, loc, ranges[dim].size);
  emitScalarDim(index(0), size, dim, {}, [&](Values) {
    emitParallel(depth + 1, mode);
    return Values();
  });
}

/// Squares over the vector dimension and the one along which the transposed
/// inputs lie.
void LoopEmitter::emitTiles() {
  unsigned across = *plan.vectorDim, along = *plan.tileDim;
  unsigned dims[] = {across, along};
  Value first[2];
  OpBuilder::InsertionGuard guard(b);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, ranges[dim].size);
    auto loop = scf::ForOp::create(b, loc, index(0), size, index(plan.lanes));
    first[i] = loop.getInductionVar();
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  auto moveTo = [&](unsigned dim, Value start, int64_t offset) {
    ivs[dim] = arith::AddIOp::create(b, loc, start, index(offset));
  };
  moveTo(along, first[1], 0);
  SmallVector<std::pair<OpOperand *, Values>> tiles;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (getAccess(op, *input, across) != Access::Scattered)
      continue;
    Values rows;
    Type element = getElementTypeOrSelf(input->get().getType());
    for (int64_t i = 0; i < plan.lanes; ++i) {
      moveTo(across, first[0], i);
      rows.push_back(vector::LoadOp::create(b, loc, vectorOf(element),
                                            input->get(), getIndices(*input)));
    }
    tiles.push_back({input, transposeTile(b, loc, std::move(rows))});
  }
  moveTo(across, first[0], 0);
  for (int64_t i = 0; i < plan.lanes; ++i) {
    moveTo(along, first[1], i);
    for (auto &[input, columns] : tiles)
      preloaded[input] = columns[i];
    emitProgram(Mode{true, {}});
  }
  preloaded.clear();
}

/// Everything for one element, or one vector, of the outputs.
void LoopEmitter::emitProgram(Mode mode) {
  MutableArrayRef<OpOperand> outputs = op.getDpsInitsMutable();
  Values results;
  if (plan.reductionDims.empty()) {
    results = emitBody(mode, {});
  } else {
    Values initial;
    for (OpOperand &output : outputs)
      initial.push_back(emitLoad(output, mode));
    bool isVectorReduction =
        plan.vectorDim &&
        llvm::is_contained(plan.reductionDims, *plan.vectorDim);
    Values running = initial;
    if (isVectorReduction)
      for (unsigned i = 0; i < running.size(); ++i)
        running[i] = getNeutral(i);
    else if (mode.isVector)
      for (Value &value : running)
        value = broadcast(value);
    results = emitReduction(0, mode, running);
    if (isVectorReduction)
      for (unsigned i = 0; i < results.size(); ++i)
        results[i] = collapse(i, results[i], initial[i]);
  }
  for (auto [output, result] : llvm::zip_equal(outputs, results))
    emitStore(output, result, mode);
}

/// Emits the loops over reduction dimensions, which carry `running`.
LoopEmitter::Values LoopEmitter::emitReduction(unsigned depth, Mode mode,
                                               Values running) {
  if (depth == plan.reductionDims.size())
    return emitBody(mode, running);
  unsigned dim = plan.reductionDims[depth];
  if (plan.groupDim == dim && mode.isVector)
    return emitGroups(dim, mode, running);
  if (plan.vectorDim != dim) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, ranges[dim].size);
    return emitScalarDim(index(0), size, dim, running, [&](Values carried) {
      return emitReduction(depth + 1, mode, carried);
    });
  }
  return emitVectorDim(dim, running, [&](Mode inner, Values carried) {
    if (inner.isVector)
      return emitBody(inner, carried);
    // A scalar rest goes into the first lane of the partial results.
    Values scalars;
    for (Value value : carried)
      scalars.push_back(vector::ExtractOp::create(b, loc, value, 0));
    Values next = emitBody(inner, scalars);
    for (auto [value, whole] : llvm::zip_equal(next, carried))
      value = vector::InsertOp::create(b, loc, value, whole, 0);
    return next;
  });
}

/// All steps of a short reduction. A vector holds the first elements of as many
/// groups as there are lanes, the next one the second elements, and so on.
LoopEmitter::Values LoopEmitter::emitGroups(unsigned dim, Mode mode,
                                            Values running) {
  int64_t size = op.getStaticLoopRanges()[dim];
  SmallVector<std::pair<OpOperand *, Value>> groups;
  ivs[dim] = index(0);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (getAccess(op, *input, *plan.vectorDim) != Access::Scattered)
      continue;
    VectorType type = vectorOf(getElementTypeOrSelf(input->get().getType()),
                               plan.lanes * size);
    groups.push_back({input, vector::LoadOp::create(b, loc, type, input->get(),
                                                    getIndices(*input))});
  }
  for (int64_t step = 0; step < size; ++step) {
    ivs[dim] = index(step);
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < plan.lanes; ++lane)
      places.push_back(lane * size + step);
    for (auto [input, all] : groups)
      preloaded[input] = vector::ShuffleOp::create(b, loc, all, all, places);
    running = emitBody(mode, running);
  }
  for (auto [input, all] : groups)
    preloaded.erase(input);
  return running;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

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

Value LoopEmitter::emitLoad(OpOperand &operand, Mode mode) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return operand.get();
  if (Value value = preloaded.lookup(&operand))
    return value;
  Access access =
      mode.isVector ? getAccess(op, operand, *plan.vectorDim) : Access::Uniform;
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
  VectorType vectorType = vectorOf(type.getElementType());
  if (!mode.mask)
    return vector::LoadOp::create(b, loc, vectorType, operand.get(), indices);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  return vector::MaskedLoadOp::create(b, loc, vectorType, operand.get(),
                                      indices, mode.mask, zero);
}

void LoopEmitter::emitStore(OpOperand &operand, Value value, Mode mode) {
  Access access =
      mode.isVector ? getAccess(op, operand, *plan.vectorDim) : Access::Uniform;
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
  } else {
    vector::StoreOp::create(b, loc, broadcast(value), operand.get(), indices);
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

Value LoopEmitter::emitIndex(linalg::IndexOp indexOp, Mode mode) {
  Value iv = ivs[indexOp.getDim()];
  if (!mode.isVector || indexOp.getDim() != *plan.vectorDim)
    return iv;
  Value steps = vector::StepOp::create(b, loc, vectorOf(b.getIndexType()));
  return arith::AddIOp::create(b, loc, broadcast(iv), steps);
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
      own.push_back(isVector(value)
                        ? vector::ExtractOp::create(b, loc, value, lane)
                        : value);
    elements.push_back(memref::LoadOp::create(b, loc, memory, own));
  }
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  return vector::FromElementsOp::create(b, loc, vectorOf(element), elements);
}

Value LoopEmitter::emitInner(Operation &inner, IRMapping &mapping, Mode mode) {
  if (auto indexOp = dyn_cast<linalg::IndexOp>(inner))
    return emitIndex(indexOp, mode);
  // Counting in the type that is wanted keeps index vectors from being twice
  // as wide as the data.
  if (auto castOp = dyn_cast<arith::IndexCastOp>(inner)) {
    auto indexOp = castOp.getIn().getDefiningOp<linalg::IndexOp>();
    Type type = castOp.getType();
    if (indexOp && mode.isVector && indexOp.getDim() == *plan.vectorDim &&
        type.isInteger(32)) {
      SmallVector<int32_t> steps(plan.lanes);
      std::iota(steps.begin(), steps.end(), 0);
      Value first =
          arith::IndexCastOp::create(b, loc, type, ivs[*plan.vectorDim]);
      Value offsets = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(vectorOf(type), ArrayRef(steps)));
      return arith::AddIOp::create(b, loc, broadcast(first), offsets);
    }
  }
  if (auto load = dyn_cast<memref::LoadOp>(inner)) {
    Values indices;
    for (Value value : load.getIndices())
      indices.push_back(mapping.lookupOrDefault(value));
    return emitLaneLoads(load.getMemRef(), indices, mode);
  }
  Values operands;
  bool isUniform = true;
  for (Value operand : inner.getOperands()) {
    operands.push_back(mapping.lookupOrDefault(operand));
    isUniform &= !isa<VectorType>(operands.back().getType());
  }
  if (isUniform)
    return b.clone(inner, mapping)->getResult(0);
  for (Value &operand : operands)
    operand = broadcast(operand);
  OperationState state(inner.getLoc(), inner.getName());
  state.addOperands(operands);
  state.addAttributes(inner.getAttrs());
  for (Type type : inner.getResultTypes())
    state.addTypes(vectorOf(type));
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

LogicalResult cpu::emitLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                             const LoopPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LoopEmitter(rewriter, op, plan).run();
  return success();
}
