//===- SliceAccess.cpp - Accesses that are slices where they fit ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether the slices of an access that start at operands lie inside the ref;
/// null if all do for sure.
Value RefLowering::areSlicesInside(RefAccessOpInterface op) {
  if (!mayReachOutside(op))
    return {};
  Location loc = op.getLoc();
  Value source = getMemory(op.getRef()), inside;
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    if (!dim.start)
      continue;
    int64_t extent = dim.entry.kind == IndexKind::Slice
                         ? (dim.entry.size - 1) * dim.entry.stride + 1
                         : 1;
    Value last =
        arith::SubIOp::create(b, loc, memref::DimOp::create(b, loc, source, d),
                              b.createIndex(loc, extent));
    // As a number without a sign, a negative start is too large; so is the
    // last place if the slice is longer than the ref, which is asked first.
    Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                         last, b.createIndex(loc, 0));
    Value isEarly = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                          b.toIndex(dim.start), last);
    Value fits = arith::AndIOp::create(b, loc, isLong, isEarly);
    inside = inside ? arith::AndIOp::create(b, loc, inside, fits) : fits;
  }
  return inside;
}

/// The first of indices that go up by one, if they are that: as kernels for
/// GPUs write a slice. Null otherwise.
static Value getRunStart(OpBuilder &b, Value indices) {
  auto sum = indices.getDefiningOp<arith::AddIOp>();
  auto type = dyn_cast<RankedTensorType>(indices.getType());
  if (!sum || !type || type.getRank() != 1)
    return {};
  for (unsigned i : {0, 1}) {
    auto start = sum->getOperand(i).getDefiningOp<BroadcastOp>();
    if (start && start.getInput().getType() == type.getElementType() &&
        sum->getOperand(1 - i).getDefiningOp<IotaOp>())
      return start.getInput();
  }
  return {};
}

/// A copy of an access by one run of indices that selects a slice instead; null
/// if it is another access. Indices that count from the end make a difference.
static RefAccessOpInterface cloneAsSlice(OpBuilder &b,
                                         RefAccessOpInterface op) {
  SmallVector<DimIndex> entries = op.getFullEntries();
  auto isGather = [](const DimIndex &entry) {
    return entry.kind == IndexKind::Gather;
  };
  auto *gather = llvm::find_if(entries, isGather);
  bool isAlone =
      gather != entries.end() &&
      llvm::count_if(entries, [](const DimIndex &entry) {
        return entry.kind != IndexKind::Slice || entry.hasDynamicSize();
      }) == 1;
  if (!isAlone)
    return {};
  unsigned operand = 0;
  for (auto *entry = entries.begin(); entry != gather; ++entry)
    operand += entry->getNumOperands();
  Value indices = op.getIndices()[operand], start = getRunStart(b, indices);
  if (!start)
    return {};
  int64_t length = cast<RankedTensorType>(indices.getType()).getDimSize(0);
  *gather = DimIndex::slice(ShapedType::kDynamic, length);
  Operation *slice = b.clone(*op);
  slice->setOperand(op.getIndices().getBeginOperandIndex() + operand, start);
  slice->setAttr("indexer", IndexerAttr::get(op.getContext(), entries));
  return cast<RefAccessOpInterface>(slice);
}

/// Runs `whole` on the memory that an access selects where that is a slice
/// inside the ref, and `each` elsewhere: what a mask excludes may lie anywhere.
LogicalResult RefLowering::accessSlice(RefAccessOpInterface op,
                                       function_ref<void(Value view)> whole,
                                       function_ref<LogicalResult()> each) {
  if (checked || concurrency.namesOthers || op.getAccessShape().empty())
    return each();
  RefAccessOpInterface slice = cloneAsSlice(b, op);
  llvm::scope_exit eraseSlice([&]() {
    if (slice != op)
      b.eraseOp(slice);
  });
  if (!slice)
    slice = op;
  bool mayBeInside = llvm::all_of(
      llvm::zip_equal(slice.getFullEntries(), op.getRef().getType().getShape()),
      [](auto pair) {
        auto [entry, size] = pair;
        if (entry.kind == IndexKind::Gather || entry.hasDynamicSize())
          return false;
        return entry.hasDynamicStart()
                   ? ShapedType::isDynamic(size) ||
                         (entry.size - 1) * entry.stride < size
                   : entry.getLast() < size;
      });
  if (!mayBeInside)
    return each();
  Value inside = areSlicesInside(slice);
  if (!inside) {
    FailureOr<Value> view = createView(slice);
    whole(*view);
    return success();
  }
  OpBuilder::InsertionGuard guard(b);
  auto branches =
      scf::IfOp::create(b, op.getLoc(), inside, /*withElseRegion=*/true);
  b.setInsertionPoint(branches.thenYield());
  FailureOr<Value> view = createView(slice);
  whole(*view);
  b.setInsertionPoint(branches.elseYield());
  return each();
}
