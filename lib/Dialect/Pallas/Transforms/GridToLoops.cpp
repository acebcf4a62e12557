//===- GridToLoops.cpp - A grid while it becomes loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop per dimension of the grid, with the index maps, a window for each
// block and the kernel in the innermost one:
//
//   scf.for %iv = %c0 to %c3 step %c1 {
//     %i = arith.index_cast %iv : index to i32
//     %a = pallas.window %x[%i : i32] block<[2], vmem>
//       : !pallas.ref<6xf32, any>
//     ...
//   }
//
//===----------------------------------------------------------------------===//

#include "GridToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

/// A window has one start and one size along each dimension.
LogicalResult GridToLoops::verifyForm() {
  for (auto [index, mapping] : llvm::enumerate(grid.getMappings()))
    for (BlockDimAttr dim : mapping.getDims())
      if (dim.getKind() == BlockDimKind::BoundedSlice ||
          dim.getKind() == BlockDimKind::Indirect)
        return grid->emitOpError()
               << "block " << index << " has a "
               << stringifyBlockDimKind(dim.getKind())
               << " dimension, of which loops have no windows; use a blocked "
                  "or an element dimension";
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Scratch lives as long as the grid, and the scope returns what the last
/// program yields:
///
///   %r = pallas.run_scoped (%t: !pallas.ref<4xf32, vmem>) -> f32 {
///     %sum = scf.for ... iter_args(%s = %start) -> (f32) {...}
///     pallas.yield %sum : f32
///   }
void GridToLoops::createScope(TypeRange results) {
  auto scratch = grid.sliceScratchOps();
  if (scratch.empty())
    return;
  scope = RunScopedOp::create(b, loc, results, ArrayAttr());
  checks.nameScratch(scope);
  Block *body = b.createBlock(&scope.getBody());
  for (BlockArgument ref : scratch)
    ref.replaceAllUsesWith(body->addArgument(ref.getType(), ref.getLoc()));
}

/// For a grid of 2 by %n that carries a value:
///
///   %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %start) -> (f32) {
///     %1 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (f32) {
///
/// Threads have scratch of their own; programs in order keep state in it.
void GridToLoops::createLoops(unsigned numParallel, ValueRange init) {
  sizes = createGridSizes(b, loc, grid.getGridShape(),
                          grid.getDynamicGridOperands(), b.getIndexType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  if (numParallel) {
    parallel =
        scf::ParallelOp::create(b, loc, SmallVector<Value>(numParallel, zero),
                                ArrayRef(sizes).take_front(numParallel),
                                SmallVector<Value>(numParallel, one));
    llvm::append_range(ids, parallel.getInductionVars());
    b.setInsertionPointToStart(parallel.getBody());
  }
  createScope(init.getTypes());
  checks.begin(arrays);
  carried = llvm::to_vector_of<Value>(init);
  for (Value size : ArrayRef(sizes).drop_front(numParallel)) {
    auto loop = scf::ForOp::create(b, loc, zero, size, one, carried);
    loops.push_back(loop);
    ids.push_back(loop.getInductionVar());
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    b.setInsertionPointToStart(loop.getBody());
  }
  checks.program(ids, scope);
}

/// The values leave the loops one by one, then the scope.
SmallVector<Value> GridToLoops::leaveLoops(SmallVector<Value> carried) {
  for (Value window : written)
    WriteEdgeOp::create(b, loc, window);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    if (!carried.empty()) {
      b.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(b, loc, carried);
    }
    b.setInsertionPointAfter(loop);
    carried = llvm::to_vector_of<Value>(loop.getResults());
  }
  checks.end();
  if (scope) {
    YieldOp::create(b, loc, carried);
    b.setInsertionPointAfter(scope);
    carried = llvm::to_vector_of<Value>(scope.getResults());
  }
  if (parallel)
    b.setInsertionPointAfter(parallel);
  return carried;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

///   %i = arith.index_cast %iv : index to i32
Value GridToLoops::getId(unsigned dim, Type type) {
  if (ids[dim].getType() == type)
    return ids[dim];
  return arith::IndexCastOp::create(b, loc, type, ids[dim]);
}

/// Moves the index map here. Its arguments are ids, index operands, and what
/// the kernel captures.
SmallVector<Value> GridToLoops::evaluateIndexMap(unsigned index) {
  Region *map = grid.getIndexMap(index);
  if (!map)
    return SmallVector<Value>(grid.getMappings()[index].getNumIndexMapResults(),
                              arith::ConstantIndexOp::create(b, loc, 0));
  auto arguments = map->front().getArguments();
  for (auto [dim, argument] : llvm::enumerate(arguments.take_front(ids.size())))
    if (!argument.use_empty())
      argument.replaceAllUsesWith(getId(dim, argument.getType()));
  SmallVector<Value> outside(indexRefs);
  llvm::append_range(outside, grid.getCaptureOperands());
  for (auto [argument, value] :
       llvm::zip_equal(arguments.drop_front(ids.size()), outside))
    argument.replaceAllUsesWith(value);
  return moveIndexMap(b, *map);
}

/// For map(%i, %j) -> (%j, 0):
///
///   %c0_i32 = arith.constant 0 : i32
///   %w = pallas.window %x[%j, %c0_i32 : i32, i32] block<[8, 128], vmem> : ...
Value GridToLoops::createWindow(unsigned index) {
  SmallVector<Value> indices = evaluateIndexMap(index);
  BlockMappingAttr mapping = grid.getMappings()[index];
  Value window;
  if (edges[index] == EdgeKind::Padded) {
    window = WindowOp::create(b, loc, arrays[index], indices, mapping);
  } else {
    bool isOutput = index >= grid.getNumInputs();
    window = EdgeWindowOp::create(
        b, loc, arrays[index], indices, mapping,
        /*copied=*/edges[index] == EdgeKind::Copied, isOutput,
        /*filled=*/!isOutput || mayBeRead(grid.sliceBlockOps()[index]));
    if (isOutput)
      written.push_back(window);
  }
  checks.window(index, unpadded[index], indices, window);
  return window;
}

SmallVector<Value> GridToLoops::runProgram() {
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    argument.replaceAllUsesWith(createWindow(index));
  return moveIndexMap(b, grid.getKernelRegion());
}
