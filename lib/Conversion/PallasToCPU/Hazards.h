//===- Hazards.h - Read-after-write analysis -------------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read yields what the ref holds at that point in time. Its value may be the
// memory itself as long as nothing overwrites the memory before the last
// operation that computes with the value, however far it moves by fusion.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOCPU_HAZARDS_H
#define PALLAS_LIB_CONVERSION_PALLASTOCPU_HAZARDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Utils/RootRefs.h"

namespace mlir::pallas {

/// Where there are checks, all values are copies: checks write to what nothing
/// has written, and must not depend on the analysis.
class Hazards {
public:
  /// With `synchronizes`, others may write to any memory as soon as a
  /// synchronization lets them.
  Hazards(Operation *root, bool synchronizes);

  /// Whether anything writes to the memory of this ref.
  bool isWritten(Value ref) const {
    return hasChecks || writes.contains(getRootRef(ref));
  }

  /// Whether anything may read the memory of this ref.
  bool isRead(Value ref) const;

  /// Whether nothing uses the memory of this ref after `op`.
  bool isLastUse(Operation *op, Value ref) const;

  /// Whether `op` writes to the memory of this ref.
  bool isWrittenBy(Operation *op, Value ref) const {
    return llvm::is_contained(writes.lookup(getRootRef(ref)), op);
  }

  /// Whether the value of this read has to be a copy.
  bool needsCopy(Operation *read, Value ref, Value result) const;

  /// Whether the value of this read may be changed in place, since it is only
  /// the start of a sum of products that then replaces it.
  bool isAccumulator(GetOp read) const { return accumulators.contains(read); }

private:
  /// Places of an operation in the text: where it starts and where it ends.
  struct Span {
    unsigned start, end;
  };
  void number(Operation *op);
  void noteWrites(Operation *op);
  bool reaches(Value root, ValueRange factors) const;
  bool startsSum(GetOp read) const;

  bool synchronizes, hasChecks = false;
  unsigned counter = 0;
  SmallVector<Operation *> synchronizations;
  DenseMap<Operation *, Span> spans;
  DenseSet<Operation *> accumulators;
  DenseMap<Value, SmallVector<Operation *>> writes;
  DenseMap<Value, SmallVector<Operation *>> accesses;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOCPU_HAZARDS_H
