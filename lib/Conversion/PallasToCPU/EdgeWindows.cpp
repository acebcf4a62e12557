//===- EdgeWindows.cpp - Blocks that extend past the end of an array ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file creates the windows of partial blocks. Where a block lies inside of
// the array, its window is a subview of the array. Where it extends past the
// end it is a copy, so that no array has to be padded as a whole.
//
//===----------------------------------------------------------------------===//

#include "WindowLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Edges.h"

using namespace mlir;
using namespace mlir::pallas;

/// Returns a type that fits memory of either layout; the shapes are equal. For
/// example, `memref<8xf32, strided<[1], offset: ?>>` for a part of an array and
/// a dense copy. Strides that differ become dynamic.
static MemRefType joinLayouts(MemRefType lhs, MemRefType rhs) {
  SmallVector<int64_t> strides, others;
  int64_t offset, otherOffset;
  if (failed(lhs.getStridesAndOffset(strides, offset)) ||
      failed(rhs.getStridesAndOffset(others, otherOffset)))
    return {};
  for (auto [stride, other] : llvm::zip_equal(strides, others))
    if (stride != other)
      stride = ShapedType::kDynamic;
  return MemRefType::get(
      lhs.getShape(), lhs.getElementType(),
      StridedLayoutAttr::get(lhs.getContext(), ShapedType::kDynamic, strides));
}

/// The sizes that the dimensions of the ref have, of those of the block.
/// Squeezed dimensions are dropped.
static SmallVector<OpFoldResult> getKept(BlockMappingAttr mapping,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> kept;
  for (auto [dim, size] : llvm::zip_equal(mapping.getDims(), sizes))
    if (dim.getKind() != BlockDimKind::Squeezed)
      kept.push_back(size);
  return kept;
}

/// The part of `array` that a block of these sizes is, as the ref sees it. For
/// example, 8 rows of which the second dimension is squeezed:
///
///   %part = memref.subview %array[%i, %j] [8, 1] [1, 1]
///       : memref<10x4xf32> to memref<8xf32, strided<[4], offset: ?>>
static Value getPart(OpBuilder &b, Location loc, Value array,
                     BlockMappingAttr mapping, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes) {
  auto type = cast<MemRefType>(array.getType());
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (OpFoldResult size : getKept(mapping, sizes))
    kept.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  MemRefType partType = memref::SubViewOp::inferRankReducedResultType(
      kept, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, partType, array, offsets, sizes,
                                   strides);
}

/// Copies what the array has of the block. Written back is only a copy: where
/// the window is a part of the array, the program has written to the array. Of
/// the last block of 8 in an array of 10, two elements count:
///
///   %part = memref.subview %array[8] [2] [1]
///   %own = memref.subview %window[0] [2] [1]
///   memref.copy %part, %own
void WindowLowering::copyEdge(const EdgeWindow &edge, bool writesBack) {
  Location loc = edge.window.getLoc();
  OpBuilder::InsertionGuard guard(b);
  if (writesBack && edge.isInside) {
    Value isCopy = arith::XOrIOp::create(b, loc, edge.isInside,
                                         b.createInteger(loc, 1, /*width=*/1));
    auto branch = scf::IfOp::create(b, loc, isCopy);
    b.setInsertionPoint(branch.thenYield());
  }
  Value part =
      getPart(b, loc, edge.array, edge.mapping, edge.offsets, edge.sizes);
  SmallVector<OpFoldResult> sizes = getKept(edge.mapping, edge.sizes);
  SmallVector<OpFoldResult> starts(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  Value own =
      memref::SubViewOp::create(b, loc, edge.window, starts, sizes, strides);
  memref::CopyOp::create(b, loc, writesBack ? own : part,
                         writesBack ? part : own);
}

/// Finds how much of a block that starts at `starts` the array has. For
/// example, for a block of 8 in an array of 10:
///
///   %rest = arith.subi %c10, %start : index
///   %fits = arith.cmpi sge, %rest, %c8 : index
///   %size = arith.minsi %rest, %c8 : index
void WindowLowering::findEdge(EdgeWindow &edge, ArrayRef<Value> starts) {
  Location loc = edge.array.getLoc();
  auto type = cast<MemRefType>(edge.array.getType());
  edge.offsets = getAsOpFoldResult(ValueRange(starts));
  bool neverFits = false;
  for (auto [d, dim] : llvm::enumerate(edge.mapping.getDims())) {
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    int64_t size = type.getDimSize(d), length = isSqueezed ? 1 : dim.getSize();
    edge.sizes.push_back(b.getIndexAttr(length));
    if (getPaddedShape(type.getShape(), edge.mapping)[d] == size)
      continue;
    neverFits |= length > size;
    Value end = b.createIndex(loc, size);
    // The padding behind an array may hold whole blocks.
    Value start = arith::MinSIOp::create(b, loc, starts[d], end);
    edge.offsets[d] = start;
    Value rest = arith::SubIOp::create(b, loc, end, start);
    Value whole = b.createIndex(loc, length);
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rest, whole);
    edge.sizes[d] = arith::MinSIOp::create(b, loc, rest, whole).getResult();
    edge.isInside = edge.isInside
                        ? arith::AndIOp::create(b, loc, edge.isInside, fits)
                        : fits;
  }
  if (neverFits)
    edge.isInside = nullptr;
}

///   %copy = memref.alloc() : memref<8xf32>
///   linalg.fill ins(%nan : f32) outs(%copy : memref<8xf32>)
///   memref.copy %part, %front_of_copy
Value WindowLowering::createEdgeCopy(EdgeWindowOp op, EdgeWindow &edge) {
  MemRefType type = getMemoryType(op.getView().getType());
  edge.window =
      memref::AllocOp::create(b, op.getLoc(), type, b.getI64IntegerAttr(64));
  if (op.getFilled())
    b.fill(op.getLoc(), edge.window,
           getUninitializedValue(type.getElementType()));
  if (op.getCopied())
    copyEdge(edge, /*writesBack=*/false);
  return edge.window;
}

///   %w = pallas.edge_window %x[%i : i32] block<[8], vmem> copied filled
///       : !pallas.ref<10xf32, any>
///
/// becomes
///
///   %w = scf.if %fits -> (memref<8xf32, strided<[1], offset: ?>>) {
///     %part = memref.subview %array[%start] [8] [1] : memref<10xf32> to ...
///     scf.yield %part
///   } else {
///     ...
///     scf.yield %copy
///   } {pallas.edge = "input"}
LogicalResult WindowLowering::lower(EdgeWindowOp op) {
  Location loc = op.getLoc();
  EdgeWindow &edge = edges[op.getView()];
  edge.array = getMemory(op.getArray());
  edge.mapping = op.getMapping();
  SmallVector<int64_t> shape = getPaddedShape(
      cast<MemRefType>(edge.array.getType()).getShape(), edge.mapping);
  WindowPlace place = placeWindow(loc, edge.mapping, op.getIndices(), shape);
  findEdge(edge, place.starts);
  if (!edge.isInside) {
    memory[op.getView()] = createEdgeCopy(op, edge);
    return success();
  }
  MemRefType joined;
  auto yield = [&](Value memory) {
    scf::YieldOp::create(
        b, loc, memref::CastOp::create(b, loc, joined, memory).getResult());
  };
  auto branch = scf::IfOp::create(
      b, loc, edge.isInside,
      [&](OpBuilder &, Location) {
        Value part = getPart(b, loc, edge.array, edge.mapping, edge.offsets,
                             place.part.sizes);
        joined = joinLayouts(cast<MemRefType>(part.getType()),
                             getMemoryType(op.getView().getType()));
        yield(part);
      },
      [&](OpBuilder &, Location) { yield(createEdgeCopy(op, edge)); });
  // Lets later passes skip the elements of the copy that the array does not
  // have.
  branch->setAttr(kEdgeAttrName,
                  b.getStringAttr(op.getOutput() ? "output" : "input"));
  edge.window = memory[op.getView()] = branch.getResult(0);
  return success();
}

LogicalResult WindowLowering::lower(WriteEdgeOp op) {
  copyEdge(edges.lookup(op.getWindow()), /*writesBack=*/true);
  b.eraseOp(op);
  return success();
}
