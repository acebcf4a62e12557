//===- MosaicGPUEnums.td - Enumerations of the dialect -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integer of a case is part of the format: it never changes. In text these
// are integers of 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_ENUMS_TD
#define PALLAS_MOSAICGPU_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUDialect.td"

class MosaicGPU_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::mosaic_gpu";
}

def MosaicGPU_Dimension
    : MosaicGPU_I32Enum<"Dimension", "dimension of a cluster", [
  I32EnumAttrCase<"x", 0>,
  I32EnumAttrCase<"y", 1>,
  I32EnumAttrCase<"z", 2>,
]>;

def MosaicGPU_SwizzlingMode
    : MosaicGPU_I32Enum<"SwizzlingMode", "bytes within which chunks change places", [
  I32EnumAttrCase<"kNoSwizzle", 16, "none">,
  I32EnumAttrCase<"k32ByteSwizzle", 32, "32">,
  I32EnumAttrCase<"k64ByteSwizzle", 64, "64">,
  I32EnumAttrCase<"k128ByteSwizzle", 128, "128">,
]>;

def MosaicGPU_TMAReduction
    : MosaicGPU_I32Enum<"TMAReduction", "combination of a copy with what is there", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Min", 1, "min">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Inc", 3, "inc">,
  I32EnumAttrCase<"Dec", 4, "dec">,
  I32EnumAttrCase<"And", 5, "and">,
  I32EnumAttrCase<"Or", 6, "or">,
  I32EnumAttrCase<"Xor", 7, "xor">,
  I32EnumAttrCase<"Umin", 8, "umin">,
  I32EnumAttrCase<"Umax", 9, "umax">,
  I32EnumAttrCase<"Smin", 10, "smin">,
  I32EnumAttrCase<"Smax", 11, "smax">,
]>;

def MosaicGPU_TMEMLoadReduction
    : MosaicGPU_I32Enum<"TMEMLoadReduction", "reduction of rows of tensor memory", [
  I32EnumAttrCase<"Min", 0, "min">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"AbsMin", 2, "absmin">,
  I32EnumAttrCase<"AbsMax", 3, "absmax">,
]>;

def MosaicGPU_OOBFillMode
    : MosaicGPU_I32Enum<"OOBFillMode", "elements of a box outside of its array", [
  I32EnumAttrCase<"kUndefined", 0, "undefined">,
  I32EnumAttrCase<"kPromiseInBounds", 1, "promise_in_bounds">,
  I32EnumAttrCase<"kZeros", 2, "zeros">,
]>;

def MosaicGPU_MultimemLoadReductionType
    : MosaicGPU_I32Enum<"MultimemLoadReductionType", "combination across devices", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Min", 1, "min">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"And", 3, "and">,
  I32EnumAttrCase<"Or", 4, "or">,
  I32EnumAttrCase<"Xor", 5, "xor">,
  I32EnumAttrCase<"Umin", 6, "umin">,
  I32EnumAttrCase<"Umax", 7, "umax">,
  I32EnumAttrCase<"Smin", 8, "smin">,
  I32EnumAttrCase<"Smax", 9, "smax">,
]>;

def MosaicGPU_AtomicOpType
    : MosaicGPU_I32Enum<"AtomicOpType", "combination of an atomic store", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Min", 1, "min">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"And", 3, "and">,
  I32EnumAttrCase<"Or", 4, "or">,
  I32EnumAttrCase<"Xor", 5, "xor">,
]>;

#endif // PALLAS_MOSAICGPU_ENUMS_TD
