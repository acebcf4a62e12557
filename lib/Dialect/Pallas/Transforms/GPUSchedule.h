//===- GPUSchedule.h - Blocks that come and go while a GPU works *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUSCHEDULE_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUSCHEDULE_H

#include "GPUWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::pallas {

/// The steps of a grid in a kernel of a GPU: step s reads slot s % S of a ring
/// of S blocks per operand.
///
///   copy the blocks that all steps see, and those of the first S steps
///   wait for the blocks that all steps see
///   for s in 0..N:
///     wait for the barrier of the slot
///     wait until the copy that read the output slot S steps ago is done
///     body
///     copy the output blocks
///     copy the input blocks of step s + S into the slot
///   copy the outputs that are the same for all steps; wait
///
/// A block that is kept for d steps more is replaced d steps later.
///
/// With warpgroups that compute, one more makes the copies: it waits for the
/// consumed barrier of a slot, at which the others arrive behind the body,
/// before it copies the input blocks of step s + S.
class GPUSchedule {
public:
  GPUSchedule(OpBuilder &b, GridMappingOpInterface grid)
      : grid(grid), b(b), loc(grid->getLoc()) {}

  /// Sets the dimensions that are steps, in a ring of `maxSteps` blocks at
  /// most, and finds the windows. Reports what has no form on GPUs.
  LogicalResult plan(ArrayRef<unsigned> stepDims, int64_t maxSteps);
  /// Leaves blocks that may stay in their arrays there until the others take no
  /// more than `room` bytes of shared memory.
  void limitMemory(int64_t room) { leaveInArrays(grid, windows, room); }
  /// Leaves the copies of inputs to the last warpgroup of this axis, behind
  /// those that compute. Reports what has no form so.
  LogicalResult specialize(StringAttr axis, int64_t numCompute,
                           int64_t memoryRegisters);
  /// Writes the scope with the memory and the steps. The kernel of the grid
  /// moves there. `arrays` are the refs that blocks are cut from, `getIndex`
  /// returns the index along a dimension that is no step. Returns the scope,
  /// whose results are what the kernel carries.
  RunScopedOp write(ValueRange arrays,
                    llvm::function_ref<Value(unsigned)> getIndex);

private:
  /// The index of a dimension that is no step.
  using OtherIndex = llvm::function_ref<Value(unsigned)>;

  SmallVector<Value> writeSchedule(ValueRange carried);
  SmallVector<Value> writeSpecialized(ValueRange carried);
  void writeCopies();
  SmallVector<Value> writeLoop(ValueRange carried);
  SmallVector<Value> writeStep(Value step, ValueRange carried);
  void startSteps();
  void finishSteps();
  void refillAll(Value step, bool multiplies);
  void release(Value step, bool multiplies);
  Value getBarrier(Value barriers, Value slot);
  Value getRef(const GPUWindow &window, Value step, Value slot);
  void fillOutputs(Value step, Value slot);
  SmallVector<Value> inlineBody(Value step, Value slot, ValueRange carried);
  void answerQueries(Block &body, ArrayRef<Value> ids);
  void copyOutputs(Value step, Value slot);
  void refill(Value step, int64_t delay);
  void copyIn(const GPUWindow &window, Value step, Value slot);
  void copyOnce();
  void copyOut(const GPUWindow &window, Value step, Value slot);

  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value getSlot(Value step) {
    return arith::RemSIOp::create(b, loc, step, i32(depth));
  }
  /// The slot of a window in a step; all inputs have the same one.
  Value getSlot(const GPUWindow &window, Value step, Value slot) {
    if (window.runDims.empty())
      return slot;
    return getSlot(
        arith::DivSIOp::create(b, loc, step, getProduct(window.runDims)));
  }
  RefType getSlotType(const GPUWindow &window);
  Value getSize(unsigned dim);
  Value getProduct(ArrayRef<unsigned> dims);
  Value getNumSteps() { return getProduct(sequentialDims); }
  void enterIf(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  SmallVector<Value> getIds(Value step);
  SmallVector<Value> getBlockIndices(const GPUWindow &window, Value step);
  Value sliceArray(const GPUWindow &window, Value step);
  Value sliceMemory(const GPUWindow &window, Value slot);
  bool hasInputs() const {
    return llvm::any_of(
        windows, [](const GPUWindow &window) { return window.isStreamed(); });
  }

  GridMappingOpInterface grid;
  OpBuilder &b;
  Location loc;
  SmallVector<unsigned> sequentialDims;
  OtherIndex getIndex;
  SmallVector<GPUWindow> windows;
  SmallVector<int64_t> shape;
  /// The same as values, where some are known at run time only.
  SmallVector<Value> sizes;
  /// Steps of the loop, and blocks in a ring. Steps that are known at run time
  /// only are as many as there can be.
  int64_t steps = 1, depth = 1;
  bool hasStaticSteps = true;
  /// At which copies arrive, those of blocks that all steps see, and warpgroups
  /// that are done with a slot.
  Value barriers, once, consumed;
  SmallVector<Value> scratch;
  /// The axis of the warpgroups, and how many compute, if one copies.
  StringAttr threadAxis;
  int64_t numCompute = 0, memoryRegisters = 0;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_GPUSCHEDULE_H
