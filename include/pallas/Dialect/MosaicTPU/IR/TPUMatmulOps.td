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

def TPU_ConvOp : TPU_Op<"conv", [Pure]> {
  let summary = "acc + the convolution of lhs with the kernel rhs";
  let description = [{
    A window of the size of the kernel slides over the input. `padding` has a
    pair of numbers for each spatial dimension, what is put in front and
    behind; a dilation puts holes between the elements of the input or of the
    kernel.

    ```mlir
    %0 = tpu.conv %lhs, %rhs, %acc {
        dimension_numbers = #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>,
        lhs_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>,
        rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>,
        window_strides = array<i64: 1, 1>}
      : vector<1x8x8x128xf32>, vector<3x3x128x128xf32>, vector<1x8x8x128xf32> -> vector<1x8x8x128xf32>
    ```
  }];
  let arguments = (ins
    TPU_Vreg:$lhs, TPU_Vreg:$rhs, TPU_Vreg:$acc,
    TPU_ConvDimensionNumbersAttr:$dimension_numbers,
    DenseI64ArrayAttr:$window_strides, DenseI64ArrayAttr:$padding,
    DenseI64ArrayAttr:$lhs_dilation, DenseI64ArrayAttr:$rhs_dilation,
    DenseBoolArrayAttr:$window_reversal,
    DefaultValuedAttr<I64Attr, "1">:$feature_group_count,
    DefaultValuedAttr<I64Attr, "1">:$batch_group_count,
    OptionalAttr<TPU_ContractPrecisionAttr>:$precision);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:`
    type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)
  }];
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
