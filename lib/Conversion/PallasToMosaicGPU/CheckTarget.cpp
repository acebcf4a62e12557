//===- CheckTarget.cpp - Modules that a GPU cannot compile ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTarget.h"
#include "KernelModule.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "pallas/Conversion/PallasToMosaicGPU/PallasToMosaicGPU.h"
#include "pallas/Dialect/Pallas/Analysis/Report.h"

using namespace mlir;
using namespace mlir::pallas;

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
                          const GPUTarget &target) {
  InFlightDiagnostic diag = emitRemark(loc);
  diag << "takes " << footprint.sharedBytes << " of " << target.sharedBytes
       << " bytes of shared memory, " << footprint.numBarriers
       << " barriers among them, and " << footprint.accumulatorRegisters
       << " of " << footprint.registers
       << " registers of a thread for accumulators";
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
  addGPUPreparation(prepare);
  if (failed(prepare.run(*copy)))
    return failure();
  auto report = [&](Operation *op, const KernelFootprint &footprint) {
    emitFootprint(op->getLoc(), footprint, target);
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
