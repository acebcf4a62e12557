//===- DischargeLoops.cpp - Programs one after the other ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DischargeLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

static Value castIndex(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  if (value.getType() == type)
    return value;
  return arith::IndexCastOp::create(builder, loc, type, value);
}

SmallVector<Value> pallas::createGridSizes(OpBuilder &builder, Location loc,
                                           ArrayRef<int64_t> shape,
                                           ValueRange dynamic) {
  SmallVector<Value> sizes;
  auto next = dynamic.begin();
  for (int64_t size : shape)
    sizes.push_back(
        ShapedType::isDynamic(size)
            ? castIndex(builder, loc, *next++, builder.getIndexType())
            : arith::ConstantIndexOp::create(builder, loc, size).getResult());
  return sizes;
}

LogicalResult
pallas::createProgramLoops(OpBuilder &builder, Location loc,
                           DischargeState &state, ValueRange sizes,
                           ArrayRef<Value> refs, MutableArrayRef<Value> others,
                           function_ref<LogicalResult(ValueRange ids)> body) {
  auto distribute = [&](ValueRange values) {
    for (auto [ref, value] : llvm::zip(refs, values))
      state.define(ref, value);
    llvm::copy(values.drop_front(refs.size()), others.begin());
  };
  auto collect = [&] {
    SmallVector<Value> values = state.readAll(builder, refs);
    llvm::append_range(values, others);
    return values;
  };
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> lower(sizes.size(), zero), step(sizes.size(), one);
  LogicalResult status = success();
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, sizes, step, collect(),
      [&](OpBuilder &nested, Location, ValueRange ivs, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        distribute(carried);
        SmallVector<Value> ids;
        for (Value iv : ivs)
          ids.push_back(castIndex(builder, loc, iv, builder.getI32Type()));
        status = body(ids);
        nested.restoreInsertionPoint(builder.saveInsertionPoint());
        return scf::ValueVector(failed(status) ? SmallVector<Value>(carried)
                                               : collect());
      });
  if (failed(status))
    return failure();
  distribute(nest.results);
  return success();
}

/// The answer to one question, or null if it isn't about this grid.
static Value getAnswer(OpBuilder &builder, Operation *op,
                       const GridPoint &point) {
  std::optional<unsigned> dim;
  if (isa<ProgramIdOp, NumProgramsOp>(op)) {
    GridMappingOpInterface grid = point.grid;
    if (grid && getEnclosingGrid(op) == grid)
      dim = grid.getGridDimensionOfAxis(
          op->getAttrOfType<IntegerAttr>("axis").getInt());
  } else if (isa<AxisIndexOp, AxisSizeOp>(op)) {
    const auto *it =
        llvm::find(point.names, op->getAttrOfType<StringAttr>("axisName"));
    if (it != point.names.end())
      dim = it - point.names.begin();
  } else if (isa<CoreIdOp>(op) && point.ids.size() == 1) {
    dim = 0;
  }
  if (!dim)
    return {};
  if (isa<ProgramIdOp, AxisIndexOp, CoreIdOp>(op))
    return point.ids[*dim];
  return castIndex(builder, op->getLoc(), point.sizes[*dim],
                   builder.getI32Type());
}

void pallas::replaceGridQueries(OpBuilder &builder, Region &region,
                                const GridPoint &point) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A kernel of its own; what it captures, its operands say.
    if (isa<PallasCallOp, MpmdMapOp>(op))
      return WalkResult::skip();
    if (Value answer = getAnswer(builder, op, point)) {
      op->getResult(0).replaceAllUsesWith(answer);
      op->erase();
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
}

void pallas::spliceBody(OpBuilder &builder, Block &body) {
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations(), body.begin(),
      std::prev(body.end()));
}
