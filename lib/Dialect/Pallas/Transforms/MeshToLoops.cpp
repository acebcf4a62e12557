//===- MeshToLoops.cpp - Kernels of meshes as loops over cores ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cores of a mesh run one after the other, in lexicographic order, unless
// they wait for each other; MeshTasks.cpp has that case:
//
//   %o = pallas.mpmd_map in(%x : tensor<8xf32>) out(tensor<8xf32>)
//     kernel on <tensorcore, [<core "x" = 2>]>
//         (%xr: !pallas.ref<8xf32, hbm>, %or: !pallas.ref<8xf32, hbm>,
//          %s: !pallas.ref<8xf32, vmem>) {...}
//
// becomes
//
//   %xr = pallas.operand_ref "input 0" %x
//     : tensor<8xf32> -> !pallas.ref<8xf32, hbm>
//   %or = pallas.result_ref "output 0" : !pallas.ref<8xf32, hbm>
//   scf.for %iv = %c0 to %c2 step %c1 {
//     %i = arith.index_cast %iv : index to i32
//     pallas.on_core <tensorcore, [<core "x" = 2>]>(%i) {
//       pallas.run_scoped (%s: !pallas.ref<8xf32, vmem>) {...}
//     }
//   }
//   %o = pallas.ref_value %or : !pallas.ref<8xf32, hbm> -> tensor<8xf32>
//
//===----------------------------------------------------------------------===//

#include "MeshToLoops.h"
#include "ArrayRefs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

MeshToLoops::MeshToLoops(Operation *op, bool checked, bool namesOthers)
    : op(op), checked(checked), namesOthers(namesOthers), b(op),
      loc(op->getLoc()) {
  auto map = dyn_cast<MpmdMapOp>(op);
  for (const MeshKernel &kernel : getMeshKernels(op)) {
    ArrayAttr names = map ? map.getKernelNamesAttr() : ArrayAttr();
    auto name =
        names ? dyn_cast<StringAttr>(names[kernels.size()]) : StringAttr();
    kernels.push_back({kernel, name ? name.getValue() : ""});
  }
  asTasks =
      map ? needsTasks(map) : needsTasks(kernels[0].mesh, *kernels[0].region);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// Memory of an array has the type that the kernels give it, all the same.
static RefType getArgumentType(MpmdMapOp map, unsigned index) {
  return cast<RefType>(map.getKernels()[0].getArgument(index).getType());
}

/// Kernels use refs and scalars directly. A tensor gets a ref to the memory of
/// its value.
Value MeshToLoops::bindInput(MpmdMapOp map, unsigned index) {
  Value input = map.getInputs()[index];
  if (!isa<RankedTensorType>(input.getType()))
    return input;
  auto ref =
      OperandRefOp::create(b, loc, getArgumentType(map, index),
                           b.getStringAttr("input " + Twine(index)), input);
  if (checked)
    keepName(ref, map.getKernels()[0].getArgument(index));
  return ref;
}

/// A kernel may see a ref from outside in another memory space. A window that
/// stays at all of its array is the array:
///
///   %w = pallas.window %x[%c0 : i32] block<[8], hbm> : !pallas.ref<8xf32, any>
void MeshToLoops::bindArgument(BlockArgument argument, Value array) {
  auto type = dyn_cast<RefType>(argument.getType());
  if (type && type != array.getType()) {
    SmallVector<BlockDimAttr> dims;
    for (int64_t size : type.getShape())
      dims.push_back(BlockDimAttr::get(b.getContext(), BlockDimKind::Blocked,
                                       size, /*padLow=*/0, /*padHigh=*/0));
    Value zero = arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0);
    array = WindowOp::create(
        b, loc, array, SmallVector<Value>(dims.size(), zero),
        BlockMappingAttr::get(b.getContext(), dims, type.getMemorySpace(),
                              /*pipelineMode=*/{}, type.getTransforms(),
                              /*origin=*/{}));
  }
  argument.replaceAllUsesWith(array);
}

/// An aliased output starts as a copy of its input, since the input is a value.
/// The caller does not see what a kernel writes to an input, and neither do the
/// other kernels: that one has a copy.
LogicalResult MeshToLoops::bindArrays(MpmdMapOp map) {
  auto tensors =
      llvm::make_filter_range(map.getInputs().getTypes(), [](Type type) {
        return !isa<RefType>(type) && !type.isIntOrIndexOrFloat();
      });
  if (failed(verifyArrays(map, llvm::to_vector(tensors), map.getResultTypes())))
    return failure();
  if (!checked)
    joinAliasedRefs(map);
  unsigned numInputs = map.getInputs().size();
  for (unsigned index = 0; index < numInputs; ++index)
    arrays.push_back(bindInput(map, index));
  for (unsigned i = 0; i < map->getNumResults(); ++i) {
    std::optional<unsigned> source =
        findAliasedOperand(map.getInputOutputAliases(), i);
    outputs.push_back(ResultRefOp::create(
        b, loc, getArgumentType(map, numInputs + i),
        b.getStringAttr("output " + Twine(i)),
        source ? arrays[*source] : Value(), /*hidden=*/false));
    if (checked)
      keepName(outputs.back().getDefiningOp(),
               map.getKernels()[0].getArgument(numInputs + i));
  }
  SmallVector<Value> copies;
  for (CoreKernel &kernel : kernels) {
    auto arguments = kernel.region->getArguments();
    for (auto [argument, input, array] :
         llvm::zip(arguments, map.getInputs(), arrays)) {
      bool isCopied =
          isa<RankedTensorType>(input.getType()) && mayBeWritten(argument);
      if (isCopied)
        copies.push_back(copyArray(b, loc, array));
      bindArgument(argument, isCopied ? copies.back() : array);
    }
    for (auto [argument, array] :
         llvm::zip(arguments.drop_front(numInputs), outputs))
      bindArgument(argument, array);
  }
  llvm::append_range(arrays, outputs);
  // A kernel may write to the copy of another device.
  llvm::append_range(arrays, copies);
  llvm::erase_if(arrays,
                 [](Value array) { return !isa<RefType>(array.getType()); });
  if (namesOthers && !arrays.empty())
    ShareRefsOp::create(b, loc, arrays);
  return success();
}

void MeshToLoops::replaceResults(MpmdMapOp map) {
  if (checked)
    for (auto [i, output] : llvm::enumerate(outputs))
      CheckOutputOp::create(b, loc, ("output " + Twine(i)).str(), output,
                            /*block=*/ArrayRef<int64_t>(),
                            map->getName().getStringRef());
  if (namesOthers && !arrays.empty())
    UnshareRefsOp::create(b, loc, arrays, /*together=*/false);
  for (auto [result, output] : llvm::zip_equal(map.getResults(), outputs))
    result.replaceAllUsesWith(
        RefValueOp::create(b, loc, result.getType(), output));
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

/// Replaces the queries of coordinates in `kernel` that this mesh answers. For
/// example, `pallas.axis_index "core"` becomes the coordinate:
///
///   %id = arith.index_cast %iv : index to i32
///
/// Queries of an axis that the mesh does not have are left to meshes around,
/// and finally to the device.
static void replaceMeshQueries(CoreKernel &kernel) {
  SmallVector<int64_t> shape = kernel.mesh.getShape();
  replaceGridQueries(*kernel.region, getAxisNames(kernel.mesh),
                     [&](OpBuilder &builder, const GridQuery &query) -> Value {
                       // Among several axes, none is that of the core.
                       if (isa<CoreIdOp>(query.op) && shape.size() != 1)
                         return {};
                       if (!query.isSize)
                         return kernel.ids[query.dim];
                       return arith::ConstantIntOp::create(
                           builder, query.getLoc(), builder.getI32Type(),
                           shape[query.dim]);
                     });
}

/// Scratch keeps the names that it has in messages.
void MeshToLoops::nameScratch(Operation *scope,
                              ArrayRef<BlockArgument> scratch) {
  if (checked)
    keepNames(scope, scratch, op->getName().getIdentifier());
}

/// Null without scratch.
RunScopedOp MeshToLoops::createScope(ArrayRef<BlockArgument> scratch) {
  if (scratch.empty())
    return {};
  auto scope = RunScopedOp::create(b, loc, TypeRange(), ArrayAttr());
  nameScratch(scope, scratch);
  Block *body = b.createBlock(&scope.getBody());
  for (BlockArgument ref : scratch)
    ref.replaceAllUsesWith(body->addArgument(ref.getType(), ref.getLoc()));
  return scope;
}

void MeshToLoops::leaveScope(RunScopedOp scope) {
  if (!scope)
    return;
  b.setInsertionPointToEnd(&scope.getBody().front());
  YieldOp::create(b, loc);
  b.setInsertionPointAfter(scope);
}

void MeshToLoops::addId(CoreKernel &kernel, Value id) {
  kernel.ids.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(), id));
}

/// Leaves the insertion point in the loop, which adds a coordinate.
void MeshToLoops::createLoop(CoreKernel &kernel, MeshAxisAttr axis) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = arith::ConstantIndexOp::create(b, loc, axis.getSize());
  auto loop = scf::ForOp::create(b, loc, zero, size, one);
  b.setInsertionPointToStart(loop.getBody());
  addId(kernel, loop.getInductionVar());
}

/// Moves the kernel here, for the core at `kernel.ids`, with a scope for
/// scratch that only this core has. The terminator has no operands: results of
/// a mesh are written to refs.
void MeshToLoops::runCore(CoreKernel &kernel, ArrayRef<Type> ownInstances,
                          ArrayRef<BlockArgument> ownScratch) {
  replaceMeshQueries(kernel);
  auto number = [&](int64_t value) {
    return asTasks ? b.getI64IntegerAttr(value) : IntegerAttr();
  };
  auto core = OnCoreOp::create(b, loc, kernel.mesh, kernel.ids,
                               number(kernel.firstConcurrent),
                               number(kernel.firstTask));
  b.createBlock(&core.getBody());
  ArrayAttr types = b.getTypeArrayAttr(ownInstances);
  if (checked)
    CheckCoreBeginOp::create(b, loc, kernel.ids, types);
  RunScopedOp scope = createScope(ownScratch);
  moveIndexMap(b, *kernel.region);
  leaveScope(scope);
  if (checked)
    CheckCoreEndOp::create(b, loc, types);
  b.setInsertionPointAfter(core);
}

/// Each core has scratch of its own, except for threads of a block, which share
/// all but accumulators: then the scope is in front of the loops over threads.
void MeshToLoops::runInOrder(CoreKernel &kernel) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<BlockArgument> shared, own;
  for (BlockArgument ref : kernel.getScratch()) {
    bool isShared =
        kernel.hasSharedScratch() && !isa<AccumulatorType>(ref.getType());
    (isShared ? shared : own).push_back(ref);
  }
  RunScopedOp scope;
  for (MeshAxisAttr axis : kernel.mesh.getAxes()) {
    if (axis.getRole() == MeshAxisRole::Thread && !scope)
      scope = createScope(shared);
    createLoop(kernel, axis);
  }
  runCore(kernel, {}, own);
  leaveScope(scope);
}

/// Kernels of a map that wait for each other run as tasks of one loop; others
/// run one after the other, each with loops over its mesh.
LogicalResult MeshToLoops::run() {
  auto map = dyn_cast<MpmdMapOp>(op);
  if (map && failed(bindArrays(map)))
    return failure();
  bool checksBarrier = checked && usesBarrierSemaphore(op);
  if (checked)
    CheckCoresBeginOp::create(b, loc);
  if (asTasks) {
    if (failed(runTasks()))
      return failure();
  } else {
    for (CoreKernel &kernel : kernels)
      runInOrder(kernel);
  }
  if (checked)
    CheckCoresEndOp::create(b, loc);
  if (checksBarrier)
    CheckBarrierEndOp::create(b, loc, getCollectiveId(op),
                              op->getName().getStringRef());
  if (map)
    replaceResults(map);
  op->erase();
  return success();
}
