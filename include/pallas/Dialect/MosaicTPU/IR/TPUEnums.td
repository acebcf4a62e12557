//===- TPUEnums.td - Enumerations of the tpu dialect -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer of a case is part of the format: it never changes.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUENUMS_TD
#define PALLAS_MOSAICTPU_TPUENUMS_TD

include "mlir/IR/EnumAttr.td"
include "pallas/Dialect/MosaicTPU/IR/TPUDialect.td"

class TPU_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tpu";
  let genSpecializedAttr = 0;
}

class TPU_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<TPU_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def TPU_CoreType : TPU_I32Enum<"CoreType", "core that runs a function", [
  I32EnumAttrCase<"TensorCore", 0, "tc">,
  I32EnumAttrCase<"ScScalarSubcore", 1, "sc_scalar_subcore">,
  I32EnumAttrCase<"ScVectorSubcore", 2, "sc_vector_subcore">,
]>;
def TPU_CoreTypeAttr : TPU_EnumAttr<TPU_CoreType, "core_type">;

def TPU_MemorySpace : TPU_I32Enum<"MemorySpace", "memory of a TPU", [
  I32EnumAttrCase<"Any", 0xFFFFFFFF, "any">,
  I32EnumAttrCase<"Vmem", 0, "vmem">,
  I32EnumAttrCase<"Smem", 1, "smem">,
  I32EnumAttrCase<"Hbm", 2, "hbm">,
  I32EnumAttrCase<"Cmem", 3, "cmem">,
  I32EnumAttrCase<"SemaphoreMem", 4, "semaphore_mem">,
  I32EnumAttrCase<"VmemShared", 5, "vmem_shared">,
  I32EnumAttrCase<"Host", 6, "host">,
]>;

def TPU_PipelineMode : TPU_I32Enum<"PipelineMode", "buffering of a window", [
  I32EnumAttrCase<"Synchronous", 1, "synchronous">,
  I32EnumAttrCase<"DoubleBuffered", 2, "double_buffered">,
]>;
def TPU_PipelineModeAttr : TPU_EnumAttr<TPU_PipelineMode, "pipeline_mode">;

def TPU_RevisitMode
    : TPU_I32Enum<"RevisitMode", "when a window may come back", [
  I32EnumAttrCase<"Immediate", 0, "immediate">,
  I32EnumAttrCase<"Any", 1, "any">,
]>;
def TPU_RevisitModeAttr : TPU_EnumAttr<TPU_RevisitMode, "revisit_mode">;

def TPU_DimensionSemantics
    : TPU_I32Enum<"DimensionSemantics", "order of a grid dimension", [
  I32EnumAttrCase<"Parallel", 0, "parallel">,
  I32EnumAttrCase<"Arbitrary", 1, "arbitrary">,
  I32EnumAttrCase<"CoreParallel", 2, "core_parallel">,
  I32EnumAttrCase<"SubcoreParallel", 3, "subcore_parallel">,
]>;
def TPU_DimensionSemanticsAttr
    : TPU_EnumAttr<TPU_DimensionSemantics, "dimension_semantics">;

def TPU_ContractPrecision
    : TPU_I32Enum<"ContractPrecision", "precision of a matmul", [
  I32EnumAttrCase<"BF16", 0, "bf16">,
  I32EnumAttrCase<"FP32", 1, "fp32">,
  I32EnumAttrCase<"BF16x3", 2, "bf16x3">,
]>;
def TPU_ContractPrecisionAttr
    : TPU_EnumAttr<TPU_ContractPrecision, "contract_precision">;

def TPU_PackFormat : TPU_I32Enum<"PackFormat", "order of packed elements", [
  I32EnumAttrCase<"Compressed", 0, "compressed">,
  I32EnumAttrCase<"Interleaved", 1, "interleaved">,
]>;
def TPU_PackFormatAttr : TPU_EnumAttr<TPU_PackFormat, "pack_format">;

// `max` and `min` are the names of old releases, which leave open whether
// integers compare as signed or unsigned: readers replace them.
def TPU_ReductionKind : TPU_I32Enum<"ReductionKind", "combination of elements", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"ArgMax", 3, "arg_max">,
  I32EnumAttrCase<"ArgMin", 4, "arg_min">,
  I32EnumAttrCase<"FindFirstSet", 5, "find_first_set">,
  I32EnumAttrCase<"MaxF", 6, "maxf">,
  I32EnumAttrCase<"MinF", 7, "minf">,
  I32EnumAttrCase<"MaxSI", 8, "maxsi">,
  I32EnumAttrCase<"MinSI", 9, "minsi">,
  I32EnumAttrCase<"MaxUI", 10, "maxui">,
  I32EnumAttrCase<"MinUI", 11, "minui">,
]>;
def TPU_ReductionKindAttr : TPU_EnumAttr<TPU_ReductionKind, "reduction_kind">;

def TPU_RoundingMode : TPU_I32Enum<"RoundingMode", "rounding of a conversion", [
  I32EnumAttrCase<"TowardsZero", 0, "towards_zero">,
  I32EnumAttrCase<"ToNearestEven", 1, "to_nearest_even">,
]>;
def TPU_RoundingModeAttr : TPU_EnumAttr<TPU_RoundingMode, "rounding_mode">;

#endif // PALLAS_MOSAICTPU_TPUENUMS_TD
