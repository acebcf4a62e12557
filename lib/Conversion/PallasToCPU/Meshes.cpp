//===- Meshes.cpp - Cores of meshes, and their scratch --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers what pallas-meshes-to-loops makes of kernels on meshes: what
// one core runs, and the scratch of cores that run at the same time.
//
//===----------------------------------------------------------------------===//

#include "MeshLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "pallas/Dialect/Pallas/Utils/ClusterAxes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

/// Moves the operations of a body in front of `op`, which is not erased.
static void inlineBody(Operation *op, Block &body) {
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
}

/// Only the body of a core is left. Operations in it that are about its mesh
/// find the core in `sharing`.
LogicalResult MeshLowering::lower(OnCoreOp op) {
  Block &body = op.getBody().front();
  PlacedKernel kernel{op.getMesh(), llvm::to_vector_of<Value>(op.getIds()),
                      unsigned(op.getFirstAxis().value_or(0)),
                      int64_t(op.getFirstTask().value_or(0))};
  llvm::SaveAndRestore<Value> outer(random.generator);
  if (usesRandomState(op.getBody())) {
    // Each core has a generator.
    b.setInsertionPointToStart(&body);
    random.generator = random.createGenerator(op.getLoc());
  }
  sharing.kernels.push_back(&kernel);
  LogicalResult result = state.lowerBlock(body);
  sharing.kernels.pop_back();
  if (failed(result))
    return failure();
  inlineBody(op, body);
  b.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Scratch of tasks
//===----------------------------------------------------------------------===//

/// Memory for all instances of a ref, one behind the other. For example, for
/// two cores with 8 floats each:
///
///   %all = memref.alloc() {alignment = 64 : i64} : memref<2x8xf32>
///
/// One allocation lets a core address the instance of another one by its
/// number.
Value MeshLowering::allocateInstances(BlockArgument ref, int64_t count) {
  MemRefType type = getMemoryType(ref.getType());
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, type.getShape());
  Location loc = ref.getLoc();
  Value all = memref::AllocOp::create(
      b, loc, MemRefType::get(shape, type.getElementType()),
      b.getI64IntegerAttr(64));
  auto refType = dyn_cast<RefType>(ref.getType());
  if (!refType || refType.isSynchronization())
    b.fill(loc, all, b.getZeroAttr(type.getElementType()));
  return all;
}

/// The scope ends behind the last task, as another one may name the scratch of
/// a task that has ended.
LogicalResult MeshLowering::lower(TaskScopeOp op) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  auto first = body.begin(), rest = findEndOfMemoryChecks(body);
  for (auto [ref, owner] : llvm::zip_equal(
           body.getArguments(), op.getOwners().getAsRange<MeshAttr>())) {
    int64_t count = countInstances(owner, op.getFirstAxis(), ref.getType());
    b.setInsertionPoint(&body, first);
    memory[ref] = allocateInstances(ref, count);
    b.setInsertionPoint(&body, rest);
    sharing.share(ref.getLoc(), memory[ref], ref, count);
  }
  if (failed(state.lowerBlock(body)))
    return failure();
  inlineBody(op, body);
  b.setInsertionPoint(op);
  for (BlockArgument ref : body.getArguments())
    sharing.unshare(loc, getMemory(ref));
  b.eraseOp(op);
  return success();
}

/// Notes the instance that the core around sees:
///
///   %own = memref.subview %all[%core, 0] [1, 8] [1, 1]
///       : memref<2x8xf32> to memref<8xf32, strided<[1], offset: ?>>
LogicalResult MeshLowering::lower(CoreScratchOp op) {
  Location loc = op.getLoc();
  Type refType = op.getInstance().getType();
  Value all = getMemory(op.getScratch());
  MemRefType type = getMemoryType(refType);
  SmallVector<OpFoldResult> offsets(type.getRank() + 1, b.getIndexAttr(0)),
      sizes{b.getIndexAttr(1)}, strides(type.getRank() + 1, b.getIndexAttr(1));
  offsets[0] = getInstance(b, loc, *sharing.kernels.back(),
                           MemorySharing::getOwner(op), refType, Value());
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  auto viewType = memref::SubViewOp::inferRankReducedResultType(
      type.getShape(), cast<MemRefType>(all.getType()), offsets, sizes,
      strides);
  memory[op.getInstance()] = memref::SubViewOp::create(
      b, loc, cast<MemRefType>(viewType), all, offsets, sizes, strides);
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
  if (sharing.kernels.empty())
    return {};
  PlacedKernel &kernel = *sharing.kernels.back();
  auto isShared = [&](MeshAxisAttr axis) {
    return isSharedAlong(op, ref, axis.getName());
  };
  if (llvm::none_of(kernel.getConcurrentAxes(), isShared))
    return {};
  Location loc = ref.getLoc();
  PointGroup point = numberPoints(
      b, loc, kernel.getConcurrentAxes(),
      ArrayRef(kernel.ids).drop_front(kernel.firstConcurrent), isShared);
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
