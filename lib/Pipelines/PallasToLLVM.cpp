//===- PallasToLLVM.cpp - From kernels to the LLVM dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file puts the passes to native code together. The order is: whole
// kernels on refs, loops over the grid on tensors and memrefs, buffers, loops,
// vectors, and bytes. Comments give the reason where two passes can't trade
// places.
//
//===----------------------------------------------------------------------===//

#include "pallas/Pipelines/PallasToLLVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Conversion/Passes.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Pipelines/CoarsenGrids.h"
#include "pallas/Pipelines/RaiseToPallas.h"

using namespace mlir;
using namespace mlir::pallas;

/// From grids over refs to loops over memory.
static void addLoweringToLoops(OpPassManager &pm,
                               const PallasToLLVMOptions &options) {
  // Pipelines are still whole.
  pm.addPass(createPallasSlicePackedViews({options.checked}));
  pm.addPass(createPallasDistributePipelines());
  pm.addPass(createPallasExpandCTAPairs());
  pm.addPass(createPallasExpandMulticast());
  // Checks report the argument by its name, so aliased arrays may stay apart.
  if (options.checked)
    pm.addPass(createPallasInsertChecks());
  else
    pm.addPass(createPallasJoinAliasedRefs());
  // Behind the checks, which name refs by the grids that declare them.
  pm.addPass(createPallasGridsToLoops({options.parallel}));
  // Queries of coordinates in a grid are in the kernel of the mesh by now.
  pm.addPass(createPallasMeshesToLoops());
  // All memory has an operation by now, and the lowering knows of no other.
  if (options.checked)
    pm.addPass(createPallasInsertMemoryChecks());
  pm.addPass(createConvertPallasToCPU({options.checked}));
  // Calls between functions are gone, so each public function is an entry.
  pm.addPass(createPallasCPUEntryABI());
}

/// From tensors to memory.
static void addBufferization(OpPassManager &pm,
                             const PallasToLLVMOptions &options) {
  // Operations on tensors may still be fused.
  OpPassManager &onTensors = pm.nest<func::FuncOp>();
  onTensors.addPass(createConvertPallasToLinalg());
  // Where the largest element of a row comes from shows until loops fuse.
  onTensors.addPass(createPallasCPUBoundExponents());
  onTensors.addPass(createPallasCPUGeneralize());
  if (options.optimize) {
    onTensors.addPass(createPallasCPUGeneralizeConcats());
    onTensors.addPass(createPallasCPUDropUnitDims());
    onTensors.addPass(createPallasCPUFuseReshapes());
    onTensors.addPass(createPallasCPUFuse());
    onTensors.addPass(createPallasCPUSinkCollapses());
    onTensors.addPass(createPallasCPUSplitParts());
    onTensors.addPass(createPallasCPUInsertParts());
    onTensors.addPass(createPallasCPUCopyUpdatedValues());
  }
  // Buffers. The analysis finds them in place where control flow and stores
  // have the form that these passes give them.
  onTensors.addPass(createPallasCPUExpandSwitches());
  onTensors.addPass(createPallasCPUBoundAliasSets());
  onTensors.addPass(createPallasCPUFoldStoredReshapes());
  onTensors.addPass(createPallasCPUAlignWhileLoops());
  pm.addPass(createPallasCPUBufferize());
  pm.addNestedPass<func::FuncOp>(createPallasCPUForwardToResults());
}

void pallas::buildPallasToLLVMPipeline(OpPassManager &pm,
                                       const PallasToLLVMOptions &options) {
  buildRaiseToPallasPipeline(pm, options.checked);
  // One flat function per entry, with buffers as arguments and results. The
  // inliner also canonicalizes, which would erase what checks are to find, for
  // example a store that is never read.
  if (options.checked)
    pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  else
    pm.addPass(createInlinerPass());
  // Array code that repeats itself, before windows are made: where conditions
  // of partial ones became one value, their branches would be joined, and no
  // pass would find them. Checks report each access.
  if (options.optimize && !options.checked)
    pm.addNestedPass<func::FuncOp>(createPallasCSE());
  // On whole operations, as each of them has a meaning in the ring.
  if (options.ring)
    pm.addPass(createPallasFloatsToRing());
  // Calls are still whole: a coarser grid only changes their blocks.
  addGridCoarsening(pm, options.coarsen, options.reassociate);
  // XLA defines integer operations that arith leaves undefined, for example
  // division by zero. Only the operations of the kernel need this; those of the
  // loops that later passes create never divide by zero.
  pm.addPass(createPallasCPUDefineIntegers());
  addLoweringToLoops(pm, options);

  addBufferization(pm, options);

  // Loops and vectors.
  OpPassManager &onMemory = pm.nest<func::FuncOp>();
  onMemory.addPass(createCanonicalizerPass());
  onMemory.addPass(createCSEPass());
  if (options.optimize) {
    onMemory.addPass(createPallasCPUJoinContractions());
    onMemory.addPass(createPallasCPUAccumulateInPlace());
    onMemory.addPass(createPallasCPUMergeLoops({options.cpu}));
    onMemory.addPass(createPallasCPUClipEdges());
    onMemory.addPass(createPallasCPUShareColumns({options.cpu}));
    onMemory.addPass(createPallasCPUShareRows({options.cpu}));
    onMemory.addPass(createPallasCPUInterchangeRows({options.cpu}));
  }
  // Contractions first: what is left of them becomes plain loops.
  onMemory.addPass(createPallasCPULowerContractions({options.cpu}));
  onMemory.addPass(createPallasCPUReduceByRows({options.cpu}));
  onMemory.addPass(createPallasCPULowerLinalg({options.cpu}));
  if (options.optimize)
    onMemory.addPass(createPallasCPUFetchNextRows());
  // The runtime calls tasks by a function pointer.
  pm.addPass(createPallasCPUOutlineTasks());
  PallasCPUSplitFunctionsOptions splitting;
  if (options.partSize.hasValue())
    splitting.partSize = options.partSize;
  pm.addPass(createPallasCPUSplitFunctions(splitting));
  // Loops over parallel dimensions of grids; tasks are functions by now.
  if (options.parallel)
    pm.addPass(createConvertSCFToOpenMPPass());
  OpPassManager &onLoops = pm.nest<func::FuncOp>();
  PallasCPUPlaceBuffersOptions placing;
  // All buffers exist by now, so their lifetimes are known.
  placing.separate = options.separateBuffers;
  onLoops.addPass(createPallasCPUPlaceBuffers(placing));
  onLoops.addPass(createPallasCPUIntegerExtrema());
  // Math widens 16-bit floats, so that only conversions and moves of them are
  // left; conversions that no instruction does are expanded; then the rest only
  // moves bits.
  onLoops.addPass(createPallasCPUExpandDivision({options.cpu}));
  onLoops.addPass(createPallasCPUExpandMath({options.cpu}));
  onLoops.addPass(createPallasCPUWidenNarrowFloats());
  onLoops.addPass(createPallasCPUExpandNarrowFloats({options.cpu}));
  pm.addPass(createPallasCPUHalvesToIntegers());
  pm.addPass(createPallasCPUWidenMemory());
  OpPassManager &onBytes = pm.nest<func::FuncOp>();
  // Views become offsets in affine form, which the next pass lowers.
  onBytes.addPass(memref::createExpandStridedMetadataPass());
  onBytes.addPass(createLowerAffinePass());
  onBytes.addPass(createSCFToControlFlowPass());
  pm.addPass(createPallasCPUToLLVM({options.cpu}));
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void pallas::registerPallasToLLVMDependencies(DialectRegistry &registry) {
  registry.insert<PallasDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  bufferization::BufferizationDialect, func::FuncDialect,
                  gpu::GPUDialect, linalg::LinalgDialect, math::MathDialect,
                  mosaic_gpu::MosaicGPUDialect, NVVM::NVVMDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  tpu::TPUDialect, ub::UBDialect, vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}

void pallas::registerPallasToLLVMPipeline() {
  PassPipelineRegistration<PallasToLLVMOptions>(
      "pallas-to-llvm", "Take a module of any stage to the LLVM dialect",
      buildPallasToLLVMPipeline);
}
