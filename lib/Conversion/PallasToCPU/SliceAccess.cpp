//===- SliceAccess.cpp - Accesses that are slices where they fit ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers an access that is a slice if it fits and a loop over
// elements otherwise. Only run time can tell, so both forms are emitted behind
// a test. The first is what nearly every program runs, and it vectorizes.
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
///
///   %last = arith.subi %size, %extent : index
///   %long_enough = arith.cmpi sge, %last, %c0 : index
///   %before_end = arith.cmpi ule, %start, %last : index
///   %inside = arith.andi %long_enough, %before_end : i1
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
    // An unsigned comparison also excludes negative starts. If the slice is
    // longer than the ref, `last` is negative and hence large, so that is
    // tested apart.
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
///
///   %starts = pallas.broadcast %i : i32 -> tensor<4xi32>
///   %steps = pallas.iota 0 : tensor<4xi32>
///   %indices = arith.addi %starts, %steps : tensor<4xi32>
///
/// yields %i. Triton kernels have no slices; all their accesses look like this.
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
/// So the slice is used only where its start and end are known to be inside.
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
/// For example, a masked load of four elements:
///
///   scf.if %inside {
///     %view = memref.subview %ref[%start] [4] [1] : memref<10xf32> to ...
///     ...
///   } else {
///     scf.for %k = %c0 to %c4 step %c1 {...}
///   }
///
/// Code with remote accesses always goes element by element.
LogicalResult RefLowering::accessSlice(RefAccessOpInterface op,
                                       function_ref<void(Value view)> whole,
                                       function_ref<LogicalResult()> each) {
  if (concurrency.namesOthers || op.getAccessShape().empty())
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
