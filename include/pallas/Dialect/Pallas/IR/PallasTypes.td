//===- PallasTypes.td - Types of the pallas dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TYPES_TD
#define PALLAS_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "pallas/Dialect/Pallas/IR/PallasDialect.td"

class Pallas_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Pallas_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Pallas_RefType : Pallas_Type<"Ref", "ref", [
    DeclareTypeInterfaceMethods<ShapedTypeInterface>]> {
  let summary = "mutable memory that only pallas operations can touch";
  let description = [{
    A ref has a shape (`?` where it is not known), an element type, a memory
    space, and optionally the layout transforms that memory holds it in. It may
    be read and written by the operations of this dialect only, and it may not
    escape the region that owns it.

    The element is an integer, a float, a semaphore or a barrier. Booleans are
    `i1`; how many bits memory spends on them is a matter of the target.

    ```mlir
    !pallas.ref<128x256xf32, vmem>
    !pallas.ref<f32, smem>
    !pallas.ref<64x64xf16, smem, [#pallas.tile<8, 64>, #pallas.swizzle<128>]>
    !pallas.ref<2x!pallas.dma_semaphore, semaphore>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "shape">:$shape,
    "::mlir::Type":$elementType,
    "::mlir::pallas::MemorySpaceAttr":$memorySpace,
    OptionalParameter<"::mlir::ArrayAttr", "layout transforms">:$transforms);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, "::mlir::pallas::MemorySpace":$space)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    using ::mlir::ShapedType::Trait<RefType>::getElementTypeBitWidth;
    using ::mlir::ShapedType::Trait<RefType>::getRank;
    using ::mlir::ShapedType::Trait<RefType>::hasStaticShape;
    using ::mlir::ShapedType::Trait<RefType>::isDynamicDim;
    using ::mlir::ShapedType::Trait<RefType>::getDimSize;
    using ::mlir::ShapedType::Trait<RefType>::getNumElements;

    /// The memory space without the core that it may belong to.
    MemorySpace getSpace() const;
    /// The same memory seen with another shape or element type.
    RefType withShape(::llvm::ArrayRef<int64_t> shape) const;
    RefType withElementType(::mlir::Type elementType) const;
    /// The value that a read of the whole ref yields: a ranked tensor, or the
    /// element itself when the rank is zero. Null for semaphores and barriers.
    ::mlir::Type getValueType() const;
    bool isSynchronization() const;
    /// Whether a ref can hold elements of this type.
    static bool isValidElementType(::mlir::Type type);
  }];
}

def Pallas_AccumulatorType : Pallas_Type<"Accumulator", "accumulator"> {
  let summary = "accumulator of warpgroup matmuls, in registers";
  let description = [{
    A mutable m x n accumulator. It is written by `pallas.wgmma_ref` and
    `pallas.accumulator_store` and read by `pallas.accumulator_deref`. One among the
    scratch of a call starts at zero wherever a parallel program starts, and keeps
    its sum over those that run in order.

    ```mlir
    !pallas.accumulator<64x128xf32>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t", "shape">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getValueType() const;
  }];
}

def Pallas_SemaphoreType : Pallas_Type<"Semaphore", "semaphore"> {
  let summary = "counting semaphore, the element of a semaphore ref";
}
def Pallas_DMASemaphoreType : Pallas_Type<"DMASemaphore", "dma_semaphore"> {
  let summary = "semaphore that async copies count on";
}
def Pallas_BarrierSemaphoreType
    : Pallas_Type<"BarrierSemaphore", "barrier_semaphore"> {
  let summary = "semaphore that all devices of a collective share";
}
def Pallas_BarrierType : Pallas_Type<"Barrier", "barrier"> {
  let summary = "barrier that a number of arrivals completes";
  let description = [{
    With `ordersTensorCore`, a wait also orders the products in tensor memory of
    other threads before those of this one.

    ```mlir
    !pallas.barrier<numArrivals = 2>
    !pallas.barrier<numArrivals = 1, ordersTensorCore = true>
    ```
  }];
  let parameters = (ins "int64_t":$numArrivals,
                        DefaultValuedParameter<"bool", "false">:$ordersTensorCore);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Pallas_ClusterBarrierType : Pallas_Type<"ClusterBarrier", "cluster_barrier"> {
  let summary = "barrier over the blocks of a cluster";
  let description = [{
    An arrival reaches the barriers of all blocks that differ from this one along
    one of the collective axes, or with `leaderTracked` that of the first one.
    Axes in brackets count as one: the second type reaches the blocks that differ
    only along `x`, `z` or both, and those that differ only along `y`.

    ```mlir
    !pallas.cluster_barrier<collectiveAxes = ["c"], numArrivals = 1>
    !pallas.cluster_barrier<collectiveAxes = [["x", "z"], "y"], numArrivals = 1>
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$collectiveAxes, "int64_t":$numArrivals,
                        DefaultValuedParameter<"bool", "false">:$ordersTensorCore,
                        DefaultValuedParameter<"bool", "false">:$leaderTracked);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Pallas_PinnedType : Pallas_Type<"Pinned", "pinned"> {
  let summary = "array that stays in one place: a linear value";
  let description = [{
    A pinned input of a call must be aliased to an output, which then has the
    same pinned type.

    ```mlir
    !pallas.pinned<tensor<8x128xf32>, <hbm>>
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$arrayType,
                        OptionalParameter<"::mlir::pallas::MemorySpaceAttr">:$memorySpace);
  let assemblyFormat = "`<` $arrayType (`,` $memorySpace^)? `>`";
}

def Pallas_AnyRef : AnyTypeOf<[Pallas_RefType, Pallas_AccumulatorType]>;
def Pallas_ScalarIndex : AnyTypeOf<[I32, Index], "i32 or index">;
def Pallas_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Index], "scalar">;
def Pallas_Value : AnyTypeOf<[AnyRankedTensor, AnySignlessInteger, AnyFloat, Index],
                             "tensor or scalar">;
def Pallas_Array : AnyTypeOf<[AnyRankedTensor, Pallas_PinnedType], "array">;
def Pallas_IndexRef : Type<
    And<[Pallas_RefType.predicate,
         CPred<"::llvm::cast<::mlir::pallas::RefType>($_self).getElementType().isInteger(32)">]>,
    "ref to i32", "::mlir::pallas::RefType">;
def Pallas_IndexValue
    : AnyTypeOf<[I32, Index, RankedTensorOf<[I32, Index]>, Pallas_IndexRef],
                "i32 or index, or a tensor of it">;

def Pallas_CountingSemaphoreRef : Type<
    And<[Pallas_RefType.predicate,
         CPred<"::llvm::isa<::mlir::pallas::SemaphoreType, ::mlir::pallas::DMASemaphoreType, "
               "::mlir::pallas::BarrierSemaphoreType>("
               "::llvm::cast<::mlir::pallas::RefType>($_self).getElementType())">]>,
    "ref to semaphores", "::mlir::pallas::RefType">;
def Pallas_DMASemaphoreRef : Type<
    And<[Pallas_RefType.predicate,
         CPred<"::llvm::isa<::mlir::pallas::DMASemaphoreType>("
               "::llvm::cast<::mlir::pallas::RefType>($_self).getElementType())">]>,
    "ref to DMA semaphores", "::mlir::pallas::RefType">;
def Pallas_BarrierRef : Type<
    And<[Pallas_RefType.predicate,
         CPred<"::llvm::isa<::mlir::pallas::BarrierType, ::mlir::pallas::ClusterBarrierType>("
               "::llvm::cast<::mlir::pallas::RefType>($_self).getElementType())">]>,
    "ref to barriers", "::mlir::pallas::RefType">;

#endif // PALLAS_TYPES_TD
