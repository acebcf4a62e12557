//===- LoopEmitter.h - Loops and vectors of a linalg operation --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPEMITTER_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPEMITTER_H

#include "LoopPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::pallas::cpu {

/// One way to run the body: on single elements, on full vectors, or on the
/// lanes of `mask`.
struct Mode {
  bool isVector = false;
  Value mask;
  /// Whether the mask is known to have the first lane only.
  bool isOneLane = false;
};

/// Emits what LoopPlan.cpp decided: EmitLoops.cpp has the loops, and
/// EmitLoopBodies.cpp what runs in them.
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
  /// Whether a vector has one element for each short row.
  bool isNarrow(Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    return type && type.getDimSize(0) < plan.lanes;
  }
  /// A vector of `lanes` elements, which vectors have to have already.
  Value broadcast(Value value, int64_t lanes) {
    assert((!isa<VectorType>(value.getType()) ||
            cast<VectorType>(value.getType()).getDimSize(0) == lanes) &&
           "vectors of other widths are repeated, not broadcast");
    return isa<VectorType>(value.getType())
               ? value
               : vector::BroadcastOp::create(
                     b, loc, vectorOf(value.getType(), lanes), value);
  }
  Value broadcast(Value value) {
    return isNarrow(value) ? repeat(value) : broadcast(value, plan.lanes);
  }
  Value repeat(Value narrow);

  void emitParallel(unsigned depth, Mode mode);
  void emitTiles();
  void emitRow(Mode mode);
  void emitProgram(Mode mode);
  Values emitReduction(unsigned depth, Mode mode, Values running);
  Values emitGroups(unsigned dim, Mode mode, Values running);
  Values emitBody(Mode mode, ValueRange running);
  Values emitVectorDim(unsigned dim, Values running,
                       llvm::function_ref<Values(Mode, Values)> emit);
  Values emitScalarDim(Value lower, Value upper, unsigned dim, Values running,
                       llvm::function_ref<Values(Values)> emit);

  void fetchRows(unsigned dim, int64_t length);
  void fetchRow(OpOperand &operand, unsigned dim, int64_t length);
  void preload(unsigned dim);
  Values getIndices(OpOperand &operand);
  Value loadStrided(OpOperand &operand, int64_t stride);
  Value emitVectorLoad(Value memory, ValueRange indices, int64_t lanes,
                       Mode mode);
  Value emitLoad(OpOperand &operand, Mode mode);
  void emitChosenStore(arith::SelectOp chosen, Value memory,
                       ValueRange indices);
  void emitStore(OpOperand &operand, Value value, Mode mode);
  Access getLaneAccess(OpOperand &operand, Mode mode);
  Value getLaneSteps(unsigned dim, Type type);
  Value addLaneSteps(unsigned dim, Value first);
  bool variesInLanes(unsigned dim, Mode mode) const;
  Value emitIndex(linalg::IndexOp indexOp, Mode mode);
  Value emitBodyLoad(memref::LoadOp load, IRMapping &mapping, Mode mode);
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

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPEMITTER_H
