//===- Grid.h - One meaning of a grid for every target ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discharge and the lowerings turn a grid into loops of their own. They share
// how a kernel asks for its place in the grid, and how blocks tile an array
// that they do not divide.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_GRID_H
#define PALLAS_DIALECT_PALLAS_UTILS_GRID_H

#include "mlir/IR/Builders.h"
#include "pallas/Dialect/Pallas/IR/PallasInterfaces.h"

namespace mlir::pallas {

/// A `program_id`, `num_programs`, `axis_index`, `axis_size` or `core_id` that
/// is about dimension `dim` of the grid or mesh.
struct GridQuery {
  Operation *op;
  unsigned dim;
  /// The size of the dimension is wanted, not the program's coordinate.
  bool isSize;

  Location getLoc() const { return op->getLoc(); }
};

/// Replaces the queries in `region` that are about the grid or mesh of the op
/// around it, whose dimensions have these names; unnamed dimensions have empty
/// ones. Queries about an outer or inner grid stay. `answer` returns an i32,
/// built in front of the query, or null to leave the query alone.
void replaceGridQueries(
    Region &region, ArrayRef<StringRef> names,
    function_ref<Value(OpBuilder &builder, const GridQuery &query)> answer);

/// The names of the axes of a mesh, in order.
SmallVector<StringRef> getAxisNames(MeshAttr mesh);

/// The mesh of the `mpmd_map` kernel that holds `op`; null outside of one.
MeshAttr getEnclosingMesh(Operation *op);

/// The calls in `root` that no other call holds.
SmallVector<Operation *> getOutermostCalls(Operation *root);

/// The sizes of a grid as values of an integer or index type; `dynamic` holds
/// those that are not static.
SmallVector<Value> createGridSizes(OpBuilder &builder, Location loc,
                                   ArrayRef<int64_t> shape, ValueRange dynamic,
                                   Type type);

/// Moves the body of an index map, whose arguments have been replaced, in front
/// of the builder and returns the values that it yields.
SmallVector<Value> moveIndexMap(OpBuilder &builder, Region &map);
/// Copies the body of an index map, with these values as its arguments, and
/// returns what it yields as i32.
SmallVector<Value> copyIndexMap(OpBuilder &builder, Location loc, Region &map,
                                ValueRange arguments);

/// The greatest value that a result of an index map may have, if that is easy
/// to see: ids of a static grid, and constants. Ask before the arguments of the
/// map are replaced.
std::optional<int64_t> getLargestIndex(GridMappingOpInterface op, Region *map,
                                       unsigned result);

/// The element at which a window starts along a dimension of `size` elements.
/// One that would lie outside is moved inside, as JAX does it; negative starts
/// count from the end first. `largest` is the greatest block index.
Value moveWindowInside(OpBuilder &builder, Location loc, Value start,
                       BlockDimAttr dim, std::optional<int64_t> largest,
                       int64_t size);

/// The shape that whole blocks tile: the array with the padding of its element
/// dimensions, rounded up to multiples of the block. An empty array gets one
/// block, because programs may see it.
SmallVector<int64_t> getPaddedShape(ArrayRef<int64_t> shape,
                                    BlockMappingAttr mapping);

/// The value of elements that nothing has written, padding included: NaN, or
/// the value that JAX's interpreter gives an integer. A kernel that relies on
/// padding so gives the same answer at every stage, and a visible one.
TypedAttr getUninitializedValue(Type type);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_GRID_H
