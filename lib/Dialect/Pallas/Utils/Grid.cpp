//===- Grid.cpp - One meaning of a grid for every target ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "mlir/IR/IRMapping.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "pallas/Dialect/Pallas/Utils/TensorParts.h"
#include "pallas/Support/Widths.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// The dimension of `owner` that `op` asks about, if it asks about that op.
static std::optional<unsigned> getQueriedDimension(Operation *op,
                                                   Operation *owner,
                                                   ArrayRef<StringRef> names) {
  if (isa<ProgramIdOp, NumProgramsOp>(op)) {
    GridMappingOpInterface grid = getEnclosingGrid(op);
    if (!grid || grid != owner)
      return std::nullopt;
    return grid.getGridDimensionOfAxis(
        op->getAttrOfType<IntegerAttr>("axis").getInt());
  }
  if (isa<AxisIndexOp, AxisSizeOp>(op)) {
    StringRef name = op->getAttrOfType<StringAttr>("axisName");
    const auto *found = llvm::find(names, name);
    if (found == names.end() || lookUpAxis(op, name).holder != owner)
      return std::nullopt;
    return found - names.begin();
  }
  // Meshes of TPU cores name the core first.
  if (isa<CoreIdOp>(op) && isa<CoreMapOp, MpmdMapOp>(owner))
    return 0;
  return std::nullopt;
}

/// Collects the queries before it replaces them, because `answer` may insert
/// operations into the region that is walked. Queries about other owners stay:
/// a pipeline inside of a kernel has a grid of its own.
void pallas::replaceGridQueries(
    Region &region, ArrayRef<StringRef> names,
    function_ref<Value(OpBuilder &builder, const GridQuery &query)> answer) {
  SmallVector<GridQuery> queries;
  visitOperations(region, [&](Operation *op) {
    if (auto dim = getQueriedDimension(op, region.getParentOp(), names))
      queries.push_back({op, *dim, isa<NumProgramsOp, AxisSizeOp>(op)});
    return WalkResult::advance();
  });
  for (const GridQuery &query : queries) {
    OpBuilder builder(query.op);
    Value value = answer(builder, query);
    if (!value)
      continue;
    query.op->getResult(0).replaceAllUsesWith(value);
    query.op->erase();
  }
}

SmallVector<StringRef> pallas::getAxisNames(MeshAttr mesh) {
  return llvm::map_to_vector(mesh.getAxes(), [](MeshAxisAttr axis) {
    return axis.getName().getValue();
  });
}

/// A map has one mesh per kernel, in the order of its regions. So the region
/// of the map that contains `op` gives the position of the mesh.
MeshAttr pallas::getEnclosingMesh(Operation *op) {
  auto map = op->getParentOfType<MpmdMapOp>();
  if (!map)
    return {};
  Region *kernel = op->getParentRegion();
  while (kernel->getParentOp() != map)
    kernel = kernel->getParentRegion();
  return cast<MeshAttr>(map.getMeshes()[kernel->getRegionNumber()]);
}

/// Calls inside of kernels belong to the call around them.
SmallVector<Operation *> pallas::getOutermostCalls(Operation *root) {
  SmallVector<Operation *> calls;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<PallasCallOp, MpmdMapOp>(op))
      return WalkResult::advance();
    calls.push_back(op);
    return WalkResult::skip();
  });
  return calls;
}

//===----------------------------------------------------------------------===//
// Sizes and index maps
//===----------------------------------------------------------------------===//

/// For example, the sizes of grid(4, %n) as i32 are
///
///   %0 = arith.constant 4 : i32
///   %1 = arith.index_cast %n : index to i32
SmallVector<Value> pallas::createGridSizes(OpBuilder &builder, Location loc,
                                           ArrayRef<int64_t> shape,
                                           ValueRange dynamic, Type type) {
  SmallVector<Value> sizes;
  for (int64_t size : shape) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(arith::ConstantOp::create(
          builder, loc, builder.getIntegerAttr(type, size)));
      continue;
    }
    Value value = dynamic.front();
    dynamic = dynamic.drop_front();
    if (value.getType() != type)
      value = arith::IndexCastOp::create(builder, loc, type, value);
    sizes.push_back(value);
  }
  return sizes;
}

/// Moves the operations of an index map to the insertion point. The map must
/// not be used afterwards: it has only its terminator left.
SmallVector<Value> pallas::moveIndexMap(OpBuilder &builder, Region &map) {
  Block &body = map.front();
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations(), body.begin(),
      terminator->getIterator());
  return results;
}

/// Copies the operations of an index map to the insertion point, with
/// `arguments` for the arguments of the map. Results are i32, whatever type the
/// map yields, because the callers do arithmetic with i32 ids of programs.
SmallVector<Value> pallas::copyIndexMap(OpBuilder &builder, Location loc,
                                        Region &map, ValueRange arguments) {
  Block &body = map.front();
  IRMapping values;
  values.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    builder.clone(op, values);
  Type i32 = builder.getI32Type();
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(), [&](Value result) -> Value {
        Value value = values.lookupOrDefault(result);
        if (value.getType().isIndex())
          return arith::IndexCastOp::create(builder, loc, i32, value);
        if (value.getType().isInteger(64))
          return arith::TruncIOp::create(builder, loc, i32, value);
        return value;
      });
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Only constants and ids of the grid have a largest value here. For example,
/// with grid(4, 8):
///
///   ^bb0(%i: i32, %j: i32):
///     pallas.yield %j, %c2 : i32, i32
///
/// has 7 for the first result and 2 for the second.
std::optional<int64_t> pallas::getLargestIndex(GridMappingOpInterface op,
                                               Region *map, unsigned result) {
  if (!map)
    return 0;
  Value value = map->front().getTerminator()->getOperand(result);
  if (std::optional<int64_t> constant = getConstantInteger(value))
    return *constant < 0 ? std::nullopt : constant;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &map->front() ||
      argument.getArgNumber() >= op.getGridRank())
    return std::nullopt;
  int64_t size = op.getGridShape()[argument.getArgNumber()];
  return ShapedType::isDynamic(size) ? std::nullopt
                                     : std::optional<int64_t>(size - 1);
}

/// Clamps the start of a window so that all of it is inside of the array, as
/// JAX does in interpret mode. A negative start counts from the end first. No
/// operations are created if the largest index is known to be inside.
Value pallas::moveWindowInside(OpBuilder &builder, Location loc, Value start,
                               BlockDimAttr dim, std::optional<int64_t> largest,
                               int64_t size) {
  bool isSqueezed = dim.getKind() == BlockDimKind::Squeezed;
  int64_t last = size - (isSqueezed ? 1 : dim.getSize());
  int64_t step = dim.getKind() == BlockDimKind::Blocked ? dim.getSize() : 1;
  if (largest && *largest * step <= last)
    return start;
  Value extent = arith::ConstantIndexOp::create(builder, loc, size);
  return createClamped(builder, loc, createWrapped(builder, loc, start, extent),
                       last);
}

/// The array is padded to a whole number of blocks, and to one block at least:
/// an array of 100 elements in blocks of 32 has a padded size of 128.
SmallVector<int64_t> pallas::getPaddedShape(ArrayRef<int64_t> shape,
                                            BlockMappingAttr mapping) {
  SmallVector<int64_t> padded;
  for (auto [size, dim] : llvm::zip_equal(shape, mapping.getDims())) {
    int64_t block = dim.getKind() == BlockDimKind::Squeezed ? 1 : dim.getSize();
    int64_t total = dim.getPadLow() + size + dim.getPadHigh();
    padded.push_back(std::max<int64_t>(llvm::divideCeil(total, block), 1) *
                     block);
  }
  return padded;
}

/// Memory that nothing has written holds the values of JAX's interpret mode, so
/// that results can be compared: NaN for floats that have one, and the smallest
/// number for integers, except for i1 and i16.
TypedAttr pallas::getUninitializedValue(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    return FloatAttr::get(type, APFloat::semanticsHasNaN(semantics)
                                    ? APFloat::getNaN(semantics)
                                    : APFloat::getZero(semantics));
  }
  unsigned width = getBitWidth(type);
  return IntegerAttr::get(type, width == 1 || width == 16
                                    ? APInt::getZero(width)
                                    : APInt::getSignedMinValue(width));
}
