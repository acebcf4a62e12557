//===- Buffers.cpp - Memory of cores over time ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file reports when a core has memory for a ref. Nothing else in the code
// shows it: memory of the host is allocated elsewhere, and windows are views of
// their arrays.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "pallas/Support/Widths.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether refs of this type lie in memory that a core has for itself, or
/// shares with a few others. In the default space a TPU has windows in VMEM.
static bool isInMemoryOfCores(Type ref) {
  auto type = dyn_cast<RefType>(ref);
  if (!type || type.isSynchronization())
    return false;
  switch (type.getSpace()) {
  case MemorySpace::Default:
  case MemorySpace::Vmem:
  case MemorySpace::Smem:
  case MemorySpace::Cmem:
  case MemorySpace::VmemShared:
  case MemorySpace::Tmem:
    return true;
  default:
    return false;
  }
}

/// For `!pallas.ref<8x128xf32, vmem>`:
///
///   %space = llvm.mlir.addressof @"vmem"
///   %bytes = arith.constant 4096 : i64
///   llvm.call @pallas_check_buffer(%space, %bytes) : (!llvm.ptr, i64) -> ()
int64_t mlir::pallas::beginBuffers(MemoryBuilder &b, Location loc,
                                   TypeRange refs) {
  for (Type ref : refs) {
    if (!isInMemoryOfCores(ref))
      continue;
    auto type = cast<RefType>(ref);
    int64_t bits = getMemoryType(type).getNumElements() *
                   getBitWidth(type.getElementType());
    b.callRuntime(loc, "pallas_check_buffer",
                  {b.createString(loc, stringifyMemorySpace(type.getSpace())),
                   b.createInteger(loc, llvm::divideCeil(bits, 8), 64)});
  }
  return countBuffers(refs);
}

int64_t mlir::pallas::countBuffers(TypeRange refs) {
  return llvm::count_if(refs, isInMemoryOfCores);
}

void mlir::pallas::endBuffers(MemoryBuilder &b, Location loc, int64_t number) {
  if (number)
    b.callRuntime(loc, "pallas_check_buffers_end",
                  {b.createInteger(loc, number, 64)});
}

static SmallVector<Type> getTypes(ArrayAttr types) {
  return llvm::to_vector(types.getAsValueRange<TypeAttr>());
}

int64_t mlir::pallas::beginBuffers(MemoryBuilder &b, Location loc,
                                   ArrayAttr refs) {
  return beginBuffers(b, loc, getTypes(refs));
}

int64_t mlir::pallas::countBuffers(ArrayAttr refs) {
  return countBuffers(getTypes(refs));
}
