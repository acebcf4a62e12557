//===- FunctionState.cpp - A function while it is lowered -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the helpers that the classes of all themes share.
//
//===----------------------------------------------------------------------===//

#include "FunctionState.h"

using namespace mlir;
using namespace mlir::pallas;

/// Semaphores and accumulators start at zero; all other memory is unwritten,
/// and reading it is a finding of checked code.
Value ThemeLowering::allocateRef(Value ref) {
  Value place = b.allocate(ref.getLoc(), ref.getType());
  auto type = dyn_cast<RefType>(ref.getType());
  bool isZero = !type || type.isSynchronization();
  checker.checkRegion(place, checked ? describeRef(ref) : "",
                      isZero ? ByteState::Written : ByteState::Unwritten,
                      kNewRegion);
  return place;
}

/// Elements that nothing wrote stay unwritten in the copy, so a copy alone is
/// never a finding.
Value ThemeLowering::copyMemory(Location loc, Value source) {
  auto type = cast<MemRefType>(source.getType());
  Value copy = memref::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()),
      b.getI64IntegerAttr(64));
  memref::CopyOp::create(b, loc, source, copy);
  checker.checkRegion(copy, "a copy", ByteState::Unwritten, kNewRegion);
  checker.checkSameContents(source, copy);
  return copy;
}
