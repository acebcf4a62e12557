//===- CallToLoops.cpp - Calls as loops over windows ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call makes memory of values, and values of memory:
//
//   %o = pallas.pallas_call grid(2) in(%x : tensor<8xf32>) block<[4], vmem>
//       map(%i) -> (%i) out(tensor<8xf32>) block<[4], vmem> map(%i) -> (%i)
//       kernel(%xr: !pallas.ref<4xf32, vmem>, ...) {...}
//
// becomes
//
//   %xs = pallas.operand_ref "input 0" %x
//     : tensor<8xf32> -> !pallas.ref<8xf32, any>
//   %os = pallas.result_ref "output 0" : !pallas.ref<8xf32, any>
//   scf.for ... {
//     %xr = pallas.window %xs[%i : i32] block<[4], vmem> : ...
//     ...
//   }
//   %o = pallas.ref_value %os : !pallas.ref<8xf32, any> -> tensor<8xf32>
//
//===----------------------------------------------------------------------===//

#include "ArrayRefs.h"
#include "GridThreads.h"
#include "GridToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/GridWindows.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

class CallToLoops : GridToLoops {
public:
  CallToLoops(PallasCallOp call, const CallContext &context)
      : GridToLoops(cast<GridMappingOpInterface>(call.getOperation()),
                    context.checked),
        call(call), context(context) {}

  LogicalResult run();

private:
  Value padArray(unsigned index, bool hasContents);
  Value bindOperand(Value operand, RefType type, const Twine &name);
  void nameArray(Value array, BlockArgument ref);
  void bindOperands();
  void createOutputs();
  unsigned countThreads();
  void bindKernel();
  void shareArrays();
  void replaceResults();

  PallasCallOp call;
  const CallContext &context;
  /// Memory of the index operands and inputs, as values have it.
  SmallVector<Value> operands;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static RefType getArrayRef(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RefType::get(tensor.getShape(), tensor.getElementType(),
                      MemorySpace::Any);
}

/// The array that the windows of a block are parts of. For a block of 4:
///
///   %p = pallas.pad_ref %x low [0]
///     : !pallas.ref<10xf32, any> -> !pallas.ref<12xf32, any>
Value CallToLoops::padArray(unsigned index, bool hasContents) {
  Value ref = unpadded[index];
  auto type = cast<RefType>(ref.getType());
  BlockMappingAttr mapping = grid.getMappings()[index];
  SmallVector<int64_t> shape = getPaddedShape(type.getShape(), mapping);
  if (edges[index] != EdgeKind::Padded ||
      ArrayRef<int64_t>(shape) == type.getShape())
    return ref;
  return PadRefOp::create(b, loc, type.withShape(shape), ref,
                          getLowPadding(mapping), !hasContents);
}

Value CallToLoops::bindOperand(Value operand, RefType type, const Twine &name) {
  operands.push_back(
      OperandRefOp::create(b, loc, type, b.getStringAttr(name), operand));
  return operands.back();
}

void CallToLoops::nameArray(Value array, BlockArgument ref) {
  if (context.checked)
    keepName(array.getDefiningOp(), ref);
}

/// A kernel may write to an input or an index operand. Later programs read
/// those writes, but the value of the caller does not change, so the array is a
/// copy.
void CallToLoops::bindOperands() {
  for (auto [operand, argument] :
       llvm::zip_equal(call.getIndexOperands(), grid.sliceIndexOps())) {
    Value ref = bindOperand(operand, cast<RefType>(argument.getType()),
                            "index operand");
    nameArray(ref, argument);
    indexRefs.push_back(mayBeWritten(argument) ? copyArray(b, loc, ref) : ref);
  }
  for (auto [i, operand] : llvm::enumerate(call.getInputs())) {
    unpadded.push_back(bindOperand(operand, getArrayRef(operand.getType()),
                                   "input " + Twine(i)));
    nameArray(unpadded[i], grid.sliceBlockOps()[i]);
    Value array = padArray(i, /*hasContents=*/true);
    if (array == unpadded[i] &&
        (mayBeWritten(grid.sliceBlockOps()[i]) ||
         (context.checked && findAliasedOutput(grid, i))))
      array = copyArray(b, loc, array);
    arrays.push_back(array);
  }
}

/// An output starts as a copy of the operand that it is aliased to: the value
/// may have other users.
void CallToLoops::createOutputs() {
  for (auto [i, type] : llvm::enumerate(grid.getOutputArrayTypes())) {
    std::optional<unsigned> source =
        findAliasedOperand(grid.getInputOutputAliases(), i);
    unsigned index = grid.getNumInputs() + i;
    unpadded.push_back(ResultRefOp::create(
        b, loc, getArrayRef(type), b.getStringAttr("output " + Twine(i)),
        source ? operands[*source] : Value(), checks.hidesArray(index)));
    nameArray(unpadded[index], grid.sliceBlockOps()[index]);
    arrays.push_back(padArray(index, source.has_value()));
  }
}

/// Makes the arrays known to other tasks while the loops run.
void CallToLoops::shareArrays() {
  if (context.namesOthers)
    ShareRefsOp::create(b, loc, arrays);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Programs that write to an index operand or an input pass state to later
/// programs, which have to run in order.
unsigned CallToLoops::countThreads() {
  bool passesState =
      llvm::any_of(grid.sliceIndexOps(), mayBeWritten) ||
      llvm::any_of(grid.sliceBlockOps().take_front(grid.getNumInputs()),
                   mayBeWritten);
  return context.parallel && !passesState ? countParallelDims(grid) : 0;
}

/// Replaces the grid queries of the kernel and the index maps, and the
/// arguments that are no windows. For example, `%i = pallas.program_id 0`
/// becomes the counter of the first loop:
///
///   %i = arith.index_cast %iv : index to i32
void CallToLoops::bindKernel() {
  for (Region &region : grid->getRegions())
    replaceGridQueries(
        region, grid.getGridDimensionNames(),
        [&](OpBuilder &builder, const GridQuery &query) -> Value {
          Value value = (query.isSize ? sizes : ids)[query.dim];
          return arith::IndexCastOp::create(builder, query.getLoc(),
                                            builder.getI32Type(), value);
        });
  for (auto [argument, value] :
       llvm::zip_equal(grid.getKernelCaptures(), grid.getCaptureOperands()))
    argument.replaceAllUsesWith(value);
  for (auto [argument, value] :
       llvm::zip_equal(grid.sliceIndexOps(), indexRefs))
    argument.replaceAllUsesWith(value);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static bool isSemaphore(Type type) {
  return isa<SemaphoreType, DMASemaphoreType, BarrierSemaphoreType>(
      cast<ShapedType>(type).getElementType());
}

/// A semaphore that is a result is waited for after this call, by copies of
/// other devices into arrays of this call. All devices meet first, so that no
/// array is unshared while a copy to it is still to come.
void CallToLoops::replaceResults() {
  if (context.namesOthers)
    UnshareRefsOp::create(b, loc, arrays,
                          llvm::any_of(call.getResultTypes(), isSemaphore));
  SmallVector<Value> results;
  for (auto [i, type] : llvm::enumerate(call.getResultTypes())) {
    unsigned index = grid.getNumInputs() + i;
    if (arrays[index] != unpadded[index])
      UnpadRefOp::create(b, loc, arrays[index],
                         getLowPadding(grid.getMappings()[index]),
                         unpadded[index]);
    checks.output(index, unpadded[index]);
    results.push_back(RefValueOp::create(b, loc, type, unpadded[index]));
  }
  call->replaceAllUsesWith(results);
  call->erase();
}

/// The order is that of lifetimes: operands and outputs exist before the loops,
/// other tasks may name them while the loops run, and only afterwards do their
/// contents become values.
LogicalResult CallToLoops::run() {
  // Accumulators among the scratch are zeroed where a parallel program starts,
  // since programs share scratch here.
  if (failed(verifyForm()) ||
      failed(verifyArrays(call, TypeRange(grid.getInShapes()),
                          grid.getOutputArrayTypes())) ||
      failed(restartAccumulators(call)))
    return failure();
  // The uses of a ref are those of its memory, through either name. Names of
  // checked code were joined where they need not be told apart.
  if (!context.checked)
    grid.joinAliasedRefs();
  // Checks follow what padding reaches, and other tasks know memory by arrays.
  bool mayCopy =
      !context.checked && !context.synchronizes && !context.namesOthers;
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    edges.push_back(mayCopy ? chooseEdges(grid, index) : EdgeKind::Padded);
  bindOperands();
  createOutputs();
  unsigned numParallel = countThreads();
  bool usesBarrier = checks.usesBarrier();
  shareArrays();
  createLoops(numParallel, {});
  bindKernel();
  runProgram();
  leaveLoops({});
  if (usesBarrier)
    checks.barrierEnd();
  replaceResults();
  return success();
}

LogicalResult pallas::convertCallToLoops(PallasCallOp op,
                                         const CallContext &context) {
  return CallToLoops(op, context).run();
}
