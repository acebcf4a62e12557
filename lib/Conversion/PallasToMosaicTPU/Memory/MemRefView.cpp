//===- MemRefView.cpp - The part of a buffer that a ref names -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and squeezes are resolved to their base before an access, since loads
// take the indices of the base:
//
//   %0 = tpu.memref_slice %m[%i, %c0] : memref<64x128xf32> -> memref<8x128xf32>
//   %1 = vector.load %0[%c0, %c0]
//
// is a load from %m at [%i, %c0]. The slice is then dead.
//
//===----------------------------------------------------------------------===//

#include "MemRefView.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether the buffer is an operand, whose tiles XLA chose, or was allocated
/// for the kernel: the compiler pads and tiles these differently.
TPUBuffer MemRefView::getBuffer() const {
  auto argument = dyn_cast<BlockArgument>(base);
  // An allocation in a region is no argument of the kernel.
  if (!argument)
    return TPUBuffer::Scoped;
  auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto scratch = kernel ? kernel->getAttrOfType<IntegerAttr>("scratch_operands")
                        : IntegerAttr();
  if (!scratch)
    return TPUBuffer::Operand;
  // Scratch memory comes last.
  unsigned rest = argument.getOwner()->getNumArguments() -
                  static_cast<unsigned>(scratch.getInt());
  return argument.getArgNumber() < rest ? TPUBuffer::Operand
                                        : TPUBuffer::Scratch;
}

SmallVector<int64_t> MemRefView::getSizes() const {
  return llvm::map_to_vector(dims, [](const ViewDim &dim) { return dim.size; });
}

SmallVector<int64_t> MemRefView::getVisibleShape() const {
  SmallVector<int64_t> shape;
  for (const ViewDim &dim : dims)
    if (dim.visible)
      shape.push_back(dim.size);
  return shape;
}

bool MemRefView::hasStrides() const {
  return llvm::any_of(dims, [](const ViewDim &dim) { return dim.stride != 1; });
}

/// Whether the view is the whole base, so that it needs no slice.
bool MemRefView::coversBase() const {
  return llvm::all_of_zip(
      dims, getType().getShape(), [](const ViewDim &dim, int64_t size) {
        return !dim.isDynamic() && !dim.dynamicSize && dim.start == 0 &&
               dim.stride == 1 && dim.size == size;
      });
}

/// Sees through the casts between types of two dialects.
///
/// The cast next to a memref is the last one, because the memref itself may be
/// a view that a caller wants to see.
static Value stripCasts(Value value) {
  while (auto cast = value.getDefiningOp<UnrealizedConversionCastOp>()) {
    if (cast.getNumOperands() != 1)
      break;
    value = cast.getOperand(0);
    if (isa<MemRefType>(value.getType()) &&
        !value.getDefiningOp<UnrealizedConversionCastOp>())
      break;
  }
  return value;
}

/// Hides the dimensions of size 1 that a squeeze from `view` to `shape` takes
/// out; equal sizes match from the right.
///
/// The type alone doesn't tell which of two dimensions of size 1 is meant.
/// Either choice gives the same elements.
static void squeezeTo(MemRefView &view, ArrayRef<int64_t> shape) {
  int64_t next = static_cast<int64_t>(shape.size()) - 1;
  for (ViewDim &dim : llvm::reverse(view.dims)) {
    if (!dim.visible)
      continue;
    int64_t size = dim.dynamicSize ? ShapedType::kDynamic : dim.size;
    if (next >= 0 && size == shape[next])
      --next;
    else
      dim.visible = false;
  }
}

/// Adds to the start. Constants stay apart from values, so that alignment can
/// be derived from both.
static void addStart(Emitter &emit, ViewDim &dim, Value start) {
  if (std::optional<int64_t> constant = getConstantInteger(start)) {
    dim.start += *constant;
    return;
  }
  if (!dim.dynamicStart) {
    dim.dynamicStart = start;
    return;
  }
  if (dim.dynamicStart.getType() != start.getType()) {
    dim.dynamicStart = emit.toI32(dim.dynamicStart);
    start = emit.toI32(start);
  }
  dim.dynamicStart = emit.add(dim.dynamicStart, start);
}

/// Views nest, so the innermost is resolved first and each outer one changes
/// its visible dimensions.
MemRefView mlir::pallas::resolveView(Emitter &emit, Value memref) {
  memref = stripCasts(memref);
  if (auto squeeze = memref.getDefiningOp<tpu::MemRefSqueezeOp>()) {
    MemRefView view = resolveView(emit, squeeze.getInput());
    squeezeTo(view, squeeze.getType().getShape());
    return view;
  }
  if (auto slice = memref.getDefiningOp<tpu::MemRefSliceOp>()) {
    MemRefView view = resolveView(emit, slice.getMemRef());
    auto type = cast<MemRefType>(slice.getType());
    auto visible = llvm::make_filter_range(
        view.dims, [](const ViewDim &dim) { return dim.visible; });
    auto dynamicSizes = slice.getDynamicSizes().begin();
    for (auto [dim, start, size] :
         llvm::zip_equal(visible, slice.getBaseIdx(), type.getShape())) {
      addStart(emit, dim, start);
      if (ShapedType::isDynamic(size))
        dim.dynamicSize = *dynamicSizes++;
      else
        dim.size = size;
    }
    return view;
  }
  MemRefView view;
  view.base = memref;
  for (int64_t size : cast<MemRefType>(memref.getType()).getShape()) {
    ViewDim &dim = view.dims.emplace_back();
    dim.size = size;
  }
  return view;
}

/// Narrows the view by the entries of an access. Strides don't compose with
/// those of an earlier view, because slices of memrefs have none.
void mlir::pallas::applyIndexer(Emitter &emit, MemRefView &view,
                                ArrayRef<DimIndex> entries,
                                ValueRange indices) {
  auto next = indices.begin();
  const auto *entry = entries.begin();
  for (ViewDim &dim : view.dims) {
    if (!dim.visible)
      continue;
    const DimIndex &index = *entry++;
    if (index.kind == IndexKind::Full)
      continue;
    if (index.kind == IndexKind::Gather) {
      // A gather walks the dimension itself.
      ++next;
      continue;
    }
    if (index.hasDynamicStart())
      addStart(emit, dim, *next++);
    else
      dim.start += index.start;
    // A scalar entry drops the dimension, but its start is still part of the
    // address.
    if (index.kind == IndexKind::Scalar) {
      dim.size = 1;
      dim.visible = false;
      continue;
    }
    dim.stride = index.stride;
    if (index.hasDynamicSize())
      dim.dynamicSize = *next++;
    else
      dim.size = index.size;
  }
}

static Value getStart(Emitter &emit, const ViewDim &dim) {
  if (!dim.dynamicStart)
    return emit.i32(dim.start);
  Value start = emit.toI32(dim.dynamicStart);
  return dim.start == 0 ? start : emit.add(start, emit.i32(dim.start));
}

static MemRefType getRefType(ArrayRef<int64_t> sizes, MemRefType like) {
  return MemRefType::get(sizes, like.getElementType(),
                         MemRefLayoutAttrInterface(), like.getMemorySpace());
}

/// `base` with its first dimensions sliced by `dims`; the others stay whole.
static Value sliceFront(Emitter &emit, Value base, ArrayRef<ViewDim> dims) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<Value> starts, dynamicSizes;
  SmallVector<int64_t> sizes;
  for (const ViewDim &dim : dims) {
    starts.push_back(getStart(emit, dim));
    sizes.push_back(dim.dynamicSize ? ShapedType::kDynamic : dim.size);
    if (dim.dynamicSize)
      dynamicSizes.push_back(emit.toI32(dim.dynamicSize));
  }
  // The dimensions behind were not narrowed.
  for (int64_t size : type.getShape().drop_front(dims.size())) {
    starts.push_back(emit.i32(0));
    sizes.push_back(size);
  }
  return emit.create<tpu::MemRefSliceOp>(getRefType(sizes, type), base, starts,
                                         dynamicSizes);
}

/// `base` without those of its first dimensions that `dims` hides.
///
///   %0 = tpu.memref_squeeze %m : memref<1x8x128xf32> -> memref<8x128xf32>
static Value squeezeFront(Emitter &emit, Value base, ArrayRef<ViewDim> dims) {
  auto type = cast<MemRefType>(base.getType());
  SmallVector<int64_t> visible;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (i >= dims.size() || dims[i].visible)
      visible.push_back(size);
  if (visible.size() == type.getShape().size())
    return base;
  return emit.create<tpu::MemRefSqueezeOp>(getRefType(visible, type), base);
}

/// How many dimensions, up to the first whose index is not constant, come
/// before another such index outside of tiles. Slicing them apart lets the
/// accesses that differ in later indices alone share the address so far.
///
/// For buffers of 4x16x8x128 read at [%i, %j, :, :], the slice at %i is shared
/// by all %j, and its address is computed once per %i.
static size_t countSharedDims(ArrayRef<ViewDim> dims) {
  const ViewDim *first = llvm::find_if(
      dims, [](const ViewDim &dim) { return dim.visible || dim.isDynamic(); });
  size_t count = first - dims.begin() + 1;
  // The last two dimensions are tiles, which addresses can't share.
  if (count + 2 > dims.size() || first->visible)
    return 0;
  bool more = llvm::any_of(dims.drop_front(count),
                           [](const ViewDim &dim) { return dim.isDynamic(); });
  return more ? count : 0;
}

/// Creates slices and squeezes for an operation that needs a memref, such as a
/// DMA. A view that is its base creates nothing.
Value mlir::pallas::materializeView(Emitter &emit, const MemRefView &view) {
  Value result = view.base;
  ArrayRef<ViewDim> dims = view.dims;
  if (view.getType().hasStaticShape())
    while (size_t count = countSharedDims(dims)) {
      result =
          squeezeFront(emit, sliceFront(emit, result, dims.take_front(count)),
                       dims.take_front(count));
      dims = dims.drop_front(count);
    }
  if (!view.coversBase())
    result = sliceFront(emit, result, dims);
  return squeezeFront(emit, result, dims);
}

/// The power of two that divides the start: of the constant part, of the value,
/// or the smaller of both.
int64_t mlir::pallas::getKnownMultiple(const ViewDim &dim, int64_t limit) {
  int64_t fixed = tpu::getPowerOfTwoDivisor(dim.start, limit);
  if (!dim.dynamicStart)
    return fixed;
  return std::min(fixed, tpu::getKnownMultiple(dim.dynamicStart, limit));
}
