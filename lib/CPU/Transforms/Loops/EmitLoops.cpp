//===- EmitLoops.cpp - Loops of a linalg operation ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits the loops of a linalg operation, as LoopPlan.cpp decided;
// EmitLoopBodies.cpp emits what runs in them.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"
#include "RegisterTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace mlir::pallas::cpu;

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
  int64_t step = plan.getStep();
  Value zero = index(0), lanes = index(step), full;
  if (known) {
    full = index(*known - *known % step);
  } else {
    Value rest = arith::RemUIOp::create(b, loc, size, lanes);
    full = arith::SubIOp::create(b, loc, size, rest);
  }
  if (known && *known / step == 1) {
    ivs[dim] = zero;
    running = emit(Mode{true, {}}, running);
  } else if (!known || *known >= step) {
    auto loop = scf::ForOp::create(
        b, loc, zero, full, lanes, running,
        [&](OpBuilder &, Location, Value iv, ValueRange carried) {
          ivs[dim] = iv;
          scf::YieldOp::create(b, loc, emit(Mode{true, {}}, Values(carried)));
        });
    vectorLoops.push_back(loop);
    running = loop.getResults();
  }
  if (known && *known % step == 0)
    return running;
  if (!plan.maskable)
    return emitScalarDim(full, size, dim, running,
                         [&](Values carried) { return emit(Mode(), carried); });
  // Masked lanes access no memory, and leave carried values as they are. One
  // vector covers the rest, so there is no loop.
  auto emitMasked = [&](Values carried) {
    ivs[dim] = full;
    Value count = arith::SubIOp::create(b, loc, size, full);
    Value mask =
        vector::CreateMaskOp::create(b, loc, vectorOf(b.getI1Type()), count);
    return emit(Mode{true, mask, known && *known % step == 1}, carried);
  };
  if (known)
    return emitMasked(running);
  // A masked vector takes as long as a full one, so it is skipped where the
  // size turns out to be a multiple of the lanes.
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
    return emitRow(mode);
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
  bool isAroundVectors = depth + 2 == plan.parallelDims.size() &&
                         plan.parallelDims.back() == plan.vectorDim;
  emitScalarDim(index(0), size, dim, {}, [&](Values) {
    if (isAroundVectors && plan.reductionDims.empty()) {
      ivs[*plan.vectorDim] = index(0);
      fetchRows(dim, op.getStaticLoopRanges()[*plan.vectorDim]);
    }
    emitParallel(depth + 1, mode);
    return Values();
  });
}

/// Squares over the vector dimension and the one along which the transposed
/// inputs lie.
///
///   %row0 = vector.load %x[%i0, %j] : memref<64x64xf32>, vector<4xf32>
///   %row1 = vector.load %x[%i1, %j] : memref<64x64xf32>, vector<4xf32>
///
/// and two more, transposed in registers, are the columns that the inner
/// programs take. A tile has as many rows as a vector has lanes, and the plan
/// takes only sizes that are multiples of these, so there is no rest.
void LoopEmitter::emitTiles() {
  unsigned across = *plan.vectorDim, along = *plan.tileDim;
  unsigned dims[] = {across, along};
  constexpr int64_t lineBytes = 64;
  int64_t lineElements =
      lineBytes / getByteWidth(getElementTypeOrSelf(op.getDpsInits()[0]));
  // Steps within a line of the cache come right after each other: other lines
  // would evict it where they are a large power of two apart.
  Value first[2];
  int64_t steps[2];
  OpBuilder::InsertionGuard guard(b);
  auto loopTo = [&](size_t i, Value from, Value to, int64_t step) {
    auto loop = scf::ForOp::create(b, loc, from, to, index(step));
    first[i] = loop.getInductionVar();
    b.setInsertionPoint(loop.getBody()->getTerminator());
  };
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t size = op.getStaticLoopRanges()[dim];
    steps[i] = std::max(plan.lanes, lineElements / plan.lanes * plan.lanes);
    while (size % steps[i] != 0)
      steps[i] -= plan.lanes;
    loopTo(i, index(0), index(size), steps[i]);
  }
  for (size_t i = 0; i < 2; ++i)
    if (steps[i] > plan.lanes)
      loopTo(i, first[i],
             arith::AddIOp::create(b, loc, first[i], index(steps[i])),
             plan.lanes);
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

/// All elements of a short row, which a vector has at once.
void LoopEmitter::emitRow(Mode mode) {
  if (!plan.shortDim)
    return emitProgram(mode);
  ivs[*plan.shortDim] = index(0);
  if (mode.isVector)
    return emitProgram(mode);
  emitScalarDim(index(0), index(plan.shortSize), *plan.shortDim, {},
                [&](Values) {
                  emitProgram(mode);
                  return Values();
                });
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
    // Each lane has a result of its own where the lanes are reduced. If all of
    // them started from the initial value, it would count as often as there are
    // lanes, so they start from the neutral element and it is combined at the
    // end.
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
    bool isInVectors =
        depth + 1 == plan.reductionDims.size() && mode.isVector && !mode.mask;
    return emitScalarDim(index(0), size, dim, running, [&](Values carried) {
      if (isInVectors)
        fetchRows(dim, plan.lanes);
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
/// With rows of 2 elements and 4 lanes:
///
///   %all = vector.load %x[%i, %c0] : memref<64x2xf32>, vector<8xf32>
///   %first = vector.shuffle %all, %all [0, 2, 4, 6]
///       : vector<8xf32>, vector<8xf32>
///   %second = vector.shuffle %all, %all [1, 3, 5, 7]
///       : vector<8xf32>, vector<8xf32>
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

LogicalResult cpu::emitLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                             const LoopPlan &plan) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LoopEmitter(rewriter, op, plan).run();
  return success();
}
