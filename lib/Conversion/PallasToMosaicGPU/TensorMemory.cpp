//===- TensorMemory.cpp - Columns of tensor memory ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A column has 32 bits in each of 128 lanes. A kernel allocates once, since
// blocks that wait for each other's memory would never end, and refs are
// slices:
//
//   %all = mosaic_gpu.tmem_alloc smem_ptr(%p) -> memref<128x256xi32, tmem>
//   %s = "mosaic_gpu.slice_tmem"(%all) <{offset = 128 : i32}>
//     -> memref<128x256xf16, tmem>
//   %t = "mosaic_gpu.tmem_layout_cast"(%s) <{new_layout = ...}>
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"
#include "KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr int64_t kLanes = 128;
/// Slices start at multiples of so many columns.
static constexpr int64_t kSliceColumns = 4;
/// The allocation has a multiple of so many columns.
static constexpr int64_t kAllocColumns = 8;
/// The smallest allocation of the hardware.
static constexpr int64_t kMinColumns = 32;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Rows that a layout spreads over the lanes, and elements that a word of 32
/// bits has there, when it holds all of them once.
static LogicalResult checkShape(KernelEmitter &emit, RefType type,
                                TensorMemoryAttr how) {
  auto refuse = [&](StringRef remedy) {
    return emitError(emit.loc)
           << "makes a ref of type " << type << " in tensor memory; " << remedy;
  };
  if (type.getRank() != 2 || !type.hasStaticShape())
    return refuse("it has two dimensions of known size");
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t bits = type.getElementTypeBitWidth();
  if (how.getPacking() != 1 &&
      (how.getPacking() * bits != 32 || columns % how.getPacking() != 0))
    return refuse("columns pack as many elements as 32 bits have, and rows a "
                  "multiple of that, or one");
  switch (how.getLayout()) {
  case TensorLayout::Default:
    if (rows != kLanes && rows != kLanes / 2)
      return refuse("it has 64 or 128 rows");
    if (rows != kLanes && columns % 16 != 0)
      return refuse("with 64 rows it has a multiple of 16 columns");
    return success();
  case TensorLayout::M64Collective:
    if (rows != kLanes / 2 || columns % 16 != 0)
      return refuse("with this layout it has 64 rows and a multiple of 16 "
                    "columns");
    return success();
  case TensorLayout::Scales:
    if (rows % kLanes != 0 || columns % 4 != 0 || bits != 8)
      return refuse("scales have 8 bits, a multiple of 128 rows and of 4 "
                    "columns");
    return success();
  case TensorLayout::ScalesM64Collective:
    if (rows % (2 * kLanes) != 0 || columns % 4 != 0 || bits != 8)
      return refuse("scales for 64 rows of two blocks have 8 bits, a multiple "
                    "of 256 rows and of 4 columns");
    return success();
  case TensorLayout::SparseMetadata:
    if (rows % kLanes != 0 || columns % 16 != 0 || bits != 2)
      return refuse("metadata has 2 bits, a multiple of 128 rows and of 16 "
                    "columns");
    return success();
  }
  llvm_unreachable("unknown layout of tensor memory");
}

/// Copies of elements that lanes hold, and elements of a word.
static int64_t countColumns(RefType type, TensorMemoryAttr how) {
  int64_t elements = type.getNumElements();
  switch (how.getLayout()) {
  case TensorLayout::Default:
  case TensorLayout::M64Collective:
    return elements / kLanes / how.getPacking();
  case TensorLayout::Scales:
    return elements * 4 / kLanes / 4;
  case TensorLayout::ScalesM64Collective:
    return elements * 2 / kLanes / 4;
  case TensorLayout::SparseMetadata:
    return elements / kLanes / 16;
  }
  llvm_unreachable("unknown layout of tensor memory");
}

namespace {
/// The parts of a layout in numbers: copies are negative, so that -4 dimensions
/// from the end are told apart from four copies.
struct LayoutText {
  SmallVector<SmallVector<int64_t>> tiles;
  SmallVector<std::pair<bool, int64_t>> warps;
  SmallVector<int64_t> lanes;
  int vectorDim;
};
} // namespace

/// How lanes hold each kind of matrix, as the compiler writes it.
static LayoutText getText(RefType type, TensorMemoryAttr how) {
  int64_t columns = type.getDimSize(1), packing = how.getPacking();
  auto dim = [](int64_t number) { return std::pair(false, number); };
  auto copies = [](int64_t times) { return std::pair(true, times); };
  bool isHalf = type.getDimSize(0) == kLanes / 2;
  switch (how.getLayout()) {
  case TensorLayout::Default:
    if (!isHalf)
      return {{{128, packing}, {32, packing}}, {dim(-4)}, {-2}, -1};
    if (!how.getCollective())
      return {{{64, columns}, {16, columns / 2}, {packing}},
              {dim(-5)},
              {-4, -3},
              -1};
    [[fallthrough]];
  case TensorLayout::M64Collective:
    return {{{64, columns}, {32, columns / 2}, {packing}},
            {dim(-4), dim(-5)},
            {-3},
            -1};
  case TensorLayout::Scales:
    return {{{128, 4}, {32, 1}}, {copies(4)}, {-2}, -3};
  case TensorLayout::ScalesM64Collective:
    return {{{256, 4}, {128, 4}, {32, 4}}, {copies(2), dim(-6)}, {-2}, -1};
  case TensorLayout::SparseMetadata:
    return {{{128, 16}, {32, 1}, {16, 1}, {8, 1}}, {dim(-8)}, {-2, -4, -6}, -7};
  }
  llvm_unreachable("unknown layout of tensor memory");
}

static mosaic_gpu::TiledLayoutAttr getLayout(OpBuilder &b, RefType type,
                                             TensorMemoryAttr how) {
  LayoutText text = getText(type, how);
  SmallVector<Attribute> tiles, warps;
  for (ArrayRef<int64_t> tile : text.tiles)
    tiles.push_back(b.getI64ArrayAttr(tile));
  for (auto [isCopy, number] : text.warps)
    warps.push_back(isCopy ? Attribute(mosaic_gpu::ReplicatedAttr::get(
                                 b.getContext(), number))
                           : b.getI64IntegerAttr(number));
  return mosaic_gpu::TiledLayoutAttr::get(
      b.getContext(), b.getArrayAttr(tiles), b.getArrayAttr(warps),
      b.getI64ArrayAttr(text.lanes), text.vectorDim);
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

int64_t TensorMemory::getAllocatedColumns() const {
  if (maxColumns == 0)
    return 0;
  return std::max<int64_t>(kMinColumns, llvm::PowerOf2Ceil(maxColumns));
}

static TensorMemoryAttr getHow(RefType type) {
  for (Attribute attr : type.getTransforms() ? type.getTransforms().getValue()
                                             : ArrayRef<Attribute>())
    if (auto how = dyn_cast<TensorMemoryAttr>(attr))
      return how;
  return TensorMemoryAttr::get(type.getContext(), TensorLayout::Default, 1,
                               false);
}

static MemRefType getMemRefType(ArrayRef<int64_t> shape, Type element) {
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                         mosaic_gpu::TmemAttr::get(element.getContext()));
}

/// Comes behind the fence of the prologue and before its barrier, so all
/// threads know the address. The type is set at the end.
static void createAllocation(KernelEmitter &emit, bool isCollective) {
  OpBuilder &b = emit.b;
  OpBuilder::InsertionGuard guard(b);
  Operation *barrier = emit.prologueEnd;
  while (!isa<gpu::BarrierOp>(barrier))
    barrier = barrier->getNextNode();
  b.setInsertionPoint(barrier);
  TensorMemory &memory = emit.tensorMemory;
  auto slot = MemRefType::get({}, b.getI32Type(), MemRefLayoutAttrInterface(),
                              mosaic_gpu::getSharedMemorySpace(b.getContext()));
  memory.isCollective = isCollective;
  memory.address = mosaic_gpu::SliceSMEMOp::create(
      b, emit.loc, slot, b.getI32IntegerAttr(0), IntegerAttr());
  memory.alloc = mosaic_gpu::TmemAllocOp::create(
      b, emit.loc, getMemRefType({kLanes, kAllocColumns}, b.getI32Type()),
      memory.address, isCollective, /*packing=*/1);
  mosaic_gpu::TmemRelinquishAllocPermitOp::create(b, emit.loc, isCollective);
}

FailureOr<Value> mlir::pallas::allocateTensorMemory(KernelEmitter &emit,
                                                    RefType type,
                                                    unsigned index) {
  if (!emit.target.tensorColumns)
    return emitError(emit.loc)
           << "makes a ref in tensor memory, which " << emit.target.arch
           << " lacks; use accumulators and shared memory";
  TensorMemoryAttr how = getHow(type);
  if (failed(checkShape(emit, type, how)))
    return failure();
  TensorMemory &memory = emit.tensorMemory;
  if (!memory.alloc)
    createAllocation(emit, how.getCollective());
  if (memory.isCollective != how.getCollective())
    return emitError(emit.loc)
           << "makes refs in tensor memory of one block and of two; a kernel "
              "allocates all of it for itself or all with another block, so "
              "make all of them collective or none";
  int64_t columns = llvm::alignTo(countColumns(type, how), kSliceColumns);
  int64_t offset = memory.usedColumns;
  memory.usedColumns += columns;
  memory.maxColumns = std::max(memory.maxColumns, memory.usedColumns);
  memory.buffers.push_back({emit.loc, index, offset, columns});
  OpBuilder &b = emit.b;
  Value slice = mosaic_gpu::SliceTmemOp::create(
      b, emit.loc, getMemRefType(type.getShape(), type.getElementType()),
      memory.alloc, b.getI32IntegerAttr(offset), IntegerAttr());
  return mosaic_gpu::TmemLayoutCastOp::create(b, emit.loc, slice.getType(),
                                              slice, getLayout(b, type, how))
      .getResult();
}

/// Memory is given back when all threads, and the other block, are done.
LogicalResult mlir::pallas::finishTensorMemory(KernelEmitter &emit,
                                               Operation *kernel,
                                               int64_t bytes) {
  TensorMemory &memory = emit.tensorMemory;
  if (!memory.alloc)
    return success();
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  int64_t columns = memory.getAllocatedColumns();
  if (columns > emit.target.tensorColumns) {
    InFlightDiagnostic diag = kernel->emitOpError("takes ");
    diag << memory.maxColumns << " columns of tensor memory";
    if (columns != memory.maxColumns)
      diag << ", which are allocated as " << columns;
    diag << "; a block of " << emit.target.arch << " has "
         << emit.target.tensorColumns
         << ", so use smaller blocks, pack elements, or use memory again";
    for (const TensorBuffer &buffer : memory.buffers)
      diag.attachNote(buffer.loc) << "scoped " << buffer.index << ": "
                                  << buffer.columns << " columns of tmem";
    return diag;
  }
  if (memory.isCollective &&
      llvm::product_of(LaunchGrid(emit.mesh).cluster) % 2 != 0)
    return kernel->emitOpError("allocates tensor memory for two blocks, but "
                               "its clusters have ")
           << llvm::product_of(LaunchGrid(emit.mesh).cluster)
           << "; use clusters with an even number of blocks";
  memory.address.setOffsetAttr(b.getI32IntegerAttr(bytes));
  memory.alloc.getResult().setType(getMemRefType(
      {kLanes,
       static_cast<int64_t>(llvm::alignTo(memory.maxColumns, kAllocColumns))},
      b.getI32Type()));
  gpu::BarrierOp::create(b, loc);
  if (memory.isCollective) {
    NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  }
  mosaic_gpu::TmemDeallocOp::create(b, loc, memory.alloc);
  return success();
}
