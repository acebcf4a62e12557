//===- PallasCallOps.td - Operations that run kernels ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CALL_OPS_TD
#define PALLAS_CALL_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

def Pallas_YieldOp : Pallas_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["PallasCallOp", "MpmdMapOp", "EmitPipelineOp", "RunScopedOp",
                 "RunStateOp", "CoreMapOp"]>]> {
  let summary = "ends a region and returns its results";
  let description = [{
    ```mlir
    pallas.yield %block, %k : i32, i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Pallas_PallasCallOp : Pallas_Op<"pallas_call", [
    IsolatedFromAbove, AttrSizedOperandSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<GridMappingOpInterface, [
      "getVmappedDimensions", "getGridDimensionNames",
      "getGridDimensionSemantics", "getInputOutputAliases"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "runs a kernel once per point of a grid";
  let description = [{
    Programs run in lexicographic order of the grid, the last dimension fastest,
    unless `semantics` allows more. Each one sees, through refs, one block of
    every input and output, which index maps select.

    ```mlir
    %o = pallas.pallas_call @matmul grid(4, 4, 2)
      in(%x : tensor<512x256xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)
      in(%y : tensor<256x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%k, %j)
      out(tensor<512x512xf32>) block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %j)
      semantics [parallel, parallel, arbitrary]
      kernel(%xr: !pallas.ref<128x128xf32, vmem>, %yr: !pallas.ref<128x128xf32, vmem>,
             %or: !pallas.ref<128x128xf32, vmem>) {
        ...
      }
    ```

    An operand without `block` has the whole array as its window in every
    program; `block` without `map` has the index map of zeros. `grid(%n)`
    takes the size from an operand. `prefetch` operands are copied to scalar
    memory before the first program; index maps and the kernel see them as refs.
    Kernel arguments behind the outputs are scratch memory, which lives as long
    as the call. `captures` holds values of the surroundings that the kernel
    uses: refs until they are discharged, others until they are hoisted.
  }];
  let arguments = (ins
    Variadic<AnyType>:$captures,
    Variadic<Pallas_ScalarIndex>:$dynamicGrid,
    Variadic<AnyRankedTensor>:$indexOperands,
    Variadic<Pallas_Array>:$inputs,
    OptionalAttr<SymbolNameAttr>:$kernelName,
    DenseI64ArrayAttr:$grid,
    Pallas_BlockMappingArrayAttr:$blockMappings,
    OptionalAttr<ArrayAttr>:$gridNames,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$vmappedDims,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$aliases,
    OptionalAttr<Pallas_DimensionSemanticsArrayAttr>:$dimensionSemantics,
    OptionalAttr<Pallas_CompilerParamsArrayAttr>:$compilerParams,
    OptionalAttr<Pallas_CostEstimateAttr>:$costEstimate,
    OptionalAttr<DictionaryAttr>:$metadata);
  let results = (outs Variadic<Pallas_Array>:$outputs);
  let regions = (region AnyRegion:$kernel, VariadicRegion<AnyRegion>:$indexMaps);
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$outputTypes, "::llvm::ArrayRef<int64_t>":$grid,
                   "::mlir::ValueRange":$dynamicGrid, "::mlir::ValueRange":$indexOperands,
                   "::mlir::ValueRange":$inputs,
                   "::llvm::ArrayRef<::mlir::pallas::BlockMappingAttr>":$blockMappings,
                   CArg<"::mlir::ValueRange", "{}">:$captures)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Creates the index map of block `index` and calls `body` to fill it; the
    /// arguments are the program ids, the index refs and the captured values.
    void createIndexMap(::mlir::OpBuilder &builder, unsigned index,
        ::llvm::function_ref<::llvm::SmallVector<::mlir::Value>(
            ::mlir::OpBuilder &, ::mlir::ValueRange)> body);
    /// Creates the kernel block: all refs that the call implies, then `scratch`.
    ::mlir::Block *createKernel(::mlir::OpBuilder &builder,
                                ::mlir::TypeRange scratch = {});
  }];
  let hasCanonicalizer = 1;
}

def Pallas_MpmdMapOp : Pallas_Op<"mpmd_map", [
    IsolatedFromAbove, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<GridMappingOpInterface, [
      "hasGridMapping", "getGridDimensionNames", "getGridDimensionSemantics",
      "getInputOutputAliases"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "runs one kernel per mesh, all of them as one device program";
  let description = [{
    Every kernel runs once per core of its mesh and sees whole arrays: refs of
    the inputs, of the outputs, and scratch. Captured refs and scalars are
    inputs like others; a scalar stays a scalar in the kernels.

    ```mlir
    %o = pallas.mpmd_map
      in(%x : tensor<64x128xf32>)
      out(tensor<64x128xf32>)
      kernel @scs on <sc_scalar, [<core "core" = 2>]>
          (%xr: !pallas.ref<64x128xf32, hbm>, %or: !pallas.ref<64x128xf32, hbm>) {
        ...
      }
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Pallas_MeshArrayAttr:$meshes,
    OptionalAttr<Pallas_MeshArrayAttr>:$externalMeshes,
    OptionalAttr<ArrayAttr>:$kernelNames,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$aliases,
    OptionalAttr<Pallas_CompilerParamsArrayAttr>:$compilerParams,
    OptionalAttr<Pallas_CostEstimateAttr>:$costEstimate,
    OptionalAttr<DictionaryAttr>:$metadata);
  let results = (outs Variadic<Pallas_Array>:$outputs);
  let regions = (region VariadicRegion<AnyRegion>:$kernels);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Pallas_EmitPipelineOp : Pallas_Op<"emit_pipeline", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<GridMappingOpInterface, [
      "getNumLeadingKernelArguments", "getCarriedOperands",
      "getGridDimensionSemantics"]>]> {
  let summary = "a pipelined grid inside a kernel";
  let description = [{
    Runs its body over a grid of its own. Each block of an input ref is copied
    to a window before the body needs it, and each output window is copied back
    when the grid leaves it. The body sees the grid indices, the windows, and
    the values carried from program to program. Index maps may use everything
    that is visible at the pipeline.

    ```mlir
    pallas.emit_pipeline grid(8)
      in(%x : !pallas.ref<1024x128xf32, hbm>) block<[128, 128], vmem> map(%i) -> (%i, 0)
      out(%o : !pallas.ref<1024x128xf32, hbm>) block<[128, 128], vmem> map(%i) -> (%i, 0)
      kernel(%i: i32, %xr: !pallas.ref<128x128xf32, vmem>,
             %or: !pallas.ref<128x128xf32, vmem>) {
        ...
      }
    ```
  }];
  let arguments = (ins
    Variadic<Pallas_ScalarIndex>:$dynamicGrid,
    Variadic<Pallas_RefType>:$inputs,
    Variadic<Pallas_RefType>:$outputs,
    Variadic<Pallas_Value>:$initCarry,
    DenseI64ArrayAttr:$grid,
    Pallas_BlockMappingArrayAttr:$blockMappings,
    OptionalAttr<Pallas_DimensionSemanticsArrayAttr>:$dimensionSemantics,
    OptionalAttr<StrAttr>:$coreAxis,
    OptionalAttr<I64Attr>:$maxConcurrentSteps,
    OptionalAttr<I64Attr>:$numComputeWarpgroups,
    OptionalAttr<I64Attr>:$memoryRegisters);
  let results = (outs Variadic<Pallas_Value>:$finalCarry);
  let regions = (region AnyRegion:$kernel, VariadicRegion<AnyRegion>:$indexMaps);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Pallas_CoreMapOp : Pallas_Op<"core_map", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "runs its body once per core or thread of a mesh";
  let description = [{
    The body may use refs and scalars of the surroundings; its arguments are
    scratch refs.

    ```mlir
    pallas.core_map <tensorcore, [<core "core" = 2>]>
        (%s: !pallas.ref<8x128xf32, vmem>) {
      ...
    }
    ```
  }];
  let arguments = (ins Pallas_MeshAttr:$mesh,
                       OptionalAttr<Pallas_CompilerParamsArrayAttr>:$compilerParams,
                       OptionalAttr<Pallas_CostEstimateAttr>:$costEstimate);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Pallas_RunScopedOp : Pallas_Op<"run_scoped", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "memory that lives as long as a region";
  let description = [{
    The region's arguments are fresh refs. Their contents are unspecified, but
    accumulators start at zero and semaphores at a count of zero. No ref leaves
    the region. With `collective`, all programs that differ only along these
    axes get the same memory.

    ```mlir
    %s = pallas.run_scoped (%tmp: !pallas.ref<8x128xf32, vmem>) -> f32 {
      ...
      pallas.yield %sum : f32
    }
    ```
  }];
  let arguments = (ins OptionalAttr<StrArrayAttr>:$collectiveAxes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

// No RegionBranchOpInterface: what the body yields is not what the operation
// yields, and upstream's passes would take single results away, which belong
// to a ref each.
def Pallas_RunStateOp : Pallas_Op<"run_state", [
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs a region on refs that start with given values";
  let description = [{
    Each argument of the region is a fresh ref, or an accumulator, that holds
    the value of its operand. The results are what the refs hold at the end.

    ```mlir
    %r = pallas.run_state (%acc: !pallas.accumulator<64x128xf32> = %init : tensor<64x128xf32>) {
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Pallas_Value>:$inits);
  let results = (outs Variadic<Pallas_Value>:$finals);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // PALLAS_CALL_OPS_TD
