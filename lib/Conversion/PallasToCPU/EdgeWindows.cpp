//===- EdgeWindows.cpp - Blocks that extend past the end of an array ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file creates the windows of partial blocks. Where a block lies inside of
// the array, its window is a subview of the array. Where it extends past the
// end it is a copy, so that no array has to be padded as a whole.
// `createWindow` in Windows.cpp calls this if `chooseEdges` did not ask for a
// padded array.
//
//===----------------------------------------------------------------------===//

#include "GridLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Support/Edges.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether copies move little more than padding the array as a whole would: a
/// block that many programs see is better padded once. The estimate compares
/// elements: those of the copies that all programs make with those of the
/// padded array. It is conservative in dimensions of dynamic size, where the
/// number of programs is unknown.
static bool areEdgesFew(GridMappingOpInterface op, ArrayRef<int64_t> block,
                        ArrayRef<int64_t> shape, ArrayRef<int64_t> padded) {
  constexpr double mostCopies = 4;
  double programs = 1, edges = 0;
  for (int64_t size : op.getGridShape()) {
    if (ShapedType::isDynamic(size))
      return false;
    programs *= size;
  }
  for (auto [d, size] : llvm::enumerate(block))
    if (padded[d] != shape[d])
      edges += double(size) / padded[d];
  return programs * std::min(edges, 1.0) * ShapedType::getNumElements(block) <=
         mostCopies * ShapedType::getNumElements(padded);
}

/// Whether at most one program sees each window of a block. Then what it leaves
/// in the padding is never read again.
static bool isSeenOnce(GridMappingOpInterface op, unsigned index) {
  for (auto [d, size] : llvm::enumerate(op.getGridShape()))
    if (size != 1 && !separatesWindows(op, index, d))
      return false;
  return true;
}

/// Whether a dimension that the ref lacks has no elements: its part of a block
/// is then not the 1 that a subview may drop.
static bool cutsSqueezed(BlockMappingAttr mapping, ArrayRef<int64_t> shape) {
  return llvm::any_of(llvm::zip_equal(mapping.getDims(), shape), [](auto pair) {
    auto [dim, size] = pair;
    return dim.getKind() == BlockDimKind::Squeezed && size == 0;
  });
}

/// Copies are only equivalent to a padded array if no program can find what
/// another one wrote behind the end of the array.
EdgeKind GridLowering::chooseEdges(GridMappingOpInterface op, unsigned index,
                                   Value array) const {
  BlockMappingAttr mapping = op.getMappings()[index];
  ArrayRef<int64_t> shape = cast<MemRefType>(array.getType()).getShape();
  SmallVector<int64_t> padded = getPaddedShape(shape, mapping);
  // Checks follow what padding reaches, and other tasks know memory by arrays.
  if (checked || concurrency.synchronizes || concurrency.namesOthers ||
      ArrayRef<int64_t>(padded) == shape ||
      llvm::any_of(mapping.getDims(),
                   [](BlockDimAttr dim) { return dim.getPadLow() != 0; }) ||
      cutsSqueezed(mapping, shape) ||
      !areEdgesFew(op, mapping.getBlockShape(), shape, padded))
    return EdgeKind::Padded;
  // Later programs have to find what a program leaves in the padding, and what
  // it writes to an input. A copy would lose both.
  Value ref = op.sliceBlockOps()[index];
  if (index < op.getNumInputs())
    return hazards.isWritten(ref) ? EdgeKind::Padded : EdgeKind::Copied;
  if (isSeenOnce(op, index))
    return isAliasedOutput(op, index) ? EdgeKind::Copied : EdgeKind::Fresh;
  return hazards.isRead(ref) ? EdgeKind::Padded : EdgeKind::Copied;
}

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
/// the window is a part of the array, the program has written to the array.
void GridLowering::copyEdge(const EdgeWindow &edge, bool writesBack) {
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

/// Creates the window of a block that starts at `starts`. For example, for a
/// block of 8 in an array of 10:
///
///   %rest = arith.subi %c10, %start : index
///   %fits = arith.cmpi sge, %rest, %c8 : index
///   %window = scf.if %fits -> (memref<8xf32, strided<[1], offset: ?>>) {
///     %part = memref.subview %array[%start] [8] [1] : memref<10xf32> to ...
///     scf.yield %part
///   } else {
///     %copy = memref.alloc() : memref<8xf32>
///     linalg.fill ins(%nan : f32) outs(%copy : memref<8xf32>)
///     memref.copy %part, %front_of_copy
///     scf.yield %copy
///   } {pallas.edge = "input"}
Value GridLowering::createEdgeWindow(Grid &grid, unsigned index,
                                     ArrayRef<Value> starts) {
  Location loc = grid.op.getLoc();
  EdgeWindow edge;
  edge.array = grid.arrays[index];
  edge.mapping = grid.op.getMappings()[index];
  edge.offsets = getAsOpFoldResult(ValueRange(starts));
  auto type = cast<MemRefType>(edge.array.getType());
  SmallVector<OpFoldResult> block;
  bool neverFits = false;
  for (auto [d, dim] : llvm::enumerate(edge.mapping.getDims())) {
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    int64_t size = type.getDimSize(d), length = isSqueezed ? 1 : dim.getSize();
    block.push_back(b.getIndexAttr(length));
    edge.sizes.push_back(block.back());
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

  bool isOutput = index >= grid.op.getNumInputs();
  MemRefType copyType =
      MemRefType::get(edge.mapping.getRefShape(), type.getElementType());
  auto createCopy = [&]() {
    edge.window =
        memref::AllocOp::create(b, loc, copyType, b.getI64IntegerAttr(64));
    if (!isOutput || hazards.isRead(grid.op.sliceBlockOps()[index]))
      b.fill(loc, edge.window, getUninitializedValue(type.getElementType()));
    if (grid.edges[index] == EdgeKind::Copied)
      copyEdge(edge, /*writesBack=*/false);
    return edge.window;
  };
  if (edge.isInside) {
    MemRefType joined;
    auto yield = [&](Value memory) {
      scf::YieldOp::create(
          b, loc, memref::CastOp::create(b, loc, joined, memory).getResult());
    };
    auto branch = scf::IfOp::create(
        b, loc, edge.isInside,
        [&](OpBuilder &, Location) {
          Value part =
              getPart(b, loc, edge.array, edge.mapping, edge.offsets, block);
          joined = joinLayouts(cast<MemRefType>(part.getType()), copyType);
          yield(part);
        },
        [&](OpBuilder &, Location) { yield(createCopy()); });
    // Lets later passes skip the elements of the copy that the array does not
    // have.
    branch->setAttr(kEdgeAttrName,
                    b.getStringAttr(isOutput ? "output" : "input"));
    edge.window = branch.getResult(0);
  } else {
    createCopy();
  }
  if (isOutput)
    grid.written.push_back(edge);
  return edge.window;
}
