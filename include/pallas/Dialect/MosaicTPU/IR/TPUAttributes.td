//===- TPUAttributes.td - Attributes of the tpu dialect ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUATTRIBUTES_TD
#define PALLAS_MOSAICTPU_TPUATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "pallas/Dialect/MosaicTPU/IR/TPUEnums.td"

class TPU_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def TPU_MemorySpaceAttr : TPU_Attr<"MemorySpace", "memory_space"> {
  let summary = "memory space, and the core whose memory it is";
  let description = [{
    Without a core the memory belongs to the core that runs the function.

    ```mlir
    #tpu.memory_space<vmem>
    #tpu.memory_space<vmem, sc_vector_subcore>
    ```
  }];
  let parameters = (ins
    EnumParameter<TPU_MemorySpace>:$value,
    OptionalParameter<"std::optional<::mlir::tpu::CoreType>">:$coreType);
  let builders = [
    AttrBuilder<(ins "::mlir::tpu::MemorySpace":$value), [{
      return $_get($_ctxt, value, std::nullopt);
    }]>,
  ];
  let assemblyFormat = "`<` $value (`,` $coreType^)? `>`";
}

def TPU_DotDimensionNumbersAttr
    : TPU_Attr<"DotDimensionNumbers", "dot_dimension_numbers"> {
  let summary = "which dimensions of two operands a product contracts";
  let description = [{
    The fifth list is the order of the result's dimensions as pairs of operand
    (0 is the left one) and dimension of that operand.

    ```mlir
    #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$lhsContractingDims,
    ArrayRefParameter<"int64_t">:$rhsContractingDims,
    OptionalArrayRefParameter<"int64_t">:$lhsNonContractingDims,
    OptionalArrayRefParameter<"int64_t">:$rhsNonContractingDims,
    ArrayRefParameter<"int64_t">:$outputDimOrder,
    OptionalArrayRefParameter<"int64_t">:$lhsBatchDims,
    OptionalArrayRefParameter<"int64_t">:$rhsBatchDims);
  let assemblyFormat = [{
    `<` `[` $lhsContractingDims `]` `,` `[` $rhsContractingDims `]` `,`
        `[` (`]`) : ($lhsNonContractingDims^ `]`)? `,`
        `[` (`]`) : ($rhsNonContractingDims^ `]`)? `,`
        `[` $outputDimOrder `]` `,`
        `[` (`]`) : ($lhsBatchDims^ `]`)? `,`
        `[` (`]`) : ($rhsBatchDims^ `]`)? `>`
  }];
}

def TPU_ConvDimensionNumbersAttr
    : TPU_Attr<"ConvDimensionNumbers", "conv_dimension_numbers"> {
  let summary = "what the dimensions of a convolution are";
  let description = [{
    Batch, feature and spatial dimensions of the input; input feature, output
    feature and spatial dimensions of the kernel; batch, feature and spatial
    dimensions of the output.

    ```mlir
    #tpu.conv_dimension_numbers<0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2]>
    ```
  }];
  let parameters = (ins
    "int64_t":$inputBatchDim, "int64_t":$inputFeatureDim,
    OptionalArrayRefParameter<"int64_t">:$inputSpatialDims,
    "int64_t":$kernelInputFeatureDim, "int64_t":$kernelOutputFeatureDim,
    OptionalArrayRefParameter<"int64_t">:$kernelSpatialDims,
    "int64_t":$outputBatchDim, "int64_t":$outputFeatureDim,
    OptionalArrayRefParameter<"int64_t">:$outputSpatialDims);
  let assemblyFormat = [{
    `<` $inputBatchDim `,` $inputFeatureDim `,`
        `[` (`]`) : ($inputSpatialDims^ `]`)? `,`
        $kernelInputFeatureDim `,` $kernelOutputFeatureDim `,`
        `[` (`]`) : ($kernelSpatialDims^ `]`)? `,`
        $outputBatchDim `,` $outputFeatureDim `,`
        `[` (`]`) : ($outputSpatialDims^ `]`)? `>`
  }];
}

def TPU_ElementWindowAttr : TPU_Attr<"ElementWindow", "element_window"> {
  let summary = "window whose index counts elements of the padded array";
  let parameters = (ins ArrayRefParameter<"int64_t">:$padLow,
                        ArrayRefParameter<"int64_t">:$padHigh);
  let assemblyFormat = "`<` `[` $padLow `]` `,` `[` $padHigh `]` `>`";
  let genVerifyDecl = 1;
}

def TPU_TiledLayoutAttr : TPU_Attr<"TiledLayout", "tiled", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
                                ["getAffineMap", "verifyLayout"]>]> {
  let summary = "memref that is stored tile by tile";
  let description = [{
    The first tile cuts the trailing dimensions, each further tile cuts the
    tile before it. The strides count whole first tiles, one stride for each
    dimension of the memref; `?` is one that is known when the kernel runs.

    ```mlir
    // Row pairs are interleaved within tiles of 8 rows and 128 columns.
    memref<64x512xbf16, #tpu.tiled<(8,128)(2,1),[4,1]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles,
    ArrayRefParameter<"int64_t">:$tileStrides);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::llvm::SmallVector<int64_t>>":$tiles,
                     "::llvm::ArrayRef<int64_t>":$tileStrides)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getTileStrides().size(); }
    /// Elements of one first tile; 1 when there is no tile.
    int64_t getTileElements() const;
    /// Elements of the buffer that holds a memref of this shape, padding
    /// included. The strides are static.
    int64_t getBufferElements(::llvm::ArrayRef<int64_t> shape) const;
  }];
}

#endif // PALLAS_MOSAICTPU_TPUATTRIBUTES_TD
