//===- TPUDialect.td - The tpu dialect ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUDIALECT_TD
#define PALLAS_MOSAICTPU_TPUDIALECT_TD

include "mlir/IR/OpBase.td"

def TPU_Dialect : Dialect {
  let name = "tpu";
  let cppNamespace = "::mlir::tpu";
  let summary = "Kernels as the Mosaic compiler for TPUs takes them";
  let description = [{
    The `tpu` dialect holds what the upstream dialects lack to write a kernel
    for a TensorCore or a SparseCore: memory spaces, masked and strided vector
    accesses, views of memrefs, matrix multiplication, semaphores and DMAs.
    It is used together with `func`, `arith`, `math`, `scf`, `memref` and `vector`.

    Names, operand order, attributes, text and enum values are those that the
    Mosaic compiler reads, so modules can be exchanged with it as text and, in
    the `stable_mosaic` form, as bytecode. Operations which only that compiler
    makes for itself are not here.
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasCanonicalizer = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];

  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOperations();
  }];
}

#endif // PALLAS_MOSAICTPU_TPUDIALECT_TD
