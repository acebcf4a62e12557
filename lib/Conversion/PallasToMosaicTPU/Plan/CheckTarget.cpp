//===- CheckTarget.cpp - Modules that a chip cannot compile ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"
#include "CheckMeshes.h"
#include "TPUFootprint.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "pallas/Dialect/MosaicTPU/Utils/SparseCoreMemory.h"
#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"
#include "pallas/Support/Tiles.h"

using namespace mlir;
using namespace mlir::pallas;

static llvm::json::Object toJSON(const MemoryBuffer &buffer) {
  llvm::json::Object object{{"role", stringifyRole(buffer.role)},
                            {"index", int64_t(buffer.index)},
                            {"space", buffer.getSpace()},
                            {"buffers", buffer.count}};
  if (buffer.origin)
    object["origin"] = buffer.origin.getValue();
  object["bytes"] = buffer.count * *buffer.bytes;
  return object;
}

static bool isInKernel(Operation *op) {
  return op->getParentOfType<PallasCallOp>() ||
         op->getParentOfType<MpmdMapOp>();
}

/// Types that upstream's operations take and no chip computes, such as f64 and
/// i64.
static LogicalResult checkArithmetic(Operation *op, const TPUChip &chip) {
  if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
          op->getDialect()))
    return success();
  for (Type type : op->getResultTypes())
    if (!tpu::getTPUElement(getElementTypeOrSelf(type)))
      return op->emitOpError() << "computes " << type
                               << ", which no TPU has; use 32 bits or less";
  Type element = tpu::getDecidingElement(op);
  if (op->getNumResults() == 0 ||
      getTPUSupport(op->getName(), element, chip) != TPUSupport::Refused)
    return success();
  return op->emitOpError() << "on elements of type " << element
                           << " has no equivalent on " << chip.name
                           << "; compute in i32 or f32";
}

static void emitFootprint(PallasCallOp op, const TPUFootprint &footprint,
                          const TPUChip &chip) {
  InFlightDiagnostic diag = op.emitRemark();
  diag << "windows and scratch memory take " << footprint.vmemBytes << " of "
       << chip.vmemBytes << " bytes of VMEM";
  if (footprint.smemBytes)
    diag << " and " << footprint.smemBytes << " of " << chip.smemBytes
         << " bytes of SMEM";
  footprint.memory.attachBuffers(*diag.getUnderlyingDiagnostic());
}

/// T3, T4
static void checkTiles(PallasCallOp op, GridMappingOpInterface grid,
                       unsigned index, const WindowPlan &plan,
                       const TPUChip &chip) {
  BlockMappingAttr mapping = grid.getMappings()[index];
  if (!plan.isWindowed || plan.isTrivial || plan.isElementWindow)
    return;
  int64_t rank = plan.original.size();
  int64_t bits =
      plan.element.isInteger(1) ? 32 : plan.element.getIntOrFloatBitWidth();
  for (auto [dim, block] : llvm::enumerate(mapping.getBlockShape())) {
    int64_t fromMinor = rank - 1 - int64_t(dim);
    int64_t whole = plan.original[dim];
    if (isTiledBlock(block, whole, fromMinor, rank, bits, chip))
      continue;
    int64_t unit = 1;
    while (!isTiledBlock(unit, 0, fromMinor, rank, bits, chip))
      ++unit;
    InFlightDiagnostic diag = op.emitWarning();
    diag << "block " << index;
    if (StringAttr origin = mapping.getOrigin())
      diag << " (" << origin.getValue() << ")";
    diag << " has size " << block << " in dimension " << dim << " of size "
         << whole << ", which is not a multiple of " << unit
         << ": the array is relaid out around each call; sizes near it "
            "that need no copy are "
         << spellNearestMultiples(block, unit, whole);
  }
}

/// All that is wrong with a call, not only what is found first: a kernel that
/// is made legal error by error is compiled once per error.
static LogicalResult checkCall(PallasCallOp op, const TPUChip &chip,
                               llvm::json::Array &calls) {
  auto grid = cast<GridMappingOpInterface>(op.getOperation());
  bool failed = false;
  SmallVector<WindowPlan, 0> plans;
  for (unsigned i = 0, e = grid.getNumBlocks(); i < e; ++i) {
    FailureOr<WindowPlan> plan = planWindow(grid, i, chip);
    failed |= mlir::failed(plan);
    if (mlir::failed(plan))
      continue;
    checkTiles(op, grid, i, *plan, chip);
    plans.push_back(std::move(*plan));
  }
  // Without all windows there is nothing to add up.
  if (failed)
    return failure();
  TPUFootprint footprint = computeTPUFootprint(op, plans, chip);
  if (mlir::failed(checkTPUFootprint(op, footprint, chip)))
    failed = true;
  else
    emitFootprint(op, footprint, chip);
  llvm::json::Object call = describeOperation(op);
  llvm::json::Array buffers;
  for (const MemoryBuffer &buffer : footprint.memory.buffers)
    if (buffer.bytes)
      buffers.push_back(toJSON(buffer));
  call["chip"] = chip.name;
  call["vmem"] = footprint.vmemBytes;
  call["vmem_capacity"] = chip.vmemBytes;
  call["smem"] = footprint.smemBytes;
  call["smem_capacity"] = chip.smemBytes;
  call["buffers"] = std::move(buffers);
  calls.push_back(std::move(call));
  return failure(failed);
}

/// The memory that a core of each kind has, beside which the analysis of memory
/// puts what kernels of meshes take. VMEM is that of vector subcores where
/// these take part: it is less than a TensorCore's.
static llvm::json::Object describeMeshes(Operation *op, const TPUChip &chip) {
  llvm::json::Object call = describeOperation(op);
  SmallVector<Attribute> meshes;
  if (auto map = dyn_cast<MpmdMapOp>(op))
    llvm::append_range(meshes, map.getMeshes());
  else
    meshes.push_back(cast<CoreMapOp>(op).getMesh());
  auto hasKind = [&](MeshKind kind) {
    return llvm::any_of(meshes, [&](Attribute mesh) {
      return cast<MeshAttr>(mesh).getKind() == kind;
    });
  };
  call["chip"] = chip.name;
  if (hasKind(MeshKind::ScVector))
    call["vmem_capacity"] = tpu::getSubcoreVmemBytes(chip);
  else if (hasKind(MeshKind::TensorCore))
    call["vmem_capacity"] = chip.vmemBytes;
  return call;
}

LogicalResult mlir::pallas::checkTPUTarget(ModuleOp module, const TPUChip &chip,
                                           llvm::json::Array &calls) {
  bool failed = mlir::failed(checkTPUMeshes(module, chip));
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<PallasCallOp>(op))
      failed |= mlir::failed(checkCall(call, chip, calls));
    else if (isa<MpmdMapOp, CoreMapOp>(op))
      calls.push_back(describeMeshes(op, chip));
    else if (isInKernel(op))
      failed |= mlir::failed(checkArithmetic(op, chip));
  });
  return failure(failed);
}
