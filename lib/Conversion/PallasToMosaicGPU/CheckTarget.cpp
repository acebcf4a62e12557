//===- CheckTarget.cpp - Modules that a GPU cannot compile ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"
#include "KernelModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Of each of the 128 threads of a warpgroup. Splats are an immediate or one
/// register, and rows that are broadcast are used where they are.
static int64_t getRegisters(ValueRange values) {
  int64_t sum = 0;
  for (Value value : values) {
    auto type = dyn_cast<VectorType>(value.getType());
    if (!type || !type.getElementType().isIntOrFloat() ||
        isa_and_present<arith::ConstantOp, vector::BroadcastOp,
                        mosaic_gpu::BroadcastInDimOp>(value.getDefiningOp()))
      continue;
    int64_t bits = std::max(8u, type.getElementTypeBitWidth());
    sum += llvm::divideCeil(type.getNumElements() * bits, 32 * 128);
  }
  return sum;
}

/// The last operation of the block that uses a value, by itself or inside, and
/// whether only code inside does. One without uses ends where it is made.
static std::pair<Operation *, bool> findEnd(Value value, Block &block) {
  std::pair<Operation *, bool> end{value.getDefiningOp(), true};
  for (OpOperand &use : value.getUses()) {
    Operation *at = block.findAncestorOpInBlock(*use.getOwner());
    if (end.first && end.first != at && at->isBeforeInBlock(end.first))
      continue;
    bool isInside = use.getOwner() != at;
    end = {at, isInside || (end.first == at && end.second)};
  }
  return end;
}

/// How many registers hold the vectors that are live at the same time, where
/// that is most; addresses and counters come on top:
///
///   %x = "mosaic_gpu.vector_load"(%a)   64
///   %y = "mosaic_gpu.vector_load"(%b)   128, as %x is still to be used
///   %z = arith.addf %x, %y              64: the sum takes the place of both
///
/// Warpgroups take different branches, so regions do not add up.
static int64_t estimateRegisters(Block &block) {
  DenseMap<Operation *, int64_t> operands, captures;
  auto noteEnds = [&](ValueRange values) {
    for (Value value : values)
      if (int64_t registers = getRegisters(value)) {
        auto [last, isCaptured] = findEnd(value, block);
        (isCaptured ? captures : operands)[last] += registers;
      }
  };
  noteEnds(block.getArguments());
  for (Operation &op : block)
    noteEnds(op.getResults());
  int64_t live = getRegisters(block.getArguments()), most = live;
  for (Operation &op : block) {
    live -= operands.lookup(&op);
    int64_t results = getRegisters(op.getResults()), within = results;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        within = std::max(within, estimateRegisters(nested));
    most = std::max(most, live + within);
    live += results - captures.lookup(&op);
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static llvm::json::Object toJSON(const SharedBuffer &buffer) {
  return llvm::json::Object{{"role", buffer.role},
                            {"index", int64_t(buffer.index)},
                            {"space", "smem"},
                            {"offset", buffer.offset},
                            {"bytes", buffer.bytes}};
}

static llvm::json::Object toJSON(const TensorBuffer &buffer) {
  return llvm::json::Object{{"role", "scoped"},
                            {"index", int64_t(buffer.index)},
                            {"space", "tmem"},
                            {"offset", buffer.offset},
                            {"columns", buffer.columns}};
}

/// The remark has the sums; its notes name each buffer.
static void emitFootprint(Location loc, const KernelFootprint &footprint,
                          int64_t valueRegisters, const GPUTarget &target) {
  InFlightDiagnostic diag = emitRemark(loc);
  diag << "takes " << footprint.sharedBytes << " of " << target.sharedBytes
       << " bytes of shared memory, " << footprint.numBarriers
       << " barriers among them, and " << footprint.accumulatorRegisters
       << " of " << footprint.registers
       << " registers of a thread for accumulators, up to " << valueRegisters
       << " with other arrays";
  if (footprint.tensorColumns)
    diag << ", and " << footprint.tensorColumns << " of "
         << target.tensorColumns << " columns of tensor memory";
  footprint.attachBuffers(*diag.getUnderlyingDiagnostic());
  diag.report();
  if (footprint.accumulatorRegisters > footprint.registers)
    emitWarning(loc)
        << "keeps accumulators of " << footprint.accumulatorRegisters
        << " registers in threads of " << footprint.registers
        << ", so the compiler spills the rest to memory; use accumulators of "
           "fewer elements, or share them among more warpgroups";
}

/// Lowers a copy of the module, because the plan of memory exists only while a
/// kernel is written. The lowering reports what it refuses.
LogicalResult mlir::pallas::checkGPUTarget(ModuleOp module,
                                           const GPUTarget &target,
                                           llvm::json::Array &calls) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager prepare(module.getContext(), ModuleOp::getOperationName());
  addGPUPreparation(prepare, target.arch);
  if (failed(prepare.run(*copy)))
    return failure();
  auto report = [&](Operation *op, const KernelFootprint &footprint) {
    int64_t valueRegisters = estimateRegisters(*footprint.body);
    emitFootprint(op->getLoc(), footprint, valueRegisters, target);
    llvm::json::Object call = describeOperation(op);
    llvm::json::Array buffers;
    for (const SharedBuffer &buffer : footprint.buffers)
      buffers.push_back(toJSON(buffer));
    for (const TensorBuffer &buffer : footprint.tensorBuffers)
      buffers.push_back(toJSON(buffer));
    call["arch"] = target.arch;
    call["smem"] = footprint.sharedBytes;
    call["smem_capacity"] = target.sharedBytes;
    call["barriers"] = footprint.numBarriers;
    call["accumulator_registers"] = footprint.accumulatorRegisters;
    call["value_registers"] = valueRegisters;
    call["registers"] = footprint.registers;
    if (target.tensorColumns) {
      call["tmem_columns"] = footprint.tensorColumns;
      call["tmem_capacity"] = target.tensorColumns;
    }
    call["buffers"] = std::move(buffers);
    calls.push_back(std::move(call));
  };
  return outlineKernels(*copy, target, RuleTable::ofAllOperations(), report);
}
