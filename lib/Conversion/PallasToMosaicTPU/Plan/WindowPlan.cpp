//===- WindowPlan.cpp - How an operand reaches the kernel -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowPlan.h"
#include "../Memory/TypeConversion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// The shape of the array that the kernel gets, after split and transpose.
SmallVector<int64_t> WindowPlan::getArrayShape() const {
  if (permutation.empty())
    return split;
  return llvm::map_to_vector(permutation,
                             [&](int64_t dim) { return split[dim]; });
}

SmallVector<int64_t> WindowPlan::getBounds() const {
  return llvm::map_to_vector(dims, [](const PlannedDim &d) { return d.bound; });
}

/// Whether the host has to copy the array. Reshapes alone count, too: they
/// change the tiles of the last two dimensions.
bool WindowPlan::isRelaidOut() const {
  auto isZero = [](int64_t size) { return size == 0; };
  return split != original || !llvm::all_of(hostPadLow, isZero) ||
         !llvm::all_of(hostPadHigh, isZero) || !permutation.empty();
}

bool WindowPlan::hasOffsets() const {
  return llvm::any_of(
      dims, [](const PlannedDim &dim) { return dim.offsetSource.has_value(); });
}

bool mlir::pallas::isTiledBlock(int64_t block, int64_t array, int64_t fromMinor,
                                int64_t rank, int64_t bits,
                                const TPUChip &chip) {
  // T3, T4
  // A block as long as its array is padded with it, and leading dimensions have
  // no tiles.
  if (block == array || fromMinor > 1)
    return true;
  // In one dimension, a tile is a row of packed words over all lanes.
  if (rank == 1)
    return block % (chip.lanes * std::max<int64_t>(1, 32 / bits)) == 0;
  return block % (fromMinor == 0 ? chip.lanes : getTPUWindowRows(bits, chip)) ==
         0;
}

namespace {

/// Plans one window of a call.
///
/// For an f32 array of 100x1000 with blocks of 8x100, the last dimension is cut
/// into blocks of its own, since 100 is not a multiple of 128:
///
///   %0 = pallas.reshape %x : tensor<100x1000xf32> -> tensor<100x10x100xf32>
///   %1 = pallas.transpose %0, [1, 0, 2] : tensor<100x10x100xf32>
///
/// A block of 1x8x100 of that is whole in its last dimension.
class WindowPlanner {
public:
  WindowPlanner(GridMappingOpInterface op, unsigned index,
                BlockMappingAttr mapping, const TPUChip &chip)
      : op(op), mapping(mapping), index(index), chip(chip) {
    // A pinned array is an operand in another memory space. The plan is that of
    // the array itself.
    Type array = op.getArrayType(index);
    if (auto pinned = dyn_cast<PinnedType>(array))
      array = pinned.getArrayType();
    auto shaped = cast<ShapedType>(array);
    plan.element = shaped.getElementType();
    plan.original = llvm::to_vector(shaped.getShape());
    rank = plan.original.size();
    plan.hostPadLow.assign(rank, 0);
    plan.hostPadHigh.assign(rank, 0);
  }

  FailureOr<WindowPlan> run();

private:
  InFlightDiagnostic error() {
    InFlightDiagnostic diag = op->emitOpError();
    diag << "block " << index << " ";
    if (StringAttr origin = mapping.getOrigin())
      diag << "(" << origin.getValue() << ") ";
    return diag;
  }

  void planWhole();
  LogicalResult planDims();
  void planScalar();
  void planElementDims();
  /// Cuts the last two dimensions where their blocks aren't whole tiles.
  void planSplits();

  GridMappingOpInterface op;
  BlockMappingAttr mapping;
  unsigned index;
  const TPUChip &chip;
  int64_t rank;
  WindowPlan plan;
};

} // namespace

/// Checks that the block can be a window at all, then decides between the forms
/// below. The order matters: a scalar is in SMEM whatever its block is, and a
/// trivial window never moves, so its dimensions need no tiles.
FailureOr<WindowPlan> WindowPlanner::run() {
  std::optional<tpu::MemorySpace> space = convertMemorySpace(
      mapping.getMemorySpace().getSpace(), tpu::CoreType::TensorCore);
  if (!space)
    return error() << "is in "
                   << stringifyMemorySpace(mapping.getMemorySpace().getSpace())
                   << ", which no TPU has; use vmem, smem or any";
  bool isSemaphore =
      isa<SemaphoreType, DMASemaphoreType, BarrierSemaphoreType>(plan.element);
  if (!isSemaphore && !isTPUElement(plan.element))
    return error() << "has elements of type " << plan.element
                   << ", which no TPU holds; convert the array to elements of "
                      "up to 32 bits";
  plan.space = *space;
  plan.isTrivial = op.hasTrivialWindow(index);
  plan.pipelineMode = mapping.getPipelineMode();
  plan.isWindowed =
      *space == tpu::MemorySpace::Vmem || *space == tpu::MemorySpace::Smem;
  // T2
  // Only VMEM and SMEM are copied to by the pipeline of the compiler.
  if (!plan.isWindowed && !plan.isTrivial)
    return error() << "is in " << tpu::stringifyMemorySpace(*space)
                   << " but is a window of the array; there only whole arrays "
                      "are possible: use vmem, or copy the parts yourself";
  // T13
  // A window that never moves needs no second buffer.
  if (plan.isTrivial && *space == tpu::MemorySpace::Vmem)
    plan.pipelineMode = {};
  if (rank == 0) {
    planScalar();
    return plan;
  }
  if (plan.isTrivial || !plan.isWindowed) {
    planWhole();
    return plan;
  }
  if (failed(planDims()))
    return failure();
  return plan;
}

/// The window is the array.
void WindowPlanner::planWhole() {
  plan.split = plan.original;
  for (auto [size, dim] : llvm::zip_equal(plan.original, mapping.getDims())) {
    PlannedDim &window = plan.dims.emplace_back();
    window.bound = window.visibleSize = size;
    window.visible = dim.getKind() != BlockDimKind::Squeezed;
  }
}

/// A scalar is read and written by the scalar unit. T1
/// It arrives as an array of 1x1 in SMEM, since a block has at least one
/// dimension. That is a window, also where the block names memory that has
/// none.
void WindowPlanner::planScalar() {
  plan.space = tpu::MemorySpace::Smem;
  plan.isWindowed = true;
  plan.split = {1, 1};
  plan.isTrivial = true;
  for (int i = 0; i < 2; ++i)
    plan.dims.emplace_back().visible = false;
}

/// Element dimensions start anywhere and exclude splits. Other kinds than these
/// exist in pipelines within kernels only.
LogicalResult WindowPlanner::planDims() {
  bool hasElements = false;
  for (BlockDimAttr dim : mapping.getDims()) {
    // T7
    if (dim.getKind() == BlockDimKind::Indirect ||
        dim.getKind() == BlockDimKind::BoundedSlice)
      return error() << "has a dimension that is "
                     << stringifyBlockDimKind(dim.getKind())
                     << ", which only pallas.emit_pipeline has; use a plain or "
                        "element dimension, or copy the part in the kernel";
    hasElements |= dim.getKind() == BlockDimKind::Element;
  }
  if (hasElements)
    planElementDims();
  else
    planSplits();
  return success();
}

/// Windows that begin at any element. The leading dimensions can do so by
/// themselves; in the last two the window is the whole array, and the kernel
/// sees the part that it asked for. T8
///
/// A block of 8 elements at %i of an f32 array of 100 becomes a window on all
/// of the padded array, and the kernel slices it:
///
///   %0 = tpu.memref_slice %window[%i] : memref<108xf32> -> memref<8xf32>
void WindowPlanner::planElementDims() {
  plan.isElementWindow = true;
  for (auto [i, dim] : llvm::enumerate(mapping.getDims())) {
    int64_t size = plan.original[i];
    int64_t block = mapping.getBlockShape()[i];
    bool isElement = dim.getKind() == BlockDimKind::Element;
    // The padding that a block declares exists in the array of the host.
    if (isElement) {
      plan.hostPadLow[i] = dim.getPadLow();
      plan.hostPadHigh[i] = dim.getPadHigh();
    }
    int64_t whole = size + plan.hostPadLow[i] + plan.hostPadHigh[i];
    bool isMinor = rank - 1 - int64_t(i) <= 1;
    PlannedDim &window = plan.dims.emplace_back();
    window.visible = dim.getKind() != BlockDimKind::Squeezed;
    window.visibleSize = block;
    window.scale = isElement ? 1 : block;
    if (block == whole && isMinor) {
      window.bound = whole;
      // Its start is a multiple of no tile, so the window can't move there.
    } else if (isMinor) {
      // The last block may extend past the array.
      plan.hostPadHigh[i] += block;
      window.bound = whole + block;
      window.offsetSource = i;
    } else {
      window.bound = block;
      window.source = i;
    }
  }
  plan.split = plan.original;
  for (int64_t i = 0; i < rank; ++i)
    plan.split[i] += plan.hostPadLow[i] + plan.hostPadHigh[i];
  plan.padLow.assign(rank, 0);
  plan.padHigh.assign(rank, 0);
}

/// Dimensions whose blocks are whole tiles stay. Each other one of size n with
/// blocks of b is padded to a multiple of b and becomes two of n / b and b. The
/// first selects the block and goes to the front, the second is whole and comes
/// last, so that each block is a contiguous tile.
void WindowPlanner::planSplits() {
  SmallVector<int64_t> blocks = mapping.getBlockShape();
  int64_t bits =
      plan.element.isInteger(1) ? 32 : plan.element.getIntOrFloatBitWidth();
  // Positions, in the split array, of the dimensions that stay in front and of
  // the ones that come last.
  SmallVector<int64_t> front, back;
  SmallVector<PlannedDim> frontDims, backDims;
  for (int64_t i = 0; i < rank; ++i) {
    bool visible = mapping.getDims()[i].getKind() != BlockDimKind::Squeezed;
    int64_t fromMinor = rank - 1 - i;
    PlannedDim dim;
    dim.bound = dim.visibleSize = blocks[i];
    dim.visible = visible;
    dim.source = i;
    bool isMinor = fromMinor <= 1;
    if (isTiledBlock(blocks[i], plan.original[i], fromMinor, rank, bits,
                     chip)) {
      (isMinor ? back : front).push_back(plan.split.size());
      (isMinor ? backDims : frontDims).push_back(dim);
      plan.split.push_back(plan.original[i]);
      continue;
    }
    // The last block is padded on the host, so that the array splits evenly.
    int64_t count = llvm::divideCeil(plan.original[i], blocks[i]);
    plan.hostPadHigh[i] = count * blocks[i] - plan.original[i];
    front.push_back(plan.split.size());
    PlannedDim outer;
    outer.visible = false;
    outer.source = i;
    frontDims.push_back(outer);
    plan.split.push_back(count);
    if (rank == 1) {
      // A row of its own: the second to last dimension is whole as well.
      back.push_back(plan.split.size());
      PlannedDim unit;
      unit.visible = false;
      backDims.push_back(unit);
      plan.split.push_back(1);
    }
    // The inner dimension is whole in every block, so its index is zero.
    dim.source = std::nullopt;
    back.push_back(plan.split.size());
    backDims.push_back(dim);
    plan.split.push_back(blocks[i]);
  }
  plan.dims = frontDims;
  llvm::append_range(plan.dims, backDims);
  SmallVector<int64_t> order(front);
  llvm::append_range(order, back);
  // Splits in order need no transpose, which would be a copy of its own.
  if (!llvm::is_sorted(order))
    plan.permutation = order;
}

FailureOr<WindowPlan> mlir::pallas::planWindow(GridMappingOpInterface op,
                                               unsigned index,
                                               const TPUChip &chip) {
  return planWindow(op, index, op.getMappings()[index], chip);
}

FailureOr<WindowPlan> mlir::pallas::planWindow(GridMappingOpInterface op,
                                               unsigned index,
                                               BlockMappingAttr mapping,
                                               const TPUChip &chip) {
  return WindowPlanner(op, index, mapping, chip).run();
}

FailureOr<SmallVector<WindowPlan, 0>>
mlir::pallas::planWindows(GridMappingOpInterface op, const TPUChip &chip) {
  SmallVector<WindowPlan, 0> plans;
  plans.reserve(op.getNumBlocks());
  for (auto [block, mapping] : llvm::enumerate(op.getMappings())) {
    FailureOr<WindowPlan> plan = planWindow(op, block, mapping, chip);
    if (failed(plan))
      return failure();
    plans.push_back(std::move(*plan));
  }
  return plans;
}
