//===- Meshes.cpp - Kernels that run once per core of a mesh --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers `pallas.core_map` and `pallas.mpmd_map`. The cores of a mesh
// run one after the other, in lexicographic order, unless they wait for each
// other; Tasks.cpp has that case.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "MeshLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/Utils/Aliases.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::pallas;

/// Replaces the queries of coordinates in `kernel` that this mesh answers. For
/// example, `pallas.axis_index "core"` becomes the coordinate:
///
///   %id = arith.index_cast %iv : index to i32
///
/// Queries of an axis that the mesh does not have are left to meshes and grids
/// around, and finally to the device.
static void replaceMeshQueries(Region &kernel, MeshAttr mesh,
                               ArrayRef<Value> ids) {
  SmallVector<int64_t> shape = mesh.getShape();
  replaceGridQueries(kernel, getAxisNames(mesh),
                     [&](OpBuilder &builder, const GridQuery &query) -> Value {
                       // Among several axes, none is that of the core.
                       if (isa<CoreIdOp>(query.op) && shape.size() != 1)
                         return {};
                       if (!query.isSize)
                         return ids[query.dim];
                       return arith::ConstantIntOp::create(
                           builder, query.getLoc(), builder.getI32Type(),
                           shape[query.dim]);
                     });
}

/// Emits the kernel at the insertion point, for the core at `kernel.ids`.
LogicalResult MeshLowering::runPoint(PlacedKernel &kernel,
                                     ValueRange ownScratch) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = kernel.body->getLoc();
  Block &body = kernel.body->front();
  auto program = scf::ExecuteRegionOp::create(b, loc, TypeRange());
  Block *target = b.createBlock(&program.getRegion());
  replaceMeshQueries(*kernel.body, kernel.mesh, kernel.ids);
  // The terminator has no operands: results of a mesh are written to refs.
  bool hasTerminator =
      !body.empty() && body.back().hasTrait<OpTrait::IsTerminator>();
  target->getOperations().splice(
      target->end(), body.getOperations(), body.begin(),
      hasTerminator ? std::prev(body.end()) : body.end());
  b.setInsertionPointToStart(target);
  checker.checkPointBegin(loc, kernel.ids);
  int64_t numBuffers =
      checked ? beginBuffers(b, loc, ownScratch.getTypes()) : 0;
  b.setInsertionPointToEnd(target);
  endBuffers(b, loc, numBuffers);
  checker.checkPointEnd(loc);
  scf::YieldOp::create(b, loc);
  llvm::SaveAndRestore<Value> outer(random.generator);
  if (usesRandomState(program.getRegion())) {
    // Each core has a generator.
    b.setInsertionPointToStart(target);
    random.generator = random.createGenerator(loc);
  }
  sharing.kernels.push_back(&kernel);
  LogicalResult result = state.lowerBlock(*target);
  sharing.kernels.pop_back();
  if (failed(result))
    return failure();
  b.eraseOp(target->getTerminator());
  b.inlineBlockBefore(target, program);
  b.eraseOp(program);
  return success();
}

/// Emits the loops over a mesh with the kernel in them. The arguments after the
/// first `numKnownArguments` are scratch refs. Each core has scratch of its own
/// except for threads of a block, which share it, so the allocation is in front
/// of the loops over threads. For example:
///
///   pallas.core_map <tensorcore, [<core "x" = 4>]> () {...}
///
/// becomes
///
///   scf.for %iv = %c0 to %c4 step %c1 {
///     %x = arith.index_cast %iv : index to i32
///     ...
///   }
LogicalResult MeshLowering::runInOrder(Location loc, PlacedKernel &kernel,
                                       unsigned numKnownArguments) {
  OpBuilder::InsertionGuard guard(b);
  Value zero = b.createIndex(loc, 0), one = b.createIndex(loc, 1);
  auto scratch =
      kernel.body->front().getArguments().drop_front(numKnownArguments);
  Operation *first = nullptr;
  int64_t numShared = 0;
  auto beginScope = [&] {
    for (BlockArgument ref : scratch)
      sharing.share(ref.getLoc(), memory[ref] = allocateRef(ref), ref.getType(),
                    1);
  };
  for (MeshAxisAttr axis : kernel.mesh.getAxes()) {
    if (axis.getRole() == MeshAxisRole::Thread && !first) {
      beginScope();
      numShared =
          checked ? beginBuffers(b, loc, ValueRange(scratch).getTypes()) : 0;
    }
    auto loop = scf::ForOp::create(b, loc, zero,
                                   b.createIndex(loc, axis.getSize()), one);
    if (axis.getRole() == MeshAxisRole::Thread && !first)
      first = loop;
    b.setInsertionPoint(loop.getBody()->getTerminator());
    kernel.ids.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                                    loop.getInductionVar()));
  }
  if (!first)
    beginScope();
  if (failed(runPoint(kernel, first ? ValueRange() : ValueRange(scratch))))
    return failure();
  if (first)
    b.setInsertionPointAfter(first);
  endBuffers(b, loc, numShared);
  for (BlockArgument ref : scratch) {
    checker.checkSemaphoresEnd(kernel.body->getParentOp(), ref, getMemory(ref));
    sharing.endScope(loc, ref);
  }
  return success();
}

/// The body uses refs from outside, so there are no arguments to bind.
LogicalResult MeshLowering::lowerCoreMap(CoreMapOp map) {
  PlacedKernel kernel{map.getMesh(), &map.getBody(), ""};
  bool checksBarrier = checker.checksBarrierOf(map);
  checker.checkPointsBegin(map.getLoc());
  if (failed(needsTasks(map.getMesh(), map.getBody())
                 ? runTasks(map.getLoc(), kernel, 0)
                 : runInOrder(map.getLoc(), kernel, 0)))
    return failure();
  b.setInsertionPoint(map);
  checker.checkPointsEnd(map.getLoc());
  if (checksBarrier)
    checker.checkBarrierEnd(map);
  b.eraseOp(map);
  return success();
}

/// Finds the memory of the inputs and creates that of the outputs. Scalar
/// inputs have none. An aliased output starts as a copy of its input, since the
/// input is a value.
LogicalResult MeshLowering::createMapArrays(MpmdMapOp map,
                                            SmallVectorImpl<Value> &inputs,
                                            SmallVectorImpl<Value> &outputs) {
  for (Value input : map.getInputs()) {
    if (!isa<RankedTensorType>(input.getType())) {
      inputs.push_back(getMemory(input));
      continue;
    }
    FailureOr<Value> buffer = b.getBuffer(map, input);
    if (failed(buffer))
      return failure();
    inputs.push_back(*buffer);
    checker.checkRegion(*buffer, "input " + Twine(inputs.size() - 1),
                        ByteState::Written);
  }
  for (auto [i, type] : llvm::enumerate(map.getResultTypes())) {
    FailureOr<Value> output = b.allocateResult(map, type);
    if (failed(output))
      return failure();
    std::optional<unsigned> source =
        findAliasedOperand(map.getInputOutputAliases(), i);
    if (source)
      memref::CopyOp::create(b, map.getLoc(), inputs[*source], *output);
    checker.checkRegion(*output, "output " + Twine(i),
                        source ? ByteState::Written : ByteState::Unwritten);
    outputs.push_back(*output);
  }
  return success();
}

/// Binds the arguments of each kernel to the memory of inputs and outputs.
SmallVector<PlacedKernel, 1>
MeshLowering::bindMapKernels(MpmdMapOp map, ArrayRef<Value> inputs,
                             ArrayRef<Value> outputs) {
  SmallVector<PlacedKernel, 1> kernels;
  for (auto [i, kernel, mesh] : llvm::enumerate(
           map.getKernels(), map.getMeshes().getAsRange<MeshAttr>())) {
    ArrayAttr names = map.getKernelNamesAttr();
    auto name = names ? dyn_cast<StringAttr>(names[i]) : StringAttr();
    kernels.push_back({mesh, &kernel, name ? name.str() : ""});
    auto arguments = kernel.front().getArguments();
    for (auto [argument, input, place] : llvm::zip(
             arguments.take_front(inputs.size()), map.getInputs(), inputs)) {
      if (!place) {
        argument.replaceAllUsesWith(input);
        continue;
      }
      // The caller does not see what a kernel writes to an input array.
      bool isArray = isa<RankedTensorType>(input.getType());
      memory[argument] = isArray && hazards.isWritten(argument)
                             ? copyMemory(map.getLoc(), place)
                             : place;
    }
    for (auto [argument, place] :
         llvm::zip(arguments.slice(inputs.size(), outputs.size()), outputs))
      memory[argument] = place;
  }
  return kernels;
}

/// Kernels of a map that wait for each other run as tasks of one loop; others
/// run one after the other, each with loops over its mesh.
LogicalResult MeshLowering::lowerMap(MpmdMapOp map) {
  Location loc = map.getLoc();
  SmallVector<Value> inputs, outputs;
  if (failed(createMapArrays(map, inputs, outputs)))
    return failure();
  bool asTasks = needsTasks(map);
  SmallVector<PlacedKernel, 1> kernels = bindMapKernels(map, inputs, outputs);
  unsigned numKnown = inputs.size() + outputs.size();
  for (Value place : llvm::concat<Value>(inputs, outputs))
    if (place)
      sharing.shareArray(loc, place);
  bool checksBarrier = checker.checksBarrierOf(map);
  checker.checkPointsBegin(loc);
  if (asTasks) {
    if (failed(runTasks(loc, kernels, numKnown)))
      return failure();
  } else {
    for (PlacedKernel &kernel : kernels)
      if (failed(runInOrder(loc, kernel, numKnown)))
        return failure();
  }
  b.setInsertionPoint(map);
  checker.checkPointsEnd(loc);
  if (checksBarrier)
    checker.checkBarrierEnd(map);
  for (auto [i, output] : llvm::enumerate(outputs))
    checker.checkMapOutput(map, i, output);
  for (Value place : llvm::concat<Value>(inputs, outputs))
    if (place)
      sharing.unshare(loc, place);
  SmallVector<Value> results;
  for (auto [place, type] : llvm::zip_equal(outputs, map.getResultTypes()))
    results.push_back(bufferization::ToTensorOp::create(
        b, loc, getPlainType(cast<RankedTensorType>(type)), place,
        /*restrict=*/true));
  b.replaceOp(map, results);
  return success();
}
