//===- CallEditor.h - Changes what a call takes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CALLEDITOR_H
#define PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CALLEDITOR_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Adds operands to a call and takes them away, together with the arguments of
/// its kernel and of its index maps and with the numbers of aliases. The call
/// is another operation afterwards: ask for it again.
class CallEditor {
public:
  explicit CallEditor(PallasCallOp call) : call(call), builder(call) {}

  PallasCallOp getCall() const { return call; }
  GridMappingOpInterface getGrid() {
    return cast<GridMappingOpInterface>(call.getOperation());
  }
  /// Creates operations in front of the call.
  OpBuilder &getBuilder() { return builder; }

  /// The arguments of prefetched operand `index`, or of captured value `index`:
  /// that of the kernel, then those of the index maps.
  SmallVector<BlockArgument> getPrefetchArguments(unsigned index);
  SmallVector<BlockArgument> getCaptureArguments(unsigned index);

  /// Prefetches one more array, behind the others.
  void appendPrefetch(Value operand);
  /// Arguments must have no uses left.
  void dropPrefetch(unsigned index);
  void dropCapture(unsigned index);

  /// One more input, behind the others, of which every program sees the whole.
  BlockArgument appendInput(Value operand, MemorySpaceAttr space);
  void dropInput(unsigned index);
  /// One more result, behind the others, which is what `input` is in the end.
  Value appendAliasedOutput(unsigned input);

private:
  void shiftAliases(int64_t from, int64_t by);
  void recreate(ValueRange inputs, TypeRange results,
                ArrayRef<BlockMappingAttr> mappings, ArrayRef<Region *> maps);

  PallasCallOp call;
  OpBuilder builder;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_DIALECT_PALLAS_TRANSFORMS_CALLEDITOR_H
