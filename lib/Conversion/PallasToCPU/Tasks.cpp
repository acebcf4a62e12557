//===- Tasks.cpp - Cores of a mesh that run at the same time --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file emits cores that wait for each other as tasks of the runtime: an
// `scf.forall` whose body is one core. The pass outline-tasks makes a function
// of it later, which the runtime calls on one fiber per core.
//
//===----------------------------------------------------------------------===//

#include "pallas/Support/Tasks.h"
#include "Buffers.h"
#include "MeshLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// Returns the number of the kernel whose cores have an instance each of the
/// scratch argument. A memory space such as `semaphore@sc_vector` names the
/// kind of core; without one the first kernel owns it.
static unsigned getOwner(ArrayRef<MeshKind> kinds, Type refType) {
  auto ref = dyn_cast<RefType>(refType);
  std::optional<CoreKind> core =
      ref ? ref.getMemorySpace().getCore() : std::nullopt;
  for (auto [i, kind] : llvm::enumerate(kinds)) {
    bool matches =
        !core ||
        (kind == MeshKind::TensorCore && *core == CoreKind::TensorCore) ||
        (kind == MeshKind::ScScalar && *core == CoreKind::ScScalar) ||
        (kind == MeshKind::ScVector && *core == CoreKind::ScVector);
    if (matches)
      return i;
  }
  return 0;
}

/// Memory for all instances of the scratch argument at `position`, one behind
/// the other. For example, for two cores with 8 floats each:
///
///   %all = memref.alloc() {alignment = 64 : i64} : memref<2x8xf32>
///
/// One allocation lets a core address the instance of another one by its
/// number.
MeshLowering::ScratchArray
MeshLowering::allocateInstances(MutableArrayRef<PlacedKernel> kernels,
                                unsigned position) {
  BlockArgument ref = kernels.front().body->getArgument(position);
  SmallVector<MeshKind> kinds;
  for (PlacedKernel &kernel : kernels)
    kinds.push_back(kernel.mesh.getKind());
  ScratchArray scratch;
  scratch.owner = &kernels[getOwner(kinds, ref.getType())];
  int64_t count = 1;
  for (MeshAxisAttr axis : scratch.owner->getConcurrentAxes())
    if (separatesScratch(axis, ref.getType()))
      count *= axis.getSize();
  MemRefType type = getMemoryType(ref.getType());
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, type.getShape());
  Location loc = ref.getLoc();
  scratch.memory = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, type.getElementType()),
      b.getI64IntegerAttr(64));
  auto refType = dyn_cast<RefType>(ref.getType());
  if (!refType || refType.isSynchronization())
    b.fill(loc, scratch.memory, b.getZeroAttr(type.getElementType()));
  checker.checkRegion(scratch.memory, describeRef(ref),
                      refType && !refType.isSynchronization()
                          ? ByteState::Unwritten
                          : ByteState::Written,
                      kNewRegion);
  sharing.share(loc, scratch.memory, ref.getType(), count);
  return scratch;
}

/// Returns the instance that the core of `kernel` sees:
///
///   %own = memref.subview %all[%core, 0] [1, 8] [1, 1]
///       : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
Value MeshLowering::selectInstance(PlacedKernel &kernel,
                                   const ScratchArray &array,
                                   BlockArgument ref) {
  Location loc = ref.getLoc();
  MemRefType type = getMemoryType(ref.getType());
  Value instance =
      getInstance(b, loc, kernel, *array.owner, ref.getType(), Value());
  SmallVector<OpFoldResult> offsets(type.getRank() + 1, b.getIndexAttr(0)),
      sizes{b.getIndexAttr(1)}, strides(type.getRank() + 1, b.getIndexAttr(1));
  offsets[0] = instance;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  auto viewType = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(array.memory.getType()), offsets, sizes,
      strides);
  return memref::SubViewOp::create(b, loc, cast<MemRefType>(viewType),
                                   array.memory, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Describes the tasks for messages: "scalar:core=2;vector:core=2,subcore=16".
static std::string describePoints(ArrayRef<PlacedKernel> kernels) {
  std::string text;
  for (const PlacedKernel &kernel : kernels) {
    if (!text.empty())
      text += ";";
    if (kernels.size() > 1)
      text += kernel.name + ":";
    for (auto [i, axis] : llvm::enumerate(kernel.getConcurrentAxes()))
      text += ((i ? "," : "") + axis.getName().getValue() + "=" +
               Twine(axis.getSize()))
                  .str();
  }
  return text;
}

static int64_t countTasks(const PlacedKernel &kernel) {
  int64_t count = 1;
  for (MeshAxisAttr axis : kernel.getConcurrentAxes())
    count *= axis.getSize();
  return count;
}

/// The coordinates of a task along the concurrent axes:
///
///   %0 = arith.divui %point, %c16 : index
///   %1 = arith.remui %0, %c2 : index
static void addConcurrentIds(MemoryBuilder &b, Location loc,
                             PlacedKernel &kernel, Value point) {
  int64_t count = countTasks(kernel);
  for (MeshAxisAttr axis : kernel.getConcurrentAxes()) {
    count /= axis.getSize();
    Value id = arith::DivUIOp::create(b, loc, point, b.createIndex(loc, count));
    id = arith::RemUIOp::create(b, loc, id, b.createIndex(loc, axis.getSize()));
    kernel.ids.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), id));
  }
}

/// Emits the kernels as tasks. Axes in front of the concurrent ones are loops
/// around them. Scratch is allocated in front of the tasks, since one of them
/// may name that of another before the other has started. For example, a kernel
/// on 2 cores and one on 2x16 subcores become
///
///   scf.forall (%task) in (34) {
///     %scalar = arith.cmpi ult, %task, %c2 : index
///     scf.if %scalar {...}
///     %rest = arith.subi %task, %c2 : index
///     %vector = arith.cmpi ult, %rest, %c32 : index
///     scf.if %vector {...}
///   } {pallas.axes = "scalar:core=2;vector:core=2,subcore=16"}
LogicalResult MeshLowering::runTasks(Location loc,
                                     MutableArrayRef<PlacedKernel> kernels,
                                     unsigned numKnownArguments) {
  OpBuilder::InsertionGuard guard(b);
  Value zero = b.createIndex(loc, 0), one = b.createIndex(loc, 1);
  int64_t numTasks = 0;
  for (PlacedKernel &kernel : kernels) {
    kernel.firstConcurrent =
        kernels.size() > 1 ? 0
                           : getFirstConcurrentAxis(kernel.mesh, *kernel.body);
    kernel.firstTask = numTasks;
    numTasks += countTasks(kernel);
  }
  if (numTasks > maxTasks)
    return mlir::emitError(loc)
           << "runs " << numTasks
           << " tasks that wait for each other; on CPUs at most " << maxTasks
           << " can run at the same time";
  PlacedKernel &front = kernels.front();
  for (MeshAxisAttr axis :
       front.mesh.getAxes().take_front(front.firstConcurrent)) {
    auto loop = scf::ForOp::create(b, loc, zero,
                                   b.createIndex(loc, axis.getSize()), one);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    front.ids.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                                   loop.getInductionVar()));
  }
  SmallVector<ScratchArray> scratch;
  SmallVector<Value> shared;
  unsigned numArguments = front.body->getNumArguments();
  for (unsigned i = numKnownArguments; i < numArguments; ++i) {
    scratch.push_back(allocateInstances(kernels, i));
    if (scratch.back().isShared())
      shared.push_back(front.body->getArgument(i));
  }
  int64_t numShared =
      checked ? beginBuffers(b, loc, ValueRange(shared).getTypes()) : 0;

  auto tasks = scf::ForallOp::create(b, loc, {b.getIndexAttr(0)},
                                     {b.getIndexAttr(numTasks)},
                                     {b.getIndexAttr(1)}, ValueRange(),
                                     /*mapping=*/std::nullopt);
  tasks->setAttr(kTaskAxesAttrName, b.getStringAttr(describePoints(kernels)));
  for (PlacedKernel &kernel : kernels) {
    b.setInsertionPoint(tasks.getBody()->getTerminator());
    Value point = tasks.getInductionVar(0);
    if (kernels.size() > 1) {
      point = arith::SubIOp::create(b, loc, point,
                                    b.createIndex(loc, kernel.firstTask));
      Value isOurs =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, point,
                                b.createIndex(loc, countTasks(kernel)));
      auto branch = scf::IfOp::create(b, loc, isOurs);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    addConcurrentIds(b, loc, kernel, point);
    SmallVector<Value> own;
    for (auto [ref, array] : llvm::zip_equal(
             kernel.body->getArguments().drop_front(numKnownArguments),
             scratch)) {
      memory[ref] = selectInstance(kernel, array, ref);
      sharing.instanceOwners[ref] = array.owner;
      if (array.owner == &kernel && !array.isShared())
        own.push_back(ref);
    }
    if (failed(runPoint(kernel, own)))
      return failure();
  }
  b.setInsertionPointAfter(tasks);
  endBuffers(b, loc, numShared);
  for (auto [ref, array] : llvm::zip_equal(
           front.body->getArguments().drop_front(numKnownArguments), scratch)) {
    checker.checkSemaphoresEnd(front.body->getParentOp(), ref, array.memory);
    sharing.unshare(loc, array.memory);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collective allocations
//===----------------------------------------------------------------------===//

/// Allocates memory that all cores share which differ along the collective axes
/// only; returns null if the allocation isn't collective. The axes of a barrier
/// of a cluster are its own. The first core that comes allocates, and the last
/// one that leaves frees, so the runtime has to do it:
///
///   %p = llvm.call @pallas_rt_begin_collective(%site, %group, %members,
///       %bytes, %kind, %place) : (i64, i64, i64, i64, i32, !llvm.ptr) ->
///       !llvm.ptr
Value MeshLowering::allocateCollective(RunScopedOp op, BlockArgument ref) {
  auto refType = dyn_cast<ShapedType>(ref.getType());
  auto barrier = dyn_cast_or_null<ClusterBarrierType>(
      refType ? refType.getElementType() : Type());
  std::optional<ArrayAttr> axes = op.getCollectiveAxes();
  if (sharing.kernels.empty() || (!axes && !barrier))
    return {};
  PlacedKernel &kernel = *sharing.kernels.back();
  Location loc = ref.getLoc();
  PointGroup point = numberPoints(
      b, loc, kernel.getConcurrentAxes(),
      ArrayRef(kernel.ids).drop_front(kernel.firstConcurrent),
      [&](MeshAxisAttr axis) {
        return (axes && llvm::is_contained(*axes, axis.getName())) ||
               (barrier && isCollectiveAxis(barrier, axis.getName()));
      });
  if (point.numMembers == 1)
    return {};
  MemRefType type = getMemoryType(ref.getType());
  Value group = arith::IndexCastOp::create(b, loc, b.getI64Type(), point.group);
  Value arguments[] = {
      b.createSiteNumber(loc),
      group,
      b.createInteger(loc, point.numMembers, 64),
      b.createInteger(loc, getByteSize(type), 64),
      b.createInteger(loc, sharing.getSharedKind(ref.getType()), 32),
      b.getPlace(loc)};
  Value address = b.callRuntime(loc, "pallas_rt_begin_collective", arguments,
                                LLVM::LLVMPointerType::get(b.getContext()));
  return b.wrapAddress(loc, address, type);
}
