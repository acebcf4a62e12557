//===- PallasDistributePipelines.cpp - Parts of pipelines for cores -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel dimension is cut: one that all cores get equal parts of, or else
// the longest, of which the first cores get one index more:
//
//   pallas.emit_pipeline grid(8) ... {coreAxis = "core"}    on 2 cores
// becomes
//   %c = pallas.axis_index "core"
//   pallas.emit_pipeline grid(4)    with %i + 4 * %c in place of %i
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/DistributePipelines.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASDISTRIBUTEPIPELINES
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The dimension of the grid that the cores share; none when no one runs in
/// any order.
static std::optional<unsigned> findSharedDim(EmitPipelineOp op,
                                             int64_t numCores) {
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  SmallVector<DimensionSemantics> semantics = grid.getGridDimensionSemantics();
  std::optional<unsigned> longest, dynamic;
  ArrayRef<int64_t> shape = op.getGrid();
  // Without semantics all dimensions run in order.
  for (auto [dim, order] : llvm::enumerate(semantics)) {
    int64_t size = shape[dim];
    if (order != DimensionSemantics::Parallel)
      continue;
    if (ShapedType::isDynamic(size)) {
      if (!dynamic)
        dynamic = dim;
      continue;
    }
    if (size % numCores == 0)
      // An even division leaves no core idle.
      return dim;
    if (!longest || size > shape[*longest])
      longest = dim;
  }
  return longest ? longest : dynamic;
}

/// Lets uses of a grid index see it moved.
///   %1 = arith.addi %i, %first
static void moveIndex(Region &region, unsigned dim, Value offset) {
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  Value id = region.getArgument(dim);
  auto moved = arith::AddIOp::create(builder, offset.getLoc(), id, offset);
  id.replaceAllUsesExcept(moved, moved);
}

namespace {
/// The indices of one core along the shared dimension.
struct CorePart {
  Value first, count;
};
} // namespace

/// For 10 indices on 4 cores: 3, 3, 2 and 2, beginning at 0, 3, 6 and 8.
static CorePart createPart(OpBuilder &builder, Location loc, Value core,
                           int64_t numCores, Value size) {
  auto i32 = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  };
  Value cores = i32(numCores);
  Value each = arith::DivSIOp::create(builder, loc, size, cores);
  Value rest = arith::RemSIOp::create(builder, loc, size, cores);
  Value hasMore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        core, rest);
  Value more = arith::SelectOp::create(builder, loc, hasMore, i32(1), i32(0));
  CorePart part;
  part.count = arith::AddIOp::create(builder, loc, each, more);
  part.first = arith::AddIOp::create(
      builder, loc, arith::MulIOp::create(builder, loc, core, each),
      arith::MinSIOp::create(builder, loc, core, rest));
  return part;
}

/// Cuts the shared dimension in place: the sizes of the grid, the maps and the
/// body.
static LogicalResult takeCorePart(EmitPipelineOp op) {
  StringRef axis = *op.getCoreAxis();
  std::optional<int64_t> numCores = lookUpAxis(op, axis).size;
  if (!numCores || ShapedType::isDynamic(*numCores))
    return op.emitOpError()
           << "shares its grid along the axis '" << axis
           << "', which no mesh around it has with a known size; name an axis "
              "of the mesh that runs it";
  std::optional<unsigned> dim = findSharedDim(op, *numCores);
  if (*numCores != 1 && !dim)
    return op.emitOpError() << "shares its grid along the axis '" << axis
                            << "', but all dimensions of the grid run in "
                               "order; call one of them "
                               "parallel";
  op.removeCoreAxisAttr();
  // One core runs everything.
  if (*numCores == 1)
    return success();

  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  SmallVector<int64_t> shape(op.getGrid());
  SmallVector<Value> dynamic(op.getDynamicGrid());
  unsigned position =
      llvm::count_if(ArrayRef(shape).take_front(*dim), ShapedType::isDynamic);
  int64_t size = shape[*dim];
  bool isDynamic = ShapedType::isDynamic(size);
  Value total = isDynamic ? dynamic[position]
                          : arith::ConstantOp::create(
                                builder, loc, builder.getI32IntegerAttr(size))
                                .getResult();
  if (total.getType().isIndex())
    total =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), total);
  Value core = AxisIndexOp::create(builder, loc, axis);
  CorePart part = createPart(builder, loc, core, *numCores, total);
  // Equal parts keep the grid static, so later passes can count its points.
  if (!isDynamic && size % *numCores == 0) {
    shape[*dim] = size / *numCores;
  } else {
    shape[*dim] = ShapedType::kDynamic;
    if (isDynamic)
      dynamic[position] = part.count;
    else
      dynamic.insert(dynamic.begin() + position, part.count);
  }
  op.setGrid(shape);
  op.getDynamicGridMutable().assign(dynamic);
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    if (Region *map = grid.getIndexMap(index))
      moveIndex(*map, *dim, part.first);
  moveIndex(grid.getKernelRegion(), *dim, part.first);
  return success();
}

/// Also called by pallas-discharge-state, which has to see the indices.
FailureOr<int64_t> mlir::pallas::distributePipelines(Operation *root) {
  int64_t count = 0;
  WalkResult result = root->walk([&](EmitPipelineOp op) {
    if (!op.getCoreAxis())
      return WalkResult::advance();
    ++count;
    return WalkResult(takeCorePart(op));
  });
  if (result.wasInterrupted())
    return failure();
  return count;
}

namespace {
struct DistributePipelinesPass
    : public pallas::impl::PallasDistributePipelinesBase<
          DistributePipelinesPass> {
  using PallasDistributePipelinesBase::PallasDistributePipelinesBase;

  void runOnOperation() override {
    FailureOr<int64_t> count = distributePipelines(getOperation());
    if (failed(count))
      return signalPassFailure();
    numDistributed += *count;
  }
};
} // namespace
