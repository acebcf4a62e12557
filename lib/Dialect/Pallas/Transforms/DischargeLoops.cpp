//===- DischargeLoops.cpp - Programs one after the other ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that calls, pipelines and meshes share, and the answers to
// questions about the grid.
//
//===----------------------------------------------------------------------===//

#include "DischargeLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

/// Program ids are i32, loops count by index.
static Value castIndex(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  if (value.getType() == type)
    return value;
  return arith::IndexCastOp::create(builder, loc, type, value);
}

LogicalResult
pallas::createProgramLoops(OpBuilder &builder, Location loc,
                           DischargeState &state, ValueRange sizes,
                           ArrayRef<Value> refs, MutableArrayRef<Value> others,
                           function_ref<LogicalResult(ValueRange ids)> body) {
  // The values of a loop are the contents of refs, then others. Both are spread
  // to where the body looks for them.
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
        // The body emits through the builder of the caller.
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        distribute(carried);
        SmallVector<Value> ids;
        for (Value iv : ivs)
          ids.push_back(castIndex(builder, loc, iv, builder.getI32Type()));
        status = body(ids);
        nested.restoreInsertionPoint(builder.saveInsertionPoint());
        // A failure still needs a yield, or the nest would be invalid when it
        // is destroyed.
        return scf::ValueVector(failed(status) ? SmallVector<Value>(carried)
                                               : collect());
      });
  if (failed(status))
    return failure();
  distribute(nest.results);
  return success();
}

///   %i = pallas.program_id 0
///
/// becomes the induction variable of the loop, as i32.
void pallas::answerGridQueries(Region &region, const GridPoint &point) {
  replaceGridQueries(region, point.names,
                     [&](OpBuilder &builder, const GridQuery &query) -> Value {
                       if (!query.isSize)
                         return point.ids[query.dim];
                       return castIndex(builder, query.getLoc(),
                                        point.sizes[query.dim],
                                        builder.getI32Type());
                     });
}

void pallas::spliceBody(OpBuilder &builder, Block &body) {
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations(), body.begin(),
      std::prev(body.end()));
}
