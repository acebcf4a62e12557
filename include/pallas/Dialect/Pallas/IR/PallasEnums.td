//===- PallasEnums.td - Enumerations of the pallas dialect -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_ENUMS_TD
#define PALLAS_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "pallas/Dialect/Pallas/IR/PallasDialect.td"

class Pallas_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::pallas";
  let genSpecializedAttr = 0;
}

class Pallas_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Pallas_Dialect, info, mnemonic>;

def Pallas_MemorySpace : Pallas_I32Enum<"MemorySpace", "memory space", [
  I32EnumAttrCase<"Any", 0, "any">,
  I32EnumAttrCase<"Default", 1, "default">,
  I32EnumAttrCase<"Vmem", 2, "vmem">,
  I32EnumAttrCase<"Smem", 3, "smem">,
  I32EnumAttrCase<"Hbm", 4, "hbm">,
  I32EnumAttrCase<"Cmem", 5, "cmem">,
  I32EnumAttrCase<"VmemShared", 6, "vmem_shared">,
  I32EnumAttrCase<"Semaphore", 7, "semaphore">,
  I32EnumAttrCase<"Gmem", 8, "gmem">,
  I32EnumAttrCase<"Tmem", 9, "tmem">,
  I32EnumAttrCase<"Regs", 10, "regs">,
  I32EnumAttrCase<"Host", 11, "host">,
  I32EnumAttrCase<"Index", 12, "index">,
  I32EnumAttrCase<"Key", 13, "key">,
  I32EnumAttrCase<"Error", 14, "error">,
]>;

def Pallas_TensorLayout : Pallas_I32Enum<"TensorLayout", "layout of tensor memory", [
  I32EnumAttrCase<"Default", 0, "default">,
  I32EnumAttrCase<"M64Collective", 1, "m64_collective">,
  I32EnumAttrCase<"Scales", 2, "scales">,
  I32EnumAttrCase<"ScalesM64Collective", 3, "scales_m64_collective">,
  I32EnumAttrCase<"SparseMetadata", 4, "sparse_metadata">,
]>;

def Pallas_TensorCopyKind
    : Pallas_I32Enum<"TensorCopyKind", "what a copy to tensor memory moves", [
  I32EnumAttrCase<"Matrix", 0, "matrix">,
  I32EnumAttrCase<"Scales", 1, "scales">,
  I32EnumAttrCase<"SparseMetadata", 2, "sparse_metadata">,
]>;
def Pallas_TensorCopyKindAttr
    : Pallas_EnumAttr<Pallas_TensorCopyKind, "tensor_copy">;

def Pallas_CoreKind : Pallas_I32Enum<"CoreKind", "core of an accelerator", [
  I32EnumAttrCase<"TensorCore", 0, "tensorcore">,
  I32EnumAttrCase<"ScScalar", 1, "sc_scalar">,
  I32EnumAttrCase<"ScVector", 2, "sc_vector">,
]>;

def Pallas_DimensionSemantics
    : Pallas_I32Enum<"DimensionSemantics", "order of a grid dimension", [
  I32EnumAttrCase<"Arbitrary", 0, "arbitrary">,
  I32EnumAttrCase<"Parallel", 1, "parallel">,
  I32EnumAttrCase<"CoreParallel", 2, "core_parallel">,
  I32EnumAttrCase<"SubcoreParallel", 3, "subcore_parallel">,
  I32EnumAttrCase<"Sequential", 4, "sequential">,
]>;
def Pallas_DimensionSemanticsAttr
    : Pallas_EnumAttr<Pallas_DimensionSemantics, "dimension_semantics">;
def Pallas_DimensionSemanticsArrayAttr
    : TypedArrayAttrBase<Pallas_DimensionSemanticsAttr,
                         "array of dimension semantics">;

def Pallas_BlockDimKind : Pallas_I32Enum<"BlockDimKind", "kind of block dimension", [
  I32EnumAttrCase<"Blocked", 0, "blocked">,
  I32EnumAttrCase<"Squeezed", 1, "squeezed">,
  I32EnumAttrCase<"Element", 2, "element">,
  I32EnumAttrCase<"BoundedSlice", 3, "bounded">,
  I32EnumAttrCase<"Indirect", 4, "indirect">,
]>;

def Pallas_RevisitMode : Pallas_I32Enum<"RevisitMode", "revisiting of output windows", [
  I32EnumAttrCase<"Immediate", 0, "immediate">,
  I32EnumAttrCase<"Any", 1, "any">,
]>;

def Pallas_IndexKind : Pallas_I32Enum<"IndexKind", "entry of a ref indexer", [
  I32EnumAttrCase<"Full", 0, "full">,
  I32EnumAttrCase<"Slice", 1, "slice">,
  I32EnumAttrCase<"Scalar", 2, "scalar">,
  I32EnumAttrCase<"Gather", 3, "gather">,
]>;

def Pallas_MeshKind : Pallas_I32Enum<"MeshKind", "kind of mesh", [
  I32EnumAttrCase<"TensorCore", 0, "tensorcore">,
  I32EnumAttrCase<"ScScalar", 1, "sc_scalar">,
  I32EnumAttrCase<"ScVector", 2, "sc_vector">,
  I32EnumAttrCase<"Gpu", 3, "gpu">,
  I32EnumAttrCase<"Warp", 4, "warp">,
]>;

def Pallas_MeshAxisRole : Pallas_I32Enum<"MeshAxisRole", "what a mesh axis runs over", [
  I32EnumAttrCase<"Core", 0, "core">,
  I32EnumAttrCase<"Subcore", 1, "subcore">,
  I32EnumAttrCase<"Grid", 2, "grid">,
  I32EnumAttrCase<"Cluster", 3, "cluster">,
  I32EnumAttrCase<"Thread", 4, "thread">,
  I32EnumAttrCase<"Warp", 5, "warp">,
]>;

def Pallas_CombiningKind : Pallas_I32Enum<"CombiningKind", "binary combination", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">,
  I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"Xor", 8, "xor">,
]> {
  let description = [{
    `max` and `min` propagate NaN on floats and compare signed integers;
    `umax` and `umin` compare unsigned integers.
  }];
}
def Pallas_CombiningKindAttr : Pallas_EnumAttr<Pallas_CombiningKind, "combining"> {
  let assemblyFormat = "`<` $value `>`";
}

def Pallas_CumulativeKind : Pallas_I32Enum<"CumulativeKind", "running combination", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">,
  I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"LogSumExp", 6, "logsumexp">,
]>;
def Pallas_CumulativeKindAttr : Pallas_EnumAttr<Pallas_CumulativeKind, "cumulative"> {
  let assemblyFormat = "`<` $value `>`";
}

def Pallas_MaskReduction : Pallas_I32Enum<"MaskReduction", "summary of a mask", [
  I32EnumAttrCase<"Count", 0, "count">,
  I32EnumAttrCase<"First", 1, "first">,
]>;
def Pallas_MaskReductionAttr : Pallas_EnumAttr<Pallas_MaskReduction, "mask_reduction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Pallas_AtomicKind : Pallas_I32Enum<"AtomicKind", "atomic update", [
  I32EnumAttrCase<"Xchg", 0, "xchg">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">,
  I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">,
  I32EnumAttrCase<"Or", 7, "or">,
  I32EnumAttrCase<"Xor", 8, "xor">,
]>;
def Pallas_AtomicKindAttr : Pallas_EnumAttr<Pallas_AtomicKind, "atomic"> {
  let assemblyFormat = "`<` $value `>`";
}

def Pallas_Precision : Pallas_I32Enum<"Precision", "precision of a contraction", [
  I32EnumAttrCase<"Default", 0, "default">,
  I32EnumAttrCase<"High", 1, "high">,
  I32EnumAttrCase<"Highest", 2, "highest">,
]>;
def Pallas_PrecisionAttr : Pallas_EnumAttr<Pallas_Precision, "precision">;

def Pallas_DeviceIdType : Pallas_I32Enum<"DeviceIdType", "how a device is named", [
  I32EnumAttrCase<"Mesh", 0, "mesh">,
  I32EnumAttrCase<"Logical", 1, "logical">,
]>;
def Pallas_DeviceIdTypeAttr : Pallas_EnumAttr<Pallas_DeviceIdType, "device_id_type">;

def Pallas_GatherMode : Pallas_I32Enum<"GatherMode", "out-of-bounds gather indices", [
  I32EnumAttrCase<"PromiseInBounds", 0, "promise_in_bounds">,
  I32EnumAttrCase<"Clip", 1, "clip">,
  I32EnumAttrCase<"Fill", 2, "fill">,
]>;
def Pallas_GatherModeAttr : Pallas_EnumAttr<Pallas_GatherMode, "gather_mode">;

#endif // PALLAS_ENUMS_TD
