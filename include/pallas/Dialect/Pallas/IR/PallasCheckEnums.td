//===- PallasCheckEnums.td - Enumerations of checks --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_CHECK_ENUMS_TD
#define PALLAS_CHECK_ENUMS_TD

include "mlir/IR/EnumAttr.td"

/// The numbers are those of the runtime.
def Pallas_CheckedAccess
    : I32EnumAttr<"CheckedAccess", "what an access does to memory", [
  I32EnumAttrCase<"Padding", 0, "padding">,
  I32EnumAttrCase<"Read", 1, "read">,
  I32EnumAttrCase<"Write", 2, "write">,
  I32EnumAttrCase<"Update", 3, "update">,
  I32EnumAttrCase<"Atomic", 7, "atomic">,
]> {
  let cppNamespace = "::mlir::pallas";
}

def Pallas_OutsideElements
    : I32EnumAttr<"OutsideElements", "what an access does outside of its ref", [
  I32EnumAttrCase<"Moved", 0, "moved">,
  I32EnumAttrCase<"Dropped", 1, "dropped">,
  I32EnumAttrCase<"Allowed", 2, "allowed">,
]> {
  let cppNamespace = "::mlir::pallas";
}

def Pallas_CommittedWork
    : I32EnumAttr<"CommittedWork", "the work that a commit is for", [
  I32EnumAttrCase<"Copies", 0, "copies">,
  I32EnumAttrCase<"Stores", 1, "stores">,
  I32EnumAttrCase<"Products", 2, "products">,
]> {
  let cppNamespace = "::mlir::pallas";
}

def Pallas_AwaitedWork
    : I32EnumAttr<"AwaitedWork", "the work that a wait is for", [
  I32EnumAttrCase<"Copies", 0, "copies">,
  I32EnumAttrCase<"Sources", 1, "sources">,
  I32EnumAttrCase<"Products", 2, "products">,
]> {
  let cppNamespace = "::mlir::pallas";
}

def Pallas_TensorMemoryWork
    : I32EnumAttr<"TensorMemoryWork", "accesses of tensor memory", [
  I32EnumAttrCase<"Loads", 0, "loads">,
  I32EnumAttrCase<"Stores", 1, "stores">,
]> {
  let cppNamespace = "::mlir::pallas";
}

def Pallas_BarrierSide
    : I32EnumAttr<"BarrierSide", "the side of a barrier that a check is on", [
  I32EnumAttrCase<"Arrive", 0, "arrive">,
  I32EnumAttrCase<"Leave", 1, "leave">,
]> {
  let cppNamespace = "::mlir::pallas";
}

/// The numbers are those of the runtime.
def Pallas_MemoryState
    : I32EnumAttr<"MemoryState", "what fresh memory holds", [
  I32EnumAttrCase<"Written", 0, "written">,
  I32EnumAttrCase<"Unwritten", 1, "unwritten">,
  I32EnumAttrCase<"Padding", 2, "padding">,
]> {
  let cppNamespace = "::mlir::pallas";
}

#endif // PALLAS_CHECK_ENUMS_TD
