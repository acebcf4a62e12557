//===- Register.cpp - All dialects and passes of this project -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what Pallas modules hold and what our pipelines make of them,
// rather than everything upstream has: that halves the start-up time.
//
// Everything that opens modules of this project calls these two functions: the
// tools, the plugin of mlir-opt, the C API and Python.
//
//===----------------------------------------------------------------------===//

#include "pallas/Register.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Conversion/Passes.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/MosaicTPU/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Dialect/Pallas/Transforms/Passes.h"
#include "pallas/Pipelines/PallasToLLVM.h"
#include "pallas/Pipelines/PallasToMosaicGPU.h"
#include "pallas/Pipelines/PallasToMosaicTPU.h"

using namespace mlir;

/// Dialects, and the interface models that make operations of other dialects
/// discharge. Models are attached when their dialect is loaded.
void pallas::registerAllDialects(DialectRegistry &registry) {
  registry.insert<PallasDialect, mosaic_gpu::MosaicGPUDialect, tpu::TPUDialect,
                  affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  // After the dialects whose operations it extends.
  registerDischargeModels(registry);
  func::registerInlinerExtension(registry);
}

/// Passes and pipelines, under the names that command lines use.
void pallas::registerAllPasses() {
  registerTransformsPasses();
  registerPallasCPUPasses();
  registerPallasConversionPasses();
  registerPallasTransformsPasses();
  mosaic_gpu::registerMosaicGPUTransformsPasses();
  tpu::registerTPUTransformsPasses();
  registerPallasToLLVMPipeline();
  registerPallasToMosaicGPUPipeline();
  registerPallasToMosaicTPUPipeline();
}
