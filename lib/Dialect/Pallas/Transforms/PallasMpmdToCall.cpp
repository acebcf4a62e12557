//===- PallasMpmdToCall.cpp - Kernels of one mesh as calls ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call has one grid and programs that are independent. A map with one mesh
// whose cores don't communicate is one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASMPMDTOCALL
#include "pallas/Dialect/Pallas/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Whether an operation lets the cores of a mesh know of each other. Programs
/// of a call may run one after the other, so they can't wait for one another.
static bool communicates(Operation *op) {
  if (isa<CoreBarrierOp, CoreIdOp, ClusterRefOp, GetGlobalOp>(op))
    return true;
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op))
    return bool(signal.getCoreIndex());
  if (auto copy = dyn_cast<DMAStartOp>(op))
    return bool(copy.getCoreIndex());
  if (auto scope = dyn_cast<RunScopedOp>(op))
    return scope.getCollectiveAxes() && !scope.getCollectiveAxes()->empty();
  return false;
}

static Operation *findCommunication(Region &kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    if (!communicates(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether a call can express the map; explains why not.
static bool isCall(MpmdMapOp op) {
  auto refuse = [&] { return op.emitRemark() << "stays an mpmd_map: "; };
  std::optional<ArrayAttr> external = op.getExternalMeshes();
  if (!op.hasGridMapping() || (external && !external->empty())) {
    refuse() << "it has "
             << op.getMeshes().size() + (external ? external->size() : 0)
             << " meshes, but a call has one grid";
    return false;
  }
  auto mesh = cast<MeshAttr>(op.getMeshes()[0]);
  for (MeshAxisAttr axis : mesh.getAxes())
    if (axis.getRole() == MeshAxisRole::Cluster ||
        axis.getRole() == MeshAxisRole::Thread) {
      refuse() << "axis " << axis.getName()
               << " runs over threads or blocks that share memory, which no "
                  "grid dimension does";
      return false;
    }
  // Semaphores among the inputs are shared by all cores.
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    auto ref = dyn_cast<RefType>(input.getType());
    if (ref && ref.isSynchronization()) {
      refuse() << "input " << index << " of type " << ref
               << " is what its points wait for each other by";
      return false;
    }
  }
  if (Operation *communication = findCommunication(op.getKernels()[0])) {
    InFlightDiagnostic diag = refuse();
    diag << "its points depend on each other, but programs of a call run in "
            "any order";
    diag.attachNote(communication->getLoc()) << "here they do";
    return false;
  }
  return true;
}

/// Refs and scalars come first among the arguments of a call: they are
/// captured.
static void moveCapturesInFront(Block &kernel, ArrayRef<unsigned> captures) {
  for (auto [position, from] : llvm::enumerate(captures)) {
    BlockArgument old = kernel.getArgument(from);
    if (from == position)
      continue;
    BlockArgument moved =
        kernel.insertArgument(position, old.getType(), old.getLoc());
    old.replaceAllUsesWith(moved);
    kernel.eraseArgument(from + 1);
  }
}

///   pallas.mpmd_map in(%x : tensor<8xf32>) ... kernel @k on <tensorcore, ...>
///
/// becomes
///
///   pallas.pallas_call @k grid(2) in(%x : tensor<8xf32>) ...
///       semantics [parallel]
static void convert(MpmdMapOp op) {
  OpBuilder builder(op);
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  // The windows of a call need not share memory.
  grid.joinAliasedRefs();
  SmallVector<unsigned> captureNumbers;
  SmallVector<Value> captures, inputs;
  SmallVector<int64_t> newNumber;
  SmallVector<BlockMappingAttr> mappings;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    newNumber.push_back(inputs.size());
    if (isa<RankedTensorType, PinnedType>(input.getType())) {
      inputs.push_back(input);
      mappings.push_back(grid.getMappings()[index]);
    } else {
      captureNumbers.push_back(index);
      captures.push_back(input);
    }
  }
  llvm::append_range(mappings, grid.getBlockMappingsOutput());
  auto call = PallasCallOp::create(builder, op.getLoc(), op.getResultTypes(),
                                   grid.getGridShape(), ValueRange(),
                                   ValueRange(), inputs, mappings, captures);
  SmallVector<Attribute> names, semantics;
  for (StringRef name : grid.getGridDimensionNames())
    names.push_back(builder.getStringAttr(name));
  for (DimensionSemantics each : grid.getGridDimensionSemantics())
    semantics.push_back(DimensionSemanticsAttr::get(op.getContext(), each));
  // Aliases count the inputs that are arrays only.
  SmallVector<int64_t> aliases(op.getAliases());
  for (unsigned i = 0; i < aliases.size(); i += 2)
    aliases[i] = newNumber[aliases[i]];
  call.setGridNamesAttr(builder.getArrayAttr(names));
  call.setDimensionSemanticsAttr(builder.getArrayAttr(semantics));
  call.setAliases(aliases);
  if (std::optional<ArrayAttr> kernelNames = op.getKernelNames())
    call.setKernelNameAttr(cast<StringAttr>((*kernelNames)[0]));
  call.setCompilerParamsAttr(op.getCompilerParamsAttr());
  call.setCostEstimateAttr(op.getCostEstimateAttr());
  call.setMetadataAttr(op.getMetadataAttr());
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());

  moveCapturesInFront(op.getKernels()[0].front(), captureNumbers);
  call.getKernel().takeBody(op.getKernels()[0]);
  for (unsigned index = 0; index < mappings.size(); ++index) {
    unsigned rank = mappings[index].getDims().size();
    call.createIndexMap(builder, index, [&](OpBuilder &nested, ValueRange) {
      Value zero = arith::ConstantOp::create(nested, op.getLoc(),
                                             nested.getI32IntegerAttr(0));
      return SmallVector<Value>(rank, zero);
    });
  }
  op.replaceAllUsesWith(call);
  op.erase();
}

namespace {
struct MpmdToCallPass
    : public pallas::impl::PallasMpmdToCallBase<MpmdToCallPass> {
  void runOnOperation() override {
    SmallVector<MpmdMapOp> maps;
    getOperation()->walk([&](MpmdMapOp op) { maps.push_back(op); });
    for (MpmdMapOp op : maps)
      if (isCall(op))
        convert(op);
  }
};
} // namespace
