//===- PallasComputeOps.td - Operations on values ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_COMPUTE_OPS_TD
#define PALLAS_COMPUTE_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

// Upstream dialects are used wherever they fit: elementwise arithmetic (arith,
// math), slices, concatenation, padding, splats (tensor), control flow (scf).
// The operations below would need there a region that every target has to
// recognize, or destination operands that a kernel does not have.

def Pallas_IndexTensor : RankedTensorOf<[AnySignlessInteger]>;

def Pallas_DotGeneralOp : Pallas_ComputeOp<"dot_general"> {
  let summary = "contraction of two tensors";
  let description = [{
    The result has the batch dimensions, then the free dimensions of `lhs`, then
    those of `rhs`. With `acc`, the sum starts from it.

    The element types of operands and result are independent. Both operands are
    widened to the type of the sum, multiplied and summed in it, and the sum is
    converted to the element type of the result once:

    - an integer result takes integer operands. Sums have its type and wrap, so
      an operand may be wider as well: only its low bits matter;
    - a float result takes floats and integers. Sums have the widest type among
      it, the float operands and f32. Integers are rounded to that type.

    Integers have a sign unless `unsigned_lhs` or `unsigned_rhs` is set;
    i1 never has one. Nothing is narrowed before it is multiplied: a producer
    that wants that converts the operand first.

    ```mlir
    %c = pallas.dot_general %a, %b contract [1] x [0] : tensor<8x16xbf16>, tensor<16x32xbf16> -> tensor<8x32xf32>
    %e = pallas.dot_general %q, %k acc %d contract [2] x [2] batch [0] x [0] precision highest
      : tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x8x8xf32> -> tensor<2x8x8xf32>
    %f = pallas.dot_general %a, %w contract [1] x [0] unsigned_rhs : tensor<8x16xbf16>, tensor<16x32xi8> -> tensor<8x32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
    Optional<Pallas_Value>:$acc,
    DenseI64ArrayAttr:$lhsContracting, DenseI64ArrayAttr:$rhsContracting,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$lhsBatch,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$rhsBatch,
    DefaultValuedAttr<Pallas_PrecisionAttr, "::mlir::pallas::Precision::Default">:$precision,
    UnitAttr:$unsignedLhs, UnitAttr:$unsignedRhs);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`acc` $acc^)? `contract` $lhsContracting `x` $rhsContracting
    (`batch` $lhsBatch^ `x` $rhsBatch)? (`precision` $precision^)?
    (`unsigned_lhs` $unsignedLhs^)? (`unsigned_rhs` $unsignedRhs^)? attr-dict
    `:` type($lhs) `,` type($rhs) (`,` type($acc)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Pallas_ReduceOp : Pallas_ComputeOp<"reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combines the elements along dimensions";
  let description = [{
    ```mlir
    %m = pallas.reduce <max> %x dims [1] : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Pallas_CombiningKindAttr:$kind, AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$kind $input `dims` $dimensions attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Pallas_ArgReduceOp : Pallas_ComputeOp<"arg_reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "position of the greatest or least element along a dimension";
  let description = [{
    Of equal elements the first one counts; a NaN is greater, or less, than all.
    The kind is one of `max`, `min`, `umax`, `umin`.

    ```mlir
    %i = pallas.arg_reduce <max> %x dim 1 to i32 : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Pallas_CombiningKindAttr:$kind, AnyRankedTensor:$input,
                       I64Attr:$dimension,
                       TypeAttrOf<AnySignlessInteger>:$indexType);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $kind $input `dim` $dimension `to` $indexType attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Pallas_CumulativeOp : Pallas_ComputeOp<"cumulative", [
    AllTypesMatch<["input", "result"]>]> {
  let summary = "running combination along a dimension";
  let description = [{
    Result element `k` combines the input elements up to and including `k`, or
    with `reverse` from `k` on.

    ```mlir
    %s = pallas.cumulative <sum> %x dim 0 reverse : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Pallas_CumulativeKindAttr:$kind, AnyRankedTensor:$input,
                       I64Attr:$dimension, UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $input `dim` $dimension (`reverse` $reverse^)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Pallas_IotaOp : Pallas_ComputeOp<"iota"> {
  let summary = "each element is its index along a dimension";
  let description = [{
    ```mlir
    %columns = pallas.iota 1 : tensor<8x128xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dimension);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Pallas_BroadcastOp : Pallas_ComputeOp<"broadcast"> {
  let summary = "repeats a value along new or unit dimensions";
  let description = [{
    Input dimension `i` becomes result dimension `dims[i]`; it has the same
    size, or size 1.

    ```mlir
    %b = pallas.broadcast %row dims [1] : tensor<128xf32> -> tensor<8x128xf32>
    %c = pallas.broadcast %s : f32 -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Pallas_Value:$input,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dimensions);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input (`dims` $dimensions^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pallas_TransposeOp : Pallas_ComputeOp<"transpose", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "permutes dimensions";
  let description = [{
    Result dimension `i` is input dimension `permutation[i]`.

    ```mlir
    %t = pallas.transpose %x, [1, 0] : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `,` $permutation attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pallas_ReshapeOp : Pallas_ComputeOp<"reshape"> {
  let summary = "the same elements, in order, under another shape";
  let description = [{
    A shape without dimensions is a scalar.

    ```mlir
    %column = pallas.reshape %x : tensor<8xf32> -> tensor<8x1xf32>
    %scalar = pallas.reshape %one : tensor<1x1xf32> -> f32
    ```
  }];
  let arguments = (ins Pallas_Value:$input);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pallas_BitcastOp : Pallas_ComputeOp<"bitcast"> {
  let summary = "the same bits as elements of another type";
  let description = [{
    Where the width changes, `dimension` is the dimension along which elements
    join or split, low bits first: `-1` is the last dimension as XLA has it
    (which appears or disappears with the ratio as its size), any other one
    scales by the ratio.

    ```mlir
    %i = pallas.bitcast %x : tensor<8x128xf32> -> tensor<8x128xi32>
    %h = pallas.bitcast %x dim 0 : tensor<8x128xf32> -> tensor<16x128xbf16>
    ```
  }];
  let arguments = (ins Pallas_Value:$input, OptionalAttr<I64Attr>:$dimension);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $input (`dim` $dimension^)? attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_RevOp : Pallas_ComputeOp<"rev", [AllTypesMatch<["input", "result"]>]> {
  let summary = "reverses dimensions";
  let description = [{
    ```mlir
    %r = pallas.rev %x dims [0] : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `dims` $dimensions attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

def Pallas_RollOp : Pallas_ComputeOp<"roll", [AllTypesMatch<["input", "result"]>]> {
  let summary = "rotates along a dimension";
  let description = [{
    Element `k` moves to `k + shift`. With a stride, the shift grows by
    `stride` per index of `strideDimension`.

    ```mlir
    %r = pallas.roll %x by %n dim 1 : tensor<8x128xf32>
    %s = pallas.roll %x by %n dim 1 stride 2 along 0 : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I32:$shift, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$stride,
                       OptionalAttr<I64Attr>:$strideDimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `by` $shift `dim` $dimension
    (`stride` $stride^ `along` $strideDimension)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Pallas_GatherOp : Pallas_ComputeOp<"gather", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "slices of a tensor at computed places";
  let description = [{
    The dimension numbers are those of StableHLO's gather. `pallas.take_along`
    is simpler for the common case.

    ```mlir
    %rows = pallas.gather %x at %i offset [1] collapsed [0] batching [] x [] map [0] sizes [1, 128]
      : tensor<64x128xf32>, tensor<3x1xi32> -> tensor<3x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Pallas_IndexTensor:$startIndices,
    DenseI64ArrayAttr:$offsetDims, DenseI64ArrayAttr:$collapsedSliceDims,
    DenseI64ArrayAttr:$operandBatchingDims, DenseI64ArrayAttr:$startIndicesBatchingDims,
    DenseI64ArrayAttr:$startIndexMap, DenseI64ArrayAttr:$sliceSizes,
    DefaultValuedAttr<Pallas_GatherModeAttr, "::mlir::pallas::GatherMode::Clip">:$mode);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $operand `at` $startIndices `offset` $offsetDims `collapsed` $collapsedSliceDims
    `batching` $operandBatchingDims `x` $startIndicesBatchingDims
    `map` $startIndexMap `sizes` $sliceSizes (`mode` $mode^)? attr-dict
    `:` type($operand) `,` type($startIndices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_TakeAlongOp : Pallas_ComputeOp<"take_along", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "picks one element per result element along a dimension";
  let description = [{
    `result[.., k, ..] = input[.., indices[.., k, ..], ..]`.

    ```mlir
    %y = pallas.take_along %x at %i dim 1 : tensor<8x128xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Pallas_IndexTensor:$indices,
    I64Attr:$dimension,
    DefaultValuedAttr<Pallas_GatherModeAttr,
                      "::mlir::pallas::GatherMode::PromiseInBounds">:$mode);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `at` $indices `dim` $dimension (`mode` $mode^)? attr-dict
    `:` type($input) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_ScatterOp : Pallas_ComputeOp<"scatter", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "combines updates into a tensor at computed places";
  let description = [{
    The dimension numbers are those of StableHLO's scatter. Without a kind the
    last update of a place stays. Updates outside the operand are dropped.

    ```mlir
    %y = pallas.scatter combining <add> %x at %i, %u window [1] inserted [0] batching [] x [] map [0]
      : tensor<64x128xf32>, tensor<3x1xi32>, tensor<3x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$operand, Pallas_IndexTensor:$scatterIndices,
    Pallas_Value:$updates, OptionalAttr<Pallas_CombiningKindAttr>:$kind,
    DenseI64ArrayAttr:$updateWindowDims, DenseI64ArrayAttr:$insertedWindowDims,
    DenseI64ArrayAttr:$operandBatchingDims, DenseI64ArrayAttr:$scatterIndicesBatchingDims,
    DenseI64ArrayAttr:$scatterDimsToOperandDims);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    (`combining` $kind^)? $operand `at` $scatterIndices `,` $updates `window` $updateWindowDims
    `inserted` $insertedWindowDims
    `batching` $operandBatchingDims `x` $scatterIndicesBatchingDims
    `map` $scatterDimsToOperandDims attr-dict
    `:` type($operand) `,` type($scatterIndices) `,` type($updates)
  }];
  let hasVerifier = 1;
}

def Pallas_SortOp : Pallas_ComputeOp<"sort", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "sorts tensors together along a dimension, ascending";
  let description = [{
    The first `numKeys` operands are compared, in order. NaN comes last, and
    zeros of either sign are equal.

    ```mlir
    %k, %v = pallas.sort %keys, %values dim 0 stable
      : tensor<64xi32>, tensor<64xf32> -> tensor<64xi32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dimension,
                       DefaultValuedAttr<I64Attr, "1">:$numKeys, UnitAttr:$stable,
                       UnitAttr:$unsignedKeys, UnitAttr:$descending);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $inputs `dim` $dimension (`keys` $numKeys^)? (`stable` $stable^)?
    (`unsigned` $unsignedKeys^)? (`descending` $descending^)?
    attr-dict `:` type($inputs) `->` type($results)
  }];
  let hasVerifier = 1;
}

def Pallas_ScanCountOp : Pallas_ComputeOp<"scan_count", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "how often each element has occurred so far, and which are last";
  let description = [{
    `count[i]` is the number of elements equal to `input[i]` at positions up to
    and including `i`; `last[i]` tells whether no equal element follows. Where
    the mask is false an element neither counts nor is last.

    ```mlir
    %count, %last = pallas.scan_count %x mask %m
      : tensor<16xi32>, tensor<16xi1> -> tensor<16xi32>, tensor<16xi1>
    ```
  }];
  let arguments = (ins 1DTensorOf<[AnySignlessInteger, AnyFloat]>:$input, 1DTensorOf<[I1]>:$mask);
  let results = (outs 1DTensorOf<[I32]>:$count, 1DTensorOf<[I1]>:$last);
  let assemblyFormat = [{
    $input `mask` $mask attr-dict `:` type($input) `,` type($mask)
    `->` type($count) `,` type($last)
  }];
  let hasVerifier = 1;
}

def Pallas_MaskReduceOp : Pallas_ComputeOp<"mask_reduce"> {
  let summary = "how many elements of a mask are true, or where the first one is";
  let description = [{
    `count` yields the number of true elements, `first` the position of the
    first one, or the size of the mask when there is none.

    ```mlir
    %first = pallas.mask_reduce <first> %m : tensor<16xi1>
    ```
  }];
  let arguments = (ins Pallas_MaskReductionAttr:$kind, RankedTensorOf<[I1]>:$mask);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $mask attr-dict `:` type($mask)";
}

def Pallas_ReciprocalOp : Pallas_ComputeOp<"reciprocal", [
    SameOperandsAndResultType]> {
  let summary = "one divided by a value, exactly or nearly";
  let description = [{
    With `approx` a target may give fewer digits; with `full_range` the result
    must be right for tiny and huge operands too.

    ```mlir
    %y = pallas.reciprocal %x approx : tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Pallas_FloatValue:$input, UnitAttr:$approx, UnitAttr:$fullRange);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = [{
    $input (`approx` $approx^)? (`full_range` $fullRange^)? attr-dict `:` type($input)
  }];
}

def Pallas_StochasticRoundOp : Pallas_ComputeOp<"stochastic_round"> {
  let summary = "narrows floats, rounding up or down by random bits";
  let description = [{
    ```mlir
    %y = pallas.stochastic_round %x bits %b
      : tensor<8x128xf32>, tensor<8x128xi32> -> tensor<8x128xbf16>
    ```
  }];
  let arguments = (ins Pallas_FloatValue:$input, Pallas_Value:$bits);
  let results = (outs Pallas_FloatValue:$result);
  let assemblyFormat = [{
    $input `bits` $bits attr-dict `:` type($input) `,` type($bits) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_PackElementwiseOp : Pallas_ComputeOp<"pack_elementwise"> {
  let summary = "narrows tensors and packs their elements into words";
  let description = [{
    The first operand takes the low bits of the integers that the result holds.

    ```mlir
    %w = pallas.pack_elementwise %low, %high as bf16
      : tensor<8x128xf32>, tensor<8x128xf32> -> tensor<8x128xi32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, TypeAttr:$packedType);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $inputs `as` $packedType attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_UnpackElementwiseOp : Pallas_ComputeOp<"unpack_elementwise"> {
  let summary = "widens one of the elements that integers hold";
  let description = [{
    The index counts from the low bits.

    ```mlir
    %high = pallas.unpack_elementwise %w[1] as bf16 : tensor<8x128xi32> -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, TypeAttr:$packedType, I64Attr:$index);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `[` $index `]` `as` $packedType attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Pallas_MultipleOfOp : Pallas_ComputeOp<"multiple_of", [
    SameOperandsAndResultType]> {
  let summary = "promises that an integer is a multiple of others";
  let description = [{
    One number is about all dimensions; otherwise there is one for each.

    ```mlir
    %j = pallas.multiple_of %i, [128] : i32
    ```
  }];
  let arguments = (ins Pallas_Value:$value, DenseI64ArrayAttr:$multiples);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$value `,` $multiples attr-dict `:` type($value)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Pallas_MaxContiguousOp : Pallas_ComputeOp<"max_contiguous", [
    SameOperandsAndResultType]> {
  let summary = "promises runs of consecutive integers of these lengths";
  let description = [{
    One number is about all dimensions; otherwise there is one for each.

    ```mlir
    %j = pallas.max_contiguous %i, [1, 128] : tensor<8x128xi32>
    ```
  }];
  let arguments = (ins Pallas_Value:$value, DenseI64ArrayAttr:$lengths);
  let results = (outs Pallas_Value:$result);
  let assemblyFormat = "$value `,` $lengths attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Pallas_OptimizationBarrierOp : Pallas_ComputeOp<"optimization_barrier", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "passes values through without letting computations cross";
  let description = [{
    ```mlir
    %a, %b = pallas.optimization_barrier %x, %n : tensor<8x128xf32>, i32 -> tensor<8x128xf32>, i32
    ```
  }];
  let arguments = (ins Variadic<Pallas_Value>:$inputs);
  let results = (outs Variadic<Pallas_Value>:$results);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($results)";
}

#endif // PALLAS_COMPUTE_OPS_TD
