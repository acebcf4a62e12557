//===- TPUSettleLaneVectors.cpp - Vectors that are registers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler chooses layouts for the vectors of a vector subcore, or takes
// them as registers. With layouts a vector has the rank of the memory that it
// comes from; as a register it has one dimension, of as many elements as there
// are lanes. Operations across the lanes exist for registers only.
//
//   %v = tpu.vector_load %m[%i, %j] : vector<1x8xf32>
//   %r = vector.shape_cast %v : vector<8xf32>
//   =>
//   %r = tpu.vector_load %m[%i, %j] : vector<8xf32>
//
// Runs last, when the accesses of all stages are known: they decide which tiles
// the arrays of a kernel may have.
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/Utils/CopiedParts.h"
#include "pallas/Dialect/MosaicTPU/Utils/Divisibility.h"
#include "pallas/Dialect/MosaicTPU/Utils/Emitter.h"

namespace mlir::tpu {
#define GEN_PASS_DEF_TPUSETTLELANEVECTORS
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h.inc"
} // namespace mlir::tpu

using namespace mlir;
using namespace mlir::tpu;

/// The shape without leading dimensions of size 1.
static ArrayRef<int64_t> getRowShape(ArrayRef<int64_t> shape) {
  while (shape.size() > 1 && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

/// The value in this shape, without a cast where it had the shape before.
/// A splat or a broadcast of a scalar is created in the new shape.
static Value castRow(Emitter &emit, Value value, ArrayRef<int64_t> shape) {
  Type element = getElementType(value.getType());
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return emit.splat(VectorType::get(shape, element),
                        splat.getSplatValue<TypedAttr>());
  if (auto spread = value.getDefiningOp<vector::BroadcastOp>())
    if (!isa<VectorType>(spread.getSourceType()))
      return emit.broadcast(spread.getSource(), shape);
  if (auto cast = value.getDefiningOp<vector::ShapeCastOp>())
    if (cast.getSourceVectorType().getShape() == shape)
      return cast.getSource();
  return emit.reshape(value, shape);
}

///   %0 = tpu.vector_load %m[%i, %c0] : vector<1x16xf32>
///
/// becomes
///
///   %1 = tpu.vector_load %m[%i, %c0] : vector<16xf32>
///   %0 = vector.shape_cast %1 : vector<16xf32> to vector<1x16xf32>
///
/// without the cast where its users cast back.
static void loadRow(tpu::VectorLoadOp load, Emitter &emit) {
  auto type = cast<VectorType>(load.getResult().getType());
  ArrayRef<int64_t> shape = getRowShape(type.getShape());
  if (shape == type.getShape())
    return;
  Value mask = load.getMask();
  auto row = emit.create<tpu::VectorLoadOp>(
      VectorType::get(shape, type.getElementType()), load.getBase(),
      load.getIndices(), mask ? castRow(emit, mask, shape) : Value());
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (auto cast = dyn_cast<vector::ShapeCastOp>(user);
        cast && cast.getType() == row.getResult().getType()) {
      cast.replaceAllUsesWith(row.getResult());
      cast.erase();
    }
  if (!load.use_empty())
    load.getResult().replaceAllUsesWith(
        emit.reshape(row.getResult(), type.getShape()));
  load.erase();
}

/// Lets an operand have this shape; a cast that nothing else needs goes.
static void setRow(MutableOperandRange operand, Emitter &emit,
                   ArrayRef<int64_t> shape) {
  Value old = operand[0].get();
  operand.assign(castRow(emit, old, shape));
  Operation *op = old.getDefiningOp();
  if (isa_and_nonnull<vector::ShapeCastOp, vector::BroadcastOp,
                      arith::ConstantOp>(op) &&
      op->use_empty())
    op->erase();
}

/// The same for a store; the value is cast before it.
static void storeRow(tpu::VectorStoreOp store, Emitter &emit) {
  auto type = cast<VectorType>(store.getValueToStore().getType());
  SmallVector<int64_t> shape(getRowShape(type.getShape()));
  setRow(store.getValueToStoreMutable(), emit, shape);
  if (store.getMask())
    setRow(store.getMaskMutable(), emit, shape);
}

/// Whether a vector fills a register: narrow elements lie beside or behind each
/// other in a lane.
static bool isRegister(VectorType type, const TPUChip &chip) {
  Type element = type.getElementType();
  int64_t lanes = chip.sparseCoreLanes;
  // Without SparseCores there is no register to fit into.
  if (lanes == 0)
    return true;
  int64_t packing =
      element.isInteger(1) ? 1 : 32 / element.getIntOrFloatBitWidth();
  ArrayRef<int64_t> shape = type.getShape();
  // Packed elements are one long row, or as many rows.
  return shape == ArrayRef({lanes * packing}) ||
         (packing > 1 && shape == ArrayRef({packing, lanes}));
}

/// Only this pass knows both the chip and the choice of registers, so vectors
/// of other sizes are rejected here.
static LogicalResult checkRegister(Operation *op, Value value,
                                   const TPUChip &chip) {
  auto type = cast<VectorType>(value.getType());
  if (isRegister(type, chip))
    return success();
  int64_t packing = 32 / type.getElementType().getIntOrFloatBitWidth();
  return op->emitError()
         << "accesses " << type << " where vectors are registers, which hold "
         << chip.sparseCoreLanes * packing << " elements of type "
         << type.getElementType() << " on " << chip.name
         << "; access as many at a time, or leave out what combines lanes and "
            "ask for layout passes";
}

/// Whether a kernel has operations that the compiler takes only on registers.
static bool combinesLanes(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return isa<tpu::ScanOp, tpu::ScanCountOp, tpu::SortOp, tpu::AllReduceOp,
               tpu::VectorLoadIdxOp, tpu::VectorStoreIdxOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Rewrites all accesses first: a check before would see shapes that go away.
static LogicalResult keepRegisters(func::FuncOp function, const TPUChip &chip) {
  OpBuilder builder(function.getContext());
  SmallVector<Operation *> accesses;
  function.walk([&](Operation *op) {
    if (isa<tpu::VectorLoadOp, tpu::VectorStoreOp>(op))
      accesses.push_back(op);
  });
  LogicalResult result = success();
  for (Operation *op : accesses) {
    builder.setInsertionPoint(op);
    Emitter emit(builder, op->getLoc(), chip);
    if (auto load = dyn_cast<tpu::VectorLoadOp>(op))
      loadRow(load, emit);
    else
      storeRow(cast<tpu::VectorStoreOp>(op), emit);
  }
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<tpu::VectorLoadOp>(op);
        load && failed(checkRegister(op, load.getResult(), chip)))
      result = failure();
    if (auto store = dyn_cast<tpu::VectorStoreOp>(op);
        store && failed(checkRegister(op, store.getValueToStore(), chip)))
      result = failure();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Tiles
//
// Arrays have the tiles of a TensorCore, which need no copy around the
// call, unless the kernel accesses them as these tiles don't allow.
//===----------------------------------------------------------------------===//

/// Whether a row of a buffer can be accessed in the tiles of a TensorCore,
/// where narrow elements of as many rows share a word.
static bool hasOwnWords(Value base, ValueRange indices) {
  auto type = cast<MemRefType>(base.getType());
  int64_t packing = 32 / type.getElementTypeBitWidth();
  // A buffer with one dimension has no rows that could share a word.
  return packing <= 1 || type.getRank() < 2 ||
         getKnownMultiple(indices.drop_back().back(), packing) == packing;
}

/// The facts about one dimension of a slice that the rules of copies need.
static CopiedDim getCopiedDim(tpu::MemRefSliceOp slice, unsigned fromMinor) {
  Value start = slice.getBaseIdx().drop_back(fromMinor).back();
  auto type = cast<MemRefType>(slice.getMemRef().getType());
  ArrayRef<int64_t> sizes = cast<MemRefType>(slice.getType()).getShape();
  CopiedDim dim;
  dim.whole = type.getShape().rbegin()[fromMinor];
  dim.size = sizes.rbegin()[fromMinor];
  // Only sizes of run time are operands.
  if (dim.isSizeDynamic()) {
    int64_t position =
        llvm::count_if(sizes.drop_back(fromMinor + 1), ShapedType::isDynamic);
    dim.sizeMultiple =
        getKnownMultiple(slice.getDynamicSizes()[position], kLongestTile);
  }
  APInt value;
  dim.isDynamic = !matchPattern(start, m_ConstantInt(&value));
  dim.start = dim.isDynamic ? 0 : value.getSExtValue();
  dim.multiple = getKnownMultiple(start, kLongestTile);
  return dim;
}

/// The part of a buffer that a value is, if it is one.
static tpu::MemRefSliceOp getPart(Value memref) {
  while (auto squeeze = memref.getDefiningOp<tpu::MemRefSqueezeOp>())
    memref = squeeze.getInput();
  return memref.getDefiningOp<tpu::MemRefSliceOp>();
}

/// Whether a copy can move this part of a buffer in the tiles of a TensorCore.
/// The memory of a subcore keeps its rows in words, of which a copy moves any
/// number; a list of words has no tiles.
static bool isMadeOfCompactTiles(Value part, const TPUChip &chip) {
  tpu::MemRefSliceOp slice = getPart(part);
  if (!slice)
    return true;
  auto type = cast<MemRefType>(slice.getMemRef().getType());
  std::optional<MemorySpace> space = getMemorySpace(type);
  bool isOwn = space == MemorySpace::Vmem;
  if (!type.getElementType().isIntOrFloat() || type.getRank() == 0 ||
      !(isOwn || space == MemorySpace::Hbm || space == MemorySpace::Any))
    return true;
  int64_t packing = std::max<int64_t>(1, 32 / type.getElementTypeBitWidth());
  CopiedDim row = getCopiedDim(slice, 0);
  if (type.getRank() == 1)
    return packing == 1 || isMadeOfTiles(row, chip.lanes * packing);
  return isMadeOfTiles(row, chip.lanes) &&
         canCopyRows(getCopiedDim(slice, 1), row,
                     isOwn ? packing : chip.sublanes, packing, chip.sublanes);
}

/// Whether indices can select rows in the tiles of a TensorCore. A row of one
/// tile is a list of words. Rows of several are moved to and from hbm only, and
/// fill whole tiles of a subcore's own memory:
///
///   tpu.enqueue_indirect_dma source(%table : memref<64x256xf32, hbm>)
///       target(%rows : memref<8x256xf32, vmem>) ...
static bool canSelectRows(tpu::EnqueueIndirectDMAOp copy, const TPUChip &chip) {
  auto type = cast<MemRefType>(copy.getSource().getType());
  int64_t width = type.getShape().back();
  if (type.getElementTypeBitWidth() != 32 || width % chip.lanes != 0)
    return false;
  if (width == chip.lanes)
    return true;
  for (Value end : {copy.getSource(), copy.getTarget()}) {
    auto space = getMemorySpace(cast<MemRefType>(end.getType()));
    if (space == MemorySpace::VmemShared)
      return false;
    tpu::MemRefSliceOp part = getPart(end);
    if (space == MemorySpace::Vmem && part &&
        !isMadeOfTiles(getCopiedDim(part, 1), chip.sublanes))
      return false;
  }
  return true;
}

/// Whether an operation works on memory in the tiles of a TensorCore.
static bool fitsCompactTiles(Operation *op, const TPUChip &chip) {
  if (auto copy = dyn_cast<tpu::EnqueueDMAOp>(op))
    return isMadeOfCompactTiles(copy.getSource(), chip) &&
           isMadeOfCompactTiles(copy.getTarget(), chip);
  if (auto load = dyn_cast<tpu::VectorLoadOp>(op))
    return hasOwnWords(load.getBase(), load.getIndices());
  if (auto store = dyn_cast<tpu::VectorStoreOp>(op))
    return hasOwnWords(store.getBase(), store.getIndices());
  auto copy = dyn_cast<tpu::EnqueueIndirectDMAOp>(op);
  return !copy || canSelectRows(copy, chip);
}

/// One access that doesn't fit decides for the kernel, as all arrays of a call
/// have one tiling.
static bool fitsCompactTiles(ModuleOp module, const TPUChip &chip) {
  WalkResult result = module.walk([&](Operation *op) {
    return fitsCompactTiles(op, chip) ? WalkResult::advance()
                                      : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Attributes are immutable, so the dictionary is built again.
static void setCallEntry(ModuleOp module, StringRef name, Attribute value) {
  NamedAttrList call(module->getAttrOfType<DictionaryAttr>(kCallAttrName));
  call.set(name, value);
  module->setAttr(kCallAttrName, call.getDictionary(module.getContext()));
}

namespace {
/// Decides tiles, then registers. Kernels without a call were not outlined, and
/// have no entry to decide.
struct SettleLaneVectorsPass
    : public tpu::impl::TPUSettleLaneVectorsBase<SettleLaneVectorsPass> {
  using TPUSettleLaneVectorsBase::TPUSettleLaneVectorsBase;

  void runOnOperation() override {
    auto modules = findKernelModules(getOperation(), chip);
    if (failed(modules))
      return signalPassFailure();
    for (auto [module, target] : *modules)
      if (module->hasAttrOfType<DictionaryAttr>(kCallAttrName) &&
          failed(settle(module, *target)))
        return signalPassFailure();
  }

  LogicalResult settle(ModuleOp module, const TPUChip &target) {
    constexpr llvm::StringLiteral layouts = "needs_layout_passes";
    auto call = module->getAttrOfType<DictionaryAttr>(kCallAttrName);
    if (call.get(kSparseCoreTilingName) && !fitsCompactTiles(module, target)) {
      setCallEntry(module, kSparseCoreTilingName,
                   StringAttr::get(&getContext(), kSparseCoreTiling));
      ++numOwnTiles;
    }
    // The author may have asked for registers.
    if (!call.get(layouts)) {
      if (!combinesLanes(module))
        return success();
      setCallEntry(module, layouts, BoolAttr::get(&getContext(), false));
    }
    ++numRegisterKernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (getCoreType(function) == CoreType::ScVectorSubcore &&
          failed(keepRegisters(function, target)))
        return failure();
    return success();
  }
};
} // namespace
