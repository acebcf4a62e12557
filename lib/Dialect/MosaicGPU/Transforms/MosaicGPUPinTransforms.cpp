//===- MosaicGPUPinTransforms.cpp - Parts that begin in a swizzle ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler infers tiles of 1x32 elements and a swizzle of 128 bytes for
//
//   %0 = "mosaic_gpu.slice_smem"() : () -> memref<72x128xf32, #smem>
//   %1 = memref.subview %0[5, 0] [64, 128] [1, 1]
//
// Copies to %0 swizzle by the address. Loads from %1 swizzle by the offset in
// %1, whose first row lies 2560 bytes behind a multiple of 1024: they would
// read other columns. So %0 stays plain:
//
//   %k = "mosaic_gpu.with_transforms"(%0) <{transforms = []}>
//
// So does memory that is copied from or to arrays of 58 rows, which tiles of 8
// rows do not divide, and memory whose boxes would have more than the five
// dimensions that copies take: a box of 2x16x16x128 has four, and in tiles of
// 8x32 six.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicGPU/Utils/SharedMemory.h"
#include "pallas/Support/Divisibility.h"

#include <numeric>

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUPINTRANSFORMS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

/// Tiles have at most 8 rows, and a swizzle repeats after 8 rows.
static constexpr int64_t kRows = 8;
static constexpr int64_t kBitsPerByte = 8;
static constexpr int64_t kMinSwizzle = 32, kMaxSwizzle = 128;
/// The dimensions of a box that the hardware copies.
static constexpr int64_t kBoxDims = 5;

static int64_t getMultiple(OpFoldResult offset) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant;
  return pallas::getKnownMultiple(
      cast<Value>(offset), /*limit=*/kRows * kMaxSwizzle * kBitsPerByte,
      [](Operation *op) -> int64_t {
        auto assume = dyn_cast<AssumeMultipleOp>(op);
        return assume ? assume.getMultiple() : 0;
      });
}

namespace {

/// An allocation of shared memory, the views of it, and what accesses them.
class SharedArray {
public:
  explicit SharedArray(Value memory) : memory(memory) { collect(memory); }

  /// An access of a part that may begin inside of a swizzle; null if there is
  /// none. Copies take any part.
  Operation *findUnaligned();

  /// Whether the compiler may tile the memory: tiles have 8 rows, of at least
  /// 32 bytes.
  bool mayHaveTiles() const;
  /// A copy of a box that has too many dimensions, in tiles or without, or
  /// null.
  Operation *findLongBox(bool isTiled);
  /// A copy from or to an array that tiles do not divide, or null.
  Operation *findUnevenArray();

  WithTransformsOp getGiven() const { return given; }
  bool feedsProduct() const { return isProduct; }
  /// The tile that was given, or rows and columns of the largest one.
  SmallVector<int64_t> getTile();
  /// Lets accesses have any layout: the compiler has better plans for memory
  /// with a swizzle, and takes no other layout where it looks for those.
  void relaxAccesses();
  /// The bytes after which the swizzle repeats.
  int64_t getPeriod() const { return kRows * swizzle / kBitsPerByte; }

private:
  void collect(Value memref);
  void limitTiles(MemRefType type);
  void limitTiles(memref::SubViewOp part);
  int64_t getStart(memref::SubViewOp part) const;
  Operation *findCopy(
      function_ref<bool(MemRefType array, ArrayRef<int64_t> lengths)> isWanted)
      const;

  Value memory;
  // In the order of their definitions.
  SmallVector<Operation *> views;
  SmallVector<std::pair<Operation *, Value>> accesses;
  SmallVector<Operation *> copies;
  WithTransformsOp given;
  bool isProduct = false;
  // The largest tile that the compiler may take, its columns in bits.
  int64_t rows = kRows, swizzle = kMaxSwizzle * kBitsPerByte;
  // A divisor of the bits in front of each view. All numbers divide zero.
  DenseMap<Value, int64_t> starts;
};

} // namespace

void SharedArray::collect(Value memref) {
  for (Operation *user : memref.getUsers()) {
    if (isa<VectorLoadOp, VectorStoreOp>(user))
      accesses.emplace_back(user, memref);
    else if (isa<WGMMAOp, TCGen05MMAOp>(user))
      isProduct = true;
    else if (isa<AsyncLoadOp, AsyncStoreOp>(user))
      copies.push_back(user);
    if (!isa<memref::SubViewOp, memref::CastOp, memref::TransposeOp,
             WithTransformsOp, GetClusterRefOp>(user))
      continue;
    if (auto transforms = dyn_cast<WithTransformsOp>(user))
      given = transforms;
    views.push_back(user);
    collect(user->getResult(0));
  }
}

static int64_t getElementBits(MemRefType type) {
  return type.getElementType().getIntOrFloatBitWidth();
}

/// Tiles divide every view, so views limit how large they are.
void SharedArray::limitTiles(MemRefType type) {
  // A single element.
  if (type.getRank() == 0)
    return;
  rows = type.getRank() < 2
             ? 1
             : std::gcd(rows, type.getShape().drop_back().back());
  swizzle = std::gcd(swizzle, type.getShape().back() * getElementBits(type));
}

void SharedArray::limitTiles(memref::SubViewOp part) {
  limitTiles(part.getType());
  SmallVector<OpFoldResult> offsets = part.getMixedOffsets();
  if (offsets.size() > 1)
    rows = std::gcd(rows, getMultiple(offsets[offsets.size() - 2]));
  swizzle = std::gcd(swizzle, getMultiple(offsets.back()) *
                                  getElementBits(part.getType()));
}

/// A divisor of the bits in front of a part, tile by tile.
int64_t SharedArray::getStart(memref::SubViewOp part) const {
  MemRefType source = part.getSourceType();
  SmallVector<int64_t> strides;
  int64_t offset, start = starts.lookup(part.getSource());
  if (failed(source.getStridesAndOffset(strides, offset)))
    return 1;
  for (auto [at, stride] : llvm::zip_equal(part.getMixedOffsets(), strides)) {
    // The columns of a tile come in front of the next tile.
    int64_t step = stride == 1 ? rows : stride;
    start = std::gcd(start, getMultiple(at) * step * getElementBits(source));
  }
  return start;
}

Operation *SharedArray::findUnaligned() {
  limitTiles(cast<MemRefType>(memory.getType()));
  for (Operation *view : views)
    if (auto part = dyn_cast<memref::SubViewOp>(view))
      limitTiles(part);
  if (given)
    for (Attribute transform : given.getTransforms())
      if (auto mode = dyn_cast<SwizzleTransformAttr>(transform))
        swizzle =
            static_cast<int64_t>(mode.getSwizzle().getValue()) * kBitsPerByte;
  if (swizzle < kMinSwizzle * kBitsPerByte)
    return nullptr;
  for (Operation *view : views) {
    auto part = dyn_cast<memref::SubViewOp>(view);
    starts[view->getResult(0)] =
        part ? getStart(part) : starts.lookup(view->getOperand(0));
  }
  for (auto [access, memref] : accesses)
    if (starts.lookup(memref) % (kRows * swizzle) != 0)
      return access;
  return nullptr;
}

/// The dimensions of the box of a copy, which the compiler drops where the
/// array and the box have one element. Those that shared memory lacks count as
/// one. Tiles split the last two dimensions:
///   2x16x16x128 -> 2x16x(2x8)x(4x32)
static int64_t countBoxDims(MemRefType array, ArrayRef<int64_t> lengths,
                            ArrayRef<int64_t> tile) {
  int64_t count = 0;
  bool isSqueezed = false;
  for (auto [dim, length] : llvm::enumerate(lengths)) {
    int64_t size = array.getDimSize(dim);
    size_t fromEnd = lengths.size() - dim;
    int64_t part = fromEnd <= tile.size() ? tile[tile.size() - fromEnd] : 1;
    if (length < 0)
      isSqueezed |= size != 1;
    else
      count += (part != 1) + (size != part || length != part);
  }
  return count + isSqueezed;
}

/// Whether tiles lie over the end of the array, which is longer than one:
///   58x8 in tiles of 8x8
static bool isUneven(MemRefType array, ArrayRef<int64_t> tile) {
  size_t tiled = std::min<size_t>(array.getRank(), tile.size());
  return llvm::any_of(
      llvm::zip_equal(array.getShape().take_back(tiled), tile.take_back(tiled)),
      [](auto sizes) {
        auto [size, part] = sizes;
        return size > part && size % part != 0;
      });
}

SmallVector<int64_t> SharedArray::getTile() {
  if (given)
    for (Attribute transform : given.getTransforms())
      if (auto tile = dyn_cast<TileTransformAttr>(transform))
        return llvm::to_vector_of<int64_t>(tile.getTiling().asArrayRef());
  int64_t bits = getElementBits(cast<MemRefType>(memory.getType()));
  return {rows, std::max<int64_t>(1, swizzle / bits)};
}

Operation *SharedArray::findCopy(
    function_ref<bool(MemRefType, ArrayRef<int64_t>)> isWanted) const {
  for (Operation *copy : copies) {
    Value array;
    ArrayRef<int64_t> lengths;
    if (auto load = dyn_cast<AsyncLoadOp>(copy)) {
      array = load.getGroupValue(AsyncLoadOp::Source);
      lengths = load.getSliceLengths();
    } else {
      array = cast<AsyncStoreOp>(copy).getDestination();
      lengths = cast<AsyncStoreOp>(copy).getSliceLengths();
    }
    if (array && isWanted(cast<MemRefType>(array.getType()), lengths))
      return copy;
  }
  return nullptr;
}

bool SharedArray::mayHaveTiles() const {
  auto type = cast<MemRefType>(memory.getType());
  ArrayRef<int64_t> shape = type.getShape();
  return shape.size() > 1 && shape.drop_back().back() % kRows == 0 &&
         shape.back() * getElementBits(type) % (kMinSwizzle * kBitsPerByte) ==
             0;
}

Operation *SharedArray::findLongBox(bool isTiled) {
  SmallVector<int64_t> tile = isTiled ? getTile() : SmallVector<int64_t>();
  return findCopy([&](MemRefType array, ArrayRef<int64_t> lengths) {
    return countBoxDims(array, lengths, tile) > kBoxDims;
  });
}

Operation *SharedArray::findUnevenArray() {
  return findCopy([&](MemRefType array, ArrayRef<int64_t>) {
    return isUneven(array, getTile());
  });
}

void SharedArray::relaxAccesses() {
  for (Operation *access : llvm::make_first_range(accesses)) {
    if (auto load = dyn_cast<VectorLoadOp>(access))
      load.setOptimized(false);
    else
      cast<VectorStoreOp>(access).setOptimized(false);
  }
}

/// Checks memory whose tiles are given, or which the compiler tiles for a
/// product.
static LogicalResult checkTiles(SharedArray &array, Operation *access) {
  WithTransformsOp given = array.getGiven();
  auto emit = [&](Operation *op) -> InFlightDiagnostic {
    InFlightDiagnostic error = op->emitOpError();
    if (given)
      error.attachNote(given.getLoc()) << "the memory is tiled here";
    return error;
  };
  if (Operation *copy = array.findLongBox(/*isTiled=*/true))
    return emit(copy) << "copies a box of more than " << kBoxDims
                      << " dimensions, two of them for tiles; copies on GPUs "
                         "take "
                      << kBoxDims
                      << ": squeeze dimensions, or join them before the call";
  if (!given)
    return success();
  if (Operation *copy = array.findUnevenArray())
    return emit(copy) << "copies tiles of " << array.getTile()
                      << ", which do not divide the array; pad it, or leave "
                         "the tiles out";
  if (access)
    return emit(access)
           << "accesses a part that may begin inside of a swizzle, which "
              "repeats after "
           << array.getPeriod()
           << " bytes; begin parts at multiples of 8 rows and of the columns "
              "of a tile, or leave the swizzle out";
  return success();
}

namespace {
struct PinTransformsPass
    : mosaic_gpu::impl::MosaicGPUPinTransformsBase<PinTransformsPass> {
  void runOnOperation() override;
  LogicalResult pin(SliceSMEMOp op);
};
} // namespace

LogicalResult PinTransformsPass::pin(SliceSMEMOp op) {
  auto type = cast<MemRefType>(op.getType());
  if (!type.getElementType().isIntOrFloat() || !type.hasStaticShape() ||
      type.getRank() == 0)
    return success();
  SharedArray array(op);
  Operation *access = array.findUnaligned();
  WithTransformsOp given = array.getGiven();
  bool isPlain = given && given.getTransforms().empty();
  // Operands of products have tiles of 8 rows, which begin where a swizzle
  // does.
  if (!isPlain && (given || array.feedsProduct()))
    return checkTiles(array, access);
  if (Operation *copy = array.findLongBox(/*isTiled=*/false))
    return copy->emitOpError("copies a box of more than ")
           << kBoxDims << " dimensions; copies on GPUs take " << kBoxDims
           << ": squeeze dimensions, or join them before the call";
  bool cannotBeTiled =
      array.mayHaveTiles() &&
      (array.findLongBox(/*isTiled=*/true) || array.findUnevenArray());
  if (isPlain || (!access && !cannotBeTiled))
    return success();
  keepPlain(op);
  array.relaxAccesses();
  ++numPinned;
  return success();
}

void PinTransformsPass::runOnOperation() {
  if (getOperation()
          ->walk([&](SliceSMEMOp op) {
            return failed(pin(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
          })
          .wasInterrupted())
    signalPassFailure();
}
