//===- PallasSlicePackedViews.cpp - Slices in front of packed views -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This pass lets accesses of views that change the width of elements view the
// part of the ref that they need, and no more.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASSLICEPACKEDVIEWS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static unsigned getWidth(Value ref) {
  return cast<RefType>(ref.getType()).getElementTypeBitWidth();
}

/// Whether rows of a view consist of several rows of the ref.
static bool isPacked(Value ref) {
  auto view = ref.getDefiningOp<BitcastRefOp>();
  return view && getWidth(view.getView()) > getWidth(view.getRef());
}

namespace {
/// Splits the indexer of an access of a packed view in two: one selects a part
/// of the ref behind the view, the other one selects from a view of that part.
class PackedPart {
public:
  PackedPart(RefAccessOpInterface access, BitcastRefOp view)
      : access(access), view(view), b(access), wide(getWidth(view.getView())),
        narrow(getWidth(view.getRef())) {}

  /// Lets the access use a view of the part. Fails where the part is all.
  LogicalResult run();

private:
  /// The first row of the ref for a row of the view, whose elements are wider.
  /// The product fits into 64 bits, and moves inside where the row does.
  Value scaleRow(Value row);
  std::optional<DimIndex> selectPart(const DimIndex &entry, bool isRow);
  std::optional<DimIndex> selectRows(const DimIndex &entry);

  RefAccessOpInterface access;
  BitcastRefOp view;
  OpBuilder b;
  int64_t wide, narrow;
};
} // namespace

Value PackedPart::scaleRow(Value row) {
  Location loc = access.getLoc();
  if (!row.getType().isIndex())
    row = arith::IndexCastOp::create(b, loc, b.getIndexType(), row);
  Value count = arith::ConstantIndexOp::create(b, loc, wide / narrow);
  return arith::MulIOp::create(b, loc, row, count);
}

/// Rows of the ref that hold `entry`, which are more where the rows of the view
/// are parts of them:
///
///   ds(%i, 2) of 32-bit rows  is  ds(4 * %i, 8) of 8-bit rows
///   ds(6, 4) of 8-bit rows    is  ds(1, 2) of 32-bit rows
std::optional<DimIndex> PackedPart::selectRows(const DimIndex &entry) {
  if (entry.stride != 1)
    return std::nullopt;
  if (wide > narrow) {
    int64_t count = wide / narrow;
    return DimIndex::slice(entry.hasDynamicStart() ? entry.start
                                                   : entry.start * count,
                           entry.size * count);
  }
  if (entry.hasDynamicStart())
    return std::nullopt;
  int64_t count = narrow / wide, first = entry.start / count;
  return DimIndex::slice(first, entry.getLast() / count + 1 - first);
}

/// The part of the ref along one dimension; none for all of it.
std::optional<DimIndex> PackedPart::selectPart(const DimIndex &entry,
                                               bool isRow) {
  if (entry.kind == IndexKind::Full || entry.kind == IndexKind::Gather ||
      entry.hasDynamicSize())
    return std::nullopt;
  DimIndex slice = entry;
  slice.kind = IndexKind::Slice;
  return isRow ? selectRows(slice) : slice;
}

LogicalResult PackedPart::run() {
  RefType type = view.getView().getType();
  int64_t rank = type.getRank();
  SmallVector<DimIndex> entries(access.getIndexer().getEntries()), part, rest;
  entries.resize(rank);
  SmallVector<Value> partOperands, restOperands;
  bool isSmaller = false;
  unsigned next = 0;
  for (auto [dim, entry] : llvm::enumerate(entries)) {
    bool isRow = int64_t(dim) == rank - 2;
    ValueRange operands =
        access.getIndices().slice(next, entry.getNumOperands());
    next += entry.getNumOperands();
    std::optional<DimIndex> selected = selectPart(entry, isRow);
    part.push_back(selected.value_or(DimIndex::full()));
    if (!selected) {
      rest.push_back(entry);
      llvm::append_range(restOperands, operands);
      continue;
    }
    isSmaller |= selected->size < view.getRef().getType().getDimSize(dim);
    for (Value start : operands)
      partOperands.push_back(isRow ? scaleRow(start) : start);
    // The first row of the part may begin with others.
    int64_t first = isRow && wide < narrow ? entry.start % (narrow / wide) : 0;
    if (entry.kind == IndexKind::Slice)
      rest.push_back(DimIndex::slice(first, entry.size));
    else if (int64_t(dim) < rank - 2)
      part.back() = entry;
    else
      rest.push_back(DimIndex::scalar(first));
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

namespace {
struct SlicePackedViewsPass
    : public pallas::impl::PallasSlicePackedViewsBase<SlicePackedViewsPass> {
  using PallasSlicePackedViewsBase::PallasSlicePackedViewsBase;

  void runOnOperation() override {
    getOperation()->walk([](DMAStartOp start) { splitGather(start); });
    // Slices come before the accesses of what they select, so the view of a
    // part is there already when its users are asked.
    getOperation()->walk([&](RefAccessOpInterface access) {
      auto view = access.getRef().getDefiningOp<BitcastRefOp>();
      if (!view || !isa<GetOp, SwapOp, AddUpdateOp, SliceRefOp>(access) ||
          getWidth(view.getRef()) == getWidth(view.getView()) ||
          !view.getView().getType().hasStaticShape())
        return;
      if (failed(PackedPart(access, view).run()))
        return;
      ++numSliced;
      // A slice of the whole part is the part itself.
      if (auto slice = dyn_cast<SliceRefOp>(access.getOperation());
          slice && slice.getIndices().empty() &&
          slice.getType() == slice.getRef().getType()) {
        slice.replaceAllUsesWith(slice.getRef());
        slice.erase();
      }
    });
    // Each view gets a private buffer, even if nothing uses it.
    getOperation()->walk([](BitcastRefOp view) {
      if (view->use_empty())
        view.erase();
    });
  }
};
} // namespace
