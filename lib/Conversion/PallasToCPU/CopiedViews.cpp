//===- CopiedViews.cpp - Views that no strides can express ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers views that change the width of elements. Rows of such a view
// interleave in memory, which strides can't express. So the view is a private
// buffer. It is updated in front of each operation that uses it, and written
// back behind each that writes to it.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Bits of several rows
//===----------------------------------------------------------------------===//

/// The same memory as integers.
///
///   %1 = builtin.unrealized_conversion_cast %0
///       : memref<4x8xf32> to memref<4x8xi32>
///
/// Both become the same LLVM struct, so the cast folds away.
static Value asIntegers(OpBuilder &b, Location loc, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  Type integer = b.getIntegerType(type.getElementTypeBitWidth());
  if (type.getElementType() == integer)
    return memory;
  auto target = MemRefType(MemRefType::Builder(type).setElementType(integer));
  return UnrealizedConversionCastOp::create(b, loc, target, memory)
      .getResult(0);
}

/// Every `count`th row from `first` on, where rows run along the dimension
/// before the last one. For example, the odd rows of eight, for `first` = 1 and
/// `count` = 2:
///
///   %1 = memref.subview %0[1, 0] [4, 8] [2, 1] : memref<8x8xi16> to ...
static Value takeRows(OpBuilder &b, Location loc, Value memory, int64_t first,
                      int64_t count) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
      strides(rank, b.getIndexAttr(1));
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = type.getDimSize(d);
    sizes.push_back(b.getIndexAttr(d == rank - 2 ? size / count : size));
  }
  offsets[rank - 2] = b.getIndexAttr(first);
  strides[rank - 2] = b.getIndexAttr(count);
  return memref::SubViewOp::create(b, loc, memory, offsets, sizes, strides);
}

/// Element by element, computes what `outputs` hold from what `inputs` hold.
static void computeElements(
    OpBuilder &b, Location loc, ValueRange inputs, ValueRange outputs,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  int64_t rank = cast<MemRefType>(outputs.front().getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + outputs.size(),
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, TypeRange(), inputs, outputs, maps, kinds,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(b, loc,
                                body(b, arguments.take_front(inputs.size())));
      });
}

/// Rows of the wide memory are several rows of the narrow one, the first of
/// them in the lowest bits. Copies from one to the other. From narrow to wide,
/// the rows are combined by shifts:
///
///   %low = arith.extui %even : i16 to i32
///   %odd32 = arith.extui %odd : i16 to i32
///   %high = arith.shli %odd32, %c16 : i32
///   %word = arith.ori %low, %high : i32
///
/// From wide to narrow, each row takes its bits:
///
///   %shifted = arith.shrui %word, %c16 : i32
///   %odd = arith.trunci %shifted : i32 to i16
static void copyBits(OpBuilder &b, Location loc, Value source, Value target) {
  Value from = asIntegers(b, loc, source), to = asIntegers(b, loc, target);
  auto fromType = cast<MemRefType>(from.getType()),
       toType = cast<MemRefType>(to.getType());
  unsigned fromWidth = fromType.getElementTypeBitWidth(),
           toWidth = toType.getElementTypeBitWidth();
  Type result = toType.getElementType();
  auto shift = [&](OpBuilder &b, Type type, unsigned bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits));
  };
  SmallVector<Value> rows;
  if (fromWidth < toWidth) {
    unsigned count = toWidth / fromWidth;
    for (unsigned k = 0; k < count; ++k)
      rows.push_back(takeRows(b, loc, from, k, count));
    computeElements(b, loc, rows, to, [&](OpBuilder &b, ValueRange parts) {
      Value bits;
      for (auto [k, part] : llvm::enumerate(parts)) {
        Value wide = arith::ExtUIOp::create(b, loc, result, part);
        if (!bits) {
          bits = wide;
          continue;
        }
        wide = arith::ShLIOp::create(b, loc, wide,
                                     shift(b, result, k * fromWidth));
        bits = arith::OrIOp::create(b, loc, bits, wide);
      }
      return SmallVector<Value>{bits};
    });
    return;
  }
  unsigned count = fromWidth / toWidth;
  for (unsigned k = 0; k < count; ++k) {
    Value row = takeRows(b, loc, to, k, count);
    computeElements(b, loc, from, row, [&](OpBuilder &b, ValueRange parts) {
      Type wide = fromType.getElementType();
      Value bits = arith::ShRUIOp::create(b, loc, parts.front(),
                                          shift(b, wide, k * toWidth));
      return SmallVector<Value>{
          arith::TruncIOp::create(b, loc, result, bits).getResult()};
    });
  }
}

//===----------------------------------------------------------------------===//
// Copies of views
//===----------------------------------------------------------------------===//

/// Views with a private buffer among the sources of the refs that `op` uses. If
/// one is a view of another one, the outer one comes first, since its buffer is
/// the source of the inner copy.
static SmallVector<BitcastRefOp> findCopiedViews(Operation *op) {
  llvm::SetVector<BitcastRefOp> found;
  // These checks ask for places only. A wait asks for sizes only, and others
  // write to the memory meanwhile, which a copy back would undo.
  if (isRefAlias(op) ||
      isa<CheckWindowOp, CheckPackedViewOp, CheckSameContentsOp, DMAWaitOp>(op))
    return {};
  for (Value operand : op->getOperands()) {
    if (!isa<RefType>(operand.getType()))
      continue;
    for (Operation *view = operand.getDefiningOp(); isRefAlias(view);
         view = view->getOperand(0).getDefiningOp())
      if (auto bitcast = dyn_cast<BitcastRefOp>(view);
          bitcast && changesWidth(bitcast))
        found.insert(bitcast);
  }
  return llvm::to_vector(llvm::reverse(found));
}

/// Allocates the buffer. Its contents are copied where the view is used.
///
///   %view = pallas.bitcast_ref %ref
///       : !pallas.ref<4x8xf32, vmem> -> !pallas.ref<8x8xbf16, vmem>
///   pallas.swap %view[0, :], %v : !pallas.ref<8x8xbf16, vmem>, tensor<8xbf16>
///
/// becomes a copy of %ref to the buffer, a store to row 0 of the buffer, and a
/// copy of the buffer to %ref. The first copy is needed although the swap reads
/// nothing: the last one writes all rows.
LogicalResult RefLowering::lowerWideView(BitcastRefOp op) {
  if (!op.getView().getType().hasStaticShape())
    return op.emitOpError()
           << "changes the width of elements of " << op.getRef().getType()
           << ", whose shape is not static; bitcast the whole ref and slice "
              "the view";
  memory[op.getView()] = b.allocate(op.getLoc(), op.getView().getType());
  return success();
}

LogicalResult
RefLowering::lowerOnCopies(Operation *op,
                           function_ref<LogicalResult(Operation *)> lower) {
  SmallVector<BitcastRefOp> views = findCopiedViews(op);
  SmallVector<BitcastRefOp> stale;
  for (BitcastRefOp view : views)
    if (!llvm::is_contained(refreshed, view))
      stale.push_back(view);
  // The checker fills unwritten elements of a copy with other values. The
  // access behind the check has to see these, so the copy is not made again for
  // it.
  if (isCheck(op))
    llvm::append_range(refreshed, stale);
  else
    refreshed.clear();
  if (views.empty())
    return lower(op);
  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  for (BitcastRefOp view : stale)
    copyBits(b, loc, getMemory(view.getRef()), getMemory(view.getView()));
  // Operations are gone once they are lowered. An operation with regions may
  // write to the view inside; asking each nested operation would cost more than
  // the copy.
  SmallVector<BitcastRefOp> written;
  for (BitcastRefOp view : views)
    if (op->getNumRegions() || hazards.isWrittenBy(op, view.getView()))
      written.push_back(view);
  Operation *next = op->getNextNode();
  if (failed(lower(op)))
    return failure();
  b.setInsertionPoint(next);
  for (BitcastRefOp view : llvm::reverse(written))
    copyBits(b, loc, getMemory(view.getView()), getMemory(view.getRef()));
  return success();
}
