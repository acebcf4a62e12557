//===- PipelineToLoops.cpp - Pipelines as loops over windows --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays of a pipeline are refs of the kernel around it:
//
//   pallas.emit_pipeline grid(3)
//       in(%x : !pallas.ref<6xf32, any>) block<[2], vmem> map(%i) -> (%i)
//       kernel(%i: i32, %a: !pallas.ref<2xf32, vmem>) {...}
//
//===----------------------------------------------------------------------===//

#include "GridToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

class PipelineToLoops : GridToLoops {
public:
  PipelineToLoops(EmitPipelineOp op, bool checked)
      : GridToLoops(cast<GridMappingOpInterface>(op.getOperation()), checked),
        op(op), checked(checked) {}

  LogicalResult run();

private:
  EdgeKind chooseEdge(unsigned index);
  Value padArray(unsigned index);
  void bindKernel();

  EmitPipelineOp op;
  bool checked;
};

} // namespace

/// Other cores write to the array while a program waits for them, which a
/// padded array would hide from it, and undo in the end. So partial blocks are
/// copies where nothing depends on the padding. An array has contents here,
/// which a program that writes less than its block leaves. CPUs copy views of
/// elements of another width for each access, and no part of one by itself.
EdgeKind PipelineToLoops::chooseEdge(unsigned index) {
  if (checked || changesWidth(unpadded[index]))
    return EdgeKind::Padded;
  EdgeKind kind = chooseEdges(grid, index);
  return kind == EdgeKind::Fresh ? EdgeKind::Copied : kind;
}

/// The array that block `index` is cut from: whole blocks tile it.
///
///   %p = pallas.pad_ref %x low [0]
///     : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
Value PipelineToLoops::padArray(unsigned index) {
  Value ref = unpadded[index];
  auto type = cast<RefType>(ref.getType());
  BlockMappingAttr mapping = grid.getMappings()[index];
  SmallVector<int64_t> shape = getPaddedShape(type.getShape(), mapping);
  if (edges[index] != EdgeKind::Padded ||
      ArrayRef<int64_t>(shape) == type.getShape())
    return ref;
  SmallVector<int64_t> low = getLowPadding(mapping);
  return PadRefOp::create(b, loc, type.withShape(shape), ref, low,
                          /*uninitialized=*/false);
}

/// The kernel starts with the ids of the program, and ends with what the one
/// before has passed on.
void PipelineToLoops::bindKernel() {
  for (Value &id : ids)
    id = arith::IndexCastOp::create(b, loc, b.getI32Type(), id);
  auto arguments = grid.getKernelRegion().getArguments();
  for (auto [argument, id] : llvm::zip(arguments, ids))
    argument.replaceAllUsesWith(id);
  for (auto [argument, value] :
       llvm::zip_equal(arguments.take_back(carried.size()), carried))
    argument.replaceAllUsesWith(value);
}

/// The order is that of lifetimes: padded arrays outlive scratch, which
/// outlives the loops. An input is not copied back: a store to its window is
/// lost on a TPU, too.
LogicalResult PipelineToLoops::run() {
  if (op.getCoreAxis())
    return op.emitOpError("shares its grid among cores; run "
                          "pallas-distribute-pipelines before");
  if (failed(verifyForm()))
    return failure();
  llvm::append_range(unpadded, op.getInputs());
  llvm::append_range(unpadded, op.getOutputs());
  for (unsigned index = 0; index < unpadded.size(); ++index) {
    edges.push_back(chooseEdge(index));
    arrays.push_back(padArray(index));
  }
  createLoops(/*numParallel=*/0, op.getInitCarry());
  bindKernel();
  op->replaceAllUsesWith(leaveLoops(runProgram()));
  SmallVector<BlockMappingAttr> mappings = grid.getMappings();
  for (unsigned i = op.getInputs().size(); i < arrays.size(); ++i)
    if (arrays[i] != unpadded[i])
      UnpadRefOp::create(b, loc, arrays[i], getLowPadding(mappings[i]),
                         unpadded[i]);
  op.erase();
  return success();
}

LogicalResult pallas::convertPipelineToLoops(EmitPipelineOp op, bool checked) {
  return PipelineToLoops(op, checked).run();
}
