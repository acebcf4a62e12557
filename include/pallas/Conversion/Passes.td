//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//

#ifndef PALLAS_CONVERSION_PASSES_TD
#define PALLAS_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertPallasToCPU : Pass<"convert-pallas-to-cpu", "::mlir::ModuleOp"> {
  let summary = "turn calls and refs into loops and memory";
  let description = [{
    Grids become loops, parallel dimensions that come first among them
    `scf.parallel`; refs become memrefs, windows views of the operands. Values
    stay tensors: a read is a tensor of the memory itself where nothing can
    write to it while the value is in use, and a copy elsewhere.

    An array that its blocks don't divide is padded once per call. An input that
    the kernel writes to is copied, and an output that is aliased to an input
    starts as a copy of it. Asynchronous copies happen when they start;
    semaphores are counted, and a wait that can't succeed is a run-time error.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "true",
           "Run parallel grid dimensions as scf.parallel">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// PallasToLinalg
//===----------------------------------------------------------------------===//

def ConvertPallasToLinalg : Pass<"convert-pallas-to-linalg"> {
  let summary = "convert operations on values to linalg and loops on tensors";
  let description = [{
    Contractions, reductions, changes of shape, gathers, scatters, sorts and
    casts of bits become linalg operations, or loops on tensors where the order
    of the elements matters. Hints disappear. Operations on refs, kernels and
    grids stay as they are.

    The results are those of XLA on CPUs: sums of floats narrower than 32 bits
    are kept in f32 and rounded once, gathers clamp their indices, scatters drop
    updates whose window isn't inside, sorts are stable and put NaN last. The
    code does not grow with the sizes of the tensors, which must be static.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // PALLAS_CONVERSION_PASSES_TD
