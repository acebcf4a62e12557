//===- ElementLoops.cpp - Elements of tensors in shared memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes hold parts of vectors in layouts that only the compiler knows. A rule
// that needs single elements stores the vector to shared memory, loops over
// positions with lanes in turn, and loads the result as a vector again.
//
//===----------------------------------------------------------------------===//

#include "ElementUpdates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr int64_t kLanes = 128;

//===----------------------------------------------------------------------===//
// Types in memory
//===----------------------------------------------------------------------===//

/// Memory is addressed by bytes, so elements that are accessed one by one take
/// one each.
static Type getByteOf(Type element) {
  bool isPart = element.isInteger() && element.getIntOrFloatBitWidth() < 8;
  return isPart ? IntegerType::get(element.getContext(), 8) : element;
}

Type mlir::pallas::getStoredType(Type element) {
  return element.isInteger(1) ? getByteOf(element) : element;
}

static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Zeros above the bits, whatever the sign: `fromStored` cuts them off.
Value mlir::pallas::toStored(KernelEmitter &emit, Value value, Type stored) {
  if (getElementTypeOrSelf(value.getType()) == stored)
    return value;
  return arith::ExtUIOp::create(emit.b, emit.loc,
                                withElement(value.getType(), stored), value);
}

/// A boolean is true where any bit is set, so that memory written by others
/// reads as true as well.
Value mlir::pallas::fromStored(KernelEmitter &emit, Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  if (!element.isInteger(1))
    return arith::TruncIOp::create(
        emit.b, emit.loc, withElement(value.getType(), element), value);
  Value zero = arith::ConstantOp::create(emit.b, emit.loc,
                                         emit.b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(emit.b, emit.loc, arith::CmpIPredicate::ne,
                               value, zero);
}

//===----------------------------------------------------------------------===//
// Tensors in memory
//===----------------------------------------------------------------------===//

/// Tells the compiler not to look for tiles, which single elements lack.
static Value keepPlain(KernelEmitter &emit, Value memref) {
  return mosaic_gpu::WithTransformsOp::create(emit.b, emit.loc, memref,
                                              emit.b.getArrayAttr({}));
}

/// Warpgroups of a block run the same code, each on its part of the memory.
static Value selectOwn(KernelEmitter &emit, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  OpBuilder &b = emit.b;
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
      strides(type.getRank(), b.getIndexAttr(1)), sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  offsets[0] = emit.toIndex(emit.getWarpgroup());
  sizes[0] = b.getIndexAttr(1);
  auto own = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides));
  return memref::SubViewOp::create(b, emit.loc, own, memref, offsets, sizes,
                                   strides);
}

/// Warpgroups run the same code at their own pace, so each has its own copy.
ElementArray mlir::pallas::allocateElements(KernelEmitter &emit,
                                            ArrayRef<int64_t> shape,
                                            Type element) {
  int64_t warpgroups = LaunchGrid(emit.mesh).warpgroups;
  SmallVector<int64_t> whole(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
  if (warpgroups > 1)
    whole.insert(whole.begin(), warpgroups);
  auto type =
      MemRefType::get(whole, getByteOf(element), MemRefLayoutAttrInterface(),
                      mosaic_gpu::getSharedMemorySpace(emit.b.getContext()));
  Value memref = mosaic_gpu::SliceSMEMOp::create(
      emit.b, emit.loc, type,
      emit.b.getI32IntegerAttr(emit.allocateScratch(getNumBytes(type))),
      emit.getNextAlias());
  memref = keepPlain(emit, memref);
  if (warpgroups > 1)
    memref = selectOwn(emit, memref);
  return {SmallVector<int64_t>(shape), element, memref, Value()};
}

/// The scalar that all elements of a vector are, or null.
static Value getSplat(KernelEmitter &emit, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return getSplat(emit, broadcast.getSource());
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return arith::ConstantOp::create(emit.b, emit.loc,
                                   elements.getSplatValue<TypedAttr>());
}

/// The allocation that a memref is part of, if its elements lie in their order.
static mosaic_gpu::SliceSMEMOp getAllocation(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    auto transforms = dyn_cast<mosaic_gpu::WithTransformsOp>(op);
    if (!isa<memref::SubViewOp>(op) &&
        !(transforms && transforms.getTransforms().empty()))
      break;
    memref = op->getOperand(0);
  }
  return memref.getDefiningOp<mosaic_gpu::SliceSMEMOp>();
}

/// Whether an operation leaves memory as it is that ends in front of `offset`.
/// Scratch memory lies behind what is in use.
static bool leavesMemory(Operation &op, int64_t offset) {
  if (isMemoryEffectFree(&op) ||
      isa<mosaic_gpu::VectorLoadOp, memref::LoadOp>(op))
    return true;
  auto store = dyn_cast<mosaic_gpu::VectorStoreOp>(op);
  if (!store)
    return false;
  mosaic_gpu::SliceSMEMOp target = getAllocation(store.getDestination());
  return target && target.getOffset() >= offset;
}

/// The memory that a vector has been loaded from, where it is in use and still
/// holds the vector.
static Value getUnchangedSource(KernelEmitter &emit, Value value) {
  auto load = value.getDefiningOp<mosaic_gpu::VectorLoadOp>();
  if (!load || load->getBlock() != emit.b.getInsertionBlock())
    return {};
  mosaic_gpu::SliceSMEMOp allocation = getAllocation(load.getSource());
  if (!allocation || isPacked(allocation.getType().getElementType()))
    return {};
  int64_t end = allocation.getOffset() + getNumBytes(allocation.getType());
  auto between = llvm::make_range(std::next(load->getIterator()),
                                  emit.b.getInsertionPoint());
  bool isUnchanged = end <= emit.getUsedBytes() &&
                     !emit.isFreeScratch(allocation.getOffset()) &&
                     llvm::all_of(between, [&](Operation &op) {
                       return leavesMemory(op, end);
                     });
  return isUnchanged ? load.getSource() : Value();
}

/// Whether two memrefs may have elements in common. Only allocations in shared
/// memory whose bytes are known are told apart.
static bool mayOverlap(Value one, Value other) {
  mosaic_gpu::SliceSMEMOp first = getAllocation(one),
                          second = getAllocation(other);
  if (!first || !second)
    return true;
  int64_t firstEnd = first.getOffset() + getNumBytes(first.getType()),
          secondEnd = second.getOffset() + getNumBytes(second.getType());
  return first.getOffset() < secondEnd && second.getOffset() < firstEnd;
}

ElementArray mlir::pallas::selectPart(KernelEmitter &emit,
                                      const ElementArray &array,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<int64_t> shape) {
  ElementArray part{SmallVector<int64_t>(shape), array.element, Value(),
                    array.scalar};
  if (array.scalar)
    return part;
  part.memref = array.memref;
  auto type = cast<MemRefType>(array.memref.getType());
  if (type.getRank() == 0)
    return part;
  SmallVector<OpFoldResult> starts, sizes,
      ones(type.getRank(), emit.b.getIndexAttr(1));
  SmallVector<int64_t> kept;
  for (auto [whole, size, offset] :
       llvm::zip_equal(array.shape, shape, offsets)) {
    if (whole == 1)
      continue;
    starts.push_back(offset);
    sizes.push_back(emit.b.getIndexAttr(size));
    if (size != 1)
      kept.push_back(size);
  }
  auto view = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      kept, type, starts, sizes, ones));
  part.memref = memref::SubViewOp::create(emit.b, emit.loc, view, array.memref,
                                          starts, sizes, ones);
  return part;
}

void mlir::pallas::storePart(KernelEmitter &emit, const ElementArray &part,
                             Value value) {
  Value stored =
      toStored(emit, value, getElementTypeOrSelf(part.memref.getType()));
  if (isa<VectorType>(stored.getType()))
    mosaic_gpu::VectorStoreOp::create(
        emit.b, emit.loc, stored, part.memref, BoolAttr(),
        mosaic_gpu::AtomicOpTypeAttr(), emit.b.getBoolAttr(false));
  else
    storeElementAt(emit, part.memref, stored);
}

ElementArray mlir::pallas::spillElements(KernelEmitter &emit, Value value,
                                         ArrayRef<int64_t> shape,
                                         Value written) {
  Type element = getElementTypeOrSelf(value.getType());
  ElementArray array{SmallVector<int64_t>(shape), element, Value(),
                     getSplat(emit, value)};
  if (array.scalar)
    return array;
  if (Value source = getUnchangedSource(emit, value);
      source && !(written && mayOverlap(source, written))) {
    array.memref = keepPlain(emit, source);
    return array;
  }
  array = allocateElements(emit, shape, element);
  storePart(emit, array, value);
  return array;
}

/// The same for a value of the source, whose shape still has its dimensions of
/// size 1.
FailureOr<ElementArray>
mlir::pallas::spillElements(KernelEmitter &emit, Value source, Value written) {
  FailureOr<Value> value = emit.getValue(source);
  if (failed(value))
    return failure();
  auto type = dyn_cast<ShapedType>(source.getType());
  return spillElements(emit, *value,
                       type ? type.getShape() : ArrayRef<int64_t>(), written);
}

/// The layout is left open: users of the vector decide. Scratch memory has no
/// tiles, so a layout of tiles can't avoid bank conflicts, as the compiler
/// wants for other loads.
Value mlir::pallas::loadVector(KernelEmitter &emit, const ElementArray &array) {
  bool isScalar = cast<MemRefType>(array.memref.getType()).getRank() == 0;
  Value stored =
      isScalar
          ? memref::LoadOp::create(emit.b, emit.loc, array.memref).getResult()
          : mosaic_gpu::VectorLoadOp::create(emit.b, emit.loc, array.memref,
                                             emit.b.getBoolAttr(false))
                .getResult();
  return fromStored(emit, stored, array.element);
}

Value mlir::pallas::reshapeInMemory(KernelEmitter &emit, Value value,
                                    VectorType type) {
  ScratchScope scratch(emit);
  auto from = cast<VectorType>(value.getType());
  ElementArray array =
      allocateElements(emit, from.getShape(), from.getElementType());
  storePart(emit, array, value);
  auto getAllDims = [](VectorType vector) {
    return ReassociationIndices(
        llvm::to_vector<2>(llvm::seq<int64_t>(vector.getRank())));
  };
  if (from.getRank() > 1)
    array.memref = memref::CollapseShapeOp::create(
        emit.b, emit.loc, array.memref, getAllDims(from));
  if (type.getRank() > 1)
    array.memref = memref::ExpandShapeOp::create(
        emit.b, emit.loc, type.getShape(), array.memref, getAllDims(type));
  array.shape = llvm::to_vector(type.getShape());
  return loadVector(emit, array);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// memref.subview of one element, which is all that can be loaded and stored.
static ElementArray selectElement(KernelEmitter &emit,
                                  const ElementArray &array,
                                  ValueRange position) {
  return selectPart(emit, array, getAsOpFoldResult(position),
                    SmallVector<int64_t>(position.size(), 1));
}

Value mlir::pallas::loadElement(KernelEmitter &emit, const ElementArray &array,
                                ValueRange position) {
  if (array.scalar)
    return array.scalar;
  Value place = selectElement(emit, array, position).memref;
  Value stored = isPacked(getElementTypeOrSelf(place.getType()))
                     ? loadPackedElement(emit, place)
                     : memref::LoadOp::create(emit.b, emit.loc, place);
  return fromStored(emit, stored, array.element);
}

void mlir::pallas::storeElement(KernelEmitter &emit, const ElementArray &array,
                                ValueRange position, Value value) {
  storePart(emit, selectElement(emit, array, position), value);
}

/// The compiler knows no such operations of memory, except in code for lanes:
///   %before = memref.atomic_rmw addf %w, %e[]
Value mlir::pallas::updateElement(
    KernelEmitter &emit, const ElementArray &array, ValueRange position,
    ValueRange scalars,
    function_ref<Value(Value memref, ValueRange scalars)> write) {
  return emit.emitLaneCode(selectElement(emit, array, position).memref, scalars,
                           write);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The indices of an element with this row-major number. Lanes divide
/// faster in 32 bits.
static SmallVector<Value> delinearize(KernelEmitter &emit, Value number,
                                      ArrayRef<int64_t> shape) {
  SmallVector<Value> position(shape.size());
  bool isLeading = true;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    Value size = emit.i32(shape[dim]);
    isLeading =
        llvm::all_of(shape.take_front(dim), [](int64_t s) { return s == 1; });
    Value index =
        shape[dim] == 1 ? emit.i32(0)
        : isLeading
            ? number
            : Value(arith::RemUIOp::create(emit.b, emit.loc, number, size));
    position[dim] = emit.toIndex(index);
    if (shape[dim] != 1 && !isLeading)
      number = arith::DivUIOp::create(emit.b, emit.loc, number, size);
  }
  return position;
}

/// Both synchronizations are needed: elements are read that other lanes have
/// stored, and what the loop stores is read by others after it.
void mlir::pallas::forEachPosition(KernelEmitter &emit, ArrayRef<int64_t> shape,
                                   function_ref<void(ValueRange)> body) {
  OpBuilder &b = emit.b;
  emit.syncWarpgroup();
  Value thread = gpu::ThreadIdOp::create(b, emit.loc, gpu::Dimension::x);
  Value lane =
      arith::RemUIOp::create(b, emit.loc, emit.toI32(thread), emit.i32(kLanes));
  auto loop = scf::ForOp::create(
      b, emit.loc, lane, emit.i32(llvm::product_of(shape)), emit.i32(kLanes));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(delinearize(emit, loop.getInductionVar(), shape));
  }
  emit.syncWarpgroup();
}

/// A loop that each lane runs in full.
SmallVector<Value> mlir::pallas::forEachStep(
    KernelEmitter &emit, int64_t size, ValueRange carried,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  OpBuilder &b = emit.b;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, emit.loc, value);
  };
  auto loop = scf::ForOp::create(
      b, emit.loc, index(0), index(size), index(1), carried,
      [&](OpBuilder &, Location, Value step, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(step.getParentBlock());
        SmallVector<Value> next = body(step, values);
        scf::YieldOp::create(b, emit.loc, next);
      });
  return loop.getResults();
}
