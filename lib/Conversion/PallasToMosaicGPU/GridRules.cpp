//===- GridRules.cpp - Where in the grid a kernel is ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pallas;

static gpu::Dimension getDimension(unsigned fromTheEnd) {
  return static_cast<gpu::Dimension>(std::min(fromTheEnd, 2u));
}

/// The index along an axis of the grid: the number of the block, or of its
/// cluster, of which z counts several axes when there are more than three.
static Value emitGridIndex(KernelEmitter &emit, ArrayRef<int64_t> sizes,
                           unsigned axis) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  unsigned fromTheEnd = sizes.size() - 1 - axis;
  gpu::Dimension dimension = getDimension(fromTheEnd);
  Value index = emit.toI32(gpu::BlockIdOp::create(b, loc, dimension));
  int64_t cluster =
      LaunchGrid(emit.mesh).cluster[static_cast<unsigned>(dimension)];
  if (cluster != 1)
    index = arith::DivUIOp::create(b, loc, index, emit.i32(cluster));
  if (sizes.size() <= 3 || fromTheEnd < 2)
    return index;
  ArrayRef<int64_t> counted = sizes.drop_back(2);
  int64_t stride = llvm::product_of(counted.drop_front(axis + 1));
  if (stride != 1)
    index = arith::DivUIOp::create(b, loc, index, emit.i32(stride));
  if (axis != 0)
    index = arith::RemUIOp::create(b, loc, index, emit.i32(sizes[axis]));
  return index;
}

static LogicalResult convertAxisIndex(AxisIndexOp op, KernelEmitter &emit) {
  SmallVector<int64_t> gridSizes, clusterSizes;
  std::optional<unsigned> position;
  MeshAxisRole role = MeshAxisRole::Grid;
  for (MeshAxisAttr axis : emit.mesh.getAxes()) {
    bool isIt = axis.getName() == op.getAxisName();
    if (isIt)
      role = axis.getRole();
    SmallVector<int64_t> &sizes =
        axis.getRole() == MeshAxisRole::Grid ? gridSizes : clusterSizes;
    if (axis.getRole() == MeshAxisRole::Thread) {
      if (isIt)
        position = 0;
      continue;
    }
    if (isIt)
      position = sizes.size();
    sizes.push_back(axis.getSize());
  }
  if (!position)
    return op.emitOpError("asks for axis '")
           << op.getAxisName() << "', which the mesh of the kernel lacks";
  if (role == MeshAxisRole::Thread)
    emit.values[op] = emit.getWarpgroup();
  else if (role == MeshAxisRole::Grid)
    emit.values[op] = emitGridIndex(emit, gridSizes, *position);
  else
    emit.values[op] = emit.toI32(gpu::ClusterBlockIdOp::create(
        emit.b, emit.loc, getDimension(clusterSizes.size() - 1 - *position)));
  return success();
}

static LogicalResult convertAxisSize(AxisSizeOp op, KernelEmitter &emit) {
  std::optional<int64_t> size = emit.mesh.getAxisSize(op.getAxisName());
  if (!size)
    return op.emitOpError("asks for axis '")
           << op.getAxisName() << "', which the mesh of the kernel lacks";
  emit.values[op] = emit.i32(*size);
  return success();
}

void mlir::pallas::addGridRules(RuleTable &rules) {
  rules.add<AxisIndexOp>(convertAxisIndex);
  rules.add<AxisSizeOp>(convertAxisSize);
}
