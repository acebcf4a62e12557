//===- TPUVectorOps.td - Computation on vectors ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUVECTOROPS_TD
#define PALLAS_MOSAICTPU_TPUVECTOROPS_TD

include "pallas/Dialect/MosaicTPU/IR/TPUOpBase.td"

class TPU_VectorOp<string mnemonic, list<Trait> traits = []>
    : TPU_Op<mnemonic, !listconcat([Pure], traits)>;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

def TPU_IotaOp : TPU_VectorOp<"iota"> {
  let summary = "vector of its own indices along some dimensions";
  let description = [{
    Several dimensions count as one, the last of the list fastest.

    ```mlir
    %0 = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$dimensions);
  let results = (outs TPU_VregOf<[AnyInteger, Index]>:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def TPU_TransposeOp : TPU_VectorOp<"transpose"> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.
  }];
  let arguments = (ins TPU_Vreg:$vector, DenseI64ArrayAttr:$permutation);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $vector `,` $permutation attr-dict `:` type($vector) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_ReshapeOp : TPU_VectorOp<"reshape"> {
  let summary = "the elements of a vector under another shape";
  let arguments = (ins TPU_Vreg:$source);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_ConcatenateOp : TPU_VectorOp<"concatenate",
    [InferTypeOpAdaptor]> {
  let summary = "joins vectors along one dimension";
  let arguments = (ins Variadic<TPU_Vreg>:$sources, I32Attr:$dimension);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $sources `in` $dimension attr-dict `:` type($sources) `->` type($output)
  }];
  let hasVerifier = 1;
}

def TPU_RepeatOp : TPU_VectorOp<"repeat"> {
  let summary = "joins copies of a vector along one dimension";
  let arguments = (ins TPU_Vreg:$source, I32Attr:$dimension, I32Attr:$times);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $source `,` $dimension `x` $times attr-dict `:`
    type($source) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_DynamicRotateOp
    : TPU_VectorOp<"dynamic_rotate", [AllTypesMatch<["value", "result"]>]> {
  let summary = "moves elements along a dimension, around its end";
  let description = [{
    Element `i` moves to `i + amount`. With a stride, the element also moves by
    `stride` times its index along `stride_dimension`.
  }];
  let arguments = (ins TPU_Vreg:$value, I32:$amount, SI32Attr:$dimension,
                       OptionalAttr<SI32Attr>:$stride,
                       OptionalAttr<SI32Attr>:$stride_dimension);
  let results = (outs TPU_Vreg:$result);
  let assemblyFormat = [{
    $value `by` $amount `dim` $dimension attr-dict `:`
    type($value) `,` type($amount) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_DynamicGatherOp : TPU_VectorOp<"dynamic_gather",
    [InferTypeOpAdaptor]> {
  let summary = "takes elements by an index vector along some dimensions";
  let description = [{
    With one dimension `d`, element `(.., i, ..)` of the result is the element
    of the source whose index along `d` is that element of `indices`, and whose
    other indices are the same. Several dimensions are indexed as one, the last
    of the list fastest.
  }];
  let arguments = (ins TPU_Vreg:$source, TPU_VregOf<[AnyInteger]>:$indices,
                       DenseI32ArrayAttr:$dimensions);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $source `[` $indices `]` `in` $dimensions attr-dict `:`
    type($source) `,` type($indices) `->` type($output)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def TPU_ReduceOp : TPU_VectorOp<"reduce"> {
  let summary = "reduces dimensions to size 1";
  let description = [{
    The kinds are `sum`, and `max` and `min` of floats (`maxf`), signed
    (`maxsi`) or unsigned integers (`maxui`).

    ```mlir
    %0 = tpu.reduce <maxf>, %v [1] : vector<16x128xf32> -> vector<16x1xf32>
    ```
  }];
  let arguments = (ins TPU_Vreg:$input, DenseI64ArrayAttr:$dimensions,
                       TPU_ReductionKindAttr:$kind);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $kind `,` $input $dimensions attr-dict `:`
    type($input) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_ReduceIndexOp : TPU_VectorOp<"reduce_index"> {
  let summary = "index of the first largest or smallest element along an axis";
  let arguments = (ins TPU_Vreg:$input, I32Attr:$axis,
                       TPU_ReductionKindAttr:$kind);
  let results = (outs TPU_VregOf<[I16, I32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_AllReduceOp : TPU_VectorOp<"all_reduce"> {
  let summary = "reduces along a dimension and gives each element the result";
  let arguments = (ins TPU_Vreg:$input, I64Attr:$dim,
                       TPU_ReductionKindAttr:$kind);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_ScanOp : TPU_VectorOp<"scan"> {
  let summary = "running reduction along a dimension (SparseCore)";
  let description = [{
    Each element of the result combines the elements up to its own. The mask
    has an element for each index along the dimension; indices that it leaves
    out do not count. Without a dimension the text has the form of releases
    before wire version 17: the last dimension, where `max` and `min` compare
    integers without a sign.

    ```mlir
    %0 = tpu.scan <maxsi>, %v masked %k {dimension = 0 : i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>
    ```
  }];
  let arguments = (ins TPU_VregOf<[I1, I16, I32, BF16, F32]>:$input,
                       TPU_ReductionKindAttr:$kind, I64Attr:$dimension,
                       Optional<TPU_VregOf<[I1]>>:$mask);
  let results = (outs TPU_Vreg:$output);
  // Text of older releases has no dimension.
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TPU_ScanCountOp : TPU_VectorOp<"scan_count"> {
  let summary = "how often each value has occurred so far (SparseCore)";
  let arguments = (ins TPU_VregOf<[I1]>:$in_mask,
                       TPU_VregOf<[AnyInteger, AnyFloat]>:$values);
  let results = (outs TPU_VregOf<[I1]>:$out_mask, TPU_VregOf<[I32]>:$counts);
  let assemblyFormat = [{
    `mask` `(` $in_mask `:` type($in_mask) `)`
    `value` `(` $values `:` type($values) `)` attr-dict `:` type(results)
  }];
  let hasVerifier = 1;
}

def TPU_SortOp : TPU_VectorOp<"sort"> {
  let summary = "sorts keys and moves values with them (SparseCore)";
  let arguments = (ins TPU_VregOf<[I32, F32]>:$keys,
                       TPU_VregOf<[I32, F32]>:$values,
                       Optional<TPU_VregOf<[I1]>>:$mask,
                       DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs TPU_VregOf<[I1]>:$output_mask, TPU_Vreg:$sorted_keys,
                      TPU_Vreg:$sorted_values);
  let assemblyFormat = [{
    $keys `,` $values (`masked` $mask^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

def TPU_BitcastOp : TPU_VectorOp<"bitcast"> {
  let summary = "the bits of a vector as elements of another type";
  let description = [{
    When the width of the elements changes, the second to last dimension takes
    up the difference.
  }];
  let arguments = (ins TPU_Vreg:$input);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_ReciprocalOp : TPU_VectorOp<"reciprocal",
    !listconcat([SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "1 / x, exactly or approximately";
  let description = [{
    Without `full_range` the result for very large and very small operands is
    undefined.
  }];
  let arguments = (ins TPU_VregOf<[F32]>:$input,
                       DefaultValuedAttr<BoolAttr, "false">:$approx,
                       DefaultValuedAttr<BoolAttr, "true">:$full_range);
  let results = (outs TPU_VregOf<[F32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def TPU_LogisticOp : TPU_VectorOp<"logistic",
    !listconcat([SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "1 / (1 + exp(-x))";
  let arguments = (ins TPU_VregOf<[AnyFloat]>:$input);
  let results = (outs TPU_VregOf<[AnyFloat]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def TPU_ReducePrecisionOp : TPU_VectorOp<"reduce_precision",
    !listconcat([SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let summary = "rounds to a float of fewer bits, and back";
  let description = [{
    Rounds to nearest, ties to even. What the narrower float cannot hold is
    infinite or zero.

    ```mlir
    %0 = tpu.reduce_precision %v {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : vector<8x128xf32> -> vector<8x128xf32>
    ```
  }];
  let arguments = (ins TPU_VregOf<[F32, BF16]>:$input,
                       I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs TPU_VregOf<[F32, BF16]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TPU_WeirdOp : TPU_VectorOp<"weird", ElementwiseMappable.traits> {
  let summary = "whether an element is infinite or not a number";
  let arguments = (ins AnyTypeOf<[F32, TPU_VregOf<[F32]>]>:$input);
  let results = (outs AnyTypeOf<[I1, TPU_VregOf<[I1]>]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def TPU_StochasticConvertOp
    : TPU_VectorOp<"stochastic_convert", [SameOperandsAndResultShape]> {
  let summary = "rounds to a narrower float by random bits";
  let arguments = (ins TPU_VregOf<[F32]>:$input, TPU_VregOf<[I32]>:$random);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $input `,` $random attr-dict `:`
    type($input) `,` type($random) `->` type($output)
  }];
}

def TPU_PackElementwiseOp : TPU_VectorOp<"pack_elementwise",
    !listconcat([SameTypeOperands], ElementwiseMappable.traits)> {
  let summary = "packs corresponding elements of vectors into one integer";
  let arguments = (ins Variadic<TPU_VregOf<[F32, AnyInteger]>>:$sources,
                       TypeAttr:$target_type);
  let results = (outs TPU_VregOf<[AnyInteger]>:$output);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_UnpackElementwiseOp
    : TPU_VectorOp<"unpack_elementwise", ElementwiseMappable.traits> {
  let summary = "takes one packed element out of each integer";
  let arguments = (ins TPU_VregOf<[AnyInteger]>:$source,
                       TypeAttr:$source_type, I32Attr:$index);
  let results = (outs TPU_VregOf<[F32, AnyInteger]>:$output);
  let assemblyFormat = [{
    $source `,` $index attr-dict `:` type($source) `->` type($output)
  }];
  let hasVerifier = 1;
}

def TPU_PackSubelementsOp
    : TPU_VectorOp<"pack_subelements", [SameTypeOperands]> {
  let summary = "packs vectors into one of narrower elements";
  let arguments = (ins Variadic<TPU_Vreg>:$sources,
                       DenseI32ArrayAttr:$positions,
                       TPU_PackFormatAttr:$pack_format,
                       DefaultValuedOptionalAttr<BoolAttr,
                                                 "false">:$unsigned_integers);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($output)";
  let hasVerifier = 1;
}

def TPU_UnpackSubelementsOp : TPU_VectorOp<"unpack_subelements"> {
  let summary = "takes one vector of wider elements out of a packed one";
  let arguments = (ins TPU_Vreg:$source, I32Attr:$index,
                       TPU_PackFormatAttr:$pack_format,
                       DefaultValuedAttr<BoolAttr, "true">:$integer_extended,
                       DefaultValuedAttr<BoolAttr, "false">:$unsigned_integers);
  let results = (outs TPU_Vreg:$output);
  let assemblyFormat = [{
    $source `,` $index attr-dict `:` type($source) `->` type($output)
  }];
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICTPU_TPUVECTOROPS_TD
