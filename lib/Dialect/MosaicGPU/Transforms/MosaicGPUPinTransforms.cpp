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
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
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

  WithTransformsOp getGiven() const { return given; }
  bool feedsProduct() const { return isProduct; }
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

  Value memory;
  // In the order of their definitions.
  SmallVector<Operation *> views;
  SmallVector<std::pair<Operation *, Value>> accesses;
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

void SharedArray::relaxAccesses() {
  for (Operation *access : llvm::make_first_range(accesses)) {
    if (auto load = dyn_cast<VectorLoadOp>(access))
      load.setOptimized(false);
    else
      cast<VectorStoreOp>(access).setOptimized(false);
  }
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
  WithTransformsOp given = array.getGiven();
  if (given && given.getTransforms().empty())
    return success();
  Operation *access = array.findUnaligned();
  // Operands of products have tiles of 8 rows, which begin where a swizzle
  // does.
  if (!access || (array.feedsProduct() && !given))
    return success();
  if (given) {
    InFlightDiagnostic error =
        access->emitOpError("accesses a part that may begin inside of a "
                            "swizzle, which repeats after ")
        << array.getPeriod()
        << " bytes; begin parts at multiples of 8 rows and of the columns of a "
           "tile, or leave the swizzle out";
    error.attachNote(given.getLoc()) << "the memory is swizzled here";
    return failure();
  }
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto plain = WithTransformsOp::create(builder, op.getLoc(), op.getResult(),
                                        builder.getArrayAttr({}));
  op.getResult().replaceAllUsesExcept(plain, plain);
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
