//===- DischargeMeshes.cpp - Kernels on meshes as loops over values -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cores of a mesh run one after the other, which is right only where none
// of them waits for another; KernelDependences.cpp knows.
//
//===----------------------------------------------------------------------===//

#include "DischargeLoops.h"
#include "DischargeModels.h"
#include "KernelDependences.h"
#include "RefSelection.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits a kernel once per core. Its arguments besides scratch have values
/// already; threads of a block share their scratch.
static LogicalResult createMeshLoops(OpBuilder &builder, Operation *map,
                                     DischargeState &state,
                                     const MeshKernel &kernel,
                                     ArrayRef<Value> refs) {
  Location loc = map->getLoc();
  Block &body = kernel.region->front();
  ArrayRef<MeshAxisAttr> axes = kernel.mesh.getAxes();
  GridPoint point;
  point.names = getAxisNames(kernel.mesh);
  point.sizes = createGridSizes(builder, loc, kernel.mesh.getShape(), {},
                                builder.getIndexType());
  // Axes over threads are the last ones. Scratch is allocated per block,
  // outside of their loops.
  const auto *firstThread = llvm::find_if(axes, [](MeshAxisAttr axis) {
    return axis.getRole() == MeshAxisRole::Thread;
  });
  unsigned numBlockAxes = firstThread - axes.begin();

  SmallVector<Value> shared(refs);
  if (kernel.hasSharedScratch())
    llvm::append_range(shared, body.getArguments().drop_front(kernel.numKnown));
  auto runPoint = [&](ValueRange ids) -> LogicalResult {
    llvm::append_range(point.ids, ids);
    answerGridQueries(*kernel.region, point);
    if (failed(state.discharge(body)))
      return failure();
    spliceBody(builder, body);
    return success();
  };
  return createProgramLoops(
      builder, loc, state, ArrayRef(point.sizes).take_front(numBlockAxes), refs,
      {}, [&](ValueRange ids) -> LogicalResult {
        for (BlockArgument scratch :
             body.getArguments().drop_front(kernel.numKnown))
          state.define(scratch, DischargeState::createInitial(
                                    builder, loc, scratch.getType()));
        llvm::append_range(point.ids, ids);
        return createProgramLoops(
            builder, loc, state, ArrayRef(point.sizes).drop_front(numBlockAxes),
            shared, {}, runPoint);
      });
}

/// Defines the contents of a kernel's arguments. Each kernel sees the inputs
/// that are no outputs as they came; what it writes to them is not seen by
/// others.
static void defineInputs(OpBuilder &builder, MpmdMapOp map, Block &body,
                         DischargeState &state) {
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), map.getInputs())) {
    if (isa<RankedTensorType>(input.getType()))
      state.define(argument, createHeld(builder, map.getLoc(), input));
    else if (state.isDischarged(input))
      state.define(argument, state.read(builder, map.getLoc(), input));
    else
      argument.replaceAllUsesWith(input);
  }
}

namespace {
/// All kernels of the map, one after the other, on the same outputs.
struct DischargeMpmdMap
    : public DischargeableOpInterface::ExternalModel<DischargeMpmdMap,
                                                     MpmdMapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto map = cast<MpmdMapOp>(op);
    Location loc = op->getLoc();
    unsigned numInputs = map.getInputs().size();
    SmallVector<Type> arrays(map.getInputs().getTypes());
    llvm::append_range(arrays, map.getResultTypes());
    for (Type type : arrays)
      if (isa<PinnedType>(type))
        return op->emitOpError()
               << "has an array of type " << type
               << ", but loops over values need tensors of static shape";
    joinAliasedRefs(map);
    // An aliased output starts as its input.
    SmallVector<Value> outputs(map->getNumResults());
    for (auto [input, output] : map.getInputOutputAliases())
      outputs[output] = map.getInputs()[input];
    for (auto [output, type] : llvm::zip(outputs, map.getResultTypes()))
      if (!output)
        output = tensor::EmptyOp::create(
            builder, loc, cast<RankedTensorType>(type).getShape(),
            getElementTypeOrSelf(type));
    for (const MeshKernel &kernel : getMeshKernels(op)) {
      Block &body = kernel.region->front();
      defineInputs(builder, map, body, state);
      auto outputRefs = body.getArguments().slice(numInputs, outputs.size());
      for (auto [argument, output] : llvm::zip(outputRefs, outputs))
        state.define(argument, createHeld(builder, loc, output));
      SmallVector<Value> written = state.getWritten(*kernel.region);
      if (failed(createMeshLoops(builder, op, state, kernel, written)))
        return failure();
      for (auto [argument, output] : llvm::zip(outputRefs, outputs))
        output = createArray(builder, loc, state.read(builder, loc, argument));
      // Captured refs hold what the kernels wrote.
      for (auto [argument, input] :
           llvm::zip(body.getArguments(), map.getInputs()))
        if (state.isDischarged(input) &&
            llvm::is_contained(written, argument) &&
            failed(state.write(builder, loc, input,
                               state.read(builder, loc, argument))))
          return failure();
    }
    op->replaceAllUsesWith(outputs);
    return success();
  }
};

/// A core_map sees its surroundings, so it has no arguments to define.
struct DischargeCoreMap
    : public DischargeableOpInterface::ExternalModel<DischargeCoreMap,
                                                     CoreMapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return createMeshLoops(builder, op, state, getMeshKernels(op).front(),
                           state.getWritten(op));
  }
};
} // namespace

void pallas::attachMeshModels(MLIRContext *context) {
  CoreMapOp::attachInterface<DischargeCoreMap>(*context);
  MpmdMapOp::attachInterface<DischargeMpmdMap>(*context);
}
