//===- RefRules.cpp - Reads and writes of memory --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterRules.h"
#include "DeviceRules.h"
#include "ElementUpdates.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/Hints.h"
#include "pallas/Dialect/Pallas/IR/AccessBounds.h"
#include "pallas/Dialect/Pallas/Utils/Combining.h"
#include "pallas/Dialect/Pallas/Utils/Multicast.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

/// Vectors have no dimensions of size 1, so the memory that they go to must not
/// have them either.
Value mlir::pallas::dropUnitDims(KernelEmitter &emit, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> sizes,
      offsets(type.getRank(), emit.b.getIndexAttr(0));
  llvm::SmallBitVector kept;
  for (int64_t size : type.getShape()) {
    sizes.push_back(emit.b.getIndexAttr(size));
    kept.push_back(size != 1);
  }
  return kept.all() ? memref : takePart(emit, memref, offsets, sizes, kept);
}

FailureOr<Value> mlir::pallas::getAccessedMemRef(KernelEmitter &emit,
                                                 RefAccessOpInterface op) {
  FailureOr<Value> memref = getMemRef(emit, op.getRef());
  if (failed(memref))
    return failure();
  FailureOr<Value> selected = narrowMemRef(emit, *memref, op);
  if (failed(selected))
    return failure();
  return dropUnitDims(emit, *selected);
}

/// Without dimensions it is a scalar, which all lanes load.
Value mlir::pallas::loadStored(KernelEmitter &emit, Value memref, Type element,
                               BoolAttr optimized) {
  Value stored;
  if (cast<MemRefType>(memref.getType()).getRank() == 0)
    stored = memref::LoadOp::create(emit.b, emit.loc, memref);
  else
    stored =
        mosaic_gpu::VectorLoadOp::create(emit.b, emit.loc, memref, optimized);
  return fromStored(emit, stored, element);
}

/// Whether an access is one of a ref in registers; such are read and written as
/// a whole.
static FailureOr<bool> isInRegisters(RefAccessOpInterface op,
                                     KernelEmitter &emit) {
  if (!emit.accumulators.count(op.getRef()))
    return false;
  if (op.isWholeAccess())
    return true;
  return op->emitOpError("accesses a part of a ref in registers; access all of "
                         "it, or take a ref in shared memory");
}

/// Whether an access is a loop over elements: bytes have addresses.
static bool accessesElements(RefAccessOpInterface op) {
  return takesElements(op) || takesPackedElements(op);
}

/// A ref in registers is the value that was stored last.
///
///   %v = pallas.get %r[...] {mosaic_gpu.optimized = false}
/// -->
///   %v = "mosaic_gpu.vector_load"(%r) <{optimized = false}>
static LogicalResult convertGet(GetOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return getFromBlock(op, emit);
  FailureOr<bool> inRegisters =
      isInRegisters(cast<RefAccessOpInterface>(op.getOperation()), emit);
  if (failed(inRegisters))
    return failure();
  if (*inRegisters) {
    emit.values[op] = emit.accumulators[op.getRef()];
    return success();
  }
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (accessesElements(access)) {
    FailureOr<Value> elements = getElements(access, emit);
    if (failed(elements))
      return failure();
    emit.values[op] = *elements;
    return success();
  }
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(optimized))
    return failure();
  emit.values[op] = loadStored(
      emit, *memref, op.getRef().getType().getElementType(), *optimized);
  return success();
}

/// Whether lanes do nothing with a ref, and its views, but write scalars.
static bool isOnlyWritten(Value ref) {
  return llvm::all_of(ref.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto swap = dyn_cast<SwapOp>(user))
      return swap.getOld().use_empty() &&
             !isa<ShapedType>(swap.getValue().getType());
    if (auto copy = dyn_cast<CopySmemToGmemOp>(user))
      return use.get() == copy.getSource();
    return isa<ReshapeRefOp, SliceRefOp, TransposeRefOp>(user) &&
           isOnlyWritten(user->getResult(0));
  });
}

/// The same for the memory that a ref is a view of, which is returned then.
/// Outputs may be inputs, too.
static Value findMemoryOnlyWritten(Value ref) {
  while (Operation *view = ref.getDefiningOp()) {
    if (!isa<ReshapeRefOp, SliceRefOp, TransposeRefOp>(view))
      return {};
    ref = view->getOperand(0);
  }
  Operation *owner = cast<BlockArgument>(ref).getOwner()->getParentOp();
  auto kernel = dyn_cast<MpmdMapOp>(owner);
  bool isKnown =
      isa<RunScopedOp>(owner) || (kernel && kernel.getAliases().empty());
  return isKnown && isOnlyWritten(ref) ? ref : Value();
}

/// All lanes store the same scalar: after all of them have read the one that
/// was there, and before any reads the new one. Where lanes only write, they
/// wait for those that use the memory under another name:
///
///   pallas.run_scoped (%s: !pallas.ref<128xf32, smem>) { load of %s }
///   pallas.run_scoped (%t: !pallas.ref<128xf32, smem>) { store to %t }
static void storeScalar(KernelEmitter &emit, Value ref, Value scalar,
                        Value memref) {
  Value written = findMemoryOnlyWritten(ref);
  auto buffer = emit.scopedBuffers.find(written);
  bool isShared = buffer != emit.scopedBuffers.end();
  auto wait = [&] {
    if (written && !isShared)
      return;
    emit.syncLanes();
    if (isShared)
      emit.sharedWaits.push_back(
          {&*std::prev(emit.b.getInsertionPoint()), buffer->second});
  };
  wait();
  memref::StoreOp::create(emit.b, emit.loc, scalar, memref);
  wait();
}

static void store(KernelEmitter &emit, Value ref, Value value, Value memref,
                  BoolAttr optimized = {}) {
  Value stored = toStored(emit, value, getElementTypeOrSelf(memref.getType()));
  bool isOnAll = bool(findMulticastRef(ref));
  if (isa<VectorType>(stored.getType()))
    mosaic_gpu::VectorStoreOp::create(emit.b, emit.loc, stored, memref,
                                      optimized, mosaic_gpu::AtomicOpTypeAttr(),
                                      emit.b.getBoolAttr(isOnAll));
  else
    storeScalar(emit, ref, stored, memref);
}

/// The old value is loaded only where it is used, as most stores ignore it.
static LogicalResult convertSwap(SwapOp op, KernelEmitter &emit) {
  if (findClusterRef(op.getRef()))
    return checkStoreToBlock(op);
  FailureOr<bool> inRegisters =
      isInRegisters(cast<RefAccessOpInterface>(op.getOperation()), emit);
  if (failed(inRegisters))
    return failure();
  if (*inRegisters) {
    FailureOr<Value> value = emit.getValue(op.getValue());
    if (failed(value))
      return failure();
    emit.values[op.getOld()] = emit.accumulators[op.getRef()];
    emit.accumulators[op.getRef()] = *value;
    return success();
  }
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  if (findMulticastRef(op.getRef()) &&
      (!isa<VectorType>(emit.convertType(op.getValue().getType())) ||
       accessesElements(access)))
    return op.emitOpError("stores single elements on all devices; store a "
                          "vector, to elements that lie side by side");
  if (accessesElements(access))
    return swapElements(op, emit);
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  FailureOr<Value> value = emit.getValue(op.getValue());
  FailureOr<BoolAttr> optimized =
      mosaic_gpu::getHint<BoolAttr>(op, mosaic_gpu::kOptimizedHint);
  if (failed(memref) || failed(value) || failed(optimized))
    return failure();
  if (!op.getOld().use_empty())
    emit.values[op.getOld()] =
        loadStored(emit, *memref, op.getRef().getType().getElementType());
  // A lane stores whole bytes: elements have to lie in their order, and vectors
  // of parts of bytes are computed.
  auto type = dyn_cast<VectorType>((*value).getType());
  if (type && isPacked(getElementTypeOrSelf((*memref).getType())) &&
      (relatesDims(emit, op) ||
       (*value).getDefiningOp<mosaic_gpu::VectorLoadOp>()))
    value = reshapeInMemory(emit, *value, type);
  store(emit, op.getRef(), *value, *memref, *optimized);
  return success();
}

///   pallas.addupdate %r[...], %v
/// -->
///   %old = "mosaic_gpu.vector_load"(%r)
///   %new = arith.addf %old, %v
///   "mosaic_gpu.vector_store"(%new, %r)
static LogicalResult convertAddUpdate(AddUpdateOp op, KernelEmitter &emit) {
  auto access = cast<RefAccessOpInterface>(op.getOperation());
  FailureOr<bool> inRegisters = isInRegisters(access, emit);
  FailureOr<Value> value = emit.getValue(op.getValue());
  if (failed(inRegisters) || failed(value))
    return failure();
  if (takesElements(access))
    return addToElements(op, emit);
  auto add = [&](Value old) {
    return createCombined(emit.b, emit.loc, AtomicKind::Add, old, *value);
  };
  if (*inRegisters) {
    Value &held = emit.accumulators[op.getRef()];
    held = add(held);
    return success();
  }
  FailureOr<Value> memref = getAccessedMemRef(emit, access);
  if (failed(memref))
    return failure();
  Value old = loadStored(emit, *memref, op.getRef().getType().getElementType());
  store(emit, op.getRef(), add(old), *memref);
  return success();
}

/// The compiler infers layouts from the memory that vectors come from, so tiles
/// and swizzles are told where memory is allocated.
Value mlir::pallas::applyTransforms(KernelEmitter &emit, Value memref,
                                    RefType type) {
  if (!type.getTransforms() || type.getTransforms().empty())
    return memref;
  MLIRContext *context = emit.b.getContext();
  SmallVector<int32_t> tile;
  int64_t bytes = 0;
  for (Attribute attr : type.getTransforms()) {
    if (auto tiles = dyn_cast<TileTransformAttr>(attr)) {
      tile.assign(tiles.getTile().begin(), tiles.getTile().end());
    } else if (auto swizzle = dyn_cast<SwizzleTransformAttr>(attr)) {
      bytes = swizzle.getBytes();
    } else {
      emitError(emit.loc) << "allocates memory with the layout " << attr
                          << "; on GPUs memory is tiled and swizzled";
      return Value();
    }
  }
  SmallVector<Attribute> transforms;
  if (!tile.empty())
    transforms.push_back(mosaic_gpu::TileTransformAttr::get(
        context, emit.b.getDenseI32ArrayAttr(tile)));
  if (std::optional<mosaic_gpu::SwizzlingMode> mode =
          mosaic_gpu::symbolizeSwizzlingMode(bytes))
    transforms.push_back(mosaic_gpu::SwizzleTransformAttr::get(
        context, mosaic_gpu::SwizzlingModeAttr::get(context, *mode)));
  return mosaic_gpu::WithTransformsOp::create(emit.b, emit.loc, memref,
                                              emit.b.getArrayAttr(transforms));
}

void mlir::pallas::addRefRules(RuleTable &rules) {
  rules.add<AddUpdateOp>(convertAddUpdate);
  rules.add<GetOp>(convertGet);
  rules.add<SwapOp>(convertSwap);
}
