//===- pallas-opt.cpp - Runs passes on modules ----------------------------===//
//
// Registers what Pallas modules hold and what our pipelines make of them,
// rather than everything upstream has: that halves the start-up time.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "pallas/Pipelines/PallasToLLVM.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::pallas::PallasDialect, mlir::tpu::TPUDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::ub::UBDialect,
                  mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
  mlir::pallas::registerPallasCPUPasses();
  mlir::pallas::registerPallasToLLVMPipeline();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Pallas kernel optimizer\n", registry));
}
