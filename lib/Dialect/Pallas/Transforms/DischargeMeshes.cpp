//===- DischargeMeshes.cpp - Kernels on meshes as loops over values -------===//
//
// The points of a mesh run one after the other, which only says the same where
// none of them waits for another.
//
//===----------------------------------------------------------------------===//

#include "DischargeLoops.h"
#include "DischargeModels.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// What needs points that run at the same time
//===----------------------------------------------------------------------===//

/// The semaphore or barrier that an operation looks at, or null.
static Value getAwaited(Operation *op) {
  if (isa<SemaphoreWaitOp, SemaphoreReadOp, BarrierWaitOp, BarrierTestOp>(op))
    return op->getOperand(0);
  auto wait = dyn_cast<DMAWaitOp>(op);
  if (!wait)
    return {};
  return wait.getSourceSemaphore() ? wait.getSourceSemaphore()
                                   : wait.getSemaphore();
}

static bool isCollective(Operation *op) {
  auto scope = dyn_cast<RunScopedOp>(op);
  return scope && scope.getCollectiveAxes() &&
         !scope.getCollectiveAxes()->empty();
}

static bool hasSharedScratch(MeshAttr mesh) {
  return llvm::any_of(mesh.getAxes(), [](MeshAxisAttr axis) {
    return axis.getRole() == MeshAxisRole::Thread;
  });
}

namespace {
/// One kernel, and the arguments that it has besides scratch.
struct MeshKernel {
  Region &region;
  MeshAttr mesh;
  unsigned numKnown;
  /// Whether other kernels run at the same time.
  bool hasOthers;

  /// Whether each point has its own of these.
  bool isPrivate(Value ref) const {
    while (isRefView(ref.getDefiningOp()))
      ref = ref.getDefiningOp()->getOperand(0);
    auto argument = dyn_cast<BlockArgument>(ref);
    if (!argument || !region.isAncestor(argument.getParentRegion()))
      return false;
    if (argument.getParentRegion() == &region)
      return argument.getArgNumber() >= numKnown && !hasOthers &&
             !hasSharedScratch(mesh);
    return !isCollective(argument.getOwner()->getParentOp());
  }
};
} // namespace

static LogicalResult verifyIndependent(Operation *map,
                                       const MeshKernel &kernel) {
  bool isAlone = !kernel.hasOthers &&
                 ShapedType::getNumElements(kernel.mesh.getShape()) == 1;
  WalkResult result = kernel.region.walk([&](Operation *op) {
    auto refuse = [&](const Twine &what) {
      InFlightDiagnostic diag = op->emitOpError()
                                << what
                                << "; loops over values run the points of a "
                                   "mesh one after the other";
      diag.attachNote(map->getLoc()) << "the mesh is " << kernel.mesh;
      return WalkResult::interrupt();
    };
    if (isAlone)
      return WalkResult::advance();
    if (isa<CoreBarrierOp>(op))
      return refuse("waits for the other cores");
    if (isCollective(op))
      return refuse("shares memory between the points of a mesh");
    if (Value awaited = getAwaited(op); awaited && !kernel.isPrivate(awaited))
      return refuse("looks at what other points of the mesh may signal");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Emits a kernel once per point. Its arguments besides scratch have values
/// already; threads of a block share their scratch.
static LogicalResult createMeshLoops(OpBuilder &builder, Operation *map,
                                     DischargeState &state,
                                     const MeshKernel &kernel,
                                     ArrayRef<Value> refs) {
  Location loc = map->getLoc();
  Block &body = kernel.region.front();
  ArrayRef<MeshAxisAttr> axes = kernel.mesh.getAxes();
  GridPoint point;
  point.grid = dyn_cast<GridMappingOpInterface>(map);
  for (MeshAxisAttr axis : axes)
    point.names.push_back(axis.getName().getValue());
  point.sizes = createGridSizes(builder, loc, kernel.mesh.getShape(), {});
  const auto *firstThread = llvm::find_if(axes, [](MeshAxisAttr axis) {
    return axis.getRole() == MeshAxisRole::Thread;
  });
  unsigned numBlockAxes = firstThread - axes.begin();

  SmallVector<Value> shared(refs);
  if (hasSharedScratch(kernel.mesh))
    llvm::append_range(shared, body.getArguments().drop_front(kernel.numKnown));
  auto runPoint = [&](ValueRange ids) -> LogicalResult {
    llvm::append_range(point.ids, ids);
    replaceGridQueries(builder, kernel.region, point);
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

/// Gives the arguments of a kernel what they hold. Each kernel sees input
/// arrays that are no outputs as they came; what it writes to them stays with
/// it.
static void defineInputs(OpBuilder &builder, MpmdMapOp map, Block &body,
                         DischargeState &state) {
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), map.getInputs())) {
    if (isa<RankedTensorType>(input.getType()))
      state.define(argument, input);
    else if (state.isDischarged(input))
      state.define(argument, state.read(builder, map.getLoc(), input));
    else
      argument.replaceAllUsesWith(input);
  }
}

/// Makes all kernels use the output's ref for an input that shares its memory.
static void joinAliasedRefs(MpmdMapOp map) {
  for (auto [input, output] : map.getInputOutputAliases())
    for (Region &kernel : map.getKernels()) {
      BlockArgument from = kernel.getArgument(input);
      BlockArgument to = kernel.getArgument(map.getInputs().size() + output);
      if (from.getType() == to.getType())
        from.replaceAllUsesWith(to);
    }
}

namespace {
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
    SmallVector<Value> outputs(map->getNumResults());
    for (auto [input, output] : map.getInputOutputAliases())
      outputs[output] = map.getInputs()[input];
    for (auto [output, type] : llvm::zip(outputs, map.getResultTypes()))
      if (!output)
        output = tensor::EmptyOp::create(
            builder, loc, cast<RankedTensorType>(type).getShape(),
            getElementTypeOrSelf(type));
    for (auto [region, mesh] :
         llvm::zip(map.getKernels(), map.getMeshes().getAsRange<MeshAttr>())) {
      MeshKernel kernel{region, mesh, unsigned(arrays.size()),
                        map.getKernels().size() > 1};
      if (failed(verifyIndependent(op, kernel)))
        return failure();
      Block &body = region.front();
      defineInputs(builder, map, body, state);
      auto outputRefs = body.getArguments().slice(numInputs, outputs.size());
      for (auto [argument, output] : llvm::zip(outputRefs, outputs))
        state.define(argument, output);
      SmallVector<Value> written = state.getWritten(region);
      if (failed(createMeshLoops(builder, op, state, kernel, written)))
        return failure();
      for (auto [argument, output] : llvm::zip(outputRefs, outputs))
        output = state.read(builder, loc, argument);
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

struct DischargeCoreMap
    : public DischargeableOpInterface::ExternalModel<DischargeCoreMap,
                                                     CoreMapOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    auto map = cast<CoreMapOp>(op);
    MeshKernel kernel{map.getBody(), map.getMesh(), 0, /*hasOthers=*/false};
    if (failed(verifyIndependent(op, kernel)))
      return failure();
    return createMeshLoops(builder, op, state, kernel, state.getWritten(op));
  }
};
} // namespace

void pallas::attachMeshModels(MLIRContext *context) {
  CoreMapOp::attachInterface<DischargeCoreMap>(*context);
  MpmdMapOp::attachInterface<DischargeMpmdMap>(*context);
}
