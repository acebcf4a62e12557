//===- AsyncOps.cpp - Semaphores, DMAs, cores -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers reject what the Mosaic compiler rejects, so that an error has the
// location of the kernel.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// An operation acts on one semaphore, not on an array of them.
static LogicalResult verifyScalar(Operation *op, StringRef what,
                                  Value semaphore) {
  if (!semaphore)
    return success();
  int64_t rank = cast<MemRefType>(semaphore.getType()).getRank();
  if (rank == 0)
    return success();
  return op->emitOpError("has a ")
         << what << " of rank " << rank
         << ", but rank 0 is needed; take one with tpu.memref_slice and "
            "tpu.memref_squeeze";
}

/// Core whose memory a memref is in, seen from an operation.
static CoreType getOwner(Operation *op, Value memref) {
  return getNamedCoreType(cast<MemRefType>(memref.getType()))
      .value_or(getCoreType(op));
}

/// A core waits on its own semaphores only.
static LogicalResult verifyLocal(Operation *op, StringRef what,
                                 Value semaphore) {
  CoreType owner = getOwner(op, semaphore), core = getCoreType(op);
  if (owner == core)
    return success();
  return op->emitOpError("has a ")
         << what << " of " << stringifyCoreType(owner) << ", but runs on "
         << stringifyCoreType(core) << "; use a semaphore of this core";
}

///   tpu.sem_signal %s, %n subcore_id %t : memref<!tpu.semaphore, ...>
///
/// is an error, since a TensorCore has no subcores.
static LogicalResult verifySubcoreId(Operation *op, Value subcoreId,
                                     CoreType target) {
  if (!subcoreId || target == CoreType::ScVectorSubcore)
    return success();
  return op->emitOpError("has a subcore_id, but the target is ")
         << stringifyCoreType(target)
         << "; only sc_vector_subcore has subcores";
}

/// TensorCores and scalar subcores copy without lists of offsets.
static LogicalResult verifyOnVectorSubcore(Operation *op) {
  CoreType core = getCoreType(op);
  if (core == CoreType::ScVectorSubcore)
    return success();
  return op->emitOpError("runs on ")
         << stringifyCoreType(core)
         << ", but only sc_vector_subcore has indirect DMAs";
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

LogicalResult SemBarrierOp::verify() {
  return verifyScalar(*this, "semaphore", getSemaphore());
}

LogicalResult SemReadOp::verify() {
  return verifyScalar(*this, "semaphore", getSemaphore());
}

LogicalResult SemWaitOp::verify() {
  return verifyScalar(*this, "semaphore", getSemaphore());
}

/// A semaphore of another core is signaled by naming that core:
///
///   tpu.sem_signal %s, %n core_id %c
///       : memref<!tpu.semaphore, ...>
LogicalResult SemSignalOp::verify() {
  if (failed(verifyScalar(*this, "semaphore", getSemaphore())))
    return failure();
  CoreType target = getOwner(*this, getSemaphore()), core = getCoreType(*this);
  if (target != core && !getDeviceId() && !getCoreId())
    return emitOpError("runs on ")
           << stringifyCoreType(core) << " and signals a semaphore of "
           << stringifyCoreType(target) << "; name the core by core_id";
  return verifySubcoreId(*this, getSubcoreId(), target);
}

//===----------------------------------------------------------------------===//
// EnqueueDMAOp
//===----------------------------------------------------------------------===//

/// The form of most copies: local, with one semaphore.
void EnqueueDMAOp::build(OpBuilder &builder, OperationState &state,
                         Value source, Value target, Value targetSemaphore) {
  build(builder, state, source, /*source_semaphore=*/Value(), target,
        targetSemaphore, /*device_id=*/Value(), /*core_id=*/Value(),
        /*subcore_id=*/Value());
}

/// A DMA moves bytes, so both ends have the same elements and shape.
static LogicalResult verifyDMAEnds(EnqueueDMAOp op) {
  auto source = cast<MemRefType>(op.getSource().getType());
  auto target = cast<MemRefType>(op.getTarget().getType());
  if (source.getElementType() != target.getElementType())
    return op.emitOpError("copies ")
           << source.getElementType() << " elements to "
           << target.getElementType() << " ones; a DMA converts nothing";
  if (source.getShape() != target.getShape())
    return op.emitOpError("copies ")
           << source << " to " << target
           << "; both need the same shape, tpu.memref_slice takes a part";
  return success();
}

/// A copy to another device or core leaves before it arrives, and counts both:
/// its source semaphore here, its target semaphore there. A local one does both
/// at once.
static LogicalResult verifyDMASemaphores(EnqueueDMAOp op) {
  Value sourceSem = op.getSourceSemaphore(),
        targetSem = op.getTargetSemaphore();
  if (!targetSem)
    return op.emitOpError("has no target_semaphore; give the one that counts "
                          "what has arrived");
  if (failed(verifyScalar(op, "target_semaphore", targetSem)) ||
      failed(verifyScalar(op, "source_semaphore", sourceSem)))
    return failure();
  Type element = cast<MemRefType>(targetSem.getType()).getElementType();
  if (sourceSem) {
    Type other = cast<MemRefType>(sourceSem.getType()).getElementType();
    if (other != element)
      return op.emitOpError("has semaphores of types ")
             << other << " and " << element << "; both are equal";
    if (failed(verifyLocal(op, "source_semaphore", sourceSem)))
      return failure();
  }
  bool isRemote = op.getDeviceId() || op.getCoreId();
  if (isRemote && !sourceSem)
    return op.emitOpError("goes to another device or core and has no "
                          "source_semaphore; give the one that counts what "
                          "has left");
  if (!isRemote && sourceSem)
    return op.emitOpError("has a source_semaphore but stays on this core; "
                          "give device_id or core_id, or drop it");
  // Copies with scalar memory count on DMA semaphores only.
  if (isa<DMASemaphoreType>(element))
    return success();
  for (Value end : {op.getSource(), op.getTarget()})
    if (getMemorySpace(cast<MemRefType>(end.getType())) == MemorySpace::Smem)
      return op.emitOpError("counts a copy to or from smem on a "
                            "!tpu.semaphore; use a !tpu.dma_semaphore");
  return success();
}

/// Checks ends and semaphores first; whatever else is wrong may follow from
/// these.
LogicalResult EnqueueDMAOp::verify() {
  if (failed(verifyDMAEnds(*this)) || failed(verifyDMASemaphores(*this)))
    return failure();
  CoreType core = getCoreType(*this);
  CoreType target = getOwner(*this, getTargetSemaphore());
  if (target != core && !getCoreId())
    return emitOpError("runs on ")
           << stringifyCoreType(core) << " and copies to "
           << stringifyCoreType(target) << "; name the core by core_id";
  if (failed(verifySubcoreId(*this, getSubcoreId(), target)))
    return failure();
  if (getPriority() > 1)
    return emitOpError("has priority ")
           << static_cast<int32_t>(getPriority()) << "; 0 and 1 are supported";
  // Priorities order the queue of the own core.
  if (getPriority() != 0 && (getDeviceId() || getCoreId()))
    return emitOpError("has priority ")
           << getPriority()
           << " and goes to another device or core; only local DMAs have one";
  if (getStrictOrdering() && core == CoreType::TensorCore)
    return emitOpError("has strict_ordering set on tc; only the SparseCore "
                       "subcores order DMAs");
  return success();
}

//===----------------------------------------------------------------------===//
// Waits for DMAs
//===----------------------------------------------------------------------===//

void WaitDMA2Op::build(OpBuilder &builder, OperationState &state,
                       Value semaphore, Value src, Value dst) {
  build(builder, state, semaphore, src, dst, /*device_id=*/Value(),
        /*core_id=*/Value());
}

/// Waits decrement a semaphore of the core that waits.
LogicalResult WaitDMA2Op::verify() {
  return success(succeeded(verifyScalar(*this, "semaphore", getSemaphore())) &&
                 succeeded(verifyLocal(*this, "semaphore", getSemaphore())));
}

/// The form of older modules, which names both semaphores and a side.
LogicalResult WaitDMAOp::verify() {
  StringRef name = getWaitTarget() ? "target_semaphore" : "source_semaphore";
  Value semaphore =
      getWaitTarget() ? getTargetSemaphore() : getSourceSemaphore();
  if (!semaphore)
    return emitOpError("waits on its ") << name << " but has none";
  return success(succeeded(verifyScalar(*this, name, semaphore)) &&
                 succeeded(verifyLocal(*this, name, semaphore)));
}

//===----------------------------------------------------------------------===//
// Indirect DMAs
//===----------------------------------------------------------------------===//

namespace {
enum class IndirectKind { Gather, Scatter };
} // namespace

/// The kind of an indirect DMA follows from the memories of its ends.
///
/// A gather goes from far memory to the vmem of the subcore, a scatter back.
/// Offsets count rows of the far end.
static FailureOr<IndirectKind> getIndirectKind(Operation *op, Value source,
                                               Value target) {
  auto isNear = [&](Value v) {
    return getMemorySpace(cast<MemRefType>(v.getType())) == MemorySpace::Vmem &&
           getOwner(op, v) == CoreType::ScVectorSubcore;
  };
  auto isFar = [&](Value v) {
    std::optional<MemorySpace> space =
        getMemorySpace(cast<MemRefType>(v.getType()));
    return space == MemorySpace::Hbm || space == MemorySpace::VmemShared ||
           (space == MemorySpace::Vmem &&
            getOwner(op, v) == CoreType::TensorCore);
  };
  if (isFar(source) && isNear(target))
    return IndirectKind::Gather;
  if (isNear(source) && isFar(target))
    return IndirectKind::Scatter;
  return op->emitOpError("moves data from ")
         << source.getType() << " to " << target.getType()
         << "; one end is in the vmem of this core, the other in hbm, "
            "vmem_shared or the vmem of tc";
}

/// Shape without the leading 1 of "one row of offsets".
static ArrayRef<int64_t> dropLeadingOne(ArrayRef<int64_t> shape, bool drop) {
  return drop ? shape.drop_front() : shape;
}

/// `rows` is the memory that offsets pick from, `packed` the picked rows.
///
///   tpu.enqueue_indirect_dma source(%t : memref<128x16xf32, ...>)
///       target(%r : memref<8x16xf32, ...>) offsets(%o : memref<8xi32, ...>)
///
/// has 8 offsets for 8 packed rows of 16.
static LogicalResult verifyIndirectShapes(EnqueueIndirectDMAOp op,
                                          MemRefType rows, MemRefType packed) {
  auto offsets = cast<ShapedType>(op.getOffsets().getType());
  ArrayRef<int64_t> offsetShape = offsets.getShape();
  bool leadingOne = offsetShape.size() == 2 && offsetShape.front() == 1;
  if (offsetShape.size() != 1 && !leadingOne)
    return op.emitOpError("has offsets of type ")
           << offsets << "; give n or 1 x n of them";
  if (leadingOne)
    for (MemRefType end : {rows, packed})
      if (end.getRank() < 2 || end.getDimSize(0) != 1)
        return op.emitOpError("has offsets of shape 1 x n beside ")
               << end << ", whose first dimension is not 1";
  ArrayRef<int64_t> rowShape = dropLeadingOne(rows.getShape(), leadingOne);
  ArrayRef<int64_t> packedShape = dropLeadingOne(packed.getShape(), leadingOne);
  if (rowShape.empty() || packedShape.empty())
    return op.emitOpError("moves rows between ")
           << rows << " and " << packed << ", one of which has none";
  if (packedShape.front() != offsetShape.back())
    return op.emitOpError("has ")
           << offsetShape.back() << " offsets for the " << packedShape.front()
           << " rows of " << packed;
  if (rowShape.drop_front() != packedShape.drop_front())
    return op.emitOpError("moves rows between ")
           << rows << " and " << packed << ", whose rows differ in shape";
  return success();
}

/// Checks where it runs first: on another core nothing else matters.
LogicalResult EnqueueIndirectDMAOp::verify() {
  if (failed(verifyOnVectorSubcore(*this)) ||
      failed(verifyScalar(*this, "semaphore", getSemaphore())))
    return failure();
  auto source = cast<MemRefType>(getSource().getType());
  auto target = cast<MemRefType>(getTarget().getType());
  FailureOr<IndirectKind> kind =
      getIndirectKind(*this, getSource(), getTarget());
  if (failed(kind))
    return failure();
  if (source.getElementType() != target.getElementType())
    return emitOpError("moves ")
           << source.getElementType() << " elements to "
           << target.getElementType() << " ones; a DMA converts nothing";
  if (auto offsets = dyn_cast<MemRefType>(getOffsets().getType()))
    if (getMemorySpace(offsets) != MemorySpace::Vmem)
      return emitOpError("has offsets of type ")
             << offsets << "; copy them to vmem, or load them into a vector";
  bool isGather = *kind == IndirectKind::Gather;
  return verifyIndirectShapes(*this, isGather ? source : target,
                              isGather ? target : source);
}

LogicalResult WaitIndirectDMAOp::verify() {
  return success(succeeded(verifyOnVectorSubcore(*this)) &&
                 succeeded(verifyScalar(*this, "semaphore", getSemaphore())) &&
                 succeeded(getIndirectKind(*this, getSrc(), getDst())));
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

/// The hardware adds in memory of vector subcores, one number at a time.
LogicalResult FetchAndAddSyncOp::verify() {
  CoreType target = getOwner(*this, getBase());
  if (target != CoreType::ScVectorSubcore)
    return emitOpError("adds in the memory of ")
           << stringifyCoreType(target)
           << "; only that of sc_vector_subcore is supported";
  int64_t rank = cast<MemRefType>(getBase().getType()).getRank();
  if (static_cast<int64_t>(getIndices().size()) != rank)
    return emitOpError("has ")
           << getIndices().size() << " indices for a base of rank " << rank
           << "; give one per dimension";
  return success();
}

/// Kernels over a mesh get their place in it as arguments.
static LogicalResult verifyOutsideMesh(Operation *op) {
  auto func = op->getParentOfType<FunctionOpInterface>();
  if (!func || !func->hasAttr("dimension_semantics"))
    return success();
  InFlightDiagnostic diag = op->emitOpError(
      "is in a function over a mesh, where the argument of the function "
      "gives this number");
  diag.attachNote(func->getLoc()) << "the function has dimension_semantics";
  return diag;
}

/// TensorCores are addressed as devices.
LogicalResult CoreIdOp::verify() {
  CoreType core = getCoreType(*this);
  if (core == CoreType::TensorCore)
    return emitOpError("runs on tc, but only SparseCores are numbered");
  return verifyOutsideMesh(*this);
}

LogicalResult SubcoreIdOp::verify() {
  CoreType core = getCoreType(*this);
  if (core == CoreType::TensorCore)
    return emitOpError("runs on tc, but only subcores of a SparseCore are "
                       "numbered");
  return verifyOutsideMesh(*this);
}
