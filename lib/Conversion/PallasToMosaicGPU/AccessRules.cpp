//===- AccessRules.cpp - Accesses element by element ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that index arrays name, that masks select, or that lie apart are
// read and written one by one:
//
//   %v = pallas.masked_load %r[ds(%i, 64)] mask %m other %z
// becomes
//   scf.for %p = %lane to 64 step 128 {
//     %e = scf.if %m[%p] { memref.load %r[%i + %p] } else { %z[%p] }
//     memref.store %e, %buffer[%p]
//   }
//
//===----------------------------------------------------------------------===//

#include "ClusterRules.h"
#include "ElementUpdates.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Elements.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

using namespace mlir;
using namespace mlir::pallas;

/// A dense slice is a subview; anything else goes element by element.
bool mlir::pallas::takesElements(RefAccessOpInterface op) {
  return llvm::any_of(op.getAccessDims(), [](const AccessDim &dim) {
    return dim.entry.kind == IndexKind::Gather || dim.entry.stride != 1;
  });
}

namespace {
/// The elements of a ref that an access means, by their position in what it
/// selects.
class AccessedElements {
public:
  AccessedElements(RefAccessOpInterface op, KernelEmitter &emit)
      : op(op), emit(emit), shape(op.getAccessShape()) {}

  /// `isWritten` tells whether a loop writes the elements.
  LogicalResult run(Value mask, bool isWritten);
  ArrayRef<int64_t> getShape() const { return shape; }
  Value getMemRef() { return memory.memref; }
  Type getElement() { return op.getRef().getType().getElementType(); }
  /// Whether this is one element, which scalars of the kernel name.
  bool isPlainScalar() const {
    return shape.empty() && !isMasked && arrays.empty();
  }

  /// Where the element at this position lies, and whether it may be accessed;
  /// null where that is certain. Index arrays that leave the ref name its
  /// nearest element when it is read, and nothing when it is written.
  std::pair<SmallVector<Value>, Value> locate(ValueRange position,
                                              bool isWritten);
  Value load(ValueRange at) { return loadElement(emit, memory, at); }
  void store(ValueRange at, Value value) {
    storeElement(emit, memory, at, value);
  }
  /// Updates an element atomically; yields what was there.
  Value update(ValueRange at, ValueRange scalars,
               function_ref<Value(Value memref, ValueRange scalars)> write) {
    return updateElement(emit, memory, at, scalars, write);
  }

private:
  Value getStart(const AccessDim &dim, unsigned number, ValueRange position);

  RefAccessOpInterface op;
  KernelEmitter &emit;
  SmallVector<int64_t> shape;
  ElementArray memory, mask;
  bool isMasked = false;
  /// Index arrays, and starts that are known at run time, by dimension.
  DenseMap<unsigned, ElementArray> arrays;
  DenseMap<unsigned, Value> starts;
};
} // namespace

/// The element of an array whose shape broadcasts to that of an access.
static Value loadBroadcast(KernelEmitter &emit, const ElementArray &array,
                           ValueRange position) {
  SmallVector<Value> at;
  for (auto [size, index] :
       llvm::zip_equal(array.shape, position.take_back(array.shape.size())))
    at.push_back(
        size == 1
            ? arith::ConstantIndexOp::create(emit.b, emit.loc, 0).getResult()
            : index);
  return loadElement(emit, array, at);
}

/// Masks and index arrays are vectors spread over lanes, and a loop needs
/// single elements of them, so they go through shared memory.
LogicalResult AccessedElements::run(Value selected, bool isWritten) {
  FailureOr<Value> memref =
      pallas::getMemRef(emit, op.getRef(), /*maySplit=*/true);
  if (failed(memref))
    return failure();
  ArrayRef<int64_t> whole = op.getRef().getType().getShape();
  memory = {SmallVector<int64_t>(whole), getElement(),
            dropUnitDims(emit, *memref), Value()};
  Value written = isWritten ? memory.memref : Value();
  if (selected) {
    FailureOr<ElementArray> array = spillElements(emit, selected, written);
    if (failed(array))
      return failure();
    mask = *array;
    isMasked = true;
  }
  for (auto [number, dim] : llvm::enumerate(op.getAccessDims())) {
    if (dim.array) {
      FailureOr<ElementArray> array = spillElements(emit, dim.array, written);
      if (failed(array))
        return failure();
      arrays[number] = *array;
    } else if (dim.start) {
      FailureOr<Value> start = getAccessStart(emit, op, number, dim);
      if (failed(start))
        return failure();
      starts[number] = emit.toIndex(*start);
    }
  }
  return success();
}

/// In this order: an index array, a start of run time, a constant.
Value AccessedElements::getStart(const AccessDim &dim, unsigned number,
                                 ValueRange position) {
  if (dim.array) {
    Value index =
        loadBroadcast(emit, arrays[number],
                      position.slice(dim.firstSelected, dim.numSelected));
    return emit.toIndex(index);
  }
  if (Value start = starts.lookup(number))
    return start;
  bool isFull = dim.entry.kind == IndexKind::Full;
  return arith::ConstantIndexOp::create(emit.b, emit.loc,
                                        isFull ? 0 : dim.entry.start);
}

/// `isInside` holds where no check is needed. A read of an index array is
/// clamped instead, which costs no branch.
std::pair<SmallVector<Value>, Value>
AccessedElements::locate(ValueRange position, bool isWritten) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  Value allowed = isMasked ? loadBroadcast(emit, mask, position) : Value();
  SmallVector<Value> at;
  for (auto [number, dim] : llvm::enumerate(op.getAccessDims())) {
    int64_t whole = op.getRef().getType().getDimSize(number);
    Value index = getStart(dim, number, position);
    bool isInside =
        dim.start
            ? !keepsElementsInPlace(op) || !mayReachOutside(op, number)
            : dim.entry.kind == IndexKind::Full || dim.entry.getLast() < whole;
    if (dim.array) {
      index = createWrapped(b, loc, index, whole);
      isInside = !isWritten;
      if (isInside)
        index = createClamped(b, loc, index, whole - 1);
    }
    // Beside an index array, a scalar has the dimensions of the array.
    if (dim.entry.kind != IndexKind::Scalar && !dim.array) {
      Value step = position[dim.firstSelected];
      if (dim.entry.kind == IndexKind::Slice)
        step = arith::MulIOp::create(
            b, loc, step,
            arith::ConstantIndexOp::create(b, loc, dim.entry.stride));
      index = arith::AddIOp::create(b, loc, index, step);
    }
    if (!isInside) {
      Value inside = isIndexInside(b, loc, index, whole - 1);
      allowed =
          allowed ? arith::AndIOp::create(b, loc, allowed, inside) : inside;
    }
    at.push_back(index);
  }
  return {at, allowed};
}

/// Reads all elements, of which those that may not be accessed are `other`, or
/// zeros.
static Value readElements(KernelEmitter &emit, AccessedElements &elements,
                          const ElementArray *other) {
  OpBuilder &b = emit.b;
  // All lanes load a scalar.
  if (elements.isPlainScalar())
    return elements.load(elements.locate({}, /*isWritten=*/false).first);
  ElementArray result =
      allocateElements(emit, elements.getShape(), elements.getElement());
  forEachPosition(emit, elements.getShape(), [&](ValueRange position) {
    auto [at, allowed] = elements.locate(position, /*isWritten=*/false);
    if (!allowed) {
      storeElement(emit, result, position, elements.load(at));
      return;
    }
    auto choice = scf::IfOp::create(b, emit.loc, elements.getElement(), allowed,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(choice.thenBlock());
      scf::YieldOp::create(b, emit.loc, elements.load(at));
      b.setInsertionPointToEnd(choice.elseBlock());
      scf::YieldOp::create(
          b, emit.loc,
          other ? loadBroadcast(emit, *other, position)
                : createZero(b, emit.loc, elements.getElement()));
    }
    storeElement(emit, result, position, choice.getResult(0));
  });
  return loadVector(emit, result);
}

/// Writes the elements that may be accessed.
static void writeElements(KernelEmitter &emit, AccessedElements &elements,
                          const ElementArray &values) {
  OpBuilder &b = emit.b;
  forEachPosition(emit, elements.getShape(), [&](ValueRange position) {
    auto [at, allowed] = elements.locate(position, /*isWritten=*/true);
    OpBuilder::InsertionGuard guard(b);
    if (allowed) {
      auto choice = scf::IfOp::create(b, emit.loc, allowed,
                                      /*withElseRegion=*/false);
      b.setInsertionPointToStart(choice.thenBlock());
    }
    elements.store(at, loadBroadcast(emit, values, position));
  });
}

FailureOr<Value> mlir::pallas::getElements(RefAccessOpInterface op,
                                           KernelEmitter &emit) {
  ScratchScope scratch(emit);
  AccessedElements elements(op, emit);
  if (failed(elements.run(Value(), /*isWritten=*/false)))
    return failure();
  return readElements(emit, elements, nullptr);
}

/// Finds what is accessed, and spills the value that goes there.
static FailureOr<ElementArray> beginWrite(AccessedElements &elements,
                                          Value value, Value mask,
                                          KernelEmitter &emit) {
  if (failed(elements.run(mask, /*isWritten=*/true)))
    return failure();
  return spillElements(emit, value, elements.getMemRef());
}

/// Both operations that write: `mask` is null where all elements are written.
static LogicalResult swapAccessed(RefAccessOpInterface op, Value value,
                                  Value mask, Value old, KernelEmitter &emit) {
  ScratchScope scratch(emit);
  AccessedElements elements(op, emit);
  FailureOr<ElementArray> values = beginWrite(elements, value, mask, emit);
  if (failed(values))
    return failure();
  if (!old.use_empty())
    emit.values[old] = readElements(emit, elements, &*values);
  writeElements(emit, elements, *values);
  return success();
}

LogicalResult mlir::pallas::swapElements(SwapOp op, KernelEmitter &emit) {
  return swapAccessed(cast<RefAccessOpInterface>(op.getOperation()),
                      op.getValue(), Value(), op.getOld(), emit);
}

static LogicalResult convertMaskedSwap(MaskedSwapOp op, KernelEmitter &emit) {
  return swapAccessed(cast<RefAccessOpInterface>(op.getOperation()),
                      op.getValue(), op.getMask(), op->getResult(0), emit);
}

/// `other` is spilled before the access begins, so that its memory is not taken
/// for that of a mask.
static LogicalResult convertMaskedLoad(MaskedLoadOp op, KernelEmitter &emit) {
  ScratchScope scratch(emit);
  AccessedElements elements(cast<RefAccessOpInterface>(op.getOperation()),
                            emit);
  std::optional<ElementArray> other;
  if (op.getOther()) {
    FailureOr<ElementArray> array = spillElements(emit, op.getOther());
    if (failed(array))
      return failure();
    other = *array;
  }
  if (failed(elements.run(op.getMask(), /*isWritten=*/false)))
    return failure();
  emit.values[op.getResult()] =
      readElements(emit, elements, other ? &*other : nullptr);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

std::optional<mosaic_gpu::AtomicOpType>
mlir::pallas::getAtomicType(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return mosaic_gpu::AtomicOpType::Add;
  case AtomicKind::Max:
    return mosaic_gpu::AtomicOpType::Max;
  case AtomicKind::Min:
    return mosaic_gpu::AtomicOpType::Min;
  case AtomicKind::And:
    return mosaic_gpu::AtomicOpType::And;
  case AtomicKind::Or:
    return mosaic_gpu::AtomicOpType::Or;
  case AtomicKind::Xor:
    return mosaic_gpu::AtomicOpType::Xor;
  default:
    return std::nullopt;
  }
}

/// How upstream calls an update. Its operation yields what was there.
static arith::AtomicRMWKind getElementKind(AtomicKind kind, Type element) {
  std::optional<CombiningKind> combining = getCombiningKind(kind);
  return combining ? getArithKind(getVectorKind(*combining, element), element)
                   : arith::AtomicRMWKind::assign;
}

/// Updates of single elements are done by the lanes of a warpgroup, in words
/// that the hardware has.
static LogicalResult checkElements(Operation *op, Type element,
                                   KernelEmitter &emit) {
  bool isKnown =
      isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element) ||
      element.isInteger(32) || element.isInteger(64);
  if (!isKnown)
    return op->emitOpError("updates single elements of type ")
           << element << "; on GPUs they are integers of 32 or 64 bits, or "
           << "floats of 16 bits or more";
  if (emit.isInWarp)
    return op->emitOpError("updates memory atomically in the code of one warp; "
                           "lanes of a warpgroup share the elements, so move "
                           "it outside of the core_map");
  return success();
}

/// Yields the result of `update` where the element may be accessed, and `other`
/// elsewhere.
static Value updateIf(KernelEmitter &emit, Value allowed, Value other,
                      function_ref<Value()> update) {
  if (!allowed)
    return update();
  OpBuilder &b = emit.b;
  auto choice = scf::IfOp::create(b, emit.loc, other.getType(), allowed,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(b, emit.loc, update());
  b.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(b, emit.loc, other);
  return choice.getResult(0);
}

/// Elements that an array names twice are updated twice, in some order. The old
/// value of those that may not be accessed is the operand, as on CPUs:
///   scf.for %p = %lane to 64 step 128 {
///     %e = memref.atomic_rmw addi %v[%p], %r[%i[%p]]
///     memref.store %e, %old[%p]
///   }
static LogicalResult updateElements(RefAccessOpInterface op, AtomicKind kind,
                                    Value value, Value mask, Value old,
                                    KernelEmitter &emit) {
  Type element = op.getRef().getType().getElementType();
  if (failed(checkElements(op, element, emit)))
    return failure();
  ScratchScope scratch(emit);
  AccessedElements elements(op, emit);
  FailureOr<ElementArray> values = beginWrite(elements, value, mask, emit);
  if (failed(values))
    return failure();
  std::optional<ElementArray> before;
  if (old && !old.use_empty())
    before = allocateElements(emit, elements.getShape(), element);
  arith::AtomicRMWKind elementKind = getElementKind(kind, element);
  forEachPosition(emit, elements.getShape(), [&](ValueRange position) {
    auto [at, allowed] = elements.locate(position, /*isWritten=*/true);
    Value operand = loadBroadcast(emit, *values, position);
    Value found = updateIf(emit, allowed, operand, [&, &at = at] {
      return elements.update(
          at, operand, [&](Value memref, ValueRange scalars) -> Value {
            return memref::AtomicRMWOp::create(emit.b, emit.loc, elementKind,
                                               scalars[0], memref,
                                               ValueRange());
          });
    });
    if (before)
      storeElement(emit, *before, position, found);
  });
  if (before)
    emit.values[old] = loadVector(emit, *before);
  return success();
}

LogicalResult mlir::pallas::addToElements(AddUpdateOp op, KernelEmitter &emit) {
  return updateElements(cast<RefAccessOpInterface>(op.getOperation()),
                        AtomicKind::Add, op.getValue(), Value(), Value(), emit);
}

/// Whether lanes have different elements of a vector, in words that the
/// compiler updates. Halves are stored in pairs.
static bool storesAtomically(VectorType type, mosaic_gpu::AtomicOpType kind) {
  Type element = type.getElementType();
  bool isHalf = element.isF16() || element.isBF16();
  bool isAddedFloat =
      (isHalf || element.isF32()) && kind == mosaic_gpu::AtomicOpType::Add;
  return (isAddedFloat || element.isInteger(32)) &&
         type.getNumElements() % (isHalf ? 256 : 128) == 0;
}

/// The compiler has atomic stores of vectors, without their old value. All else
/// goes element by element.
static LogicalResult convertAtomic(AtomicRMWOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return checkStoreToBlock(op);
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  std::optional<mosaic_gpu::AtomicOpType> type = getAtomicType(op.getKind());
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(value))
    return failure();
  auto vector = dyn_cast<VectorType>((*value).getType());
  if (!type || op.getMask() || !op.getOld().use_empty() ||
      takesElements(access) || !vector || !storesAtomically(vector, *type))
    return updateElements(access, op.getKind(), op.getValue(), op.getMask(),
                          op.getOld(), emit);
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(optimized))
    return failure();
  mosaic_gpu::VectorStoreOp::create(
      emit.b, emit.loc, *value, *memref, *optimized,
      mosaic_gpu::AtomicOpTypeAttr::get(emit.b.getContext(), *type),
      emit.b.getBoolAttr(false));
  return success();
}

/// One lane swaps, and all get what it has found:
///   %old = pallas.atomic_cas %r[%i], %expected, %v
/// -->
///   scf.for %p = %lane to 1 step 128 {
///     %e = memref.generic_atomic_rmw %r[%i] {
///     ^bb0(%current: i32):
///       %is = arith.cmpi eq, %current, %expected
///       %next = arith.select %is, %v, %current
///       memref.atomic_yield %next
///     }
///     memref.store %e, %old[]
///   }
static LogicalResult convertCompareAndSwap(AtomicCASOp op,
                                           KernelEmitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  Type element = op.getValue().getType();
  FailureOr<SmallVector<Value>> scalars =
      emit.getValues({op.getExpected(), op.getValue()});
  if (failed(scalars) || failed(checkElements(op, element, emit)))
    return failure();
  ScratchScope scratch(emit);
  AccessedElements elements(access, emit);
  if (failed(elements.run(Value(), /*isWritten=*/true)))
    return failure();
  ElementArray before = allocateElements(emit, {}, element);
  forEachPosition(emit, {}, [&](ValueRange position) {
    auto [at, allowed] = elements.locate(position, /*isWritten=*/true);
    Value found = updateIf(emit, allowed, (*scalars)[1], [&, &at = at] {
      return elements.update(
          at, *scalars, [&](Value memref, ValueRange given) -> Value {
            OpBuilder &b = emit.b;
            auto update = memref::GenericAtomicRMWOp::create(
                b, emit.loc, memref, ValueRange());
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(update.getBody());
            Value next = createCompareAndSwap(
                b, emit.loc, update.getCurrentValue(), given[0], given[1]);
            memref::AtomicYieldOp::create(b, emit.loc, next);
            return update.getResult();
          });
    });
    storeElement(emit, before, position, found);
  });
  emit.values[op.getOld()] = loadVector(emit, before);
  return success();
}

void mlir::pallas::addAccessRules(RuleTable &rules) {
  rules.add<AtomicCASOp>(convertCompareAndSwap);
  rules.add<AtomicRMWOp>(convertAtomic);
  rules.add<MaskedLoadOp>(convertMaskedLoad);
  rules.add<MaskedSwapOp>(convertMaskedSwap);
}
