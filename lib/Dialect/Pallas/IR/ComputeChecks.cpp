//===- ComputeChecks.cpp - What operations on values check alike ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that verifiers of several operations on values share. Comments such as
// V24 name rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "ComputeChecks.h"

using namespace mlir;
using namespace mlir::pallas;

LogicalResult pallas::verifyDimensions(Operation *op, ArrayRef<int64_t> dims,
                                       int64_t rank, StringRef what) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims) {
    // V24
    if (dim < 0 || dim >= rank)
      return op->emitOpError()
             << what << " dimension " << dim << " is out of range for rank "
             << rank << "; count from 0";
    // V24
    if (!seen.insert(dim).second)
      return op->emitOpError() << what << " dimension " << dim
                               << " is named twice; name each once";
  }
  return success();
}

LogicalResult pallas::verifyResultType(Operation *op, Type actual,
                                       Type expected) {
  // V24
  if (actual == expected)
    return success();
  return op->emitOpError() << "result must have type " << expected
                           << ", but has type " << actual;
}

LogicalResult pallas::verifyCombination(Operation *op, CombiningKind kind,
                                        Type element) {
  // V24
  if (!element.isSignlessIntOrFloat())
    return op->emitOpError() << "combines integers and floats only, but the "
                                "element type is "
                             << element << "; convert them first";
  bool needsInteger = kind == CombiningKind::UMax ||
                      kind == CombiningKind::UMin ||
                      kind == CombiningKind::And || kind == CombiningKind::Or ||
                      kind == CombiningKind::Xor;
  // V24
  if (!needsInteger || element.isSignlessInteger())
    return success();
  return op->emitOpError() << stringifyCombiningKind(kind)
                           << " needs integers, but the element type is "
                           << element << "; bitcast or convert them first";
}

LogicalResult pallas::verifyAtomicKind(Operation *op, AtomicKind kind,
                                       Type element) {
  bool needsInteger = kind == AtomicKind::And || kind == AtomicKind::Or ||
                      kind == AtomicKind::Xor || kind == AtomicKind::UMax ||
                      kind == AtomicKind::UMin;
  // V13
  if (!needsInteger || element.isSignlessInteger())
    return success();
  return op->emitOpError() << "atomic " << stringifyAtomicKind(kind)
                           << " needs integers, but the element type is "
                           << element << "; bitcast the ref first";
}
