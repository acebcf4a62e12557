//===- Windows.cpp - Where the blocks of a program are --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers windows, most of which are subviews of their arrays, and
// arrays with padding. EdgeWindows.cpp lowers blocks that may be partial.
//
//===----------------------------------------------------------------------===//

#include "WindowLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// For example, an array of 8 with one element of padding on both sides and
/// blocks of 4:
///
///   %p = pallas.pad_ref %x low [1]
///       : !pallas.ref<8xf32, any> -> !pallas.ref<12xf32, any>
///
/// becomes
///
///   %padded = memref.alloc() : memref<12xf32>
///   linalg.fill ins(%nan : f32) outs(%padded : memref<12xf32>)
///   %interior = memref.subview %padded[1] [8] [1] : memref<12xf32> to ...
///   memref.copy %array, %interior
///
/// Padding is NaN, as in JAX's interpreter, so that results that depend on it
/// show.
LogicalResult WindowLowering::lower(PadRefOp op) {
  Location loc = op.getLoc();
  Value array = getMemory(op.getRef()), &padded = memory[op.getPadded()];
  auto type = cast<MemRefType>(array.getType());
  padded = memref::AllocOp::create(
      b, loc,
      MemRefType::get(op.getPadded().getType().getShape(),
                      type.getElementType()),
      b.getI64IntegerAttr(64));
  if (op.getPadded().getType() == op.getRef().getType()) {
    memref::CopyOp::create(b, loc, array, padded);
    return success();
  }
  b.fill(loc, padded, getUninitializedValue(type.getElementType()));
  Value interior = b.createInterior(loc, padded, type.getShape(), op.getLow());
  if (!op.getUninitialized())
    memref::CopyOp::create(b, loc, array, interior);
  return success();
}

/// The inverse, behind the last program.
LogicalResult WindowLowering::lower(UnpadRefOp op) {
  Value array = getMemory(op.getRef());
  Value interior = b.createInterior(
      op.getLoc(), getMemory(op.getPadded()),
      cast<MemRefType>(array.getType()).getShape(), op.getLow());
  memref::CopyOp::create(b, op.getLoc(), interior, array);
  b.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The start is moved inside of an array of this shape unless the index is
/// known to stay inside.
WindowLowering::WindowPlace
WindowLowering::placeWindow(Location loc, BlockMappingAttr mapping,
                            ValueRange indices, ArrayRef<int64_t> shape) {
  WindowPlace place{{}, Rectangle(shape, b.getContext())};
  for (auto [d, dim] : llvm::enumerate(mapping.getDims())) {
    bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
    Value start =
        moveWindowInside(b, loc, b.createWindowStart(loc, dim, indices[d]), dim,
                         getLargestIndex(indices[d]), shape[d]);
    place.starts.push_back(start);
    place.part.offsets[d] = getAsOpFoldResult(start);
    place.part.sizes[d] = b.getIndexAttr(isSqueezed ? 1 : dim.getSize());
    place.part.dropped[d] = isSqueezed;
  }
  return place;
}

///   %w = pallas.window %x[%i : i32] block<[8], vmem>
///       : !pallas.ref<32xf32, any>
///
/// becomes
///
///   %start = arith.muli %i, %c8 : index
///   %w = memref.subview %x[%start] [8] [1] : memref<32xf32> to ...
///
/// A window that stays at all of its array is the array.
LogicalResult WindowLowering::lower(WindowOp op) {
  Value array = getMemory(op.getArray());
  BlockMappingAttr mapping = op.getMapping();
  ArrayRef<int64_t> shape = cast<MemRefType>(array.getType()).getShape();
  bool isAtZero = llvm::all_of(op.getIndices(), [](Value index) {
    return getConstantInteger(index) == 0;
  });
  if (isAtZero && ArrayRef<int64_t>(mapping.getRefShape()) == shape) {
    memory[op.getView()] = array;
    return success();
  }
  WindowPlace place = placeWindow(op.getLoc(), mapping, op.getIndices(), shape);
  memory[op.getView()] = b.createPart(op.getLoc(), array, place.part);
  return success();
}
