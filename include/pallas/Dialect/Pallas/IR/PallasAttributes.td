//===- PallasAttributes.td - Attributes of the dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_ATTRIBUTES_TD
#define PALLAS_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "pallas/Dialect/Pallas/IR/PallasEnums.td"

class Pallas_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Pallas_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Pallas_MemorySpaceAttr : Pallas_Attr<"MemorySpace", "memory_space"> {
  let summary = "memory space, and the core that it belongs to where that matters";
  let description = [{
    ```mlir
    #pallas.memory_space<vmem>
    #pallas.memory_space<vmem@sc_vector>
    ```
  }];
  let parameters = (ins "::mlir::pallas::MemorySpace":$space,
                        OptionalParameter<"std::optional<::mlir::pallas::CoreKind>">:$core);
  let builders = [
    AttrBuilder<(ins "::mlir::pallas::MemorySpace":$space)>,
  ];
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def Pallas_BlockDimAttr : Pallas_Attr<"BlockDim", "dim"> {
  let summary = "one dimension of a block";
  let description = [{
    | spelled | the window along this dimension |
    | --- | --- |
    | `128` | elements `[i * 128, (i + 1) * 128)` |
    | `squeezed` | element `i`; the dimension is not in the ref |
    | `element<8, 1, 2>` | elements `[i, i + 8)` of the array padded by 1 and 2 |
    | `bounded<8>` | elements `[start, start + size)` with `size <= 8` |
    | `indirect<8>` | the 8 elements that an index array names |

    where `i` is the result of the index map.

    ```mlir
    #pallas.block<[squeezed, element<8, 1, 2>, bounded<8>, 128], vmem>
    ```
  }];
  let parameters = (ins "::mlir::pallas::BlockDimKind":$kind, "int64_t":$size,
                        DefaultValuedParameter<"int64_t", "0">:$padLow,
                        DefaultValuedParameter<"int64_t", "0">:$padHigh);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pallas_PipelineModeAttr : Pallas_Attr<"PipelineMode", "buffered"> {
  let summary = "how many buffers a window has and how they are filled";
  let description = [{
    With `lookahead` the next block that differs is fetched as soon as a buffer is
    free, however many programs ahead it is. `revisit` lets an output window come
    again after another one. The first `prefetched` buffers are full before the
    first program, and `delay_release` programs go by before a buffer is filled
    again.

    ```mlir
    #pallas.block<[8, 128], vmem, pipeline = <3, lookahead>>
    #pallas.block<[8, 128], smem, pipeline = <2, revisit, delay_release 1>>
    ```
  }];
  let parameters = (ins "int64_t":$bufferCount,
    DefaultValuedParameter<"bool", "false">:$useLookahead,
    DefaultValuedParameter<"::mlir::pallas::RevisitMode",
                           "::mlir::pallas::RevisitMode::Immediate">:$revisit,
    DefaultValuedParameter<"int64_t", "0">:$prefetchedCount,
    DefaultValuedParameter<"int64_t", "0">:$delayRelease);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Pallas_BlockMappingAttr : Pallas_Attr<"BlockMapping", "block"> {
  let summary = "how one operand of a call is cut into blocks";
  let description = [{
    The properties of a block that nothing else determines: its dimensions, the memory space of
    its ref, the pipeline mode, the layout transforms, and the name that the
    operand has in the source (used by messages only). The array is the type of
    the operand; the index map is a region of the call.

    ```mlir
    #pallas.block<[128, squeezed], vmem, pipeline = <2>, origin = "args[0]">
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::pallas::BlockDimAttr">:$dims,
    "::mlir::pallas::MemorySpaceAttr":$memorySpace,
    OptionalParameter<"::mlir::pallas::PipelineModeAttr">:$pipelineMode,
    OptionalParameter<"::mlir::ArrayAttr">:$transforms,
    OptionalParameter<"::mlir::StringAttr">:$origin);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Block sizes of all dimensions; a squeezed dimension counts as 1.
    ::llvm::SmallVector<int64_t> getBlockShape() const;
    /// Sizes of the dimensions that the kernel sees.
    ::llvm::SmallVector<int64_t> getRefShape() const;
    /// Type of the ref that the kernel sees, for an array of these elements.
    RefType getRefType(::mlir::Type elementType) const;
    /// Whether the dimensions alone allow one window to hold the whole array.
    bool coversWholeArray(::llvm::ArrayRef<int64_t> arrayShape) const;
    /// How many results an index map needs: two for a bounded slice.
    unsigned getNumIndexMapResults() const;
  }];
}
def Pallas_BlockMappingArrayAttr
    : TypedArrayAttrBase<Pallas_BlockMappingAttr, "array of block mappings">;

//===----------------------------------------------------------------------===//
// Layout transforms of refs
//===----------------------------------------------------------------------===//

def Pallas_TileTransformAttr : Pallas_Attr<"TileTransform", "tile"> {
  let summary = "the trailing dimensions are stored tile by tile";
  let description = [{
    ```mlir
    #pallas.tile<8, 64>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$tile);
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}
def Pallas_SwizzleTransformAttr : Pallas_Attr<"SwizzleTransform", "swizzle"> {
  let summary = "16-byte chunks are permuted within this many bytes";
  let description = [{
    ```mlir
    #pallas.swizzle<128>
    ```
  }];
  let parameters = (ins "int64_t":$bytes);
  let assemblyFormat = "`<` $bytes `>`";
  let genVerifyDecl = 1;
}
def Pallas_TransposeTransformAttr : Pallas_Attr<"TransposeTransform", "transpose"> {
  let summary = "dimensions are stored in this order";
  let description = [{
    ```mlir
    #pallas.transpose<1, 0>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` $permutation `>`";
  let genVerifyDecl = 1;
}
def Pallas_ReshapeTransformAttr : Pallas_Attr<"ReshapeTransform", "reshape"> {
  let summary = "elements are stored under this shape";
  let description = [{
    ```mlir
    #pallas.reshape<4096>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` $shape `>`";
}
def Pallas_BitcastTransformAttr : Pallas_Attr<"BitcastTransform", "bitcast"> {
  let summary = "bits are stored as elements of this type";
  let description = [{
    ```mlir
    #pallas.bitcast<i16>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Pallas_TensorMemoryAttr : Pallas_Attr<"TensorMemory", "tensor_memory"> {
  let summary = "how tensor memory holds a ref";
  let description = [{
    A column of tensor memory has 32 bits in each of its 128 lanes. With `packing`
    they hold as many neighbours of a row; without, one element. A ref of 64 rows
    takes half of the lanes, twice over. `collective` memory is allocated by two
    blocks of a cluster together, which products of both need.

    Other layouts are those of what products take beside their operands: scales,
    which all warps have a copy of, and the metadata of sparse operands.

    ```mlir
    #pallas.tensor_memory<packing = 2>
    #pallas.tensor_memory<layout = scales, collective = true>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::mlir::pallas::TensorLayout",
                           "::mlir::pallas::TensorLayout::Default">:$layout,
    DefaultValuedParameter<"int64_t", "1">:$packing,
    DefaultValuedParameter<"bool", "false">:$collective);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Indexers
//===----------------------------------------------------------------------===//

def Pallas_IndexerAttr : Pallas_Attr<"Indexer", "indexer"> {
  let summary = "NumPy-like index of a ref, one entry per dimension";
  let description = [{
    An entry is the full dimension (`:`), a slice `ds(start, size, stride)`, a
    scalar, or an integer array (`gather`). `?` means that an operand gives
    the start, the size or the scalar; operands come in the order of the
    entries. No entries at all (`...`) index the whole ref.

    ```mlir
    #pallas.indexer<[:, 3, ds(?, 8), ds(0, ?, 2), gather]>
    #pallas.indexer<[...]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::pallas::DimIndex">:$entries);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether this is the whole ref by construction.
    bool isTrivial() const;
    /// How many operands the entries take.
    unsigned getNumOperands() const;
    bool hasGather() const;
  }];
}

//===----------------------------------------------------------------------===//
// Meshes, parameters, estimates
//===----------------------------------------------------------------------===//

def Pallas_MeshAxisAttr : Pallas_Attr<"MeshAxis", "axis"> {
  let summary = "named axis of a mesh";
  let description = [{
    ```mlir
    #pallas.axis<subcore "subcore" = 16>
    ```
  }];
  let parameters = (ins "::mlir::pallas::MeshAxisRole":$role,
                        "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` $role $name `=` $size `>`";
}

def Pallas_MeshAttr : Pallas_Attr<"Mesh", "mesh"> {
  let summary = "the cores, or the grid of thread blocks, that run one kernel";
  let description = [{
    ```mlir
    #pallas.mesh<sc_vector, [<core "core" = 2>, <subcore "subcore" = 16>]>
    #pallas.mesh<gpu, [<grid "x" = 8>, <cluster "c" = 2>, <thread "wg" = 3>]>
    ```
  }];
  let parameters = (ins "::mlir::pallas::MeshKind":$kind,
                        ArrayRefParameter<"::mlir::pallas::MeshAxisAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getShape() const;
    /// The space of operands that do not name one.
    MemorySpace getDefaultMemorySpace() const;
    ::llvm::SmallVector<DimensionSemantics> getDimensionSemantics() const;
    /// Size of the axis of this name, if there is one.
    std::optional<int64_t> getAxisSize(::llvm::StringRef name) const;
  }];
}
def Pallas_MeshArrayAttr : TypedArrayAttrBase<Pallas_MeshAttr, "array of meshes">;

def Pallas_CostEstimateAttr : Pallas_Attr<"CostEstimate", "cost"> {
  let summary = "the cost of one call, as its author declares it";
  let description = [{
    ```mlir
    #pallas.cost<flops = 65536, transcendentals = 0, bytesAccessed = 8192>
    ```
  }];
  let parameters = (ins "int64_t":$flops, "int64_t":$transcendentals,
                        "int64_t":$bytesAccessed,
                        DefaultValuedParameter<"int64_t", "0">:$remoteBytesTransferred);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Pallas_TPUParamsAttr : Pallas_Attr<"TPUParams", "tpu_params"> {
  let summary = "compiler parameters for TPUs";
  let description = [{
    ```mlir
    #pallas.tpu_params<vmemLimitBytes = 67108864, collectiveId = 0, hasSideEffects = true>
    ```

    `needsLayoutPasses` and `useTCTilingOnSC` are for SparseCores: whether the
    compiler chooses the layouts of vectors, and whether arrays have the tiles
    of the TensorCore, as far as the kernel allows, or one-dimensional ones.
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$vmemLimitBytes,
    OptionalParameter<"std::optional<int64_t>">:$collectiveId,
    OptionalParameter<"std::optional<int64_t>">:$internalScratchInBytes,
    DefaultValuedParameter<"bool", "false">:$hasSideEffects,
    DefaultValuedParameter<"bool", "false">:$disableBoundsChecks,
    DefaultValuedParameter<"bool", "false">:$disableSemaphoreChecks,
    DefaultValuedParameter<"bool", "false">:$skipDeviceBarrier,
    DefaultValuedParameter<"bool", "true">:$shapeInvariantNumerics,
    DefaultValuedParameter<"bool", "true">:$needsLayoutPasses,
    DefaultValuedParameter<"bool", "true">:$useTCTilingOnSC,
    OptionalParameter<"::mlir::DenseBoolArrayAttr">:$allowInputFusion,
    OptionalParameter<"::mlir::DictionaryAttr">:$flags);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Pallas_GPUParamsAttr : Pallas_Attr<"GPUParams", "gpu_params"> {
  let summary = "compiler parameters for GPUs programmed by warpgroups";
  let description = [{
    ```mlir
    #pallas.gpu_params<maxConcurrentSteps = 4, approxMath = true>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "1">:$maxConcurrentSteps,
    DefaultValuedParameter<"bool", "false">:$approxMath,
    DefaultValuedParameter<"bool", "false">:$unsafeNoAutoBarriers,
    DefaultValuedParameter<"int64_t", "2048">:$reductionScratchBytes,
    DefaultValuedParameter<"bool", "false">:$laneSemantics,
    DefaultValuedParameter<"int64_t", "0">:$profileSpace);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Pallas_TritonParamsAttr : Pallas_Attr<"TritonParams", "triton_params"> {
  let summary = "compiler parameters for GPUs programmed by blocks";
  let description = [{
    ```mlir
    #pallas.triton_params<numWarps = 4, numStages = 2>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$numWarps,
    OptionalParameter<"std::optional<int64_t>">:$numStages);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Pallas_CompilerParams : AnyAttrOf<[
    Pallas_TPUParamsAttr, Pallas_GPUParamsAttr, Pallas_TritonParamsAttr],
    "compiler parameters of a target">;
def Pallas_CompilerParamsArrayAttr
    : TypedArrayAttrBase<Pallas_CompilerParams, "compiler parameters by target">;

#endif // PALLAS_ATTRIBUTES_TD
