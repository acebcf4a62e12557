//===- Scopes.cpp - Memory that regions own -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the operations that own memory: `run_scoped`, `run_state`,
// `get_global`, and the explicit lifetime of a ref. All allocations are plain
// `memref.alloc`; later passes place them in one arena and never free them one
// by one.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::pallas;

/// The region is inlined behind its allocations:
///
///   %o = pallas.run_scoped (%s: !pallas.ref<8xf32, vmem>) -> f32 {
///     ...
///     pallas.yield %v : f32
///   }
///
/// becomes
///
///   %s = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
///
/// and the operations of the region, with %o replaced by %v.
LogicalResult Lowering::lowerRunScoped(RunScopedOp op) {
  Block &body = op.getBody().front();
  DenseSet<Value> collective;
  // All memory exists before any of it is shared: another device may name the
  // second argument as soon as it has seen the first.
  for (BlockArgument argument : body.getArguments()) {
    Value place = meshes.allocateCollective(op, argument);
    if (place)
      collective.insert(argument);
    else
      place = b.allocate(argument.getLoc(), argument.getType());
    memory[argument] = place;
  }
  b.setInsertionPoint(&body, findEndOfMemoryChecks(body));
  for (BlockArgument argument : body.getArguments())
    if (!collective.contains(argument))
      sharing.share(argument.getLoc(), getMemory(argument), argument, 1);
  if (failed(lowerBlock(body)))
    return failure();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         terminator->getIterator());
  b.setInsertionPoint(op);
  for (BlockArgument argument : body.getArguments())
    if (collective.contains(argument))
      b.callRuntime(op.getLoc(), "pallas_rt_end_collective",
                    {b.getAddress(op.getLoc(), getMemory(argument))});
    else
      sharing.endScope(op.getLoc(), argument);
  b.replaceOp(op, results);
  return success();
}

/// The results are copies, since the hazard analysis only follows the results
/// of `pallas.get`.
LogicalResult Lowering::lowerRunState(RunStateOp op) {
  Block &body = op.getBody().front();
  auto first = body.begin(), rest = findEndOfMemoryChecks(body);
  for (auto [argument, init] :
       llvm::zip_equal(body.getArguments(), op.getInits())) {
    b.setInsertionPoint(&body, first);
    memory[argument] = b.allocate(argument.getLoc(), argument.getType());
    b.writeView(op.getLoc(), init, memory[argument]);
    b.setInsertionPoint(&body, rest);
    sharing.share(argument.getLoc(), memory[argument], argument, 1);
  }
  if (failed(lowerBlock(body)))
    return failure();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         body.getTerminator()->getIterator());
  b.setInsertionPoint(op);
  SmallVector<Value> finals;
  for (auto [argument, result] :
       llvm::zip_equal(body.getArguments(), op.getResults())) {
    finals.push_back(b.readView(op.getLoc(), getMemory(argument),
                                result.getType(),
                                /*copy=*/true, /*writable=*/false));
  }
  for (BlockArgument argument : body.getArguments())
    sharing.endScope(op.getLoc(), argument);
  b.replaceOp(op, finals);
  return success();
}

/// Memory of this name is allocated once, at the start of the function, so that
/// all programs of a grid see the same.
LogicalResult Lowering::lowerGlobal(GetGlobalOp op) {
  Location loc = op.getLoc();
  Value &place = globals[op.getName()];
  if (place && place.getType() != getMemoryType(op.getType()))
    return op.emitOpError()
           << "has type " << op.getType() << ", but the memory \""
           << op.getName() << "\" is another one elsewhere; use one type";
  if (!place) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.front());
    place = b.allocate(loc, op.getType());
    if (auto check = dyn_cast<CheckMemoryOp>(op->getNextNode()))
      b.setInsertionPointAfter(check);
    sharing.share(loc, place, op.getRef(), 1);
    b.setInsertionPoint(func.front().getTerminator());
    memory[op.getRef()] = place;
    sharing.endScope(loc, op.getRef());
  }
  memory[op.getRef()] = place;
  return success();
}

/// Whether the memory of a value may be that of a ref, as nothing writes to
/// either: bufferization computes no other value in that of an argument which
/// has no other use.
static bool mayKeepMemory(NewRefOp op, const Hazards &hazards) {
  auto argument = dyn_cast<BlockArgument>(op.getInit());
  return argument && argument.hasOneUse() &&
         isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
         isa<RankedTensorType>(argument.getType()) &&
         !hazards.isWritten(op.getRef());
}

///   %ref = pallas.new_ref %v : tensor<8xf32> -> !pallas.ref<8xf32, vmem>
///
/// becomes memory that holds the value:
///
///   %memory = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
///   bufferization.materialize_in_destination %v in restrict writable %memory
///
/// Checks tell memory apart by its address, so it has its own where they are.
LogicalResult Lowering::lowerNewRef(NewRefOp op) {
  Location loc = op.getLoc();
  Value &place = memory[op.getRef()];
  if (mayKeepMemory(op, hazards)) {
    FailureOr<Value> buffer = b.getBuffer(op, op.getInit());
    if (failed(buffer))
      return failure();
    place = *buffer;
    return success();
  }
  place = b.allocate(op.getRef().getLoc(), op.getRef().getType());
  b.writeView(loc, op.getInit(), place);
  return success();
}

///   %o = pallas.freeze %ref : !pallas.ref<8xf32, vmem>
///
/// becomes the memory itself, as its ref has ended, or else a copy:
///
///   %o = bufferization.to_tensor %memory restrict : memref<8xf32> to ...
///
/// `free_ref` leaves nothing, as memory lives as long as the function.
LogicalResult Lowering::lowerRefLifetime(Operation *op) {
  Location loc = op->getLoc();
  if (auto newRef = dyn_cast<NewRefOp>(op)) {
    return lowerNewRef(newRef);
  } else if (auto emptyRef = dyn_cast<EmptyRefOp>(op)) {
    memory[emptyRef.getRef()] =
        b.allocate(emptyRef.getLoc(), emptyRef.getType());
  } else if (auto freeze = dyn_cast<FreezeOp>(op)) {
    freeze.getResult().replaceAllUsesWith(b.readView(
        loc, getMemory(freeze.getRef()), freeze.getResult().getType(),
        /*copy=*/!hazards.isLastUse(op, freeze.getRef()),
        /*writable=*/false));
  } else if (auto deref = dyn_cast<AccumulatorDerefOp>(op)) {
    Value place = getMemory(deref.getAcc());
    deref.getResult().replaceAllUsesWith(
        place ? b.readView(loc, place, deref.getType(), /*copy=*/true,
                           /*writable=*/false)
              : deref.getAcc());
  } else if (auto store = dyn_cast<AccumulatorStoreOp>(op)) {
    b.writeView(loc, store.getValue(), getMemory(store.getAcc()));
  }
  if (!definesMemory(op))
    b.eraseOp(op);
  return success();
}
