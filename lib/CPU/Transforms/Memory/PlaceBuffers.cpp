//===- PlaceBuffers.cpp - No allocation in loops --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-place-buffers, the allocation of an arena.
// After bufferization an allocation never outlives the iteration that makes it,
// so one place per allocation is enough, whatever loops are around it. Small
// buffers go to the stack; the others share one allocation per function.
//   scf.for ... {
//     %a = memref.alloc() : memref<65536xf32>
//     memref.store %v, %a[%i] : memref<65536xf32>
//   }
// becomes
//   %all = memref.alloc() {alignment = 64 : i64} : memref<262144xi8>
//   %a = memref.view %all[%c0][] : memref<262144xi8> to memref<65536xf32>
//   scf.for ... {
//     memref.store %v, %a[%i] : memref<65536xf32>
//   }
//   memref.dealloc %all : memref<262144xi8>
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Widths.h"
#include "llvm/Support/MathExtras.h"
#include <unistd.h>

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUPLACEBUFFERS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static constexpr int64_t alignment = 64;
/// Stack bytes that all buffers of a function may take together.
static constexpr int64_t totalStackBytes = 1 << 20;

/// The size limit of an allocation: the memory of this machine, or the address
/// space of a process if the size is unknown.
static int64_t getMemoryBytes() {
  static const int64_t bytes = [] {
    int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size : int64_t(1) << 47;
  }();
  return bytes;
}

/// Bytes of a static buffer, each element in whole bytes; one more than there
/// is memory if there are too many.
static int64_t getBytes(MemRefType type) {
  int64_t bytes = getByteWidth(type.getElementType());
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > getMemoryBytes())
      return getMemoryBytes() + 1;
  return bytes;
}

/// The block of code that one thread runs once around `op`. A buffer of a
/// parallel loop must be private to its thread.
static Block *getThreadScope(Operation *op) {
  for (Operation *parent = op->getParentOp();; parent = parent->getParentOp())
    if (isa<omp::ParallelOp, func::FuncOp>(parent))
      return &parent->getRegion(0).front();
}

/// Whether code frees this memory: then it has its place, and no other place
/// could be freed. Modules come with such memory when this pass made them, or
/// when their authors did.
static bool isFreed(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    auto cast = dyn_cast<memref::CastOp>(user);
    return isa<memref::DeallocOp>(user) || (cast && isFreed(cast));
  });
}

/// Frees an allocation of dynamic size at the end of its block.
static void freeAtEnd(memref::AllocOp alloc) {
  OpBuilder builder(alloc->getBlock()->getTerminator());
  memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
}

/// Code does not look whether it got the memory that it asks for. So a kernel
/// that needs too much is rejected here instead of crashing.
static LogicalResult verifyMemory(memref::AllocOp alloc, int64_t total) {
  int64_t available = getMemoryBytes();
  if (total <= available)
    return success();
  return emitError(alloc.getLoc())
         << "a buffer for " << alloc.getType() << " makes " << total
         << " bytes or more of this kernel, but the machine has " << available
         << "; use smaller blocks or scratch memory";
}

/// Gives the allocations parts of one block of memory.
static LogicalResult shareAllocation(Block *scope,
                                     MutableArrayRef<memref::AllocOp> allocs) {
  OpBuilder builder = OpBuilder::atBlockBegin(scope);
  Location loc = allocs.front().getLoc();
  int64_t total = 0;
  SmallVector<int64_t> offsets;
  for (memref::AllocOp alloc : allocs) {
    offsets.push_back(total);
    total += llvm::alignTo(getBytes(alloc.getType()), alignment);
    if (failed(verifyMemory(alloc, total)))
      return failure();
  }
  Value arena = memref::AllocOp::create(
      builder, loc, MemRefType::get({total}, builder.getI8Type()),
      builder.getI64IntegerAttr(alignment));
  Value last = arena;
  for (auto [alloc, offset] : llvm::zip_equal(allocs, offsets)) {
    // The operation behind may be an allocation that has been erased by now, so
    // it is no place to insert at.
    builder.setInsertionPointAfterValue(last);
    Value start =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
    Value place = memref::ViewOp::create(
        builder, alloc.getLoc(), alloc.getType(), arena, start, ValueRange());
    alloc.replaceAllUsesWith(place);
    alloc.erase();
    last = place;
  }
  builder.setInsertionPoint(scope->getTerminator());
  memref::DeallocOp::create(builder, loc, arena);
  return success();
}

/// Moves allocations to where their thread begins, and frees them at its end.
/// They end where their buffer does: room for an alignment would be behind it.
/// Used to find accesses out of bounds: in an arena, the neighbor of a buffer
/// is another buffer.
static LogicalResult hoistAllocations(Block *scope,
                                      MutableArrayRef<memref::AllocOp> allocs) {
  int64_t total = 0;
  for (memref::AllocOp alloc : allocs) {
    total += llvm::alignTo(getBytes(alloc.getType()), alignment);
    if (failed(verifyMemory(alloc, total)))
      return failure();
    alloc->moveBefore(scope, scope->begin());
    alloc.removeAlignmentAttr();
    OpBuilder builder(scope->getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  }
  return success();
}

/// The scope that OpenMP lowering puts around the body of a loop has nothing to
/// release any more, and it could not hold the branches that loops become.
static void inlineScope(memref::AllocaScopeOp scope) {
  IRRewriter rewriter(scope);
  Block *body = &scope.getBodyRegion().front();
  Operation *terminator = body->getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(body, scope);
  rewriter.replaceOp(scope, results);
}

namespace {
struct PlaceBuffers
    : public pallas::impl::PallasCPUPlaceBuffersBase<PlaceBuffers> {
  using PallasCPUPlaceBuffersBase::PallasCPUPlaceBuffersBase;

  void runOnOperation() override {
    llvm::MapVector<Block *, SmallVector<memref::AllocOp>> large;
    DenseMap<Block *, int64_t> onStack;
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp op) {
      if (!isFreed(op))
        allocs.push_back(op);
    });
    for (memref::AllocOp alloc : allocs) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape()) {
        freeAtEnd(alloc);
        continue;
      }
      Block *scope = getThreadScope(alloc);
      int64_t bytes = getBytes(type);
      int64_t &total = onStack[scope];
      if (bytes > stackBytes || total + bytes > totalStackBytes) {
        large[scope].push_back(alloc);
        continue;
      }
      total += llvm::alignTo(bytes, alignment);
      OpBuilder builder = OpBuilder::atBlockBegin(scope);
      Value place = memref::AllocaOp::create(
          builder, alloc.getLoc(), type, builder.getI64IntegerAttr(alignment));
      alloc.replaceAllUsesWith(place);
      alloc.erase();
    }
    for (auto &[scope, group] : large)
      if (failed(separate ? hoistAllocations(scope, group)
                          : shareAllocation(scope, group)))
        return signalPassFailure();
    getOperation().walk(inlineScope);
  }
};
} // namespace
