//===- AsyncOps.cpp - Semaphores, barriers and async copies ---------------===//
//
// A copy may complete when it starts, so it does. Where nobody else could
// signal meanwhile, semaphores are plain counts, and a wait that is short now
// would wait for ever.
//
//===----------------------------------------------------------------------===//

#include "Mesh.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

/// The collective that the call around `op` belongs to.
static int64_t getCollectiveId(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp())
    if (auto params = parent->getAttrOfType<ArrayAttr>("compilerParams"))
      for (auto tpu : params.getAsRange<TPUParamsAttr>())
        return tpu.getCollectiveId().value_or(0);
  return 0;
}

/// Makes the call fail with a message if `condition` holds.
void Lowering::emitError(Operation *op, Value condition, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getLoc() << ": " << message;
  auto branch = scf::IfOp::create(b, op->getLoc(), condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  callRuntime(op->getLoc(), "pallas_rt_error",
              {createString(op->getLoc(), text)});
}

/// Bytes of the elements of a ref, as DMA semaphores count them.
Value Lowering::getByteCount(Value ref, Location loc) {
  auto type = cast<RefType>(ref.getType());
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (type.hasStaticShape())
    return integer(loc, type.getNumElements() * bytes, 32);
  Value count = index(loc, bytes);
  for (int64_t d = 0; d < type.getRank(); ++d)
    count = arith::MulIOp::create(
        b, loc, count, memref::DimOp::create(b, loc, getMemory(ref), d));
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), count);
}

void Lowering::signal(Location loc, Value semaphore, Value amount) {
  if (concurrency.synchronizes) {
    callRuntime(loc, "pallas_rt_signal", {getAddress(loc, semaphore), amount});
    return;
  }
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value next = arith::AddIOp::create(b, loc, count, amount);
  memref::StoreOp::create(b, loc, next, semaphore);
}

/// Subtracts from a count when it is high enough, or reports that it will never
/// be.
void Lowering::waitForCount(Operation *op, Value semaphore, Value amount,
                            bool decrement) {
  Location loc = op->getLoc();
  if (concurrency.synchronizes) {
    callRuntime(loc, "pallas_rt_wait",
                {getAddress(loc, semaphore), amount,
                 integer(loc, decrement, 32), getPlace(loc)});
    return;
  }
  Value count = memref::LoadOp::create(b, loc, semaphore);
  Value isShort =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count, amount);
  emitError(op, isShort,
            "deadlock: this waits for a semaphore that nothing is left to "
            "signal");
  if (decrement)
    memref::StoreOp::create(
        b, loc, arith::SubIOp::create(b, loc, count, amount), semaphore);
}

LogicalResult Lowering::startCopy(DMAStartOp start) {
  Location loc = start.getLoc();
  bool isThroughIndices = Lowering::isThroughIndices(start);
  FailureOr<Peer> peer =
      getPeer(start, start.getDeviceIds(), start.getDeviceAxesAttr(),
              start.getDeviceIdType(), start.getCoreIndex(), start.getTarget());
  if (failed(peer))
    return failure();
  // A target that index arrays select has no address of its own.
  Value targetRef = start.getTarget();
  if (isThroughIndices && !getMemory(targetRef))
    targetRef = targetRef.getDefiningOp()->getOperand(0);
  Value source = getMemory(start.getSource()),
        target = getAtPeer(start, getMemory(targetRef), *peer),
        semaphore = getAtPeer(start, getMemory(start.getSemaphore()), *peer),
        amount = getByteCount(start.getTarget(), loc);
  Value sourceSemaphore = start.getSourceSemaphore();
  if (sourceSemaphore)
    sourceSemaphore = getMemory(sourceSemaphore);
  if (isThroughIndices) {
    if (failed(copyElements(start, target)))
      return failure();
  } else {
    std::tie(source, target) = getCommonPart(source, target);
    checkCopyStart(start, start.getSource(), start.getTarget(),
                   {source, target, semaphore, sourceSemaphore}, amount,
                   start.getAdd());
    if (start.getAdd())
      updateMemory(loc, AtomicKind::Add, source, target);
    else
      memref::CopyOp::create(b, loc, source, target);
  }
  if (sourceSemaphore)
    signal(loc, sourceSemaphore, getByteCount(start.getSource(), loc));
  signal(loc, semaphore, amount);
  return success();
}

void Lowering::waitForCopy(DMAWaitOp wait) {
  bool waitsForSource = static_cast<bool>(wait.getSourceSemaphore());
  Value place = waitsForSource ? wait.getSource() : wait.getTarget();
  Value semaphore =
      waitsForSource ? wait.getSourceSemaphore() : wait.getSemaphore();
  Value amount = getByteCount(place, wait.getLoc());
  waitForCount(wait, getMemory(semaphore), amount, /*decrement=*/true);
  // Copies through index arrays are seen as accesses of elements.
  if (getMemory(wait.getSource()) && getMemory(wait.getTarget()))
    checkWait(wait.getLoc(), getMemory(semaphore), amount);
}

LogicalResult Lowering::lowerAsync(Operation *op) {
  Location loc = op->getLoc();
  if (auto get = dyn_cast<GetBarrierSemaphoreOp>(op)) {
    Value address = callRuntime(loc, "pallas_rt_barrier_semaphore",
                                {integer(loc, getCollectiveId(op), 32)},
                                LLVM::LLVMPointerType::get(b.getContext()));
    memory[get.getSemaphore()] =
        wrapAddress(loc, address, getMemoryType(get.getType()));
    return success();
  }
  if (auto read = dyn_cast<SemaphoreReadOp>(op)) {
    Value semaphore = getMemory(read.getSemaphore());
    if (concurrency.synchronizes)
      b.replaceOp(op,
                  callRuntime(loc, "pallas_rt_read",
                              {getAddress(loc, semaphore)}, b.getI32Type()));
    else
      b.replaceOpWithNewOp<memref::LoadOp>(op, semaphore);
    return success();
  }
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op)) {
    FailureOr<Peer> peer = getPeer(
        op, signal.getDeviceIds(), signal.getDeviceAxesAttr(),
        signal.getDeviceIdType(), signal.getCoreIndex(), signal.getSemaphore());
    if (failed(peer))
      return failure();
    Value semaphore = getAtPeer(op, getMemory(signal.getSemaphore()), *peer);
    checkSignal(loc, semaphore);
    this->signal(loc, semaphore, signal.getIncrement());
  } else if (auto wait = dyn_cast<SemaphoreWaitOp>(op)) {
    waitForCount(op, getMemory(wait.getSemaphore()), wait.getCount(),
                 wait.getDecrement());
    checkWait(loc, getMemory(wait.getSemaphore()), wait.getCount());
  } else if (auto start = dyn_cast<DMAStartOp>(op)) {
    if (failed(startCopy(start)))
      return failure();
  } else if (auto wait = dyn_cast<DMAWaitOp>(op)) {
    waitForCopy(wait);
  } else if (auto barrier = dyn_cast<CoreBarrierOp>(op)) {
    if (failed(lowerCoreBarrier(barrier)))
      return failure();
  } else {
    return lowerBarrier(op);
  }
  b.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Lowering::arrive(Location loc, Value barrier) {
  Value place = getMemory(barrier);
  if (concurrency.synchronizes)
    callRuntime(loc, "pallas_rt_arrive", {getAddress(loc, place)});
  else
    signal(loc, place, integer(loc, 1, 32));
}

/// How many arrivals complete a phase. Those at a barrier of a cluster come
/// from all of its blocks.
int64_t Lowering::getNumArrivals(Value barrier) const {
  Type type = cast<RefType>(barrier.getType()).getElementType();
  if (auto local = dyn_cast<BarrierType>(type))
    return local.getNumArrivals();
  auto cluster = cast<ClusterBarrierType>(type);
  int64_t count = cluster.getNumArrivals();
  for (auto axis : cluster.getCollectiveAxes().getAsRange<StringAttr>())
    for (MeshKernel *kernel : meshes)
      count *= kernel->mesh.getAxisSize(axis).value_or(1);
  return count;
}

LogicalResult Lowering::lowerBarrier(Operation *op) {
  Location loc = op->getLoc();
  Value barrier = op->getOperand(0), place = getMemory(barrier);
  int64_t numArrivals = getNumArrivals(barrier);
  if (isa<BarrierArriveOp>(op)) {
    checkSignal(loc, place);
    arrive(loc, barrier);
  } else if (isa<BarrierWaitOp>(op)) {
    // A single flow of control may count down instead of counting phases.
    if (concurrency.synchronizes)
      callRuntime(loc, "pallas_rt_wait_barrier",
                  {getAddress(loc, place), integer(loc, numArrivals, 64),
                   getPlace(loc)});
    else
      waitForCount(op, place, integer(loc, numArrivals, 32),
                   /*decrement=*/true);
    checkWait(loc, place, integer(loc, numArrivals, 64));
  } else {
    Value count = concurrency.synchronizes
                      ? callRuntime(loc, "pallas_rt_test_barrier",
                                    {getAddress(loc, place),
                                     integer(loc, numArrivals, 64)},
                                    b.getI32Type())
                      : memref::LoadOp::create(b, loc, place).getResult();
    Value needed = integer(loc, concurrency.synchronizes ? 1 : numArrivals, 32);
    Value done =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, count, needed);
    if (checked)
      when(loc, done,
           [&] { checkWait(loc, place, integer(loc, numArrivals, 64)); });
    b.replaceOp(op, done);
    return success();
  }
  b.eraseOp(op);
  return success();
}

/// Points that differ along these axes only wait for each other.
void Lowering::meetPoints(Location loc,
                          function_ref<bool(MeshAxisAttr)> meets) {
  int64_t size = 1;
  Value group = index(loc, 0);
  MeshKernel &kernel = *meshes.back();
  for (auto [axis, id] : llvm::zip_equal(kernel.mesh.getAxes(), kernel.ids)) {
    if (meets(axis)) {
      size *= axis.getSize();
      continue;
    }
    group = arith::MulIOp::create(b, loc, group, index(loc, axis.getSize()));
    group = arith::AddIOp::create(b, loc, group, toIndex(id));
  }
  group = arith::IndexCastOp::create(b, loc, b.getI64Type(), group);
  Value barrier = callRuntime(loc, "pallas_rt_core_barrier",
                              {integer(loc, numSites++, 64), group},
                              LLVM::LLVMPointerType::get(b.getContext()));
  Value view = wrapAddress(loc, barrier, MemRefType::get({}, b.getI32Type()));
  checkSignal(loc, view);
  callRuntime(loc, "pallas_rt_arrive", {barrier});
  callRuntime(loc, "pallas_rt_wait_barrier",
              {barrier, integer(loc, size, 64), getPlace(loc)});
  checkWait(loc, view, integer(loc, size, 64));
}

LogicalResult Lowering::lowerCoreBarrier(CoreBarrierOp op) {
  if (meshes.empty() || !meshes.back()->mesh.getAxisSize(op.getAxisName()))
    return op.emitOpError()
           << "waits for the cores along axis \"" << op.getAxisName()
           << "\", which the mesh around it does not have";
  meetPoints(op.getLoc(), [&](MeshAxisAttr axis) {
    return axis.getName() == op.getAxisName();
  });
  return success();
}
