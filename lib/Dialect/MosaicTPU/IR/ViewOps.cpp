//===- ViewOps.cpp - Views of memrefs -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views name parts of a buffer without moving data. Their verifiers keep
// elements, space and tiles; their folders drop views that are the whole
// buffer.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// Whether the memref has a layout in tiles.
static bool isTiled(MemRefType type) {
  return isa<TiledLayoutAttr>(type.getLayout());
}

/// A view stays in its memory; a result without a memory space leaves it open.
static LogicalResult verifySameSpace(Operation *op, MemRefType source,
                                     MemRefType result) {
  if (!result.getMemorySpace() ||
      source.getMemorySpace() == result.getMemorySpace())
    return success();
  InFlightDiagnostic diag = op->emitOpError("gives a view in ")
                            << result.getMemorySpace() << " of memory in ";
  if (source.getMemorySpace())
    diag << source.getMemorySpace();
  else
    diag << "no space";
  return diag << "; a view stays in its memory, a DMA moves data";
}

/// A slice or a squeeze keeps the elements.
static LogicalResult verifySameElement(Operation *op, MemRefType source,
                                       MemRefType result) {
  if (source.getElementType() == result.getElementType())
    return success();
  return op->emitOpError("gives a view of ")
         << result.getElementType() << " elements of a memref of "
         << source.getElementType() << "; tpu.memref_bitcast changes the type";
}

/// A view doesn't change the layout.
static LogicalResult verifyBothTiled(Operation *op, MemRefType source,
                                     MemRefType result) {
  if (isTiled(source) == isTiled(result))
    return success();
  return op->emitOpError("has a tiled layout on one side only: ")
         << source << " and " << result;
}

/// Strides of the layout that are known only when the kernel runs.
static int64_t getNumDynamicStrides(MemRefType type) {
  if (auto tiled = dyn_cast<TiledLayoutAttr>(type.getLayout()))
    return llvm::count_if(tiled.getTileStrides(), ShapedType::isDynamic);
  if (auto strided = dyn_cast<StridedLayoutAttr>(type.getLayout()))
    return llvm::count_if(strided.getStrides(), ShapedType::isDynamic);
  return 0;
}

/// Each dynamic dimension of the result has one operand.
static LogicalResult verifyDynamicSizes(Operation *op, MemRefType result,
                                        size_t count) {
  if (static_cast<int64_t>(count) == result.getNumDynamicDims())
    return success();
  return op->emitOpError("has ")
         << count << " dynamic sizes for a result with "
         << result.getNumDynamicDims() << " dynamic dimensions";
}

//===----------------------------------------------------------------------===//
// MemRefSliceOp
//===----------------------------------------------------------------------===//

///   %0 = tpu.memref_slice %m[%i, %c0, %c0] <%n>
///        : memref<64x8x128xf32> -> memref<?x8x128xf32>
///
/// Bounds are checked where sizes are static; starts are values.
LogicalResult MemRefSliceOp::verify() {
  auto source = cast<MemRefType>(getMemRef().getType());
  auto result = getType();
  if (!source.hasStaticShape())
    return emitOpError("slices ")
           << source << ", but only memrefs of static shape can be sliced";
  if (failed(verifyDynamicSizes(*this, result, getDynamicSizes().size())))
    return failure();
  if (getMemorySpace(source) == MemorySpace::SemaphoreMem &&
      !isa<SemaphoreType, DMASemaphoreType>(source.getElementType()))
    return emitOpError("slices ")
           << source.getElementType()
           << " elements in semaphore memory, which holds only !tpu.semaphore "
              "and !tpu.dma_semaphore";
  size_t rank = source.getRank();
  if (getBaseIdx().size() != rank ||
      static_cast<size_t>(result.getRank()) != rank)
    return emitOpError("slices a memref of rank ")
           << rank << " with " << getBaseIdx().size()
           << " indices to a memref of rank " << result.getRank()
           << "; all three are equal, tpu.memref_squeeze drops dimensions";
  for (auto [dim, whole, part] :
       llvm::enumerate(source.getShape(), result.getShape()))
    if (!ShapedType::isDynamic(part) && part > whole)
      return emitOpError("takes ") << part << " elements of the " << whole
                                   << " along dimension " << dim;
  return success(succeeded(verifySameElement(*this, source, result)) &&
                 succeeded(verifySameSpace(*this, source, result)) &&
                 succeeded(verifyBothTiled(*this, source, result)));
}

///   %0 = tpu.memref_slice %m[%c0, %c0]
///        : memref<8x128xf32> -> memref<8x128xf32>
///
/// is %m.
OpFoldResult MemRefSliceOp::fold(FoldAdaptor) {
  // With equal static shapes, nothing but the whole memref is in bounds.
  if (getType() == getMemRef().getType() &&
      llvm::all_of(getBaseIdx(),
                   [](Value v) { return matchPattern(v, m_Zero()); }))
    return getMemRef();
  return {};
}

Value MemRefSliceOp::getViewSource() { return getMemRef(); }

//===----------------------------------------------------------------------===//
// MemRefSqueezeOp
//===----------------------------------------------------------------------===//

/// Whether removing dimensions of size 1 turns one shape into the other.
///
/// Equal sizes match from the right, so that 1x8 of 1x1x8 drops the first
/// dimension.
static bool isSqueezed(ArrayRef<int64_t> source, ArrayRef<int64_t> result) {
  while (!source.empty()) {
    if (!result.empty() && source.back() == result.back())
      result = result.drop_back();
    else if (source.back() != 1)
      return false;
    source = source.drop_back();
  }
  return result.empty();
}

///   %0 = tpu.memref_squeeze %m : memref<1x8x128xf32> -> memref<8x128xf32>
LogicalResult MemRefSqueezeOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = getType();
  if (failed(verifySameSpace(*this, source, result)) ||
      failed(verifySameElement(*this, source, result)) ||
      failed(verifyBothTiled(*this, source, result)))
    return failure();
  if (!isSqueezed(source.getShape(), result.getShape()))
    return emitOpError("turns ")
           << source << " into " << result
           << ", but only dimensions of size 1 can be dropped";
  return success();
}

OpFoldResult MemRefSqueezeOp::fold(FoldAdaptor) {
  return getType() == getInput().getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

Value MemRefSqueezeOp::getViewSource() { return getInput(); }

//===----------------------------------------------------------------------===//
// MemRefReshapeOp
//===----------------------------------------------------------------------===//

/// Reshaping a tiled memref moves no data only while tiles stay whole.
///
///   %0 = tpu.memref_reshape %m
///        : memref<64x128xf32, #tpu.tiled<(8,128),[1,1]>>
///        -> memref<2x32x128xf32, #tpu.tiled<(8,128),[4,1,1]>>
///
/// keeps each tile of 8x128 in its place.
static LogicalResult verifyTiledReshape(Operation *op, MemRefType source,
                                        MemRefType result) {
  auto from = dyn_cast<TiledLayoutAttr>(source.getLayout());
  auto to = dyn_cast<TiledLayoutAttr>(result.getLayout());
  if (!from || !to)
    return op->emitOpError("reshapes ")
           << source << " to " << result
           << "; both layouts are the identity or both are tiled";
  if (from.getTiles().empty() || from.getTiles() != to.getTiles())
    return op->emitOpError("changes the tiles of a memref: ")
           << source << " and " << result;
  ArrayRef<int64_t> tile = from.getTiles().front().asArrayRef();
  if (tile.size() != 2)
    return op->emitOpError("reshapes a memref with a first tile of rank ")
           << tile.size() << "; rank 2 is supported";
  if (source.getShape().back() != result.getShape().back())
    return op->emitOpError("changes the last dimension of a tiled memref from ")
           << source.getShape().back() << " to " << result.getShape().back();
  for (MemRefType type : {source, result})
    if (type.getShape().take_back(2).front() % tile.front() != 0)
      return op->emitOpError("reshapes ")
             << type << ", whose second to last dimension "
             << type.getShape().take_back(2).front()
             << " is not a multiple of the tile's " << tile.front();
  return success();
}

/// Without layouts, the compiler chooses tiles for both, and the last two
/// dimensions determine whether it can.
LogicalResult MemRefReshapeOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = getType();
  if (failed(verifySameSpace(*this, source, result)))
    return failure();
  if (source.getRank() < 2 || result.getRank() < 2)
    return emitOpError("reshapes rank ")
           << source.getRank() << " to rank " << result.getRank()
           << ", but both need rank 2 or more";
  if (failed(verifySameElement(*this, source, result)))
    return failure();
  if (source.hasStaticShape() && result.hasStaticShape() &&
      source.getNumElements() != result.getNumElements())
    return emitOpError("turns ")
           << source.getNumElements() << " elements into "
           << result.getNumElements() << "; a reshape keeps their number";
  if (source.getLayout().isIdentity() && result.getLayout().isIdentity())
    return success();
  return verifyTiledReshape(*this, source, result);
}

OpFoldResult MemRefReshapeOp::fold(FoldAdaptor) {
  return getType() == getInput().getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

Value MemRefReshapeOp::getViewSource() { return getInput(); }

//===----------------------------------------------------------------------===//
// MemRefBitcastOp
//===----------------------------------------------------------------------===//

///   %0 = tpu.memref_bitcast %m : memref<8x128xf32> -> memref<16x128xbf16>
///
/// Like tpu.bitcast, along the second to last dimension.
LogicalResult MemRefBitcastOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = getType();
  if (failed(verifySameSpace(*this, source, result)))
    return failure();
  for (MemRefType type : {source, result})
    if (!type.getElementType().isIntOrFloat())
      return emitOpError("casts elements of type ")
             << type.getElementType() << ", which have no bits to reinterpret";
  int64_t rank = source.getRank();
  if (rank != result.getRank())
    return emitOpError("changes the rank from ")
           << rank << " to " << result.getRank() << "; a bitcast keeps it";
  if (rank < 2)
    return emitOpError("casts a memref of rank ")
           << rank << ", but rank 2 or more is needed";
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t from = source.getDimSize(dim), to = result.getDimSize(dim);
    if (dim != rank - 2) {
      if (from != to)
        return emitOpError("changes dimension ")
               << dim << " from " << from << " to " << to
               << "; only the second to last may change";
      continue;
    }
    int64_t fromBits = source.getElementTypeBitWidth();
    int64_t toBits = result.getElementTypeBitWidth();
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to)) {
      if (from != to || fromBits != toBits)
        return emitOpError("changes the width of the elements along a dynamic "
                           "dimension ")
               << dim;
      continue;
    }
    if (from * fromBits != to * toBits)
      return emitOpError("turns ")
             << from << " x " << fromBits << " bits into " << to << " x "
             << toBits << " bits along dimension " << dim
             << "; a bitcast keeps their product";
  }
  return success();
}

OpFoldResult MemRefBitcastOp::fold(FoldAdaptor) {
  return getType() == getInput().getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

Value MemRefBitcastOp::getViewSource() { return getInput(); }

//===----------------------------------------------------------------------===//
// ReinterpretCastOp
//===----------------------------------------------------------------------===//

/// A cast may change anything but the space; the author knows the layout.
LogicalResult ReinterpretCastOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = getType();
  if (source.getMemorySpace() != result.getMemorySpace())
    return emitOpError("casts ") << source << " to " << result
                                 << ", which is in another memory space";
  // A strided layout may leave strides to the memref that is cast.
  int64_t given = getDynamicStrides().size();
  int64_t dynamic = getNumDynamicStrides(result);
  if (given > dynamic || (isTiled(result) && given < dynamic))
    return emitOpError("has ") << given << " dynamic strides for a result with "
                               << dynamic << " dynamic strides";
  return verifyDynamicSizes(*this, result, getDynamicSizes().size());
}

OpFoldResult ReinterpretCastOp::fold(FoldAdaptor) {
  if (!getDynamicOffset() && getDynamicSizes().empty() &&
      getDynamicStrides().empty() && getType() == getInput().getType())
    return getInput();
  return {};
}

Value ReinterpretCastOp::getViewSource() { return getInput(); }

//===----------------------------------------------------------------------===//
// SharedMemRefSliceOp
//===----------------------------------------------------------------------===//

/// Of a memref<8x512xf32> in shared memory, each of 16 subcores has a
/// memref<8x32xf32>.
static LogicalResult verifyStripe(SharedMemRefSliceOp op, MemRefType source,
                                  MemRefType result) {
  if (source.getRank() < 1 || source.getRank() != result.getRank() ||
      source.getShape().drop_back() != result.getShape().drop_back())
    return op.emitOpError("gives ") << result << " as a part of " << source
                                    << "; only the last dimension may differ";
  int64_t whole = source.getShape().back(), part = result.getShape().back();
  if (ShapedType::isDynamic(whole) || ShapedType::isDynamic(part))
    return op.emitOpError("divides the dynamic last dimension of ")
           << source << " to that of " << result << "; both must be static";
  if (part == 0 || whole % part != 0)
    return op.emitOpError("gives ")
           << part << " of the " << whole
           << " elements along the last dimension to each subcore; the parts "
              "must be equal";
  return success();
}

/// The part depends on the subcore that runs the operation.
LogicalResult SharedMemRefSliceOp::verify() {
  auto source = cast<MemRefType>(getMemRef().getType());
  auto result = getType();
  CoreType core = getCoreType(*this);
  if (core != CoreType::ScVectorSubcore)
    return emitOpError("runs on ")
           << stringifyCoreType(core)
           << ", but only sc_vector_subcore has a part of shared memory";
  if (getMemorySpace(source) != MemorySpace::VmemShared)
    return emitOpError("takes a part of ")
           << source << ", but only vmem_shared is dealt out to subcores";
  if (getMemorySpace(result) != MemorySpace::Vmem ||
      getNamedCoreType(result).value_or(core) != core)
    return emitOpError("gives ")
           << result << ", but the part lies in the subcore's own vmem";
  return success(succeeded(verifySameElement(*this, source, result)) &&
                 succeeded(verifyStripe(*this, source, result)));
}

Value SharedMemRefSliceOp::getViewSource() { return getMemRef(); }

//===----------------------------------------------------------------------===//
// AnnotateOp
//===----------------------------------------------------------------------===//

/// The three promises exclude each other; no_bank_conflict goes with any.
LogicalResult AnnotateOp::verify() {
  SmallVector<StringRef> orders;
  for (auto [name, isSet] :
       {std::pair("no_store", getNoStore()),
        std::pair("no_hazard", getNoHazard()),
        std::pair("no_hazard_no_deps", getNoHazardNoDeps())})
    if (isSet)
      orders.push_back(name);
  if (orders.size() <= 1)
    return success();
  return emitOpError("has ") << orders[0] << " and " << orders[1]
                             << " set; each determines the order, keep one";
}

/// An annotation without a promise is its operand.
OpFoldResult AnnotateOp::fold(FoldAdaptor) {
  bool saysNothing = !getNoStore() && !getNoBankConflict() && !getNoHazard() &&
                     !getNoHazardNoDeps();
  return saysNothing ? OpFoldResult(getOperand()) : OpFoldResult();
}

Value AnnotateOp::getViewSource() { return getOperand(); }

//===----------------------------------------------------------------------===//
// MemRefMemorySpaceIsOp, TileSizeOp
//===----------------------------------------------------------------------===//

/// Memory in `any` is in another space in the end.
LogicalResult MemRefMemorySpaceIsOp::verify() {
  if (getMemorySpace().getValue() != MemorySpace::Any)
    return success();
  return emitOpError("asks for the memory space any, in which no memref is in "
                     "the end; name another one");
}

OpFoldResult MemRefMemorySpaceIsOp::fold(FoldAdaptor) {
  auto source = cast<MemRefType>(getSource().getType());
  // The compiler decides about `any`, and where the space is left open.
  std::optional<MemorySpace> space = tpu::getMemorySpace(source);
  if (!space || *space == MemorySpace::Any)
    return {};
  bool isEqual = *space == getMemorySpace().getValue();
  if (isEqual && getMemorySpace().getCoreType())
    isEqual = getNamedCoreType(source).value_or(getCoreType(*this)) ==
              *getMemorySpace().getCoreType();
  return BoolAttr::get(getContext(), isEqual);
}

/// The tiles are per dimension of the memref.
LogicalResult TileSizeOp::verify() {
  int64_t index = static_cast<int32_t>(getIndex());
  int64_t rank = cast<MemRefType>(getSource().getType()).getRank();
  if (index >= 0 && index < rank)
    return success();
  return emitOpError("asks for dimension ")
         << index << ", which is not in [0, " << rank << ")";
}

OpFoldResult TileSizeOp::fold(FoldAdaptor) {
  auto source = cast<MemRefType>(getSource().getType());
  // Without a layout it is the compiler that chooses the tiles.
  auto layout = dyn_cast<TiledLayoutAttr>(source.getLayout());
  if (!layout)
    return {};
  int64_t size = 1;
  if (!layout.getTiles().empty()) {
    ArrayRef<int64_t> tile = layout.getTiles().front().asArrayRef();
    // Dimensions in front of the tile have size one.
    int64_t dim = static_cast<int64_t>(getIndex()) -
                  (source.getRank() - static_cast<int64_t>(tile.size()));
    if (dim >= 0)
      size = tile[dim];
  }
  return IntegerAttr::get(IntegerType::get(getContext(), 32), size);
}

//===----------------------------------------------------------------------===//
// AssumeMultipleOp
//===----------------------------------------------------------------------===//

///   %0 = tpu.assume_multiple %n, 8 : i32
///
/// A promise that a constant breaks is an error.
LogicalResult AssumeMultipleOp::verify() {
  if (getMultiple() < 1)
    return emitOpError("promises a multiple of ")
           << getMultiple() << ", which is below 1";
  APInt value;
  if (matchPattern(getValue(), m_ConstantInt(&value)) &&
      value.getSExtValue() % getMultiple() != 0)
    return emitOpError("promises a multiple of ")
           << getMultiple() << " but the operand is the constant "
           << value.getSExtValue();
  return success();
}

OpFoldResult AssumeMultipleOp::fold(FoldAdaptor adaptor) {
  // A constant shows by itself what it is a multiple of.
  if (auto value = dyn_cast_if_present<IntegerAttr>(adaptor.getValue()))
    return value;
  // Everything is a multiple of one.
  if (getMultiple() == 1)
    return getValue();
  return {};
}
