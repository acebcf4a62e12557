//===- GPUSpecializedSchedule.cpp - A warpgroup that only copies ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With warpgroups of two kinds, one copies the blocks of all steps, and the
// others compute. Those release a slot by a second set of barriers.
//
//===----------------------------------------------------------------------===//

#include "GPUSchedule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

/// The warpgroup that copies counts steps, not windows, so all windows must
/// come and go alike.
LogicalResult GPUSchedule::specialize(StringAttr axis, int64_t compute,
                                      int64_t registers) {
  threadAxis = axis;
  numCompute = compute;
  memoryRegisters = registers;
  std::optional<int64_t> delay;
  for (const GPUWindow &window : windows) {
    if (window.isGlobal)
      continue;
    if (!window.isInput && numCompute > 1)
      return grid->emitOpError("has an output in shared memory, which ")
             << numCompute << " warpgroups would write; on GPUs keep outputs "
             << "in gmem, or let one warpgroup compute";
    if (!window.isInput)
      continue;
    // The slots of other blocks tell when the next pipeline may overwrite it.
    if (window.isOnce && hasInputs())
      continue;
    if (!window.changes && steps > 1)
      return grid->emitOpError("copies input ")
             << window.index << " again for each of "
             << (hasStaticSteps ? Twine(steps) : Twine("many"))
             << " steps, though its block stays; copy it before the pipeline";
    if (delay && *delay != window.delay)
      return grid->emitOpError("keeps blocks of input ")
             << window.index << " for " << window.delay
             << " steps more, those of others for " << *delay
             << "; where a warpgroup copies, give all the same delay_release";
    delay = window.delay;
  }
  return success();
}

/// Registers that a thread of a warpgroup that computes gets: what the one that
/// copies leaves of those of four warpgroups with 128 each.
static int64_t getComputeRegisters(int64_t memoryRegisters,
                                   int64_t numCompute) {
  int64_t share = (512 - memoryRegisters) / numCompute / 8 * 8;
  return std::min<int64_t>(256, share);
}

/// Signals that this warpgroup is done with the slot of the step `delay`
/// before.
void GPUSchedule::release(Value step, bool multiplies) {
  const auto *input = llvm::find_if(
      windows, [](const GPUWindow &window) { return window.isStreamed(); });
  int64_t delay = input->delay;
  if (multiplies)
    WGMMAWaitOp::create(b, loc, b.getI64IntegerAttr(delay));
  OpBuilder::InsertionGuard guard(b);
  Value done = step;
  if (delay) {
    enterIf(arith::CmpIPredicate::sge, step, i32(delay));
    done = arith::SubIOp::create(b, loc, step, i32(delay));
  }
  BarrierArriveOp::create(b, loc, getBarrier(consumed, getSlot(done)));
}

/// Copies the blocks of all steps, each as soon as its slot is free. The last
/// waits leave the barriers as they were found.
void GPUSchedule::writeCopies() {
  if (!hasInputs())
    return;
  startSteps();
  int64_t delay = 0;
  for (const GPUWindow &window : windows)
    if (window.isStreamed())
      delay = window.delay;
  Value end = getNumSteps();
  if (delay)
    end = hasStaticSteps ? i32(steps - delay)
                         : arith::SubIOp::create(b, loc, end, i32(delay));
  auto loop = scf::ForOp::create(b, loc, i32(0), end, i32(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  BarrierWaitOp::create(b, loc, getBarrier(consumed, getSlot(step)));
  if (depth == steps)
    return;
  Value next = arith::AddIOp::create(b, loc, step, i32(depth));
  enterIf(arith::CmpIPredicate::slt, next, getNumSteps());
  for (const GPUWindow &window : windows)
    if (window.isStreamed())
      copyIn(window, next, getSlot(next));
}

/// One warpgroup copies, and the others compute with the registers that it
/// gives up:
///
///   %computes = arith.cmpi ne, %warpgroup, %last
///   %r = scf.if %computes {
///     pallas.set_max_registers 240 increase
///     ... the steps ...
///   } else {
///     pallas.set_max_registers 40
///     ... the copies of all steps ...
///   }
SmallVector<Value> GPUSchedule::writeSpecialized(ValueRange carried) {
  Value warpgroup = AxisIndexOp::create(b, loc, b.getI32Type(), threadAxis);
  Value computes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         warpgroup, i32(numCompute));
  auto branch = scf::IfOp::create(b, loc, carried.getTypes(), computes,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto writeBranch = [&](Block *block, int64_t registers, bool isIncrease,
                         llvm::function_ref<SmallVector<Value>()> write) {
    if (!block->empty())
      block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    SetMaxRegistersOp::create(b, loc, b.getI64IntegerAttr(registers),
                              isIncrease ? b.getUnitAttr() : UnitAttr());
    SmallVector<Value> results = write();
    scf::YieldOp::create(b, loc, results);
  };
  writeBranch(branch.thenBlock(),
              getComputeRegisters(memoryRegisters, numCompute),
              /*isIncrease=*/true, [&] { return writeLoop(carried); });
  // Only those that compute know the carried values.
  writeBranch(branch.elseBlock(), memoryRegisters, /*isIncrease=*/false, [&] {
    writeCopies();
    return llvm::to_vector(carried);
  });
  return llvm::to_vector_of<Value>(branch.getResults());
}
