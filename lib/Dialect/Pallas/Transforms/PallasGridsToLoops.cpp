//===- PallasGridsToLoops.cpp - Grids as loops over windows ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop per dimension of a grid, with the kernel in the innermost one, whose
// blocks are views of their arrays:
//
//   pallas.emit_pipeline grid(3)
//       in(%x : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
//       kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>) {...}
//
// becomes
//
//   scf.for %iv = %c0 to %c3 step %c1 {
//     %i = arith.index_cast %iv : index to i32
//     %a = pallas.window %x[%i : i32] block<[2], vmem>
//       : !pallas.ref<6xf32, any>
//     ...
//   }
//
//===----------------------------------------------------------------------===//

#include "GridChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASGRIDSTOLOOPS
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Rewrites one pipeline. `run` lists the parts in the order in which they
/// execute.
class PipelineToLoops {
public:
  PipelineToLoops(EmitPipelineOp op, bool checked)
      : op(op), grid(cast<GridMappingOpInterface>(op.getOperation())), b(op),
        loc(op.getLoc()), checks(grid, b, checked) {}

  LogicalResult run();

private:
  LogicalResult verifyForm();
  Value padArray(ArrayRef<Value> refs, unsigned index);
  void createScope();
  void createLoops();
  Value createWindow(unsigned index, ValueRange ids);
  SmallVector<Value> runProgram(ValueRange ids);
  void yieldCarried(SmallVector<Value> carried);

  EmitPipelineOp op;
  GridMappingOpInterface grid;
  OpBuilder b;
  Location loc;
  GridChecks checks;
  /// The array of each block, padded where necessary.
  SmallVector<Value> arrays;
  RunScopedOp scope;
  SmallVector<scf::ForOp> loops;
  /// The values that a program gets from the one before.
  SmallVector<Value> carried;
};

} // namespace

/// A window has one start and one size along each dimension.
LogicalResult PipelineToLoops::verifyForm() {
  if (op.getCoreAxis())
    return op.emitOpError("shares its grid among cores; run "
                          "pallas-distribute-pipelines before");
  for (auto [index, mapping] : llvm::enumerate(grid.getMappings()))
    for (BlockDimAttr dim : mapping.getDims())
      if (dim.getKind() == BlockDimKind::BoundedSlice ||
          dim.getKind() == BlockDimKind::Indirect)
        return op.emitOpError()
               << "block " << index << " has a "
               << stringifyBlockDimKind(dim.getKind())
               << " dimension, of which loops have no windows; use a blocked "
                  "or an element dimension";
  return success();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Whether a ref is a view whose elements have another width than those of the
/// memory behind it:
///
///   %w = pallas.bitcast_ref %r
///       : !pallas.ref<16x128xbf16, any> -> !pallas.ref<8x128xi32, any>
///
/// Rows of it interleave in memory, which strides can't express, so CPUs copy
/// such a view for each access.
static bool changesWidth(Value ref) {
  for (; isRefView(ref.getDefiningOp());
       ref = ref.getDefiningOp()->getOperand(0)) {
    auto view = ref.getDefiningOp<BitcastRefOp>();
    if (view && view.getRef().getType().getElementTypeBitWidth() !=
                    view.getView().getType().getElementTypeBitWidth())
      return true;
  }
  return false;
}

/// The array that block `index` is cut from: whole blocks tile it. A view that
/// is copied at each access is copied once here, for all blocks of it.
///
///   %p = pallas.pad_ref %x low [0]
///     : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
Value PipelineToLoops::padArray(ArrayRef<Value> refs, unsigned index) {
  auto type = cast<RefType>(refs[index].getType());
  BlockMappingAttr mapping = grid.getMappings()[index];
  SmallVector<int64_t> shape = getPaddedShape(type.getShape(), mapping);
  if (ArrayRef<int64_t>(shape) == type.getShape()) {
    if (!changesWidth(refs[index]))
      return refs[index];
    for (auto [ref, array] : llvm::zip(refs, arrays))
      if (ref == refs[index] && array.getType() == type)
        return array;
  }
  SmallVector<int64_t> low = getLowPadding(mapping);
  return PadRefOp::create(b, loc, type.withShape(shape), refs[index], low);
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
void PipelineToLoops::createScope() {
  auto scratch = grid.sliceScratchOps();
  if (scratch.empty())
    return;
  scope = RunScopedOp::create(b, loc, op.getResultTypes(), ArrayAttr());
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
/// Leaves the insertion point in the innermost loop.
void PipelineToLoops::createLoops() {
  SmallVector<Value> sizes =
      createGridSizes(b, loc, grid.getGridShape(),
                      grid.getDynamicGridOperands(), b.getIndexType());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0),
        one = arith::ConstantIndexOp::create(b, loc, 1);
  carried = SmallVector<Value>(op.getInitCarry());
  for (Value size : sizes) {
    auto loop = scf::ForOp::create(b, loc, zero, size, one, carried);
    loops.push_back(loop);
    carried = llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    b.setInsertionPointToStart(loop.getBody());
  }
}

/// Moves the index map here. For map(%i, %j) -> (%j, 0):
///
///   %c0_i32 = arith.constant 0 : i32
///   %w = pallas.window %x[%j, %c0_i32 : i32, i32] block<[8, 128], vmem> : ...
Value PipelineToLoops::createWindow(unsigned index, ValueRange ids) {
  Region &map = *grid.getIndexMap(index);
  for (auto [argument, id] : llvm::zip_equal(map.front().getArguments(), ids))
    argument.replaceAllUsesWith(id);
  SmallVector<Value> indices = moveIndexMap(b, map);
  Value window = WindowOp::create(b, loc, arrays[index], indices,
                                  grid.getMappings()[index]);
  checks.window(index, indices, window);
  return window;
}

/// Moves the kernel here, and returns what it yields.
SmallVector<Value> PipelineToLoops::runProgram(ValueRange ids) {
  Block &kernel = grid.getKernelRegion().front();
  for (auto [argument, id] : llvm::zip(kernel.getArguments(), ids))
    argument.replaceAllUsesWith(id);
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    argument.replaceAllUsesWith(createWindow(index, ids));
  for (auto [argument, value] : llvm::zip_equal(
           kernel.getArguments().take_back(carried.size()), carried))
    argument.replaceAllUsesWith(value);
  return moveIndexMap(b, grid.getKernelRegion());
}

/// The values that a program yields leave the loops around it one by one, then
/// the scope.
void PipelineToLoops::yieldCarried(SmallVector<Value> carried) {
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
  op->replaceAllUsesWith(carried);
}

/// The order is that of lifetimes: padded arrays outlive scratch, which
/// outlives the loops. An input is not copied back: a store to its window is
/// lost on a TPU, too.
LogicalResult PipelineToLoops::run() {
  if (failed(verifyForm()))
    return failure();
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  SmallVector<Value> unpadded(op.getInputs());
  llvm::append_range(unpadded, op.getOutputs());
  for (unsigned index = 0; index < unpadded.size(); ++index)
    arrays.push_back(padArray(unpadded, index));
  createScope();
  checks.begin();
  createLoops();
  SmallVector<Value> ids;
  for (scf::ForOp loop : loops)
    ids.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                             loop.getInductionVar()));
  checks.program(llvm::map_to_vector(
      loops, [](scf::ForOp loop) { return Value(loop.getInductionVar()); }));
  yieldCarried(runProgram(ids));
  for (unsigned i = op.getInputs().size(); i < arrays.size(); ++i)
    if (arrays[i] != unpadded[i])
      UnpadRefOp::create(b, loc, arrays[i], getLowPadding(mappings[i]),
                         unpadded[i]);
  op.erase();
  return success();
}

namespace {
struct GridsToLoopsPass
    : public pallas::impl::PallasGridsToLoopsBase<GridsToLoopsPass> {
  using PallasGridsToLoopsBase::PallasGridsToLoopsBase;

  /// Pipelines inside of others come first: their arrays are windows, which
  /// have names as long as the outer grid is there.
  void runOnOperation() override {
    bool checked = getOperation()->hasAttr(kHasChecksAttrName);
    SmallVector<EmitPipelineOp> pipelines;
    getOperation().walk([&](EmitPipelineOp op) { pipelines.push_back(op); });
    for (EmitPipelineOp op : pipelines) {
      if (failed(PipelineToLoops(op, checked).run()))
        return signalPassFailure();
      ++numPipelines;
    }
  }
};
} // namespace
