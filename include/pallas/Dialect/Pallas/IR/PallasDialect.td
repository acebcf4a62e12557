//===- PallasDialect.td - The pallas dialect ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_TD
#define PALLAS_DIALECT_TD

include "mlir/IR/OpBase.td"

def Pallas_Dialect : Dialect {
  let name = "pallas";
  let cppNamespace = "::mlir::pallas";
  let summary = "Kernels over a grid, with blocks, mutable refs and memory spaces";
  let description = [{
    The `pallas` dialect holds Pallas kernels as they are written: a grid of
    programs, one block of each operand per program, and a kernel body that
    reads and writes mutable *refs*.

    Values are ranked tensors, or plain scalars when the rank is zero; memory
    is `!pallas.ref`. Integers are signless: where the sign matters, the
    operation states it (`arith.divui`, `umax`, ...). The dialect knows no target.

    The attribute `pallas.parallel_loop = n : i64` of an `scf.for` states that no
    iteration depends on what another one does to memory, and that `n` of them
    at a time are worth running together. It changes no result: iterations in
    order are right, too.

    The attribute `pallas.coarsen = array<i64: 4, 1>` of a `pallas.pallas_call` asks
    `pallas-coarsen-grid` to join four steps of the first of two dimensions of its
    grid. It changes no result either.
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];

  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // PALLAS_DIALECT_TD
