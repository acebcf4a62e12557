//===- GridRules.cpp - Where in the grid a kernel is ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridRules.h"
#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pallas;

/// CUDA counts the last axis as x, the one before it as y, and all others as z.
static gpu::Dimension getDimension(unsigned fromTheEnd) {
  return static_cast<gpu::Dimension>(std::min(fromTheEnd, 2u));
}

static InFlightDiagnostic reportMissing(Operation *op, StringRef axis) {
  return op->emitOpError("asks for axis '")
         << axis << "', which the mesh of the kernel lacks";
}

static FailureOr<MeshAxisAttr> findAxis(Operation *op, StringRef name,
                                        MeshAttr mesh) {
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getName() == name)
      return axis;
  return reportMissing(op, name);
}

/// The sizes of the axes that have the role of `axis`, and its place among
/// them.
static std::pair<SmallVector<int64_t>, unsigned> getSizes(MeshAttr mesh,
                                                          MeshAxisAttr axis) {
  SmallVector<int64_t> sizes;
  unsigned place = 0;
  for (MeshAxisAttr other : mesh.getAxes()) {
    if (other.getRole() != axis.getRole())
      continue;
    if (other == axis)
      place = sizes.size();
    sizes.push_back(other.getSize());
  }
  return {sizes, place};
}

/// The number of the block, or of its cluster, of which z counts several axes
/// when there are more than three. On a grid of 2x3x4x5 in clusters of 2 along
/// the last axis:
///   axis 3: gpu.block_id x / 2
///   axis 2: gpu.block_id y
///   axis 1: gpu.block_id z % 3
///   axis 0: gpu.block_id z / 3
FailureOr<Value>
mlir::pallas::getGridIndex(Operation *op, StringRef name, KernelEmitter &emit,
                           function_ref<Value(gpu::Dimension)> getBlock) {
  OpBuilder &b = emit.b;
  Location loc = emit.loc;
  FailureOr<MeshAxisAttr> found = findAxis(op, name, emit.mesh);
  if (failed(found))
    return failure();
  if (found->getRole() != MeshAxisRole::Grid)
    return op->emitOpError("asks for work along '")
           << name << "', an axis of role "
           << stringifyMeshAxisRole(found->getRole())
           << "; name axes of the grid";
  auto [sizes, axis] = getSizes(emit.mesh, *found);
  unsigned fromTheEnd = sizes.size() - 1 - axis;
  gpu::Dimension dimension = getDimension(fromTheEnd);
  Value index = getBlock(dimension);
  int64_t cluster =
      LaunchGrid(emit.mesh).cluster[static_cast<unsigned>(dimension)];
  if (cluster != 1)
    index = arith::DivUIOp::create(b, loc, index, emit.i32(cluster));
  if (sizes.size() <= 3 || fromTheEnd < 2)
    return index;
  ArrayRef<int64_t> counted = ArrayRef(sizes).drop_back(2);
  int64_t stride = llvm::product_of(counted.drop_front(axis + 1));
  if (stride != 1)
    index = arith::DivUIOp::create(b, loc, index, emit.i32(stride));
  if (axis != 0)
    index = arith::RemUIOp::create(b, loc, index, emit.i32(sizes[axis]));
  return index;
}

/// The axis of the warps whose code this is; null in the code of warpgroups.
static MeshAxisAttr getWarpAxis(Operation *op) {
  auto warps = op->getParentOfType<CoreMapOp>();
  return warps ? warps.getMesh().getAxes()[0] : MeshAxisAttr();
}

/// The four warps of a warpgroup. The region is isolated in the dialect:
///   pallas.core_map <warp, [<warp "w" = 4>]> { ... uses %ref ... }
/// -->
///   "mosaic_gpu.warp_map"(%ref) ({
///   ^bb0(%inner: memref<...>): ... uses %inner ...
///   })
static LogicalResult convertWarps(CoreMapOp op, KernelEmitter &emit) {
  MeshAttr mesh = op.getMesh();
  if (mesh.getKind() != MeshKind::Warp || mesh.getAxes().size() != 1 ||
      mesh.getAxes()[0].getSize() != 4)
    return op.emitOpError("runs on ")
           << mesh << "; in a kernel of a GPU it runs on the four warps of a "
           << "warpgroup";
  if (op->getParentOfType<CoreMapOp>())
    return op.emitOpError("runs on warps in the code of a warp; the warps of a "
                          "warpgroup are divided once");
  if (op.getBody().getNumArguments())
    return op.emitOpError("makes memory for each warp; make it by run_scoped "
                          "around the warps");
  OpBuilder::InsertionGuard guard(emit.b);
  auto warps = mosaic_gpu::WarpMapOp::create(emit.b, emit.loc, TypeRange(),
                                             ValueRange());
  Region &region = warps.getRegion();
  emit.b.setInsertionPointToStart(&region.emplaceBlock());
  {
    llvm::SaveAndRestore<bool> inWarp(emit.isInWarp, true);
    if (failed(emit.convertBlock(op.getBody().front())))
      return failure();
  }
  // Values that the code takes from around it become its operands.
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  for (Value value : captured)
    replaceAllUsesInRegionWith(
        value, region.addArgument(value.getType(), emit.loc), region);
  warps.getOperandsMutable().assign(captured.getArrayRef());
  return success();
}

/// The role of the axis decides which hardware register holds the index: blocks
/// for the grid, blocks of the cluster, or the number of the warpgroup.
FailureOr<Value> mlir::pallas::getAxisIndex(Operation *op, StringRef name,
                                            KernelEmitter &emit) {
  FailureOr<MeshAxisAttr> axis = findAxis(op, name, emit.mesh);
  if (failed(axis))
    return failure();
  if (axis->getRole() == MeshAxisRole::Thread)
    return emit.getWarpgroup();
  if (axis->getRole() == MeshAxisRole::Grid)
    return getGridIndex(op, name, emit, [&](gpu::Dimension dimension) {
      return emit.toI32(gpu::BlockIdOp::create(emit.b, emit.loc, dimension));
    });
  auto [sizes, place] = getSizes(emit.mesh, *axis);
  return emit.toI32(gpu::ClusterBlockIdOp::create(
      emit.b, emit.loc, getDimension(sizes.size() - 1 - place)));
}

static LogicalResult convertAxisIndex(AxisIndexOp op, KernelEmitter &emit) {
  if (MeshAxisAttr warps = getWarpAxis(op);
      warps && warps.getName() == op.getAxisName()) {
    emit.values[op] = emit.getWarp();
    return success();
  }
  FailureOr<Value> index = getAxisIndex(op, op.getAxisName(), emit);
  if (failed(index))
    return failure();
  emit.values[op] = *index;
  return success();
}

static LogicalResult convertAxisSize(AxisSizeOp op, KernelEmitter &emit) {
  std::optional<int64_t> size = emit.mesh.getAxisSize(op.getAxisName());
  if (MeshAxisAttr warps = getWarpAxis(op);
      warps && warps.getName() == op.getAxisName())
    size = warps.getSize();
  if (!size)
    return reportMissing(op, op.getAxisName());
  emit.values[op] = emit.i32(*size);
  return success();
}

/// The name of an axis that is asked for by its number among those of the grid.
static FailureOr<MeshAxisAttr> findGridAxis(Operation *op, int64_t number,
                                            MeshAttr mesh) {
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Grid && number-- == 0)
      return axis;
  return op->emitOpError("asks for an axis that the grid of the mesh lacks; "
                         "count from 0");
}

static LogicalResult convertProgramId(ProgramIdOp op, KernelEmitter &emit) {
  FailureOr<MeshAxisAttr> axis = findGridAxis(op, op.getAxis(), emit.mesh);
  if (failed(axis))
    return failure();
  FailureOr<Value> index = getAxisIndex(op, axis->getName().getValue(), emit);
  if (failed(index))
    return failure();
  emit.values[op] = *index;
  return success();
}

static LogicalResult convertNumPrograms(NumProgramsOp op, KernelEmitter &emit) {
  FailureOr<MeshAxisAttr> axis = findGridAxis(op, op.getAxis(), emit.mesh);
  if (failed(axis))
    return failure();
  emit.values[op] = emit.i32(axis->getSize());
  return success();
}

void mlir::pallas::addGridRules(RuleTable &rules) {
  rules.add<ProgramIdOp>(convertProgramId);
  rules.add<NumProgramsOp>(convertNumPrograms);
  rules.add<AxisIndexOp>(convertAxisIndex);
  rules.add<AxisSizeOp>(convertAxisSize);
  rules.add<CoreMapOp>(convertWarps);
}
