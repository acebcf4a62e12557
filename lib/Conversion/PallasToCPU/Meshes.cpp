//===- Meshes.cpp - Kernels that run once per point of a mesh -------------===//
//
// The points of a mesh run one after the other, in lexicographic order.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::pallas;

/// Replaces questions about the coordinates in `kernel` that mean this mesh.
static void replaceMeshQueries(OpBuilder &b, Region &kernel, MeshAttr mesh,
                               ArrayRef<Value> ids) {
  SmallVector<int64_t> shape = mesh.getShape();
  kernel.walk([&](Operation *op) {
    std::optional<unsigned> axis;
    if (isa<AxisIndexOp, AxisSizeOp>(op)) {
      StringRef name = op->getAttrOfType<StringAttr>("axisName");
      for (auto [i, meshAxis] : llvm::enumerate(mesh.getAxes()))
        if (meshAxis.getName() == name)
          axis = i;
    } else if (isa<ProgramIdOp, NumProgramsOp>(op) &&
               kernel.getParentOp() == getEnclosingGrid(op)) {
      axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
    } else if (isa<CoreIdOp>(op) && shape.size() == 1) {
      axis = 0;
    }
    if (!axis)
      return;
    bool isIndex = isa<AxisIndexOp, ProgramIdOp, CoreIdOp>(op);
    Value value = isIndex ? ids[*axis]
                          : arith::ConstantIntOp::create(
                                b, op->getLoc(), b.getI32Type(), shape[*axis])
                                .getResult();
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  });
}

/// Emits the loops over a mesh with the kernel in them. The arguments behind
/// those that already have a meaning are scratch refs. Threads of a block share
/// their scratch.
LogicalResult Lowering::runMesh(Location loc, MeshAttr mesh, Region &kernel,
                                unsigned numKnownArguments) {
  OpBuilder::InsertionGuard guard(b);
  Block &body = kernel.front();
  Value zero = index(loc, 0), one = index(loc, 1);
  SmallVector<Value> ids;
  bool hasScratch = false;
  auto allocateScratch = [&] {
    for (BlockArgument scratch :
         body.getArguments().drop_front(numKnownArguments))
      memory[scratch] = allocate(loc, scratch.getType());
    hasScratch = true;
  };
  for (MeshAxisAttr axis : mesh.getAxes()) {
    if (axis.getRole() == MeshAxisRole::Thread && !hasScratch)
      allocateScratch();
    auto loop =
        scf::ForOp::create(b, loc, zero, index(loc, axis.getSize()), one);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    ids.push_back(arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                             loop.getInductionVar()));
  }
  if (!hasScratch)
    allocateScratch();
  auto program = scf::ExecuteRegionOp::create(b, loc, TypeRange());
  Block *target = b.createBlock(&program.getRegion());
  replaceMeshQueries(b, kernel, mesh, ids);
  // What a mesh's body ends with hands over nothing.
  bool hasTerminator =
      !body.empty() && body.back().hasTrait<OpTrait::IsTerminator>();
  target->getOperations().splice(
      target->end(), body.getOperations(), body.begin(),
      hasTerminator ? std::prev(body.end()) : body.end());
  b.setInsertionPointToEnd(target);
  scf::YieldOp::create(b, loc);
  if (failed(lowerBlock(*target)))
    return failure();
  b.eraseOp(target->getTerminator());
  b.inlineBlockBefore(target, program);
  b.eraseOp(program);
  return success();
}

LogicalResult Lowering::lowerCoreMap(CoreMapOp map) {
  if (failed(runMesh(map.getLoc(), map.getMesh(), map.getBody(), 0)))
    return failure();
  b.eraseOp(map);
  return success();
}

LogicalResult Lowering::lowerMap(MpmdMapOp map) {
  Location loc = map.getLoc();
  DenseMap<int64_t, int64_t> sources;
  for (size_t i = 0; i + 1 < map.getAliases().size(); i += 2)
    sources[map.getAliases()[i + 1]] = map.getAliases()[i];
  SmallVector<Value> inputs, outputs;
  for (Value input : map.getInputs()) {
    if (!isa<RankedTensorType>(input.getType())) {
      inputs.push_back(getMemory(input));
      continue;
    }
    FailureOr<Value> buffer = getBuffer(map, input);
    if (failed(buffer))
      return failure();
    inputs.push_back(*buffer);
  }
  for (auto [i, type] : llvm::enumerate(map.getResultTypes())) {
    FailureOr<Value> output = allocateResult(map, type);
    if (failed(output))
      return failure();
    if (auto source = sources.find(i); source != sources.end())
      memref::CopyOp::create(b, loc, inputs[source->second], *output);
    outputs.push_back(*output);
  }
  for (auto [kernel, mesh] : llvm::zip_equal(
           map.getKernels(), map.getMeshes().getAsRange<MeshAttr>())) {
    auto arguments = kernel.front().getArguments();
    for (auto [argument, input, place] : llvm::zip(
             arguments.take_front(inputs.size()), map.getInputs(), inputs)) {
      if (!place) {
        argument.replaceAllUsesWith(input);
        continue;
      }
      // Nobody outside sees what a kernel writes to an input array.
      bool isArray = isa<RankedTensorType>(input.getType());
      memory[argument] =
          isArray && hazards.isWritten(argument) ? copyMemory(place) : place;
    }
    for (auto [argument, place] :
         llvm::zip(arguments.slice(inputs.size(), outputs.size()), outputs))
      memory[argument] = place;
    if (failed(runMesh(loc, mesh, kernel, inputs.size() + outputs.size())))
      return failure();
  }
  b.setInsertionPoint(map);
  SmallVector<Value> results;
  for (auto [place, type] : llvm::zip_equal(outputs, map.getResultTypes()))
    results.push_back(bufferization::ToTensorOp::create(b, loc, type, place,
                                                        /*restrict=*/true));
  b.replaceOp(map, results);
  return success();
}
