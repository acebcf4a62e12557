//===- Loads.cpp - Copies to shared memory and the bytes expected ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On hardware an arrival announces how many bytes will reach the barrier, and
// copies bring them. In the pallas dialect a copy arrives. So an arrival goes
// with the copies behind it in its block that bring its bytes:
//   mosaic_gpu.arrive_expect_tx barrier(%b) 8192
//   mosaic_gpu.async_load %x, %s, %b, ...
// becomes
//   pallas.copy_gmem_to_smem %x to %s signals %b
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"

using namespace mlir;
using namespace mlir::pallas;

FailureOr<BarrierRaiser::Expectation>
BarrierRaiser::readExpectation(mosaic_gpu::ArriveExpectTxOp op) {
  Expectation expectation;
  expectation.op = op;
  std::optional<int64_t> bytes;
  if (std::optional<uint32_t> given = op.getExpectTx())
    bytes = *given;
  else
    bytes = getConstantIntValue(op.getDynamicExpectTx());
  if (!bytes)
    return op.emitOpError("expects a number of bytes that is no constant");
  FailureOr<Place> place = getPlace(op, op.getBarrier());
  if (failed(place) || failed(checkArrival(op, *place, /*isThread=*/false)))
    return failure();
  expectation.place = *place;
  expectation.bytes = expectation.missing = *bytes;
  return expectation;
}

Value BarrierRaiser::getRefOf(Value memref, Location loc) {
  return UnrealizedConversionCastOp::create(
             b, loc, convertGPUMemRef(cast<MemRefType>(memref.getType())),
             memref)
      .getResult(0);
}

/// Where a box starts. A vector that names rows becomes a tensor, as all
/// vectors do later.
static SmallVector<Value> getPlaces(OpBuilder &b,
                                    mosaic_gpu::AsyncLoadOp load) {
  SmallVector<Value> places(load.getIndices());
  for (Value &place : places)
    if (auto rows = dyn_cast<VectorType>(place.getType()))
      place = UnrealizedConversionCastOp::create(
                  b, load.getLoc(),
                  RankedTensorType::get(rows.getShape(), rows.getElementType()),
                  place)
                  .getResult(0);
  return places;
}

static LogicalResult verifyLoad(mosaic_gpu::AsyncLoadOp load) {
  auto refuse = [&](StringRef what) {
    return load.emitOpError() << what
                              << " has no form on CPUs; copies of boxes of "
                                 "this device's global memory have";
  };
  if (load.getGmemPeerId())
    return refuse("a copy of another device's memory");
  return success();
}

/// Copies fill with zeros what is outside, as every mode allows. The compiler
/// for GPUs may make more of the others.
static void keepFillMode(mosaic_gpu::AsyncLoadOp load, CopyGmemToSmemOp copy) {
  if (load.getOobFillMode() != mosaic_gpu::OOBFillMode::kZeros)
    copy->setDiscardableAttr(mosaic_gpu::kOOBFillModeHint,
                             load.getOobFillModeAttr());
}

/// Creates the copy. One that is not the last of its arrival, or that may not
/// happen, is waited for at once, at a barrier of its own.
LogicalResult BarrierRaiser::createCopy(mosaic_gpu::AsyncLoadOp load,
                                        bool isLast) {
  Location loc = load.getLoc();
  b.setInsertionPoint(load);
  Value global = getRefOf(load.getSource(), loc);
  Value shared = getRefOf(load.getDestination(), loc);
  Box box = getBox(cast<RefType>(global.getType()), getPlaces(b, load),
                   load.getSliceLengths());
  Value part = SliceRefOp::create(b, loc, global, box.indexer, box.operands);
  SmallVector<Attribute> axes;
  for (auto dim : load.getCollective().getAsRange<IntegerAttr>())
    if (raiser.kernel.cluster[dim.getInt()] > 1)
      axes.push_back(b.getStringAttr(getClusterAxis(dim.getInt())));
  auto copy = [&](Value barrier) {
    keepFillMode(load, CopyGmemToSmemOp::create(
                           b, loc, part, shared, barrier,
                           /*predicate=*/Value(),
                           axes.empty() ? ArrayAttr() : b.getArrayAttr(axes),
                           /*leaderTracked=*/UnitAttr(),
                           /*partitionedDim=*/IntegerAttr()));
  };
  Value predicate = load.getPredicate();
  FailureOr<Value> barrier;
  if (isLast) {
    barrier = getBarrier(load, load.getBarrier());
    if (failed(barrier))
      return failure();
    if (!predicate) {
      copy(*barrier);
      return success();
    }
  }
  if (predicate) {
    auto branch = scf::IfOp::create(b, loc, predicate);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  auto scope = RunScopedOp::create(b, loc, TypeRange(), ArrayAttr());
  Block *body = b.createBlock(&scope.getBody());
  Value own = body->addArgument(
      RefType::get({}, pallas::BarrierType::get(b.getContext(), 1, false),
                   MemorySpace::Smem),
      loc);
  copy(own);
  BarrierWaitOp::create(b, loc, own);
  YieldOp::create(b, loc);
  if (isLast) {
    b.setInsertionPoint(load);
    BarrierArriveOp::create(b, loc, *barrier);
  }
  return success();
}

/// Whether a condition holds in the first block along a dimension of the
/// cluster alone.
static bool isFirstBlock(Value condition, StringRef axis) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      getConstantIntValue(compare.getRhs()) != 0)
    return false;
  Operation *op = compare.getLhs().getDefiningOp();
  while (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto index = dyn_cast_if_present<AxisIndexOp>(op);
  return index && index.getAxisName() == axis;
}

/// The arrival in front of a copy that the first block of a pair tracks: that
/// block alone expects the bytes of both.
FailureOr<mosaic_gpu::ArriveExpectTxOp>
BarrierRaiser::findTrackedArrival(mosaic_gpu::AsyncLoadOp load,
                                  StringRef axis) {
  FailureOr<Place> place = getPlace(load, load.getBarrier());
  if (failed(place))
    return failure();
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || branch.elseBlock() ||
        !isFirstBlock(branch.getCondition(), axis))
      continue;
    for (auto arrival :
         branch.thenBlock()->getOps<mosaic_gpu::ArriveExpectTxOp>()) {
      FailureOr<Place> other = getPlace(arrival, arrival.getBarrier());
      if (failed(other))
        return failure();
      if (*other == *place)
        return arrival;
    }
  }
  return load.emitOpError(
      "is tracked by the first block of a pair, but no "
      "mosaic_gpu.arrive_expect_tx of that block alone comes before it");
}

///   scf.if %isFirst { mosaic_gpu.arrive_expect_tx barrier(%b) 32768 }
///   "mosaic_gpu.async_load"(%g, %s, %b, ...) <{leader_tracked = ...}>
/// -->
///   pallas.copy_gmem_to_smem %g to %s signals %b collective ["cluster_x"]
///     leader_tracked
LogicalResult BarrierRaiser::raiseTrackedLoad(mosaic_gpu::AsyncLoadOp load) {
  if (failed(verifyLoad(load)))
    return failure();
  ArrayAttr collective = load.getCollective();
  if (collective.size() != 1)
    return load.emitOpError("is tracked by the first block along ")
           << collective.size() << " dimensions; it is along one";
  StringRef axis = getClusterAxis(cast<IntegerAttr>(collective[0]).getInt());
  FailureOr<mosaic_gpu::ArriveExpectTxOp> arrival =
      findTrackedArrival(load, axis);
  if (failed(arrival))
    return failure();
  FailureOr<Expectation> expectation = readExpectation(*arrival);
  if (failed(expectation))
    return failure();
  MemRefType target = load.getDestination().getType();
  int64_t bytes = 2 * getBoxBytes(target.getElementType(), target.getShape());
  if (expectation->bytes != bytes)
    return load.emitOpError("brings ")
           << bytes << " bytes of two blocks to a barrier where "
           << expectation->bytes << " are expected; expect those of both";
  Location loc = load.getLoc();
  b.setInsertionPoint(load);
  FailureOr<Value> barrier = getBarrier(load, load.getBarrier());
  if (failed(barrier))
    return failure();
  Value global = getRefOf(load.getSource(), loc);
  Box box = getBox(cast<RefType>(global.getType()), load.getIndices(),
                   load.getSliceLengths());
  Value part = SliceRefOp::create(b, loc, global, box.indexer, box.operands);
  IntegerAttr dim;
  if (auto parts =
          dyn_cast<mosaic_gpu::CopyPartitionedAttr>(*load.getLeaderTracked()))
    dim = b.getI64IntegerAttr(parts.getAxis());
  keepFillMode(load, CopyGmemToSmemOp::create(
                         b, loc, part, getRefOf(load.getDestination(), loc),
                         *barrier, load.getPredicate(), b.getStrArrayAttr(axis),
                         b.getUnitAttr(), dim));
  arrival->erase();
  load.erase();
  return success();
}

LogicalResult BarrierRaiser::raiseLoad(mosaic_gpu::AsyncLoadOp load,
                                       SmallVectorImpl<Expectation> &open) {
  if (failed(verifyLoad(load)))
    return failure();
  FailureOr<Place> place = getPlace(load, load.getBarrier());
  if (failed(place))
    return failure();
  auto *found = llvm::find_if(open, [&](const Expectation &expectation) {
    return expectation.place == *place;
  });
  int64_t bytes = getBoxBytes(load.getSource().getType().getElementType(),
                              load.getSliceLengths());
  if (found == open.end())
    return load.emitOpError()
           << "brings " << bytes
           << " bytes to its barrier, but no mosaic_gpu.arrive_expect_tx in "
              "front of it in its block expects them";
  if (bytes > found->missing) {
    InFlightDiagnostic diag = load.emitOpError()
                              << "brings " << bytes
                              << " bytes to its barrier, where only "
                              << found->missing
                              << " are still expected; expect the bytes of all "
                                 "copies";
    diag.attachNote(found->op.getLoc())
        << "this expects " << found->bytes << " bytes";
    return diag;
  }
  found->missing -= bytes;
  bool isLast = found->missing == 0;
  if (isLast)
    open.erase(found);
  return createCopy(load, isLast);
}

LogicalResult BarrierRaiser::raiseLoadsOf(Block &block) {
  SmallVector<Expectation> open;
  SmallVector<Operation *> done;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto arrival = dyn_cast<mosaic_gpu::ArriveExpectTxOp>(op)) {
      FailureOr<Expectation> expectation = readExpectation(arrival);
      if (failed(expectation))
        return failure();
      done.push_back(&op);
      if (expectation->bytes != 0)
        open.push_back(*expectation);
      else if (failed(arrive(&op, arrival.getBarrier(), /*isThread=*/false,
                             /*predicate=*/Value())))
        return failure();
    } else if (auto load = dyn_cast<mosaic_gpu::AsyncLoadOp>(op)) {
      if (failed(raiseLoad(load, open)))
        return failure();
      done.push_back(&op);
    }
  }
  if (!open.empty())
    return open.front().op.emitOpError()
           << "expects " << open.front().bytes
           << " bytes, but the copies to its barrier that follow in its block "
              "bring only "
           << open.front().bytes - open.front().missing;
  for (Operation *op : done)
    op->erase();
  return success();
}

LogicalResult BarrierRaiser::raiseLoads() {
  SmallVector<mosaic_gpu::AsyncLoadOp> tracked;
  block.walk([&](mosaic_gpu::AsyncLoadOp load) {
    if (load.getLeaderTracked())
      tracked.push_back(load);
  });
  for (mosaic_gpu::AsyncLoadOp load : tracked)
    if (failed(raiseTrackedLoad(load)))
      return failure();
  SmallVector<Block *> blocks;
  block.walk([&](Operation *op) {
    if (isa<mosaic_gpu::ArriveExpectTxOp, mosaic_gpu::AsyncLoadOp>(op) &&
        !llvm::is_contained(blocks, op->getBlock()))
      blocks.push_back(op->getBlock());
  });
  for (Block *inner : blocks)
    if (failed(raiseLoadsOf(*inner)))
      return failure();
  return success();
}
