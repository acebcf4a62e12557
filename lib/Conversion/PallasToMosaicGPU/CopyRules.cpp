//===- CopyRules.cpp - Copies between memories ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies go by the tensor memory accelerator, which moves boxes of an array.
// The arrival of a load is counted in bytes, so its barrier expects them before
// the copy starts. Stores are waited for in groups.
//
//===----------------------------------------------------------------------===//

#include "BarrierRules.h"
#include "DeviceRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"
#include "pallas/Dialect/Pallas/Utils/BlockPairs.h"
#include "pallas/Support/Tiles.h"
#include <numeric>

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// A box as copies take it: where it starts, and how long it is.
struct CopyBox {
  Value memref;
  SmallVector<Value> indices;
  SmallVector<int64_t> lengths;
  /// The sizes of the boxes that are copied one by one, of which this box is
  /// made.
  SmallVector<int64_t> part;
  DevicePlace place;

  /// Whether a vector names its rows.
  bool isOfRows() const {
    return llvm::any_of(
        indices, [](Value index) { return isa<VectorType>(index.getType()); });
  }
  bool isWhole() const {
    return llvm::equal(part, llvm::make_filter_range(lengths, [](int64_t size) {
                         return size != -1;
                       }));
  }
};
} // namespace

/// The sizes of a box as the hardware counts: 64x128 with tiles of 8x64 is a
/// box of 8x2x8x64. Dimensions of size 1 don't count.
static SmallVector<int64_t> getHardwareBox(ArrayRef<int64_t> shape,
                                           ArrayAttr transforms) {
  SmallVector<int64_t> box(shape);
  for (Attribute attr :
       transforms ? transforms.getValue() : ArrayRef<Attribute>()) {
    auto tile = dyn_cast<TileTransformAttr>(attr);
    if (!tile)
      continue;
    ArrayRef<int64_t> sizes = tile.getTile();
    size_t first = box.size() - std::min(sizes.size(), box.size());
    for (auto [size, part] :
         llvm::zip(MutableArrayRef(box).drop_front(first), sizes))
      size = llvm::divideCeil(size, part);
    llvm::append_range(box, sizes);
  }
  llvm::erase(box, 1);
  return box;
}

/// The largest box that the hardware copies of one without tiles. Copies write
/// shared memory without gaps, so 16x1024 is copied as boxes of 1x256, and
/// 512x64 as boxes of 256x64.
static FailureOr<SmallVector<int64_t>> getPart(Operation *op, MemRefType array,
                                               RefType shared) {
  const mosaic_gpu::GPUCopyLimits &limits = mosaic_gpu::getGPUCopyLimits();
  SmallVector<int64_t> part(shared.getShape());
  if (shared.getTransforms() && !shared.getTransforms().empty())
    return part;
  auto *behind = std::find_if(part.rbegin(), part.rend(), [&](int64_t size) {
                   return size > limits.elements;
                 }).base();
  if (behind == part.begin())
    return part;
  int64_t &divided = *std::prev(behind);
  MutableArrayRef<int64_t> outer(part.begin(), &divided);
  int64_t bits = array.getElementTypeBitWidth();
  for (int64_t size : llvm::make_range(behind, part.end()))
    bits *= size;
  int64_t alignment = 8 * limits.alignment;
  int64_t unit = alignment / std::gcd(alignment, bits);
  bool hasRows = llvm::any_of(outer, [](int64_t size) { return size != 1; });
  if (hasRows && divided % unit != 0)
    return op->emitOpError("copies ")
           << divided << " elements of a dimension in parts of at most "
           << limits.elements << "; parts start at multiples of "
           << limits.alignment << " bytes of shared memory, so pad them to "
           << llvm::alignTo(divided, unit);
  divided = llvm::alignDown(limits.elements, unit);
  llvm::fill(outer, 1);
  return part;
}

/// Whether the hardware copies such a box, in parts of a box.
static LogicalResult checkBox(Operation *op, MemRefType array, RefType shared,
                              ArrayRef<int64_t> part) {
  const mosaic_gpu::GPUCopyLimits &limits = mosaic_gpu::getGPUCopyLimits();
  SmallVector<int64_t> box = getHardwareBox(part, shared.getTransforms());
  if (static_cast<int64_t>(box.size()) > limits.rank)
    return op->emitOpError("copies a box of ")
           << box.size() << " dimensions, those in a tile counted apart; the "
           << "hardware copies " << limits.rank << ", so copy parts";
  for (int64_t size : box)
    if (size > limits.elements)
      return op->emitOpError("copies ")
             << size << " elements of a dimension at once; the hardware "
             << "copies " << limits.elements << ", so copy parts";
  int64_t bits = array.getElementTypeBitWidth();
  auto isRow = [&](int64_t size) {
    return size * bits % (8 * limits.rowBytes) == 0;
  };
  int64_t unit = 1;
  while (!isRow(unit))
    ++unit;
  int64_t row = shared.getRank() ? shared.getShape().back() : 1;
  if (!isRow(row))
    return op->emitOpError("copies rows of ")
           << row << " elements of type " << array.getElementType()
           << "; the hardware copies multiples of " << limits.rowBytes
           << " bytes, and sizes near it are "
           << spellNearestMultiples(row, unit, limits.elements);
  if (array.getRank() > 1 && !isRow(array.getShape().back()))
    return op->emitOpError("copies a part of an array with rows of ")
           << array.getShape().back() << " elements of type "
           << array.getElementType() << "; rows start at multiples of "
           << limits.rowBytes << " bytes, so pad them to "
           << llvm::alignTo(array.getShape().back(), unit);
  return success();
}

/// The box that `ref` is, to copy to or from `shared`; null for a prefetch.
static FailureOr<CopyBox> getBox(Operation *op, Value ref, RefType shared,
                                 KernelEmitter &emit) {
  auto it = emit.boxes.find(ref);
  if (it == emit.boxes.end())
    return op->emitOpError("copies a ref of type ")
           << ref.getType()
           << " as global memory; give an operand or result of the kernel, or "
              "a "
              "slice of one";
  auto array = cast<MemRefType>(it->second.memref.getType());
  if (!shared)
    shared = cast<RefType>(ref.getType());
  FailureOr<SmallVector<int64_t>> part = getPart(op, array, shared);
  if (failed(part) || failed(checkBox(op, array, shared, *part)))
    return failure();
  CopyBox box{it->second.memref, {}, {}, std::move(*part), it->second.place};
  for (const BoxDim &dim : it->second.dims) {
    bool isRows = dim.start && isa<VectorType>(dim.start.getType());
    if (isRows && ArrayRef(box.part) != shared.getShape())
      return op->emitOpError("copies rows that an array names, ")
             << describeShape(shared.getShape()) << " by boxes of "
             << describeShape(box.part) << "; copy at most "
             << mosaic_gpu::getGPUCopyLimits().elements
             << " elements of a dimension at once";
    box.indices.push_back(
        isRows      ? dim.start
        : dim.start ? emit.addConstant(emit.toI32(dim.start), dim.offset)
                    : emit.i32(dim.offset));
    box.lengths.push_back(dim.isVisible ? dim.size : -1);
  }
  return box;
}

/// Rows that a vector names are copied four at a time.
static LogicalResult checkRows(Operation *op, const CopyBox &box,
                               bool isSpecial) {
  if (!box.isOfRows())
    return success();
  if (isSpecial)
    return op->emitOpError("copies rows that an array names with other blocks, "
                           "by a reduction or under a predicate; such copies "
                           "are plain");
  auto array = cast<MemRefType>(box.memref.getType());
  int64_t bits = 4 * box.lengths.back() * array.getElementTypeBitWidth();
  int64_t alignment = 8 * mosaic_gpu::getGPUCopyLimits().alignment;
  if (bits % alignment == 0)
    return success();
  return op->emitOpError("copies 4 rows of ")
         << box.lengths.back() << " elements of type " << array.getElementType()
         << " at once, " << bits / 8 << " bytes; the hardware copies multiples "
         << "of " << alignment / 8;
}

/// Calls `copy` with each part of a box, the part of `shared` that it goes
/// with, and whether it is the last one. Outer dimensions of a part go:
///   copy(%g[%i, %j], 16x1024, %s)
/// becomes
///   copy(%g[%i, %j], -1x256, %s[0, 0:256]), ...,
///   copy(%g[%i + 15, %j + 768], -1x256, %s[15, 768:1024])
static void forEachPart(KernelEmitter &emit, const CopyBox &box, Value shared,
                        function_ref<void(const CopyBox &, Value, bool)> copy) {
  if (box.isWhole())
    return copy(box, shared, true);
  SmallVector<int64_t> shape(llvm::make_filter_range(
      box.lengths, [](int64_t size) { return size != -1; }));
  const auto *inner =
      llvm::find_if(box.part, [](int64_t size) { return size != 1; });
  unsigned numOuter = inner - box.part.begin();
  // The range takes whole parts only; the last ones end where the box does.
  auto whole = llvm::to_vector(llvm::map_range(
      llvm::zip_equal(shape, box.part), [](auto dim) -> int64_t {
        return llvm::alignTo(std::get<0>(dim), std::get<1>(dim));
      }));
  StaticTileOffsetRange range(whole, box.part);
  size_t left = range.size();
  for (SmallVector<int64_t> offsets : range) {
    CopyBox part{box.memref, {}, {}, {}, box.place};
    SmallVector<OpFoldResult> starts, sizes,
        strides(shape.size(), emit.b.getIndexAttr(1));
    for (auto [index, length] : llvm::zip_equal(box.indices, box.lengths)) {
      size_t dim = starts.size();
      int64_t size = -1;
      Value start = index;
      if (length != -1) {
        start = emit.addConstant(index, offsets[dim]);
        size = std::min(box.part[dim], shape[dim] - offsets[dim]);
        starts.push_back(emit.b.getIndexAttr(offsets[dim]));
        sizes.push_back(emit.b.getIndexAttr(size));
        if (dim < numOuter)
          size = -1;
        else
          part.part.push_back(size);
      }
      part.indices.push_back(start);
      part.lengths.push_back(size);
    }
    Value view;
    if (shared) {
      auto type =
          cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
              part.part, cast<MemRefType>(shared.getType()), starts, sizes,
              strides));
      view = memref::SubViewOp::create(emit.b, emit.loc, type, shared, starts,
                                       sizes, strides);
    }
    copy(part, view, --left == 0);
  }
}

/// Along which dimensions of the cluster the blocks copy together.
static FailureOr<SmallVector<mosaic_gpu::Dimension>>
getCollective(CopyGmemToSmemOp op, KernelEmitter &emit) {
  SmallVector<mosaic_gpu::Dimension> dimensions;
  if (!op.getCollectiveAxes())
    return dimensions;
  SmallVector<StringRef> axes;
  for (MeshAxisAttr axis : emit.mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Cluster)
      axes.push_back(axis.getName().getValue());
  ArrayAttr names = *op.getCollectiveAxes();
  for (Attribute name : names) {
    auto *it = llvm::find(axes, cast<StringAttr>(name).getValue());
    if (it == axes.end())
      return op.emitOpError("copies for the axis ")
             << name << ", which is none of the cluster";
    dimensions.push_back(
        static_cast<mosaic_gpu::Dimension>(axes.end() - it - 1));
  }
  return dimensions;
}

/// Each block fetches its share of a box for all, and shares begin where copies
/// can write: of 256 bytes for four blocks the second begins at byte 64.
static LogicalResult checkShares(CopyGmemToSmemOp op, const CopyBox &box,
                                 ArrayRef<mosaic_gpu::Dimension> collective,
                                 MemRefType type, KernelEmitter &emit) {
  LaunchGrid grid(emit.mesh);
  int64_t blocks = 1;
  for (mosaic_gpu::Dimension dimension : collective)
    blocks *= grid.cluster[static_cast<unsigned>(dimension)];
  int64_t bytes = getNumBytes(MemRefType::get(box.part, type.getElementType()));
  int64_t alignment = mosaic_gpu::getGPUCopyLimits().alignment;
  if (blocks == 1 || bytes % (blocks * alignment) == 0)
    return success();
  return op.emitOpError("copies ")
         << bytes << " bytes together with " << blocks - 1
         << " other blocks; the share of each is a multiple of " << alignment
         << " bytes, so copy a multiple of " << blocks * alignment
         << " bytes, or in each block by itself";
}

/// Whether two blocks of this target copy such a box together.
static LogicalResult checkPairLoad(CopyGmemToSmemOp op, const CopyBox &box,
                                   KernelEmitter &emit) {
  if (!emit.target.tensorColumns)
    return op.emitOpError("lets the first block of a cluster track it; on ")
           << emit.target.arch << " each block tracks its own copies";
  int64_t blocks = llvm::product_of(LaunchGrid(emit.mesh).cluster);
  if (blocks != 2)
    return op.emitOpError("lets the first block track copies in clusters of ")
           << blocks << " blocks; use clusters of two";
  ArrayRef<int64_t> shape = op.getTarget().getType().getShape();
  if (box.part == shape)
    return success();
  return op.emitOpError("copies ")
         << describeShape(shape) << " by boxes of " << describeShape(box.part)
         << ", which the first block does not track one by one; copy at most "
         << mosaic_gpu::getGPUCopyLimits().elements
         << " elements of a dimension at once";
}

/// The barrier of the first block expects the bytes of both:
///   scf.if %isFirst { mosaic_gpu.arrive_expect_tx barrier(%b) 32768 }
///   "mosaic_gpu.async_load"(...) <{leader_tracked = ...}>
static LogicalResult convertPairLoad(CopyGmemToSmemOp op, const CopyBox &box,
                                     Value target, Value barrier,
                                     mosaic_gpu::Dimension dimension,
                                     mosaic_gpu::OOBFillModeAttr mode,
                                     KernelEmitter &emit) {
  if (failed(checkPairLoad(op, box, emit)))
    return failure();
  OpBuilder &b = emit.b;
  Value block = emit.toI32(gpu::ClusterBlockIdOp::create(
      b, emit.loc, static_cast<gpu::Dimension>(dimension)));
  Value isFirst = arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq,
                                        block, emit.i32(0));
  auto branch = scf::IfOp::create(b, emit.loc, isFirst,
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    mosaic_gpu::ArriveExpectTxOp::create(
        b, emit.loc, barrier,
        static_cast<int32_t>(2 *
                             getNumBytes(cast<MemRefType>(target.getType()))));
  }
  auto load = mosaic_gpu::AsyncLoadOp::create(b, emit.loc, box.memref, target,
                                              barrier, box.indices, box.lengths,
                                              Value(), dimension);
  if (mode)
    load.setOobFillModeAttr(mode);
  Attribute tracked = mosaic_gpu::CopyReplicatedAttr::get(b.getContext());
  if (std::optional<uint64_t> dim = op.getPartitionedDim())
    tracked = mosaic_gpu::CopyPartitionedAttr::get(b.getContext(), *dim);
  load.setLeaderTrackedAttr(tracked);
  return success();
}

/// The order matters: expecting the bytes after the copy could miss its end.
///
///   pallas.copy_gmem_to_smem %x to %s signals %b
/// -->
///   mosaic_gpu.arrive_expect_tx barrier(%b) 8192
///   "mosaic_gpu.async_load"(%x, %s, %b, %row, %column)
///       <{slice_lengths = array<i64: 64, 32>, ...}>
static LogicalResult convertLoad(CopyGmemToSmemOp op, KernelEmitter &emit) {
  FailureOr<BarrierSlot> slot = getBarrier(op, op.getBarrier(), emit);
  FailureOr<Value> target = emit.getValue(op.getTarget());
  FailureOr<SmallVector<mosaic_gpu::Dimension>> collective =
      getCollective(op, emit);
  FailureOr<mosaic_gpu::OOBFillModeAttr> mode =
      mosaic_gpu::getHint<mosaic_gpu::OOBFillModeAttr>(
          op, mosaic_gpu::kOOBFillModeHint);
  if (failed(slot) || failed(target) || failed(collective) || failed(mode))
    return failure();
  OpBuilder::InsertionGuard guard(emit.b);
  if (Value predicate = op.getPredicate()) {
    FailureOr<Value> condition = emit.getValue(predicate);
    if (failed(condition))
      return failure();
    auto branch = scf::IfOp::create(emit.b, emit.loc, *condition,
                                    /*withElseRegion=*/false);
    emit.b.setInsertionPointToStart(branch.thenBlock());
  }
  FailureOr<CopyBox> box =
      getBox(op, op.getSource(), op.getTarget().getType(), emit);
  if (failed(box) ||
      failed(checkRows(op, *box, !collective->empty() || isOfBlockPair(op))))
    return failure();
  Value barrier = getBarrierMemRef(emit, *slot);
  if (isOfBlockPair(op))
    return convertPairLoad(op, *box, *target, barrier, (*collective)[0], *mode,
                           emit);
  if (failed(checkShares(op, *box, *collective,
                         cast<MemRefType>((*target).getType()), emit)))
    return failure();
  mosaic_gpu::ArriveExpectTxOp::create(
      emit.b, emit.loc, barrier,
      static_cast<int32_t>(getNumBytes(cast<MemRefType>((*target).getType()))));
  forEachPart(emit, *box, *target,
              [&](const CopyBox &part, Value view, bool /*isLast*/) {
                auto load = mosaic_gpu::AsyncLoadOp::create(
                    emit.b, emit.loc, part.memref, view, barrier, part.indices,
                    part.lengths, Value(), *collective);
                if (*mode)
                  load.setOobFillModeAttr(*mode);
              });
  return success();
}

/// Integers of pallas have no sign, so `max` and `min` of integers are the
/// signed kinds; floats have kinds of their own.
static std::optional<mosaic_gpu::TMAReduction> getReduction(AtomicKind kind,
                                                            bool isFloat) {
  using mosaic_gpu::TMAReduction;
  switch (kind) {
  case AtomicKind::Xchg:
    return std::nullopt;
  case AtomicKind::Add:
    return TMAReduction::Add;
  case AtomicKind::Max:
    return isFloat ? TMAReduction::Max : TMAReduction::Smax;
  case AtomicKind::Min:
    return isFloat ? TMAReduction::Min : TMAReduction::Smin;
  case AtomicKind::UMax:
    return TMAReduction::Umax;
  case AtomicKind::UMin:
    return TMAReduction::Umin;
  case AtomicKind::And:
    return TMAReduction::And;
  case AtomicKind::Or:
    return TMAReduction::Or;
  case AtomicKind::Xor:
    return TMAReduction::Xor;
  }
  llvm_unreachable("all kinds are handled");
}

/// Null without a reduction; an error for what the hardware cannot combine.
static FailureOr<mosaic_gpu::TMAReductionAttr>
getReduction(CopySmemToGmemOp op) {
  if (!op.getReduction())
    return mosaic_gpu::TMAReductionAttr();
  Type element = op.getSource().getType().getElementType();
  std::optional<mosaic_gpu::TMAReduction> kind =
      getReduction(*op.getReduction(), isa<FloatType>(element));
  if (kind && mosaic_gpu::isGPUReduction(*kind, element))
    return mosaic_gpu::TMAReductionAttr::get(op.getContext(), *kind);
  return op.emitOpError("combines elements of type ")
         << element << " by " << stringifyAtomicKind(*op.getReduction())
         << "; a copy to global memory adds floats of 16 and 32 bits, takes "
            "the min or max of floats of 16 bits, and combines integers of 32 "
            "and 64 bits";
}

static LogicalResult convertStore(CopySmemToGmemOp op, KernelEmitter &emit) {
  FailureOr<Value> source = emit.getValue(op.getSource());
  FailureOr<CopyBox> box =
      getBox(op, op.getTarget(), op.getSource().getType(), emit);
  FailureOr<mosaic_gpu::TMAReductionAttr> reduction = getReduction(op);
  if (failed(source) || failed(box) || failed(reduction) ||
      failed(checkRows(op, *box, *reduction || op.getPredicate())) ||
      failed(checkPeerOfCopy(op, box->place)))
    return failure();
  Value predicate;
  if (op.getPredicate()) {
    FailureOr<Value> condition = emit.getValue(op.getPredicate());
    if (failed(condition))
      return failure();
    predicate = *condition;
  }
  // One group holds all parts.
  forEachPart(
      emit, *box, *source, [&](const CopyBox &part, Value view, bool isLast) {
        mosaic_gpu::AsyncStoreOp::create(
            emit.b, emit.loc, view, part.memref, part.indices, predicate,
            part.place.peer, emit.b.getDenseI64ArrayAttr(part.lengths),
            emit.b.getBoolAttr(isLast && op.getCommitGroup()), *reduction,
            emit.b.getBoolAttr(part.place.isAll));
      });
  return success();
}

/// The accelerator reads memory by another path than stores write it. The fence
/// orders both for one lane, and the barrier all lanes of the warpgroup.
void mlir::pallas::commitSharedMemory(KernelEmitter &emit) {
  emit.fenceSharedMemory();
  emit.syncLanes();
}

static LogicalResult convertCommit(CommitSmemOp, KernelEmitter &emit) {
  commitSharedMemory(emit);
  return success();
}

static LogicalResult convertCommitGroup(CommitSmemToGmemGroupOp,
                                        KernelEmitter &emit) {
  NVVM::CpAsyncBulkCommitGroupOp::create(emit.b, emit.loc);
  return success();
}

static LogicalResult convertWait(WaitSmemToGmemOp op, KernelEmitter &emit) {
  waitForCopies(emit, op.getPending(), op.getReadOnly());
  return success();
}

/// A prefetch goes to the cache, so there is no shared memory to check against.
static LogicalResult convertPrefetch(AsyncPrefetchOp op, KernelEmitter &emit) {
  FailureOr<CopyBox> box = getBox(op, op.getSource(), RefType(), emit);
  if (failed(box))
    return failure();
  forEachPart(emit, *box, /*shared=*/Value(),
              [&](const CopyBox &part, Value /*view*/, bool /*isLast*/) {
                mosaic_gpu::AsyncPrefetchOp::create(
                    emit.b, emit.loc, part.memref, part.indices, Value(),
                    emit.b.getDenseI64ArrayAttr(part.lengths),
                    emit.b.getArrayAttr({}));
              });
  return success();
}

void mlir::pallas::addCopyRules(RuleTable &rules) {
  rules.add<AsyncPrefetchOp>(convertPrefetch);
  rules.add<CommitSmemOp>(convertCommit);
  rules.add<CommitSmemToGmemGroupOp>(convertCommitGroup);
  rules.add<CopyGmemToSmemOp>(convertLoad);
  rules.add<CopySmemToGmemOp>(convertStore);
  rules.add<WaitSmemToGmemOp>(convertWait);
}
