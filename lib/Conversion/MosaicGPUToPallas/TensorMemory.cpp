//===- TensorMemory.cpp - Slices of tensor memory as scratch --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel allocates columns of tensor memory once and slices them. Each slice
// becomes a scratch ref, as those of shared memory do:
//
//   %all = mosaic_gpu.tmem_alloc smem_ptr(%p) -> memref<128x256xi32, tmem>
//   %s = "mosaic_gpu.slice_tmem"(%all) <{offset = 128 : i32}>
//     -> memref<128x128xf32, tmem>
//
//===----------------------------------------------------------------------===//

#include "MemoryParts.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr int64_t kLanes = 128;

/// The elements of a row that a column holds, and the copies that lanes have of
/// each: as many as the layout's tiles tell.
static int64_t countColumns(MemRefType type, Operation *slice) {
  int64_t bits = type.getElementTypeBitWidth();
  // Without a layout it is as dense as can be.
  int64_t columns = llvm::divideCeil(type.getNumElements() * bits, 32 * kLanes);
  for (Operation *user : slice->getUsers()) {
    auto cast = dyn_cast<mosaic_gpu::TmemLayoutCastOp>(user);
    if (!cast)
      continue;
    mosaic_gpu::TiledLayoutAttr layout = cast.getNewLayout();
    int64_t copies = 1, word = 1;
    for (Attribute dim : layout.getWarpDims())
      if (auto copied = dyn_cast<mosaic_gpu::ReplicatedAttr>(dim))
        copies *= copied.getTimes();
    // The last tile is the one that a lane holds, if it is that of a word.
    if (layout.getVectorDim() == -1 && !layout.getTiling().empty()) {
      auto last = dyn_cast<ArrayAttr>(layout.getTiling().getValue().back());
      if (last && !last.empty())
        if (auto size = dyn_cast<IntegerAttr>(last.getValue().back()))
          word = size.getInt();
    } else {
      word = 32 / bits;
    }
    if (word > 0)
      columns =
          std::max(columns, type.getNumElements() * copies / kLanes / word);
  }
  return columns;
}

/// Where a slice starts in the allocation.
static int64_t getOffset(Value memref) {
  int64_t offset = 0;
  while (Operation *op = memref.getDefiningOp()) {
    if (auto slice = dyn_cast<mosaic_gpu::SliceTmemOp>(op))
      offset += slice.getOffset();
    else if (!isa<mosaic_gpu::TmemLayoutCastOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return offset;
}

/// The allocation that a slice, or a slice of a slice, is of; null where it is
/// an argument.
static mosaic_gpu::TmemAllocOp getAllocation(mosaic_gpu::SliceTmemOp slice) {
  Operation *op = slice;
  while (isa_and_nonnull<mosaic_gpu::SliceTmemOp, mosaic_gpu::TmemLayoutCastOp>(
      op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<mosaic_gpu::TmemAllocOp>(op);
}

/// The allocation itself is a ref where the kernel uses it as one.
static bool isRef(Operation *op) {
  if (isa<mosaic_gpu::SliceTmemOp>(op))
    return true;
  return isa<mosaic_gpu::TmemAllocOp>(op) &&
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return !isa<mosaic_gpu::SliceTmemOp, mosaic_gpu::TmemDeallocOp>(
               user);
         });
}

/// Adds a ref to the part that it is of. Slices of the same columns with the
/// same type are one part, so that what is stored by one is loaded by another;
/// of other types or `alias_id`s they are several, which `checkReuse` keeps
/// apart in time.
static LogicalResult addSlice(SmallVectorImpl<Part> &parts, Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (!convertGPUMemRef(type))
    return op->emitOpError() << "yields " << type
                             << ", which no ref can be; elements of tensor "
                                "memory are integers or floats";
  int64_t offset = getOffset(op->getResult(0)), size = countColumns(type, op);
  if (auto slice = dyn_cast<mosaic_gpu::SliceTmemOp>(op))
    if (mosaic_gpu::TmemAllocOp alloc = getAllocation(slice)) {
      int64_t columns = countColumns(alloc.getType(), alloc);
      if (offset + size > columns) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "ends at column " << offset + size
                                  << " of an allocation of " << columns
                                  << "; allocate more columns, or slice others";
        diag.attachNote(alloc.getLoc()) << "the columns are allocated here";
        return diag;
      }
    }
  Attribute alias = op->getAttr("alias_id");
  auto *found = llvm::find_if(parts, [&](const Part &part) {
    return part.offset == offset && part.alias == alias &&
           part.slices.front()->getResult(0).getType() == type;
  });
  if (found == parts.end()) {
    parts.push_back({offset, size, {}, type.getElementType(), alias, {}});
    found = std::prev(parts.end());
  }
  found->slices.push_back(op);
  forEachAccess(op->getResult(0),
                [&](OpOperand &use) { found->accesses.push_back(&use); });
  return success();
}

/// Offsets are those of one allocation.
static LogicalResult checkAllocations(Block *block) {
  mosaic_gpu::TmemAllocOp first;
  WalkResult result = block->walk([&](mosaic_gpu::TmemAllocOp op) {
    if (!first) {
      first = op;
      return WalkResult::advance();
    }
    InFlightDiagnostic diag =
        op.emitOpError("allocates tensor memory a second time; allocate all "
                       "columns at once, and slice them");
    diag.attachNote(first.getLoc()) << "the first allocation is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Slices of the allocation of a kernel become scratch refs of their own:
///
///   %t = "mosaic_gpu.tmem_alloc"(%word) : ... -> memref<128x512xf32, #tmem>
///   %s = "mosaic_gpu.slice_tmem"(%t) <{offset = 128 : i32}>
///       : ... -> memref<128x128xf32, #tmem>
/// -->
///   pallas.run_scoped (%s: !pallas.ref<128x128xf32, tmem>) {...}
LogicalResult KernelRaiser::raiseTensorMemory() {
  if (failed(checkAllocations(block)))
    return failure();
  SmallVector<Operation *> done;
  block->walk([&](Operation *op) {
    if (isa<mosaic_gpu::TmemDeallocOp, mosaic_gpu::TmemRelinquishAllocPermitOp>(
            op))
      done.push_back(op);
  });
  for (Operation *op : done)
    op->erase();
  SmallVector<Part> parts;
  WalkResult result = block->walk([&](Operation *op) -> WalkResult {
    return isRef(op) ? addSlice(parts, op) : success();
  });
  if (result.wasInterrupted() ||
      failed(checkReuse(parts, block, kernel.numWarpgroups > 1,
                        {"columns", "of tensor memory"})))
    return failure();
  replaceSlices(*this, parts);
  // Slices of slices come behind them.
  for (Part &part : llvm::reverse(parts))
    for (Operation *slice : llvm::reverse(part.slices))
      if (!isa<mosaic_gpu::TmemAllocOp>(slice))
        slice->erase();
  SmallVector<mosaic_gpu::TmemAllocOp> allocations;
  block->walk([&](mosaic_gpu::TmemAllocOp op) { allocations.push_back(op); });
  for (mosaic_gpu::TmemAllocOp op : allocations) {
    // Nothing else has a use for the word where hardware writes the address.
    Operation *address = op.getSmemPtr().getDefiningOp();
    op.erase();
    if (isa_and_nonnull<mosaic_gpu::SliceSMEMOp>(address) &&
        address->use_empty())
      address->erase();
  }
  return success();
}
