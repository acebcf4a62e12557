//===- PallasSlicePackedViews.cpp - Slices in front of packed views -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This pass lets accesses of views that change the width of elements view the
// part of the ref that they need, and no more. Pipelines over such a view run
// over the ref, and copies to one copy to the ref.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Support/Divisibility.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASSLICEPACKEDVIEWS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static unsigned getWidth(Value ref) {
  return cast<RefType>(ref.getType()).getElementTypeBitWidth();
}

/// The view of elements of another width that a ref is, if it is one.
static BitcastRefOp getPackedView(Value ref) {
  auto view = ref.getDefiningOp<BitcastRefOp>();
  if (view && changesWidth(view) && view.getView().getType().hasStaticShape())
    return view;
  return {};
}

/// Whether rows of a view consist of several rows of the ref.
static bool isPacked(Value ref) {
  BitcastRefOp view = getPackedView(ref);
  return view && getWidth(view.getView()) > getWidth(view.getRef());
}

namespace {
/// One entry of an indexer, with its operands.
struct Entry {
  DimIndex index;
  SmallVector<Value, 2> operands;
};

/// Splits the indexer of an access of a packed view in two: one selects a part
/// of the ref behind the view, the other one selects from a view of that part.
class PackedPart {
public:
  PackedPart(RefAccessOpInterface access, BitcastRefOp view, bool checked)
      : access(access), view(view), b(access), checked(checked),
        wide(getWidth(view.getView())), narrow(getWidth(view.getRef())) {}

  /// Lets the access use a view of the part. Fails where the part is all.
  LogicalResult run();

private:
  Value createConstant(int64_t value) {
    return arith::ConstantIndexOp::create(b, access.getLoc(), value);
  }
  Value toIndex(Value row);
  Entry selectRows(Entry &rest);
  Entry selectWholeRows(Entry &rest);
  /// The part of the ref along one dimension; what is left to select from a
  /// view of it takes the place of `rest`.
  Entry selectPart(int64_t dim, Entry &rest);

  RefAccessOpInterface access;
  BitcastRefOp view;
  OpBuilder b;
  bool checked;
  int64_t wide, narrow;
};
} // namespace

Value PackedPart::toIndex(Value row) {
  if (row.getType().isIndex())
    return row;
  return arith::IndexCastOp::create(b, access.getLoc(), b.getIndexType(), row);
}

/// Rows of the view that are several rows of the ref:
///
///   ds(%i, 2) of 32-bit rows  is  ds(4 * %i, 8) of 8-bit rows
///
/// The product fits into 64 bits, and moves inside where the row does.
Entry PackedPart::selectRows(Entry &rest) {
  int64_t count = wide / narrow;
  DimIndex index = rest.index;
  int64_t length = (index.size - 1) * index.stride + 1;
  Entry part{DimIndex::slice(index.start, length * count), {}};
  if (index.hasDynamicStart())
    part.operands.push_back(arith::MulIOp::create(
        b, access.getLoc(), toIndex(rest.operands.front()),
        createConstant(count)));
  else
    part.index.start *= count;
  rest = {DimIndex::slice(0, index.size, index.stride), {}};
  return part;
}

/// Rows of the view that are parts of rows of the ref, of which the first one
/// may begin with others:
///
///   ds(6, 4) of 8-bit rows    is  ds(1, 2) of 32-bit rows, from its third on
///   ds(%i, 4) of 8-bit rows   is  ds(%f, 2) of 32-bit rows, from %i - 4 * %f
///   on
///                                 with %f = min(%i / 4, rows - 2)
///
/// Starts that are known to be multiples of 4 are those of whole rows. Negative
/// ones count from the end, and checks have to see these.
Entry PackedPart::selectWholeRows(Entry &rest) {
  int64_t count = narrow / wide;
  DimIndex &index = rest.index;
  int64_t length = (index.size - 1) * index.stride + 1;
  if (!index.hasDynamicStart()) {
    int64_t first = index.start / count;
    Entry part{DimIndex::slice(first, index.getLast() / count + 1 - first), {}};
    index.start %= count;
    return part;
  }
  Value row = toIndex(rest.operands.front()), scale = createConstant(count);
  Location loc = access.getLoc();
  // A hint that is wrong must not choose other rows.
  auto hint = [](Operation *op) { return isa<MultipleOfOp>(op) ? 1 : 0; };
  if (length % count == 0 && getKnownMultiple(row, count, hint) == count) {
    rest = {DimIndex::slice(0, index.size, index.stride), {}};
    Value first = arith::DivSIOp::create(b, loc, row, scale);
    return {DimIndex::slice(ShapedType::kDynamic, length / count), {first}};
  }
  RefType type = view.getRef().getType();
  int64_t numRows = type.getDimSize(type.getRank() - 2);
  int64_t most = (length + count - 2) / count + 1;
  if (checked || most >= numRows)
    return {};
  Value zero = createConstant(0);
  Value isNegative =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row, zero);
  Value fromEnd =
      arith::AddIOp::create(b, loc, row, createConstant(numRows * count));
  row = arith::SelectOp::create(b, loc, isNegative, fromEnd, row);
  row = arith::MaxSIOp::create(b, loc, row, zero);
  Value first = arith::DivUIOp::create(b, loc, row, scale);
  first = arith::MinSIOp::create(b, loc, first, createConstant(numRows - most));
  Value begin = arith::MulIOp::create(b, loc, first, scale);
  rest.operands = {arith::SubIOp::create(b, loc, row, begin)};
  return {DimIndex::slice(ShapedType::kDynamic, most), {first}};
}

Entry PackedPart::selectPart(int64_t dim, Entry &rest) {
  int64_t rank = view.getView().getType().getRank();
  IndexKind kind = rest.index.kind;
  if (kind == IndexKind::Full || kind == IndexKind::Gather ||
      rest.index.hasDynamicSize() || rest.index.stride < 1 ||
      rest.index.size < 1)
    return {};
  // Dimensions in front may go, and the two last ones stay.
  if (dim < rank - 2 && kind == IndexKind::Scalar)
    return std::exchange(rest, Entry{DimIndex::scalar(-1), {}});
  rest.index.kind = IndexKind::Slice;
  Entry part;
  if (dim != rank - 2) {
    part = rest;
    rest = {DimIndex::slice(0, part.index.size), {}};
  } else {
    part = wide > narrow ? selectRows(rest) : selectWholeRows(rest);
  }
  rest.index.kind = kind;
  return part;
}

LogicalResult PackedPart::run() {
  RefType type = view.getView().getType();
  SmallVector<DimIndex> entries(access.getIndexer().getEntries()), part, rest;
  entries.resize(type.getRank());
  SmallVector<Value> partOperands, restOperands;
  ValueRange operands = access.getIndices();
  bool isSmaller = false;
  for (auto [dim, index] : llvm::enumerate(entries)) {
    unsigned numOperands = index.getNumOperands();
    Entry left{index, llvm::to_vector<2>(operands.take_front(numOperands))};
    operands = operands.drop_front(numOperands);
    Entry selected = selectPart(dim, left);
    part.push_back(selected.index);
    llvm::append_range(partOperands, selected.operands);
    isSmaller |= selected.index.kind != IndexKind::Full &&
                 selected.index.size < view.getRef().getType().getDimSize(dim);
    // A scalar in front has taken its dimension with it.
    if (selected.index.kind == IndexKind::Scalar)
      continue;
    rest.push_back(left.index);
    llvm::append_range(restOperands, left.operands);
  }
  if (!isSmaller)
    return failure();
  Location loc = access.getLoc();
  auto getIndexer = [&](ArrayRef<DimIndex> entries) {
    return IndexerAttr::get(b.getContext(), entries);
  };
  Value source =
      SliceRefOp::create(b, loc, view.getRef(), getIndexer(part), partOperands);
  SmallVector<int64_t> shape(cast<RefType>(source.getType()).getShape());
  int64_t &rows = shape[shape.size() - 2];
  rows = rows * narrow / wide;
  Value packed = BitcastRefOp::create(b, loc, type.withShape(shape), source);
  access->setAttr("indexer", getIndexer(rest));
  access.getRefMutable().set(packed);
  access.getIndicesMutable().assign(restOperands);
  return success();
}

/// A copy of rows that an array names becomes a copy of each, as the rows are
/// in no part of the ref that a view could select:
///
///   %rows = pallas.slice_ref %view[gather(%i : tensor<8xi32>), :]
///   pallas.dma_start %rows to %t signals %s
///
/// becomes
///
///   scf.for %k = %c0 to %c8 step %c1 {
///     %row = tensor.extract %i[%k] : tensor<8xi32>
///     %from = pallas.slice_ref %view[ds(%row, 1), :]
///     %to = pallas.slice_ref %t[ds(%k, 1), :]
///     pallas.dma_start %from to %to signals %s
///   }
///
/// Together they signal as many bytes. A row outside of the view moves inside
/// both ways.
static void splitGather(DMAStartOp start) {
  auto rows = start.getSource().getDefiningOp<SliceRefOp>();
  if (!rows || !isPacked(rows.getRef()) || !start.getDeviceIds().empty() ||
      start.getCoreIndex() || rows.getIndices().size() != 1)
    return;
  SmallVector<DimIndex> entries(rows.getIndexer().getEntries());
  Value indices = rows.getIndices().front();
  auto type = dyn_cast<RankedTensorType>(indices.getType());
  auto *gather = llvm::find_if(entries, [](const DimIndex &entry) {
    return entry.kind == IndexKind::Gather;
  });
  auto isWhole = [](const DimIndex &entry) {
    return entry.kind == IndexKind::Full;
  };
  if (gather == entries.end() || !type || type.getRank() != 1 ||
      !type.hasStaticShape() ||
      !std::all_of(entries.begin(), gather, isWhole) ||
      !start.getTarget().getType().hasStaticShape())
    return;
  OpBuilder b(start);
  Location loc = start.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(b, loc, constant(0),
                                 constant(type.getDimSize(0)), constant(1));
  b.setInsertionPointToStart(loop.getBody());
  auto slice = [&](Value ref, SmallVector<DimIndex> entries, unsigned dim,
                   Value at) -> Value {
    entries.resize(cast<RefType>(ref.getType()).getRank());
    entries[dim] = DimIndex::slice(ShapedType::kDynamic, 1);
    return SliceRefOp::create(b, loc, ref,
                              IndexerAttr::get(b.getContext(), entries), at);
  };
  unsigned dim = gather - entries.begin();
  Value row =
      tensor::ExtractOp::create(b, loc, indices, loop.getInductionVar());
  start.getSourceMutable().set(slice(rows.getRef(), entries, dim, row));
  start.getTargetMutable().set(
      slice(start.getTarget(), {}, dim, loop.getInductionVar()));
  start->moveBefore(loop.getBody()->getTerminator());
  if (rows->use_empty())
    rows->erase();
}

//===----------------------------------------------------------------------===//
// Copies and pipelines
//===----------------------------------------------------------------------===//

/// The memory of a view is private, so a copy to one copies bits to the ref:
///
///   %words = pallas.bitcast_ref %r : 32x128xi8 -> 8x128xi32
///   pallas.dma_start %x to %words signals %s
///
/// becomes
///
///   %bytes = pallas.bitcast_ref %x : 8x128xi32 -> 32x128xi8
///   pallas.dma_start %bytes to %r signals %s
static void copyBits(DMAStartOp start) {
  BitcastRefOp view = getPackedView(start.getTarget());
  Value source = start.getSource();
  auto type = cast<RefType>(source.getType());
  if (!view || start.getAdd() || !type.hasStaticShape() ||
      type.getShape() != view.getView().getType().getShape())
    return;
  auto slice = source.getDefiningOp<SliceRefOp>();
  if (slice && slice.getIndexer().hasGather())
    return;
  RefType target = view.getRef().getType();
  OpBuilder b(start);
  Value bits = BitcastRefOp::create(
      b, start.getLoc(),
      RefType::get(b.getContext(), target.getShape(), target.getElementType(),
                   type.getMemorySpace(), type.getTransforms()),
      source);
  start.getSourceMutable().set(bits);
  start.getTargetMutable().set(view.getRef());
}

/// The block of the ref that a block of its view is, or null where that is no
/// block of whole rows. The last two dimensions stay.
static BlockMappingAttr scaleMapping(BlockMappingAttr mapping,
                                     BitcastRefOp view) {
  int64_t wide = getWidth(view.getView()), narrow = getWidth(view.getRef());
  SmallVector<BlockDimAttr> dims(mapping.getDims());
  if (mapping.getTransforms())
    return {};
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (d + 2 < dims.size())
      continue;
    bool isRow = d + 2 == dims.size();
    int64_t ratio = isRow ? wide : narrow;
    bool isElement = dim.getKind() == BlockDimKind::Element;
    int64_t size = dim.getKind() == BlockDimKind::Squeezed ? 1 : dim.getSize();
    // The start of elements is known at run time only.
    if (dim.getKind() == BlockDimKind::BoundedSlice ||
        dim.getKind() == BlockDimKind::Indirect || size * ratio % narrow != 0 ||
        (isElement && ratio % narrow != 0))
      return {};
    dim = BlockDimAttr::get(
        dim.getContext(), isElement ? dim.getKind() : BlockDimKind::Blocked,
        size * ratio / narrow, dim.getPadLow() * ratio / narrow,
        dim.getPadHigh() * ratio / narrow);
  }
  return BlockMappingAttr::get(mapping.getContext(), dims,
                               mapping.getMemorySpace(),
                               mapping.getPipelineMode(),
                               /*transforms=*/{}, mapping.getOrigin());
}

/// Lets a pipeline run over the ref behind the view that block `index` is cut
/// from, so that each program views a window of it:
///
///   pallas.emit_pipeline in(%words : 8x128xi32) block<[2, 128], vmem> ...
///       kernel(%i: i32, %w: 2x128xi32)
///
/// becomes
///
///   pallas.emit_pipeline in(%r : 32x128xi8) block<[8, 128], vmem> ...
///       kernel(%i: i32, %b: 8x128xi8) {
///     %w = pallas.bitcast_ref %b : 8x128xi8 -> 2x128xi32
static LogicalResult unpackBlock(EmitPipelineOp op, unsigned index) {
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  OpOperand &operand = op->getOpOperand(op.getDynamicGrid().size() + index);
  BitcastRefOp view = getPackedView(operand.get());
  SmallVector<Attribute> mappings(op.getBlockMappings().getValue());
  auto mapping = cast<BlockMappingAttr>(mappings[index]);
  BlockMappingAttr scaled = view ? scaleMapping(mapping, view) : nullptr;
  if (!scaled)
    return failure();
  unsigned row = mapping.getDims().size() - 2;
  Location loc = op.getLoc();
  Region *map = grid.getIndexMap(index);
  if (map && mapping.getDims()[row].getKind() == BlockDimKind::Element) {
    OpOperand &start = map->front().getTerminator()->getOpOperand(row);
    OpBuilder b(start.getOwner());
    Type type = start.get().getType();
    int64_t ratio = getWidth(view.getView()) / getWidth(view.getRef());
    Value scale =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, ratio));
    start.set(arith::MulIOp::create(b, loc, start.get(), scale));
  }
  mappings[index] = scaled;
  op.setBlockMappingsAttr(ArrayAttr::get(op.getContext(), mappings));
  operand.set(view.getRef());

  BlockArgument window = grid.sliceBlockOps()[index];
  auto seen = cast<RefType>(window.getType());
  window.setType(scaled.getRefType(view.getRef().getType().getElementType()));
  OpBuilder b = OpBuilder::atBlockBegin(&grid.getKernelRegion().front());
  SmallVector<BlockDimAttr> dims(mapping.getDims());
  SmallVector<int64_t> shape(cast<RefType>(window.getType()).getShape());
  SmallVector<DimIndex> entries(shape.size());
  for (int64_t d : {shape.size() - 2, shape.size() - 1}) {
    BlockDimAttr dim = dims[dims.size() - shape.size() + d];
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    shape[d] = isSqueezed ? 1 : dim.getSize();
    if (isSqueezed)
      entries[d] = DimIndex::scalar(0);
  }
  Operation *packed =
      BitcastRefOp::create(b, loc, seen.withShape(shape), window);
  Value block = packed->getResult(0);
  if (ArrayRef<int64_t>(shape) != seen.getShape())
    block = SliceRefOp::create(
        b, loc, block, IndexerAttr::get(b.getContext(), entries), ValueRange());
  window.replaceAllUsesExcept(block, packed);
  return success();
}

namespace {
struct SlicePackedViewsPass
    : public pallas::impl::PallasSlicePackedViewsBase<SlicePackedViewsPass> {
  using PallasSlicePackedViewsBase::PallasSlicePackedViewsBase;

  void runOnOperation() override {
    getOperation()->walk([](DMAStartOp start) { splitGather(start); });
    // Views of parts come before what is cut from them.
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (auto pipeline = dyn_cast<EmitPipelineOp>(op))
        unpackBlocks(pipeline);
      else if (isa<GetOp, SwapOp, AddUpdateOp, SliceRefOp>(op))
        sliceView(cast<RefAccessOpInterface>(op));
      else if (auto start = dyn_cast<DMAStartOp>(op))
        copyBits(start);
    }
    // Each view gets a private buffer, even if nothing uses it. Views of views
    // come behind them.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](BitcastRefOp view) {
          if (view->use_empty())
            view.erase();
        });
  }

  void unpackBlocks(EmitPipelineOp op) {
    for (unsigned index = 0; index < op.getBlockMappings().size(); ++index)
      while (succeeded(unpackBlock(op, index)))
        ++numUnpacked;
  }

  void sliceView(RefAccessOpInterface access) {
    BitcastRefOp view = getPackedView(access.getRef());
    if (!view || failed(PackedPart(access, view, checked).run()))
      return;
    ++numSliced;
    // A slice of the whole part is the part itself.
    if (auto slice = dyn_cast<SliceRefOp>(access.getOperation());
        slice && access.isWholeAccess()) {
      slice.replaceAllUsesWith(slice.getRef());
      slice.erase();
    }
  }
};
} // namespace
