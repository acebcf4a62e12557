//===- Barriers.cpp - Barriers in shared memory as refs -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels name barriers by memrefs and by addresses in shared memory. Both lead
// back to a slice, which becomes a ref to barriers:
//   %p = llvm.getelementptr %base[%i]
//   nvvm.mbarrier.try_wait.parity %p, %parity, %ticks
// becomes
//   %b = pallas.slice_ref %barriers[%i]
//   pallas.barrier_wait_parity %b, %parity
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

BarrierRaiser::Place BarrierRaiser::findSlice(mosaic_gpu::SliceSMEMOp slice) {
  auto type = cast<MemRefType>(slice.getType());
  auto element = dyn_cast<mosaic_gpu::BarrierType>(type.getElementType());
  if (!element || !type.hasStaticShape() || type.getRank() > 1)
    return {};
  auto &barriers = slices[slice.getOffset()];
  if (!barriers) {
    barriers = std::make_unique<BarrierSlice>();
    barriers->op = slice;
    barriers->counts.resize(type.getNumElements());
  }
  barriers->counts.resize(
      std::max<size_t>(barriers->counts.size(), type.getNumElements()));
  return {barriers.get(), 0, {}, {}};
}

/// The memref that a value describes, if it is the field `position` of its
/// descriptor and the memref is a whole slice.
static Value getDescribed(Value value, int64_t position) {
  auto extract = value.getDefiningOp<LLVM::ExtractValueOp>();
  if (!extract || extract.getPosition() != ArrayRef<int64_t>(position))
    return {};
  auto cast =
      extract.getContainer().getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getNumOperands() != 1 ||
      !cast.getOperand(0).getDefiningOp<mosaic_gpu::SliceSMEMOp>())
    return {};
  return cast.getOperand(0);
}

/// Whether a number of bytes is zero: the offset of a whole slice, scaled.
static bool isZeroOffset(Value bytes) {
  if (auto product = bytes.getDefiningOp<LLVM::MulOp>())
    return getDescribed(product.getLhs(), 2) ||
           getDescribed(product.getRhs(), 2);
  return getDescribed(bytes, 2) || getConstantIntValue(bytes) == 0;
}

/// Addresses appear as integers where code adds a dynamic offset to them.
BarrierRaiser::Place BarrierRaiser::resolveInteger(Value value) {
  if (auto pointer = value.getDefiningOp<LLVM::PtrToIntOp>())
    return resolve(pointer.getArg());
  auto sum = value.getDefiningOp<LLVM::AddOp>();
  if (!sum)
    return {};
  if (isZeroOffset(sum.getRhs()))
    return resolveInteger(sum.getLhs());
  if (isZeroOffset(sum.getLhs()))
    return resolveInteger(sum.getRhs());
  return {};
}

/// Both i8 and i64 elements occur in addresses of barriers, which take 8 bytes:
///
///   %p = llvm.getelementptr %base[8] : i8       barrier 1
///   %p = llvm.getelementptr %base[%i] : i64     barrier %i
BarrierRaiser::Place BarrierRaiser::resolveElement(LLVM::GEPOp element) {
  Place place = resolve(element.getBase());
  ArrayRef<int32_t> indices = element.getRawConstantIndices();
  auto type = dyn_cast<IntegerType>(element.getElemType());
  if (!place.slice || indices.size() != 1 || !type)
    return {};
  int64_t bytes = type.getWidth() / 8;
  if (indices[0] != LLVM::GEPOp::kDynamicIndex) {
    if (indices[0] * bytes % mosaic_gpu::kBarrierBytes != 0)
      return {};
    place.index += indices[0] * bytes / mosaic_gpu::kBarrierBytes;
    return place;
  }
  if (bytes != mosaic_gpu::kBarrierBytes)
    return {};
  place.offsets.push_back(element.getDynamicIndices().front());
  return place;
}

/// Follows an address to the slice of shared memory that holds the barrier, by
/// all the ways in which Mosaic computes one. An empty place means that some
/// step is unknown.
BarrierRaiser::Place BarrierRaiser::resolve(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto slice = dyn_cast<mosaic_gpu::SliceSMEMOp>(op))
    return findSlice(slice);
  if (auto element = dyn_cast<LLVM::GEPOp>(op))
    return resolveElement(element);
  if (auto pointer = dyn_cast<LLVM::IntToPtrOp>(op))
    return resolveInteger(pointer.getArg());
  if (Value memref = getDescribed(value, 1))
    return resolve(memref);
  if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
    return cast.getNumOperands() == 1 ? resolve(cast.getOperand(0)) : Place();
  if (isa<memref::CastOp, mosaic_gpu::WithTransformsOp>(op))
    return resolve(op->getOperand(0));
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    Place place = resolve(view.getSource());
    if (!place.slice || view.getMixedOffsets().size() != 1)
      return {};
    OpFoldResult offset = view.getMixedOffsets().front();
    if (std::optional<int64_t> constant = getConstantIntValue(offset))
      place.index += *constant;
    else
      place.offsets.push_back(cast<Value>(offset));
    return place;
  }
  if (auto remote = dyn_cast<mosaic_gpu::GetClusterRefOp>(op)) {
    Place place = resolve(remote.getSource());
    place.block = {remote.getX(), remote.getY(), remote.getZ()};
    return place;
  }
  return {};
}

FailureOr<BarrierRaiser::Place> BarrierRaiser::getPlace(Operation *op,
                                                        Value barrier) {
  Place place = resolve(barrier);
  if (!place.slice)
    return op->emitOpError("names a barrier in a way that leads to no "
                           "mosaic_gpu.slice_smem of barriers");
  if (place.index < 0 || (place.offsets.empty() &&
                          place.index >= int64_t(place.slice->counts.size())))
    return op->emitOpError()
           << "names barrier " << place.index << " of a slice that has "
           << place.slice->counts.size();
  return place;
}

/// Names the barrier by an index of the scratch ref, and by a block where it is
/// that of another one.
FailureOr<Value> BarrierRaiser::getBarrier(Operation *op, Value barrier) {
  FailureOr<Place> place = getPlace(op, barrier);
  if (failed(place))
    return failure();
  return createRef(*place, op->getLoc());
}

Value BarrierRaiser::createRef(const Place &place, Location loc) {
  Value ref = place.slice->scratch;
  IndexerBuilder index(cast<RefType>(ref.getType()));
  if (place.offsets.empty()) {
    index.addScalar(place.index);
  } else {
    Value sum;
    for (Value offset : place.offsets) {
      if (!offset.getType().isIndex())
        offset = arith::IndexCastOp::create(b, loc, b.getIndexType(), offset);
      sum =
          sum ? arith::AddIOp::create(b, loc, sum, offset).getResult() : offset;
    }
    if (place.index)
      sum = arith::AddIOp::create(
          b, loc, sum, arith::ConstantIndexOp::create(b, loc, place.index));
    index.addScalar(sum);
  }
  ref = SliceRefOp::create(b, loc, ref, index.getIndexer(b.getContext()),
                           index.getOperands());
  for (auto [dim, id] : llvm::enumerate(place.block))
    if (id && raiser.kernel.cluster[dim] > 1)
      ref = ClusterRefOp::create(b, loc, ref, getClusterAxis(dim), id);
  return ref;
}

//===----------------------------------------------------------------------===//
// Arrivals and waits
//===----------------------------------------------------------------------===//

LogicalResult BarrierRaiser::checkArrival(Operation *op, const Place &place,
                                          bool isThread) {
  if (place.slice->countsThreads == isThread)
    return success();
  return op->emitOpError("arrives as a ")
         << (isThread ? "thread" : "warpgroup") << " at a barrier that counts "
         << (isThread ? "warpgroups" : "threads")
         << "; initialize it for what arrives there";
}

LogicalResult BarrierRaiser::arrive(Operation *op, Value barrier, bool isThread,
                                    Value predicate) {
  b.setInsertionPoint(op);
  FailureOr<Place> place = getPlace(op, barrier);
  if (failed(place) || failed(checkArrival(op, *place, isThread)))
    return failure();
  if (predicate) {
    auto branch = scf::IfOp::create(b, op->getLoc(), predicate);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  BarrierArriveOp::create(b, op->getLoc(), createRef(*place, op->getLoc()));
  return success();
}

LogicalResult
BarrierRaiser::followProducts(mosaic_gpu::TCGen05CommitArriveOp op) {
  b.setInsertionPoint(op);
  if (Value predicate = op.getPredicate()) {
    auto branch = scf::IfOp::create(b, op.getLoc(), predicate);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  FailureOr<Value> ref = getBarrier(op, op.getBarrier());
  if (failed(ref))
    return failure();
  Tcgen05CommitOp::create(b, op.getLoc(), *ref,
                          getPairAxis(b, op.getCollective()));
  return success();
}

/// Parities are i1 in the pallas dialect; often one was extended just before.
Value BarrierRaiser::createParity(Location loc, Value phase) {
  if (phase.getType().isInteger(1))
    return phase;
  auto extended = phase.getDefiningOp<arith::ExtUIOp>();
  if (extended && extended.getIn().getType().isInteger(1))
    return extended.getIn();
  return arith::TruncIOp::create(b, loc, b.getI1Type(), phase);
}

LogicalResult BarrierRaiser::wait(Operation *op, Value barrier, Value parity) {
  b.setInsertionPoint(op);
  FailureOr<Value> ref = getBarrier(op, barrier);
  if (failed(ref))
    return failure();
  BarrierWaitParityOp::create(b, op->getLoc(), *ref,
                              createParity(op->getLoc(), parity));
  return success();
}

///   %done = nvvm.mbarrier.test.wait %address, %phase
/// -->
///   %done = pallas.barrier_test %b parity %parity
LogicalResult BarrierRaiser::test(NVVM::MBarrierTestWaitOp op) {
  Value phase = op.getStateOrPhase();
  if (!phase.getType().isInteger(32))
    return op.emitOpError("tests for the state that an arrival has yielded, "
                          "which has no form on CPUs; test for the parity of a "
                          "phase, an i32");
  b.setInsertionPoint(op);
  FailureOr<Value> ref = getBarrier(op, op.getAddr());
  if (failed(ref))
    return failure();
  Value done = BarrierTestOp::create(b, op.getLoc(), b.getI1Type(), *ref,
                                     createParity(op.getLoc(), phase));
  op.getResult().replaceAllUsesWith(done);
  return success();
}

/// Where a block lies in its cluster, of which x runs fastest. In one of 2x3x2:
///   x: %number % 2, y: %number / 2 % 3, z: %number / 6
static std::array<Value, 3> getCoordinates(OpBuilder &b, Location loc,
                                           Value number,
                                           ArrayRef<int64_t> cluster) {
  std::array<Value, 3> ids;
  int64_t stride = 1, numBlocks = llvm::product_of(cluster);
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(number.getType(), value));
  };
  for (auto [dim, size] : llvm::enumerate(cluster)) {
    if (size == 1)
      continue;
    ids[dim] = number;
    if (stride != 1)
      ids[dim] = arith::DivUIOp::create(b, loc, ids[dim], constant(stride));
    stride *= size;
    if (stride != numBlocks)
      ids[dim] = arith::RemUIOp::create(b, loc, ids[dim], constant(size));
  }
  return ids;
}

/// An arrival at the barrier of the block of a cluster that is given by its
/// number: of a thread under a condition, or of all threads of a warpgroup.
LogicalResult BarrierRaiser::arriveAtBlock(LLVM::InlineAsmOp op) {
  auto operands = op->getOperands();
  bool isThread = operands.size() == 3 &&
                  op.getAsmString().contains("mbarrier.arrive.shared::cluster");
  bool isWarpgroup = operands.size() == 2 &&
                     op.getAsmString().contains(
                         "mbarrier.arrive.release.cluster.shared::cluster");
  if (!isThread && !isWarpgroup)
    return op.emitOpError("is code that has no form in the pallas dialect; "
                          "kernels may arrive at barriers of other blocks "
                          "and use 'bar.sync'");
  b.setInsertionPoint(op);
  Value barrier = operands.drop_back().back();
  FailureOr<Place> place = getPlace(op, barrier);
  if (failed(place) || failed(checkArrival(op, *place, isThread)))
    return failure();
  if (isThread) {
    auto branch = scf::IfOp::create(b, op.getLoc(), operands[0]);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  place->block =
      getCoordinates(b, op.getLoc(), operands.back(), raiser.kernel.cluster);
  BarrierArriveOp::create(b, op.getLoc(), createRef(*place, op.getLoc()));
  return success();
}

/// The store and the arrival are apart in the pallas dialect; the store is
/// raised with the memory that it goes to:
///   "mosaic_gpu.async_store_smem"(%v, %s, %barrier, %i)
/// -->
///   %there = "mosaic_gpu.get_cluster_ref"(%s, %i)
///   "mosaic_gpu.vector_store"(%v, %there)
///   pallas.barrier_arrive %barrierThere
LogicalResult BarrierRaiser::storeToBlock(mosaic_gpu::AsyncStoreSmemOp op) {
  b.setInsertionPoint(op);
  FailureOr<Place> place = getPlace(op, op.getBarrier());
  if (failed(place) || failed(checkArrival(op, *place, /*isThread=*/false)))
    return failure();
  unsigned axis = static_cast<unsigned>(op.getClusterDim());
  std::array<Value, 3> ids;
  ids[axis] = place->block[axis] = op.getClusterIdx();
  Value there = mosaic_gpu::GetClusterRefOp::create(
      b, op.getLoc(), op.getDestination(), ids[0], ids[1], ids[2]);
  mosaic_gpu::VectorStoreOp::create(
      b, op.getLoc(), op.getValueToStore(), there, op.getOptimizedAttr(),
      op.getAtomicTypeAttr(), b.getBoolAttr(false));
  BarrierArriveOp::create(b, op.getLoc(), createRef(*place, op.getLoc()));
  return success();
}

//===----------------------------------------------------------------------===//
// Warpgroups and blocks that meet
//===----------------------------------------------------------------------===//

/// Barriers with numbers exist in hardware without memory. Here each is a
/// barrier at which as many warpgroups arrive.
Value BarrierRaiser::getMeeting(Location loc, int64_t id, int64_t count) {
  Value &barrier = meetings[{id, count}];
  if (!barrier)
    barrier = raiser.addScratch(
        RefType::get({}, pallas::BarrierType::get(b.getContext(), count, false),
                     MemorySpace::Smem),
        loc);
  return barrier;
}

void BarrierRaiser::meet(Operation *op, int64_t id, int64_t numWarpgroups) {
  if (numWarpgroups == 1)
    return;
  b.setInsertionPoint(op);
  Value barrier = getMeeting(op->getLoc(), id, numWarpgroups);
  BarrierArriveOp::create(b, op->getLoc(), barrier);
  BarrierWaitOp::create(b, op->getLoc(), barrier);
}

/// "bar.sync $0, 256;": the warpgroups that come to the barrier of this number.
LogicalResult BarrierRaiser::meetNamed(LLVM::InlineAsmOp op) {
  SmallVector<StringRef> parts;
  llvm::Regex pattern("^bar\\.sync \\$0, ([0-9]+);$");
  int64_t numThreads = 0;
  if (!pattern.match(op.getAsmString(), &parts) ||
      parts[1].getAsInteger(10, numThreads) ||
      numThreads % kWarpgroupSize != 0 || numThreads == 0)
    return op.emitOpError("waits for threads that are no whole warpgroups; "
                          "write 'bar.sync $0, N;' with a multiple of 128");
  int64_t numWarpgroups = numThreads / kWarpgroupSize;
  // Threads of one warpgroup are one program.
  if (numWarpgroups == 1)
    return success();
  std::optional<int64_t> id = getConstantIntValue(op->getOperand(0));
  if (!id)
    return op.emitOpError("waits for other warpgroups at a barrier whose "
                          "number is no constant");
  meet(op, *id, numWarpgroups);
  return success();
}

/// Arrival and wait of a cluster are apart, so that code runs in between. They
/// share one barrier, as the hardware has only one.
LogicalResult BarrierRaiser::meetCluster(Operation *op, bool waits) {
  SmallVector<Attribute> axes;
  for (unsigned dim : {2, 1, 0})
    if (raiser.kernel.cluster[dim] > 1)
      axes.push_back(b.getStringAttr(getClusterAxis(dim)));
  int64_t numWarpgroups = raiser.kernel.numWarpgroups;
  if (axes.empty() && numWarpgroups == 1)
    return success();
  b.setInsertionPoint(op);
  if (!clusterBarrier) {
    Type type = pallas::BarrierType::get(b.getContext(), numWarpgroups, false);
    // All blocks meet, also those that differ along several axes.
    if (!axes.empty())
      type = ClusterBarrierType::get(b.getContext(),
                                     axes.size() == 1
                                         ? b.getArrayAttr(axes)
                                         : b.getArrayAttr(b.getArrayAttr(axes)),
                                     numWarpgroups, false, false);
    clusterBarrier = raiser.addScratch(
        RefType::get({}, type, MemorySpace::Smem), op->getLoc());
  }
  if (waits)
    BarrierWaitOp::create(b, op->getLoc(), clusterBarrier);
  else
    BarrierArriveOp::create(b, op->getLoc(), clusterBarrier);
  return success();
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

/// Raises one operation; yields whether it is one of barriers.
FailureOr<bool> BarrierRaiser::raise(Operation *op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto arrival = dyn_cast<mosaic_gpu::ArriveOp>(op))
    return done(arrive(op, arrival.getBarrier(), /*isThread=*/false,
                       arrival.getPredicate()));
  if (auto store = dyn_cast<mosaic_gpu::AsyncStoreSmemOp>(op))
    return done(storeToBlock(store));
  if (auto wait = dyn_cast<mosaic_gpu::WaitOp>(op))
    return done(this->wait(op, wait.getBarrier(), wait.getParity()));
  if (auto wait = dyn_cast<NVVM::MBarrierTryWaitParityOp>(op))
    return done(this->wait(op, wait.getAddr(), wait.getPhase()));
  if (auto test = dyn_cast<NVVM::MBarrierTestWaitOp>(op))
    return done(this->test(test));
  if (auto commit = dyn_cast<mosaic_gpu::TCGen05CommitArriveOp>(op))
    return done(followProducts(commit));
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  bool isNamed = assembly && assembly.getAsmString().starts_with("bar.sync");
  bool isOfBlock = isa<gpu::BarrierOp, NVVM::Barrier0Op>(op);
  // Other warps may not come, and the hardware hangs.
  if ((isNamed || isOfBlock) && op->getParentOfType<CoreMapOp>())
    return op->emitOpError("waits for all warps of a warpgroup in the code of "
                           "one warp; wait by nvvm.bar.warp.sync there");
  if (assembly) {
    if (isNamed)
      return done(meetNamed(assembly));
    if (assembly.getAsmString() == "nanosleep.u32 $0;")
      return false;
    return done(arriveAtBlock(assembly));
  }
  if (isOfBlock) {
    meet(op, /*id=*/0, raiser.kernel.numWarpgroups);
    return true;
  }
  if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op))
    return done(meetCluster(op, /*waits=*/false));
  if (isa<NVVM::ClusterWaitOp>(op))
    return done(meetCluster(op, /*waits=*/true));
  return false;
}

LogicalResult BarrierRaiser::run() {
  if (failed(readInitializations()))
    return failure();
  // Names of barriers that nothing initializes are found here.
  block.walk([&](mosaic_gpu::SliceSMEMOp slice) { (void)findSlice(slice); });
  if (failed(checkMemory()) || failed(createRefs()) ||
      failed(raiseLaunchControl()) || failed(raiseLoads()))
    return failure();
  return eraseRaised([&](Operation *op) { return raise(op); });
}

LogicalResult KernelRaiser::raiseBarriers() {
  return BarrierRaiser(*this).run();
}
