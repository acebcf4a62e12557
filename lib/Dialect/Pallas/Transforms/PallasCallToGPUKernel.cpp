//===- PallasCallToGPUKernel.cpp - Blocks as copies of a GPU kernel -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel dimensions of the grid become the grid of a mesh. The others are the
// steps of a schedule.
//
//===----------------------------------------------------------------------===//

#include "GPUSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCALLTOGPUKERNEL
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// Writes the kernel of one call:
///
///   pallas.pallas_call grid(4, 8) semantics [parallel, arbitrary] ...
///
/// becomes a map over a mesh with an axis "grid0" of size 4, whose kernel runs
/// 8 steps of a schedule.
class KernelWriter {
public:
  KernelWriter(PallasCallOp call, int64_t sharedBytes)
      : call(call), sharedBytes(sharedBytes),
        grid(cast<GridMappingOpInterface>(call.getOperation())), b(call),
        loc(call.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult splitGrid();
  MeshAttr makeMesh();
  MpmdMapOp makeKernel();

  PallasCallOp call;
  int64_t sharedBytes;
  GridMappingOpInterface grid;
  OpBuilder b;
  Location loc;
  SmallVector<unsigned> parallelDims, sequentialDims;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts of a call
//===----------------------------------------------------------------------===//

/// A launch has its sizes when the module is compiled, and takes arrays only.
LogicalResult KernelWriter::check() {
  if (!grid.hasStaticGrid())
    return call.emitOpError(
        "has a grid that is known at run time only; a launch on a GPU has "
        "static sizes, so launch a fixed number of blocks, and loop over what "
        "is known at run time in a kernel, by pallas.emit_pipeline or scf.for");
  if (grid.getNumIndexOperands() || grid.getNumCaptures())
    return call.emitOpError("prefetches or captures values; kernels for GPUs "
                            "read them from global memory");
  return success();
}

/// An arbitrary dimension may carry memory from one step to the next, so it
/// runs in order like a sequential one.
LogicalResult KernelWriter::splitGrid() {
  SmallVector<DimensionSemantics> semantics = getProgramOrder(call);
  // Triton launches all programs at once.
  if (grid.getGridDimensionSemantics().empty() &&
      findParams<TritonParamsAttr>(call.getCompilerParams()))
    llvm::fill(semantics, DimensionSemantics::Parallel);
  SmallVector<int64_t> shape = grid.getGridShape();
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    if (semantics[dim] == DimensionSemantics::Parallel) {
      parallelDims.push_back(dim);
    } else if (semantics[dim] == DimensionSemantics::Sequential ||
               semantics[dim] == DimensionSemantics::Arbitrary) {
      sequentialDims.push_back(dim);
    } else {
      return call.emitOpError("has a grid dimension of kind ")
             << stringifyDimensionSemantics(semantics[dim])
             << "; on GPUs dimensions are parallel or sequential";
    }
    if (shape[dim] < 1)
      return call.emitOpError("has a grid dimension of size ") << shape[dim];
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// A launch has at least one block, and a mesh at least one axis.
MeshAttr KernelWriter::makeMesh() {
  SmallVector<MeshAxisAttr> axes;
  for (unsigned dim : parallelDims)
    axes.push_back(MeshAxisAttr::get(b.getContext(), MeshAxisRole::Grid,
                                     b.getStringAttr("grid" + Twine(dim)),
                                     grid.getGridShape()[dim]));
  if (axes.empty())
    axes.push_back(MeshAxisAttr::get(b.getContext(), MeshAxisRole::Grid,
                                     b.getStringAttr("grid"), 1));
  return MeshAttr::get(b.getContext(), MeshKind::Gpu, axes);
}

/// Arrays stay in global memory; the schedule copies their blocks.
static RefType getGlobalType(Type array) {
  ShapedType shaped = getArrayShapedType(array);
  return RefType::get(shaped.getShape(), shaped.getElementType(),
                      MemorySpace::Gmem);
}

/// The arguments are whole arrays. Parameters of the compiler go along, since
/// later passes read them from the map.
MpmdMapOp KernelWriter::makeKernel() {
  OperationState state(loc, MpmdMapOp::getOperationName());
  state.addOperands(grid.getInputOperands());
  state.addTypes(call.getResultTypes());
  auto &properties = state.getOrAddProperties<MpmdMapOp::Properties>();
  properties.meshes = b.getArrayAttr(makeMesh());
  properties.aliases = b.getDenseI64ArrayAttr(call.getAliases());
  properties.kernelNames = b.getArrayAttr(b.getStringAttr(
      call.getKernelName() ? *call.getKernelName() : StringRef("kernel")));
  properties.compilerParams = call.getCompilerParamsAttr();
  properties.costEstimate = call.getCostEstimateAttr();
  properties.metadata = call.getMetadataAttr();
  Block *body = new Block;
  state.addRegion()->push_back(body);
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    body->addArgument(getGlobalType(grid.getArrayType(index)), loc);
  return cast<MpmdMapOp>(b.create(state));
}

/// The kernel is written in the body of the map, so its terminator comes first.
LogicalResult KernelWriter::run() {
  if (failed(check()) || failed(splitGrid()))
    return failure();
  auto params = findParams<GPUParamsAttr>(call.getCompilerParams());
  GPUSchedule schedule(b, grid);
  if (failed(schedule.plan(sequentialDims,
                           params ? params.getMaxConcurrentSteps() : 1)))
    return failure();
  // The body needs shared memory, too.
  schedule.limitMemory(sharedBytes / 2);
  MpmdMapOp kernel = makeKernel();
  Block &body = kernel.getKernels().front().front();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  YieldOp::create(b, loc);
  b.setInsertionPointToStart(&body);
  schedule.write(body.getArguments(), [&](unsigned dim) -> Value {
    return AxisIndexOp::create(b, loc, b.getI32Type(),
                               b.getStringAttr("grid" + Twine(dim)));
  });
  kernel->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  call->replaceAllUsesWith(kernel);
  call.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Pipelines in kernels
//===----------------------------------------------------------------------===//

namespace {
struct CallToGPUKernelPass
    : public pallas::impl::PallasCallToGPUKernelBase<CallToGPUKernelPass> {
  using PallasCallToGPUKernelBase::PallasCallToGPUKernelBase;

  void runOnOperation() override {
    // Stores whose mask is true everywhere are stores of vectors.
    RewritePatternSet patterns(&getContext());
    MaskedSwapOp::getCanonicalizationPatterns(patterns, &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    SmallVector<PallasCallOp> calls;
    getOperation()->walk([&](PallasCallOp op) { calls.push_back(op); });
    for (PallasCallOp op : calls)
      if (failed(KernelWriter(op, sharedBytes).run()))
        signalPassFailure();
  }
};
} // namespace
