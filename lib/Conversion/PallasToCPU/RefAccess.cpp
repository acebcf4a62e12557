//===- RefAccess.cpp - Reads and writes of refs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers reads and writes of refs. There are two forms. A slice is a
// subview, read and written as a whole tensor, which later passes vectorize. An
// access by index arrays, or one that may leave the ref, is a loop over its
// elements. SliceAccess.cpp emits both where only run time can tell.
//
//===----------------------------------------------------------------------===//

#include "RefLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Entries that an operand gives are null until a dimension determines them.
SmallVector<Value> RefLowering::createAccessSizes(RefAccessOpInterface op) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getAccessShape();
  SmallVector<Value> sizes(shape.size());
  for (auto [i, size] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(size))
      sizes[i] = b.createIndex(loc, size);
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    if (dim.entry.kind == IndexKind::Slice) {
      if (Value &size = sizes[dim.firstSelected]; !size)
        size = getValueOrCreateConstantIndexOp(b, loc,
                                               createRange(op, d, dim).length);
      continue;
    }
    if (!dim.array || !isa<RefType>(dim.array.getType()))
      continue;
    // Shapes of index arrays have their last dimensions in common.
    Value places = getMemory(dim.array);
    int64_t rank = cast<MemRefType>(places.getType()).getRank();
    unsigned first = dim.firstSelected + dim.numSelected - rank;
    for (int64_t k = 0; k < rank; ++k)
      if (Value &size = sizes[first + k]; !size)
        size = memref::DimOp::create(b, loc, places, k);
  }
  return sizes;
}

/// Both conditions; a null one always holds.
static Value both(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

/// Loops over what the access selects. For example, for a gather of rows,
/// `%ref[gather(%i : tensor<3xi32>), :]`:
///
///   scf.for %k = %c0 to %c3 step %c1 {
///     scf.for %j = %c0 to %c4 step %c1 {
///       ... body with position = [%k, %j] ...
///     }
///   }
LogicalResult
RefLowering::forEachPosition(RefAccessOpInterface op,
                             function_ref<void(ValueRange)> body) {
  Location loc = op.getLoc();
  SmallVector<Value> sizes = createAccessSizes(op);
  if (!llvm::all_of(sizes, [](Value size) { return bool(size); }))
    return emitErrorOf(op)
           << "takes a number of indices that is known at run time only, which "
              "refs of indices can have; slice the ref that holds them";
  SmallVector<Value> position;
  Value zero = b.createIndex(loc, 0), one = b.createIndex(loc, 1);
  OpBuilder::InsertionGuard guard(b);
  for (Value size : sizes) {
    auto loop = scf::ForOp::create(b, loc, zero, size, one);
    position.push_back(loop.getInductionVar());
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  body(position);
  return success();
}

/// The element of the ref at a position of the selection. For the row of a
/// gather:
///
///   %index = tensor.extract %i[%k] : tensor<3xi32>
///   %row = arith.index_cast %index : i32 to index
///   %inside = arith.cmpi ult, %row, %c8 : index
///
/// One unsigned comparison catches negative indices as well. `asNamed` yields
/// the indices as the kernel computed them, before they count from the end or
/// are moved.
ElementPlace RefLowering::createPlace(RefAccessOpInterface op,
                                      ValueRange position, bool asNamed) {
  Location loc = op.getLoc();
  Value source = getMemory(op.getRef());
  // An atomic access of a plain slice is clamped as other slices are. One that
  // leaves elements outside in place excludes them.
  bool moves =
      !asNamed && !keepsElementsInPlace(op) && !op.getIndexer().hasGather();
  ElementPlace element;
  for (auto [d, dim] : llvm::enumerate(op.getAccessDims())) {
    Value dynamic = dim.start;
    if (dim.array) {
      auto common =
          ValueRange(position).slice(dim.firstSelected, dim.numSelected);
      dynamic =
          isa<RefType>(dim.array.getType())
              ? memref::LoadOp::create(b, loc, getMemory(dim.array), common)
                    .getResult()
              : createElementAt(b, loc, dim.array, common);
    }
    Value size = memref::DimOp::create(b, loc, source, d);
    Value place =
        dynamic ? b.toIndex(dynamic) : b.createIndex(loc, dim.entry.start);
    if (dynamic && moves)
      place = getValueOrCreateConstantIndexOp(b, loc,
                                              createRange(op, d, dim).start);
    else if (dynamic && !asNamed && countsFromEnd(op, dim))
      place = createWrapped(b, loc, place, size);
    if (dim.entry.kind == IndexKind::Slice) {
      Value step = arith::MulIOp::create(b, loc, position[dim.firstSelected],
                                         b.createIndex(loc, dim.entry.stride));
      place = arith::AddIOp::create(b, loc, place, step);
    }
    bool leaves = dim.entry.hasDynamicSize() ||
                  dim.entry.getLast() >= op.getRef().getType().getDimSize(d);
    if (leaves || (dynamic && !moves))
      element.inside =
          both(b, loc, element.inside,
               arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                     size));
    element.at.push_back(place);
  }
  return element;
}

LogicalResult RefLowering::forEachElement(
    RefAccessOpInterface op,
    function_ref<void(ValueRange, ValueRange, Value)> body) {
  return forEachPosition(op, [&](ValueRange position) {
    ElementPlace element = createPlace(op, position, /*asNamed=*/false);
    body(element.at, position, element.inside);
  });
}

/// `value` where `condition` holds, and else `other`, read in a branch. The
/// branch keeps an address out of bounds from being read:
///
///   %v = scf.if %condition -> (f32) {
///     %element = memref.load %source[%at] : memref<8xf32>
///     scf.yield %element : f32
///   } else {
///     scf.yield %other : f32
///   }
static Value loadIf(OpBuilder &b, Location loc, Value condition, Value source,
                    ValueRange at, Value other) {
  if (!condition)
    return memref::LoadOp::create(b, loc, source, at);
  auto branch = scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(
            b, loc, memref::LoadOp::create(b, loc, source, at).getResult());
      },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, other); });
  return branch.getResult(0);
}

/// Stores where `condition` holds or is null.
static void storeIf(OpBuilder &b, Location loc, Value condition, Value value,
                    Value target, ValueRange at) {
  if (!condition) {
    memref::StoreOp::create(b, loc, value, target, at);
    return;
  }
  scf::IfOp::create(b, loc, condition, [&](OpBuilder &b, Location loc) {
    memref::StoreOp::create(b, loc, value, target, at);
    scf::YieldOp::create(b, loc);
  });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Broadcasts a mask or the `other` operand of an access to the type of its
/// value. Dimensions are aligned at the last one, as in NumPy.
static Value broadcastTo(OpBuilder &b, Location loc, Value value,
                         RankedTensorType like) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  RankedTensorType type = like.clone(getElementTypeOrSelf(value.getType()));
  if (tensor == type)
    return value;
  int64_t rank = tensor ? tensor.getRank() : 0;
  return BroadcastOp::create(
      b, loc, type, value,
      llvm::to_vector(llvm::seq(like.getRank() - rank, like.getRank())));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// A read of a slice becomes a view of the memory:
///
///   %v = pallas.get %ref[ds(%i, 4)] : !pallas.ref<8xf32, vmem>
///
/// becomes, with %start clamped into [0, 4],
///
///   %view = memref.subview %ref[%start] [4] [1] : memref<8xf32> to ...
///   %v = bufferization.to_tensor %view restrict : memref<4xf32, ...> to ...
///
/// It copies if a later write could change the value; see Hazards.cpp.
LogicalResult RefLowering::lowerGet(GetOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  if (!access.getIndexer().hasGather()) {
    FailureOr<Value> view = createView(access);
    if (failed(view))
      return failure();
    bool accumulates = hazards.isAccumulator(op);
    bool copy =
        !accumulates && hazards.needsCopy(op, op.getRef(), op.getResult());
    b.replaceOp(op, b.readView(loc, *view, type, copy, accumulates));
    return success();
  }
  // Indices out of bounds are clamped.
  Value source = getMemory(op.getRef());
  Value target = b.allocateValue(loc, type);
  auto loadEach = [&]() {
    return forEachElement(
        access, [&](ValueRange at, ValueRange position, Value) {
          memref::StoreOp::create(b, loc, b.loadInside(loc, source, at), target,
                                  position);
        });
  };
  auto loadWhole = [&](Value view) {
    b.writeView(loc,
                b.readView(loc, view, type, /*copy=*/false, /*writable=*/false),
                target);
  };
  LogicalResult result = accessSlice(access, loadWhole, loadEach);
  b.replaceOp(op,
              b.readView(loc, target, type, /*copy=*/false, /*writable=*/true));
  return result;
}

/// Inside of the ref, a masked load is a select:
///
///   %v = bufferization.to_tensor %view restrict : memref<4xf32> to ...
///   %r = arith.select %mask, %v, %other : tensor<4xi1>, tensor<4xf32>
///
/// Elsewhere it is a loop that loads where the mask holds. Without `other`,
/// excluded elements are zero; the operation leaves them undefined.
LogicalResult RefLowering::lowerMaskedLoad(MaskedLoadOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  Value source = getMemory(op.getRef()), mask = op.getMask();
  Value target = b.allocateValue(loc, type);
  TypedAttr zero = b.getZeroAttr(getElementTypeOrSelf(type));
  auto loadEach = [&]() {
    return forEachElement(access, [&](ValueRange at, ValueRange position,
                                      Value inside) {
      // Without a mask any value will do.
      Value element;
      if (mask) {
        Value condition =
            both(b, loc, inside, createElementAt(b, loc, mask, position));
        Value other = op.getOther()
                          ? createElementAt(b, loc, op.getOther(), position)
                          : arith::ConstantOp::create(b, loc, zero).getResult();
        element = loadIf(b, loc, condition, source, at, other);
      } else {
        element = b.loadInside(loc, source, at);
      }
      memref::StoreOp::create(b, loc, element, target, position);
    });
  };
  auto loadWhole = [&](Value view) {
    auto tensor = cast<RankedTensorType>(type);
    Value value =
        b.readView(loc, view, type, /*copy=*/false, /*writable=*/false);
    if (mask) {
      Value other = op.getOther() ? op.getOther()
                                  : arith::ConstantOp::create(b, loc, zero);
      value =
          arith::SelectOp::create(b, loc, broadcastTo(b, loc, mask, tensor),
                                  value, broadcastTo(b, loc, other, tensor));
    }
    b.writeView(loc, value, target);
  };
  LogicalResult result = accessSlice(access, loadWhole, loadEach);
  b.replaceOp(op,
              b.readView(loc, target, type, /*copy=*/false, /*writable=*/true));
  return result;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

/// If the old value is used it is a copy, as the write follows at once:
///
///   %copy = memref.alloc() : memref<4xf32>
///   memref.copy %view, %copy : memref<4xf32> to memref<4xf32>
///   %old = bufferization.to_tensor %copy restrict writable : ...
///   bufferization.materialize_in_destination %v in restrict writable %view
LogicalResult RefLowering::lowerSwap(SwapOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  bool isUsed = !op.getOld().use_empty();
  Type type = op.getOld().getType();
  if (!access.getIndexer().hasGather()) {
    FailureOr<Value> view = createView(access);
    if (failed(view))
      return failure();
    Value old = isUsed ? b.readView(loc, *view, type, /*copy=*/true, false)
                       : op.getValue();
    b.writeView(loc, op.getValue(), *view);
    b.replaceOp(op, old);
    return success();
  }
  // Elements outside the ref are dropped, and moved inside where the old ones
  // are read; of several for one place the last one stays.
  Value target = getMemory(op.getRef());
  Value old = isUsed ? b.allocateValue(loc, type) : Value();
  LogicalResult result = success();
  if (isUsed)
    result =
        forEachElement(access, [&](ValueRange at, ValueRange position, Value) {
          memref::StoreOp::create(b, loc, b.loadInside(loc, target, at), old,
                                  position);
        });
  auto storeEach = [&]() {
    return forEachElement(
        access, [&](ValueRange at, ValueRange position, Value inside) {
          storeIf(b, loc, inside,
                  createElementAt(b, loc, op.getValue(), position), target, at);
        });
  };
  if (succeeded(result))
    result = accessSlice(
        access, [&](Value view) { b.writeView(loc, op.getValue(), view); },
        storeEach);
  b.replaceOp(op, isUsed ? b.readView(loc, old, type, false, /*writable=*/true)
                         : op.getValue());
  return result;
}

/// A slice is read, added to and written as a whole:
///
///   %old = bufferization.to_tensor %view restrict : memref<8xf32> to ...
///   %sum = arith.addf %old, %v : tensor<8xf32>
///   bufferization.materialize_in_destination %sum in restrict writable %view
///
/// %old needs no copy: each element is read before the same one is written.
/// With index arrays the elements are updated one by one, since indices may
/// repeat.
LogicalResult RefLowering::lowerAddUpdate(AddUpdateOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  if (!access.getIndexer().hasGather()) {
    FailureOr<Value> view = createView(access);
    if (failed(view))
      return failure();
    Value old = b.readView(loc, *view, op.getValue().getType(), false, false);
    b.writeView(loc,
                createCombined(b, loc, AtomicKind::Add, old, op.getValue()),
                *view);
    b.eraseOp(op);
    return success();
  }
  Value target = getMemory(op.getRef());
  LogicalResult result = forEachElement(
      access, [&](ValueRange at, ValueRange position, Value inside) {
        Value value = createElementAt(b, loc, op.getValue(), position);
        auto update = [&](OpBuilder &b, Location loc) {
          Value old = memref::LoadOp::create(b, loc, target, at);
          memref::StoreOp::create(
              b, loc, createCombined(b, loc, AtomicKind::Add, old, value),
              target, at);
        };
        if (!inside)
          return update(b, loc);
        scf::IfOp::create(b, loc, inside, [&](OpBuilder &b, Location loc) {
          update(b, loc);
          scf::YieldOp::create(b, loc);
        });
      });
  b.eraseOp(op);
  return result;
}

/// The old values are read in a first loop. One loop for both could read an
/// element that a repeated index has written before.
LogicalResult RefLowering::lowerMaskedSwap(MaskedSwapOp op) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Location loc = op.getLoc();
  Value target = getMemory(op.getRef());
  Type type = op.getOld().getType();
  bool isUsed = !op.getOld().use_empty();
  Value old = isUsed ? b.allocateValue(loc, type) : Value();
  LogicalResult result = success();
  if (isUsed)
    result = forEachElement(access, [&](ValueRange at, ValueRange position,
                                        Value inside) {
      Value condition =
          both(b, loc, inside, createElementAt(b, loc, op.getMask(), position));
      Value value = createElementAt(b, loc, op.getValue(), position);
      Value element = loadIf(b, loc, condition, target, at, value);
      memref::StoreOp::create(b, loc, element, old, position);
    });
  auto storeEach = [&]() {
    return forEachElement(access, [&](ValueRange at, ValueRange position,
                                      Value inside) {
      Value condition =
          both(b, loc, inside, createElementAt(b, loc, op.getMask(), position));
      storeIf(b, loc, condition,
              createElementAt(b, loc, op.getValue(), position), target, at);
    });
  };
  // Programs that run at the same time never share an array, so elements that
  // the mask excludes may be written as they are.
  auto storeWhole = [&](Value view) {
    auto tensor = cast<RankedTensorType>(type);
    Value before =
        b.readView(loc, view, type, /*copy=*/false, /*writable=*/false);
    b.writeView(loc,
                arith::SelectOp::create(
                    b, loc, broadcastTo(b, loc, op.getMask(), tensor),
                    broadcastTo(b, loc, op.getValue(), tensor), before),
                view);
  };
  if (succeeded(result))
    result = accessSlice(access, storeWhole, storeEach);
  b.replaceOp(op, isUsed ? b.readView(loc, old, type, false, /*writable=*/true)
                         : op.getValue());
  return result;
}
