//===- TPUMatmulOps.td - Matrix multiplication -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUMATMULOPS_TD
#define PALLAS_MOSAICTPU_TPUMATMULOPS_TD

include "pallas/Dialect/MosaicTPU/IR/TPUOpBase.td"

def TPU_MatmulOp : TPU_Op<"matmul", [Pure]> {
  let summary = "acc + lhs * rhs";
  let description = [{
    ```mlir
    %0 = tpu.matmul %lhs, %rhs, %acc {
        dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>,
        transpose_lhs_hint = false}
      : vector<8x64xbf16>, vector<64x128xbf16>, vector<8x128xf32> -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins
    TPU_Vreg:$lhs, TPU_Vreg:$rhs, TPU_Vreg:$acc,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_lhs,
    DefaultValuedAttr<BoolAttr, "false">:$transpose_rhs,
    OptionalAttr<TPU_ContractPrecisionAttr>:$precision,
    OptionalAttr<TPU_DotDimensionNumbersAttr>:$dimension_numbers,
    BoolAttr:$transpose_lhs_hint);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:`
    type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                   "::mlir::Value":$acc,
                   "::mlir::tpu::DotDimensionNumbersAttr":$dimensionNumbers,
                   CArg<"std::optional<::mlir::tpu::ContractPrecision>",
                        "std::nullopt">:$precision)>,
  ];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The matrix unit, step by step
//===----------------------------------------------------------------------===//

// These change the state of a matrix unit, so none is pure.

def TPU_MatmulPushRhsOp : TPU_Op<"matmul_push_rhs"> {
  let summary = "loads a staging register of a matrix unit";
  let arguments = (ins TPU_Vreg:$rhs, I32Attr:$mxu_index,
                       DefaultValuedAttr<I32Attr, "0">:$staging_register,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose);
  let assemblyFormat = "$rhs attr-dict `:` type($rhs)";
}

def TPU_MatmulAccLhsOp : TPU_Op<"matmul_acc_lhs"> {
  let summary = "multiplies and adds to an accumulator of a matrix unit";
  let arguments = (ins I32Attr:$acc, TPU_Vreg:$lhs, I32Attr:$mxu_index,
                       OptionalAttr<I32Attr>:$load_staged_rhs);
  let assemblyFormat = "$acc `,` $lhs attr-dict `:` type($lhs)";
}

def TPU_MatmulPopOp : TPU_Op<"matmul_pop"> {
  let summary = "takes the accumulator of a matrix unit";
  let arguments = (ins I32Attr:$acc, I32Attr:$mxu_index);
  let results = (outs VectorOfRankAndType<[2], [AnyType]>:$result);
  let assemblyFormat = "$acc attr-dict `:` type($result)";
}

def TPU_MatmulLhsFifoOp : TPU_Op<"matmul_lhs_fifo"> {
  let summary = "multiplies on a matrix unit whose results queue up";
  let arguments = (ins TPU_Vreg:$lhs, I32Attr:$mxu_index,
                       OptionalAttr<I32Attr>:$load_staged_rhs);
  let assemblyFormat = "$lhs attr-dict `:` type($lhs)";
}

def TPU_MatmulPopFifoOp : TPU_Op<"matmul_pop_fifo"> {
  let summary = "takes the oldest result queued in a matrix unit";
  let arguments = (ins I32Attr:$mxu_index);
  let results = (outs VectorOfRankAndType<[2], [AnyType]>:$result);
  let assemblyFormat = "$mxu_index attr-dict `:` type($result)";
}

#endif // PALLAS_MOSAICTPU_TPUMATMULOPS_TD
