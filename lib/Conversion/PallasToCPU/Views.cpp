//===- Views.cpp - Views of refs ------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::pallas;

/// The same elements under another shape; null if the strides don't allow it.
static Value reshapeMemory(OpBuilder &b, Location loc, Value source,
                           ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(source.getType());
  if (type.getShape() == shape)
    return source;
  auto target = MemRefType::get(shape, type.getElementType());
  if (auto groups = getReassociationIndicesForReshape(
          MemRefType::get(type.getShape(), type.getElementType()), target)) {
    if (type.getRank() > target.getRank()) {
      if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, *groups))
        return memref::CollapseShapeOp::create(b, loc, source, *groups);
    } else if (succeeded(memref::ExpandShapeOp::computeExpandedType(type, shape,
                                                                    *groups))) {
      auto expanded =
          *memref::ExpandShapeOp::computeExpandedType(type, shape, *groups);
      return memref::ExpandShapeOp::create(b, loc, expanded, source, *groups);
    }
  }
  // Through one dimension.
  if (!type.getLayout().isIdentity() && type.getRank() > 1) {
    SmallVector<ReassociationIndices> all(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      all[0].push_back(d);
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, all))
      return {};
  }
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * shape[d - 1];
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, source);
  SmallVector<OpFoldResult> sizes, steps;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    sizes.push_back(b.getIndexAttr(size));
    steps.push_back(b.getIndexAttr(stride));
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  auto resultType = MemRefType::get(shape, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(
      b, loc, resultType, metadata.getBaseBuffer(),
      OpFoldResult(metadata.getOffset()), sizes, steps);
}

LogicalResult Lowering::lowerView(Operation *op) {
  Value ref = op->getOperand(0), view = op->getResult(0);
  Value source = getMemory(ref);
  Location loc = op->getLoc();
  if (auto slice = dyn_cast<SliceRefOp>(op)) {
    auto access = cast<RefAccessOpInterface>(op);
    // Only async copies use such a view; they look at it themselves.
    if (access.getIndexer().hasGather())
      return success();
    FailureOr<Value> part = createView(access);
    if (failed(part))
      return failure();
    memory[view] = *part;
    return success();
  }
  if (auto transpose = dyn_cast<TransposeRefOp>(op)) {
    SmallVector<unsigned> permutation(transpose.getPermutation().begin(),
                                      transpose.getPermutation().end());
    memory[view] = memref::TransposeOp::create(
        b, loc, source,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(permutation, b.getContext())));
    return success();
  }
  auto type = cast<RefType>(view.getType());
  if (isa<ReshapeRefOp>(op)) {
    memory[view] = reshapeMemory(b, loc, source, type.getShape());
    if (!memory[view])
      return op->emitOpError()
             << "reshapes " << ref.getType()
             << ", whose elements don't lie densely in memory; reshape the "
                "value that pallas.get yields instead";
    return success();
  }
  if (auto remote = dyn_cast<RemoteRefOp>(op)) {
    Peer peer =
        getPeer(op, remote.getDeviceIds(), remote.getDeviceAxesAttr(),
                remote.getDeviceIdType(), /*core=*/Value(), remote.getRef());
    memory[view] = getAtPeer(op, source, peer);
    return success();
  }
  if (auto cluster = dyn_cast<ClusterRefOp>(op)) {
    Peer peer = getPeer(op, cluster.getIndex(),
                        b.getArrayAttr({cluster.getAxisNameAttr()}),
                        DeviceIdType::Mesh, /*core=*/Value(), cluster.getRef());
    memory[view] = getAtPeer(op, source, peer);
    return success();
  }
  Type from = cast<RefType>(ref.getType()).getElementType(),
       to = type.getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return lowerWideView(cast<BitcastRefOp>(op));
  auto sourceType = cast<MemRefType>(source.getType());
  memory[view] =
      UnrealizedConversionCastOp::create(
          b, loc,
          MemRefType(MemRefType::Builder(sourceType).setElementType(to)),
          source)
          .getResult(0);
  return success();
}
