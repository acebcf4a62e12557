//===- GPUArrayAccesses.cpp - Accesses of blocks, in their arrays ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUArrayAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether an entry selects the same elements of a block and of its array.
/// Behind the end of a block may be the next one, where nothing may be written;
/// elements read there have no value anyway. `get` and `swap` move a slice into
/// the block, so theirs have to be known to lie there.
static bool selectsSame(RefAccessOpInterface op, unsigned number,
                        int64_t array) {
  DimIndex entry = op.getFullEntries()[number];
  int64_t block = op.getRef().getType().getDimSize(number);
  if (entry.kind == IndexKind::Full)
    return true;
  if (entry.kind == IndexKind::Gather || entry.hasDynamicSize() ||
      entry.stride != 1)
    return false;
  if (!entry.hasDynamicStart())
    return entry.start >= 0 && entry.getLast() < block;
  bool isInside =
      isa<MaskedSwapOp>(op.getOperation()) ||
      (isa<SwapOp>(op.getOperation()) && !mayReachOutside(op, number));
  return isa<MaskedLoadOp>(op.getOperation()) || (isInside && block >= array);
}

static bool isBlocked(BlockDimAttr dim) {
  return dim.getKind() != BlockDimKind::Squeezed;
}

bool mlir::pallas::canAccessInArray(BlockArgument block,
                                    BlockMappingAttr mapping,
                                    ArrayRef<int64_t> array) {
  SmallVector<int64_t> sizes;
  for (auto [dim, size] : llvm::zip_equal(mapping.getDims(), array))
    if (isBlocked(dim))
      sizes.push_back(size);
  return llvm::all_of(block.getUsers(), [&](Operation *op) {
    if (!isa<GetOp, SwapOp, MaskedLoadOp, MaskedSwapOp>(op) ||
        (isa<SwapOp>(op) && !op->use_empty()))
      return false;
    auto access = cast<RefAccessOpInterface>(op);
    auto isI32 = [](Value index) { return index.getType().isInteger(32); };
    return access.getRef() == block &&
           llvm::all_of(access.getIndices(), isI32) &&
           llvm::all_of(llvm::enumerate(sizes), [&](auto dim) {
             return selectsSame(access, dim.index(), dim.value());
           });
  });
}

/// The entries of an access of a block, as ones of the array:
///   %block[ds(%j, 8), 3]  -->  %array[ds(%i * 16 + %j, 8), %k * 4 + 3]
static IndexerAttr moveEntries(OpBuilder &b, RefAccessOpInterface access,
                               BlockMappingAttr mapping,
                               ArrayRef<Value> indices,
                               SmallVectorImpl<Value> &operands) {
  Location loc = access.getLoc();
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  SmallVector<DimIndex> entries;
  SmallVector<DimIndex> own = access.getFullEntries();
  const auto *entry = own.begin();
  auto operand = access.getIndices().begin();
  for (auto [dim, index] : llvm::zip_equal(mapping.getDims(), indices)) {
    DimIndex moved = DimIndex::scalar(0);
    Value start;
    if (isBlocked(dim)) {
      moved = *entry++;
      if (moved.kind == IndexKind::Full)
        moved = DimIndex::slice(0, dim.getSize());
      if (moved.hasDynamicStart())
        start = *operand++;
    }
    if (index && !matchPattern(index, m_Zero())) {
      Value first = isBlocked(dim) ? arith::MulIOp::create(b, loc, index,
                                                           i32(dim.getSize()))
                                   : index;
      if (!start && moved.start)
        start = i32(moved.start);
      start = start ? arith::AddIOp::create(b, loc, first, start) : first;
    }
    if (start) {
      moved.start = ShapedType::kDynamic;
      operands.push_back(start);
    }
    entries.push_back(moved);
  }
  return IndexerAttr::get(b.getContext(), entries);
}

/// Stores all elements that lie in the array.
static Value storeAll(OpBuilder &b, SwapOp swap, Value array,
                      IndexerAttr indexer, ValueRange operands) {
  TypedAttr all = b.getBoolAttr(true);
  if (auto type = dyn_cast<RankedTensorType>(swap.getValue().getType()))
    all = DenseElementsAttr::get(type.clone(b.getI1Type()), true);
  Value mask = arith::ConstantOp::create(b, swap.getLoc(), all);
  return MaskedSwapOp::create(b, swap.getLoc(), array, indexer, operands,
                              swap.getValue(), mask);
}

void mlir::pallas::accessInArray(BlockArgument block, BlockMappingAttr mapping,
                                 Value array, ArrayRef<Value> indices) {
  for (Operation *op : llvm::make_early_inc_range(block.getUsers())) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    SmallVector<Value> operands;
    IndexerAttr indexer = moveEntries(b, cast<RefAccessOpInterface>(op),
                                      mapping, indices, operands);
    Value result;
    auto load = dyn_cast<MaskedLoadOp>(op);
    if (load || isa<GetOp>(op))
      result = MaskedLoadOp::create(b, loc, array, indexer, operands,
                                    load ? load.getMask() : Value(),
                                    load ? load.getOther() : Value());
    else if (auto swap = dyn_cast<MaskedSwapOp>(op))
      result = MaskedSwapOp::create(b, loc, array, indexer, operands,
                                    swap.getValue(), swap.getMask());
    else
      result = storeAll(b, cast<SwapOp>(op), array, indexer, operands);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
