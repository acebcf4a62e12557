//===- Calls.cpp - Grids to loops -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.pallas_call`: a loop per dimension of the grid, with
// the kernel in the innermost one. Windows.cpp and EdgeWindows.cpp decide what
// memory a program sees of each array.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "GridLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/LaunchControlOps.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether the kernel has effects that another order of programs would show.
/// Threads interleave in any order, so prints would be mixed, signals could
/// deadlock, and updates that are atomic on one thread only would be lost.
static bool isOrdered(Region &kernel) {
  return kernel
      .walk([](Operation *op) {
        bool ordered =
            isa<SemaphoreSignalOp, SemaphoreWaitOp, DMAStartOp, DMAWaitOp,
                BarrierArriveOp, BarrierWaitOp, BarrierWaitParityOp,
                TryClusterCancelOp, AtomicRMWOp, AtomicCASOp, DebugPrintOp,
                CheckOp, PRNGSeedOp, PRNGBitsOp>(op);
        ordered |= static_cast<bool>(getHostFunction(op));
        // Slices of views that may be too short report it.
        if (auto access = dyn_cast<RefAccessOpInterface>(op))
          ordered |= !access.getRef().getType().hasStaticShape();
        return ordered ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether programs that differ along `dim` never share an output window. If
/// they did, two threads could accumulate into it at the same time.
static bool separatesOutputs(GridMappingOpInterface op, unsigned dim) {
  for (unsigned i = op.getNumInputs(); i < op.getNumBlocks(); ++i)
    if (!separatesWindows(op, i, dim))
      return false;
  return true;
}

/// How many leading dimensions to run on threads. Kernels keep state in output
/// windows that several programs share, so these stay in order. Starting
/// threads takes some microseconds, which little work doesn't repay. Only
/// leading dimensions count, since `scf.parallel` goes around the loops that
/// stay in order.
static unsigned countParallelDims(GridMappingOpInterface op) {
  // Smaller grids than this are done before the threads have started.
  constexpr int64_t leastElements = 1 << 16;
  if (isOrdered(op.getKernelRegion()) || op->getParentOfType<scf::ParallelOp>())
    return 0;
  int64_t elements = 0;
  for (BlockMappingAttr mapping : op.getMappings())
    elements += ShapedType::getNumElements(mapping.getBlockShape());
  int64_t programs = 1, parallelPrograms = 1;
  unsigned count = 0;
  SmallVector<DimensionSemantics> semantics = op.getGridDimensionSemantics();
  for (auto [d, size] : llvm::enumerate(op.getGridShape())) {
    int64_t known = ShapedType::isDynamic(size) ? leastElements : size;
    programs *= known;
    if (count == d && d < semantics.size() &&
        semantics[d] == DimensionSemantics::Parallel &&
        separatesOutputs(op, d)) {
      ++count;
      parallelPrograms *= known;
    }
  }
  if (parallelPrograms <= 1 || elements * programs < leastElements)
    return 0;
  // Where there are threads' shares enough without it, one thread does all
  // programs along the last dimension, so that they can go on together.
  int64_t last = op.getGridShape().back();
  if (count > 1 && count == op.getGridRank() && !ShapedType::isDynamic(last) &&
      parallelPrograms / last >= 64)
    --count;
  return count;
}

/// Replaces what the kernel and the index maps ask about the grid. For example,
/// `%i = pallas.program_id 0` becomes the variable of the first loop:
///
///   %i = arith.index_cast %iv : index to i32
void GridLowering::answerGridQueries(Grid &grid) {
  SmallVector<StringRef> names = grid.op.getGridDimensionNames();
  for (Region &region : grid.op->getRegions())
    replaceGridQueries(
        region, names, [&](OpBuilder &builder, const GridQuery &query) {
          Value value = (query.isSize ? grid.sizes : grid.ids)[query.dim];
          return arith::IndexCastOp::create(builder, query.getLoc(),
                                            builder.getI32Type(), value);
        });
}

/// Binds the arguments of the kernel for the program at `grid.ids`: captures,
/// index operands and windows, in this order. Refs get an entry in `memory`;
/// values replace their argument.
void GridLowering::bindKernelArguments(Grid &grid) {
  for (auto [argument, value] : llvm::zip_equal(grid.op.getKernelCaptures(),
                                                grid.op.getCaptureOperands())) {
    if (Value captured = getMemory(value))
      memory[argument] = captured;
    else
      argument.replaceAllUsesWith(value);
  }
  for (auto [argument, value] :
       llvm::zip_equal(grid.op.sliceIndexOps(), grid.indexMemory))
    memory[argument] = value;
  for (auto [i, argument] : llvm::enumerate(grid.op.sliceBlockOps()))
    memory[argument] = createWindow(grid, i);
}

/// Emits the loops with the kernel in them, and lowers it.
///
/// For example, with one block of four per program:
///
///   %o = pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[4], vmem>
///       map(%i) -> (%i) ... kernel(%xr: !pallas.ref<4xf32, vmem>, ...) {...}
///
/// becomes
///
///   scf.for %i = %c0 to %c2 step %c1 {
///     %start = arith.muli %i, %c4 : index
///     %window = memref.subview %x[%start] [4] [1] : memref<8xf32> to ...
///     ...
///   }
LogicalResult GridLowering::runGrid(Grid &grid) {
  Location loc = grid.op.getLoc();
  grid.sizes =
      createGridSizes(b, loc, grid.op.getGridShape(),
                      grid.op.getDynamicGridOperands(), b.getIndexType());
  grid.ids.resize(grid.sizes.size());
  OpBuilder::InsertionGuard guard(b);
  Value zero = b.createIndex(loc, 0), one = b.createIndex(loc, 1);
  if (unsigned count = grid.numParallel) {
    auto loop = scf::ParallelOp::create(b, loc, SmallVector<Value>(count, zero),
                                        ArrayRef(grid.sizes).take_front(count),
                                        SmallVector<Value>(count, one));
    llvm::copy(loop.getInductionVars(), grid.ids.begin());
    b.setInsertionPointToStart(loop.getBody());
  }
  // Threads have scratch of their own; programs in order keep state in it.
  for (BlockArgument scratch : grid.op.sliceScratchOps())
    sharing.share(scratch.getLoc(), memory[scratch] = allocateRef(scratch),
                  scratch.getType(), 1);
  checker.checkGridBegin(grid.op);
  checker.checkAliases(grid);
  SmallVector<scf::ForOp> loops;
  for (unsigned d = grid.numParallel; d < grid.sizes.size(); ++d) {
    auto loop = scf::ForOp::create(b, loc, zero, grid.sizes[d], one);
    loops.push_back(loop);
    grid.ids[d] = loop.getInductionVar();
    b.setInsertionPoint(loop.getBody()->getTerminator());
  }
  // `lowerBlock` lowers a whole block, but without a loop the program would be
  // part of the caller's block. An `scf.execute_region` holds it meanwhile.
  auto program = scf::ExecuteRegionOp::create(b, loc, TypeRange());
  Block *body = b.createBlock(&program.getRegion());
  checker.checkProgram(grid);

  answerGridQueries(grid);
  bindKernelArguments(grid);

  Block &kernel = grid.op.getKernelRegion().front();
  body->getOperations().splice(body->end(), kernel.getOperations(),
                               kernel.begin(),
                               kernel.getTerminator()->getIterator());
  b.setInsertionPointToEnd(body);
  scf::YieldOp::create(b, loc);
  if (failed(state.lowerBlock(*body)))
    return failure();
  b.setInsertionPoint(body->getTerminator());
  for (const EdgeWindow &edge : grid.written)
    copyEdge(edge, /*writesBack=*/true);
  b.setInsertionPointAfter(loops.empty() ? program.getOperation()
                                         : loops.front().getOperation());
  for (BlockArgument scratch : grid.op.sliceScratchOps())
    sharing.endScope(loc, scratch);

  b.eraseOp(body->getTerminator());
  b.inlineBlockBefore(body, program);
  b.eraseOp(program);
  return success();
}

//===----------------------------------------------------------------------===//
// Calls on tensors
//===----------------------------------------------------------------------===//

/// Finds the memory of the operands, and of the arrays that input blocks are
/// cut from. An operand is a value and never changes. If the kernel writes to
/// its window, the programs get a copy of the array:
///
///   %in = bufferization.to_buffer %x read_only : tensor<8xf32> to ...
///   %copy = memref.alloc() : memref<8xf32>
///   memref.copy %in, %copy : memref<8xf32> to memref<8xf32>
LogicalResult GridLowering::bindOperands(PallasCallOp call, Grid &grid,
                                         SmallVectorImpl<Value> &operands) {
  for (auto [operand, ref] :
       llvm::zip_equal(call.getIndexOperands(), grid.op.sliceIndexOps())) {
    FailureOr<Value> buffer = b.getBuffer(call, operand);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
    checker.checkRegion(*buffer, "index operand", ByteState::Written);
    grid.indexMemory.push_back(
        hazards.isWritten(ref) ? copyMemory(call.getLoc(), *buffer) : *buffer);
  }
  SmallVector<BlockMappingAttr> mappings = grid.op.getMappings();
  for (auto [i, operand] : llvm::enumerate(call.getInputs())) {
    FailureOr<Value> buffer = b.getBuffer(call, operand);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
    checker.checkRegion(*buffer, "input " + Twine(i), ByteState::Written);
    grid.edges.push_back(chooseEdges(call, i, *buffer));
    Value array = grid.edges[i] == EdgeKind::Padded
                      ? padArray(*buffer, mappings[i], /*copyContents=*/true)
                      : *buffer;
    // Later programs see what the kernel writes to an input; the caller
    // doesn't.
    if (array == *buffer && (hazards.isWritten(grid.op.sliceBlockOps()[i]) ||
                             (checked && findAliasedOutput(grid.op, i))))
      array = copyMemory(call.getLoc(), array);
    grid.arrays.push_back(array);
  }
  return success();
}

/// Creates the memory of the outputs, which starts as a copy of the operand
/// that an output is aliased to, and of the arrays that their blocks are cut
/// from. An aliased output does not reuse the memory of its operand here. The
/// value may have other users.
LogicalResult GridLowering::createOutputs(PallasCallOp call, Grid &grid,
                                          ArrayRef<Value> operands,
                                          SmallVectorImpl<Value> &outputs) {
  SmallVector<BlockMappingAttr> mappings = grid.op.getMappings();
  for (auto [i, type] : llvm::enumerate(grid.op.getOutputArrayTypes())) {
    FailureOr<Value> array = b.allocateResult(call, type);
    if (failed(array))
      return failure();
    outputs.push_back(*array);
    std::optional<unsigned> source =
        findAliasedOperand(grid.op.getInputOutputAliases(), i);
    if (source)
      memref::CopyOp::create(b, call.getLoc(), operands[*source], *array);
    unsigned block = call.getInputs().size() + i;
    checker.checkRegion(*array, "output " + Twine(i),
                        source && !checker.hidesArray(call, block)
                            ? ByteState::Written
                            : ByteState::Unwritten);
    grid.edges.push_back(chooseEdges(call, block, *array));
    grid.arrays.push_back(
        grid.edges[block] == EdgeKind::Padded
            ? padArray(*array, mappings[block], source.has_value())
            : *array);
  }
  return success();
}

/// Makes values of what the outputs hold, and replaces the call by them.
///
///   %result = bufferization.to_tensor %output restrict
///       : memref<8xf32> to tensor<8xf32>
///
/// `restrict` promises that no other tensor aliases the memory, which holds as
/// each output was allocated for this call.
void GridLowering::replaceCall(PallasCallOp call, Grid &grid,
                               ArrayRef<Value> outputs) {
  auto blocks = grid.op.sliceBlockOps();
  SmallVector<BlockMappingAttr> mappings = grid.op.getMappings();
  SmallVector<Value> results;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    unsigned block = call.getInputs().size() + i;
    cropArray(grid.arrays[block], output, mappings[block]);
    checker.checkOutput(call, describeRef(blocks[block]), output,
                        mappings[block].getBlockShape());
    results.push_back(bufferization::ToTensorOp::create(
        b, call.getLoc(),
        getPlainType(cast<RankedTensorType>(call.getResult(i).getType())),
        output, /*restrict=*/true));
  }
  b.replaceOp(call, results);
}

/// The order is that of lifetimes: operands and outputs exist before the loops,
/// other tasks may name them while the loops run, and only afterwards do their
/// contents become values.
LogicalResult GridLowering::lowerCall(PallasCallOp call) {
  Location loc = call.getLoc();
  // Accumulators among the scratch are zeroed where a parallel program starts,
  // since programs share scratch here.
  if (failed(restartAccumulators(call)))
    return failure();
  Grid grid;
  grid.op = call;
  SmallVector<Value> operands, outputs;
  if (failed(bindOperands(call, grid, operands)) ||
      failed(createOutputs(call, grid, operands, outputs)))
    return failure();
  // Programs that write to an index operand or an input pass state to later
  // programs, which have to run in order.
  auto isWritten = [&](Value ref) { return hazards.isWritten(ref); };
  bool passesState =
      llvm::any_of(grid.op.sliceIndexOps(), isWritten) ||
      llvm::any_of(grid.op.sliceBlockOps().take_front(grid.op.getNumInputs()),
                   isWritten);
  grid.numParallel =
      state.parallel && !passesState ? countParallelDims(grid.op) : 0;
  for (Value array : grid.arrays)
    sharing.shareArray(loc, array);
  bool checksBarrier = checker.checksBarrierOf(call);
  int64_t numBuffers = checked ? beginGridBuffers(b, grid.op) : 0;
  if (failed(runGrid(grid)))
    return failure();
  b.setInsertionPoint(call);
  checker.checkGridEnd(loc);
  endBuffers(b, loc, numBuffers);
  if (checksBarrier)
    checker.checkBarrierEnd(call);
  for (BlockArgument scratch : grid.op.sliceScratchOps())
    checker.checkSemaphoresEnd(call, scratch, getMemory(scratch));
  // A semaphore that is a result is waited for after this call, by copies of
  // other devices into arrays of this call. All devices meet first, so that no
  // array is unshared while a copy to it is still to come.
  bool returnsSemaphores = llvm::any_of(call.getResultTypes(), [&](Type type) {
    return getPlainType(cast<RankedTensorType>(type)) != type;
  });
  if (concurrency.namesOthers && returnsSemaphores)
    b.callRuntime(loc, "pallas_rt_meet",
                  {b.createSiteNumber(loc), b.getPlace(loc)});
  for (Value array : grid.arrays)
    sharing.unshare(loc, array);
  replaceCall(call, grid, outputs);
  return success();
}
