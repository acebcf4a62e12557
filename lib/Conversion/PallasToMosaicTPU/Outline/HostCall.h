//===- HostCall.h - The call of a kernel from the host ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_HOSTCALL_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_HOSTCALL_H

#include "../Plan/WindowPlan.h"

namespace mlir::pallas {

/// The array as the kernel takes it: padded, cut, booleans as 32-bit integers.
Value layOutOperand(OpBuilder &builder, Location loc, Value array,
                    const WindowPlan &plan);
/// The way back.
Value restoreResult(OpBuilder &builder, Location loc, Value array,
                    const WindowPlan &plan);
/// The type of an array as the kernel takes it.
RankedTensorType getCallType(const WindowPlan &plan);
/// An array that no window is cut from.
Value layOutScalarOperand(OpBuilder &builder, Location loc, Value array);

/// The properties of a call that the host needs.
struct HostCall {
  Operation *source = nullptr;
  Operation *kernelModule = nullptr;
  StringRef kernelName;
  SmallVector<Value> operands;
  SmallVector<Type> resultTypes;
  /// Pairs of operand, dynamic grid bounds included, and result.
  SmallVector<std::pair<int64_t, int64_t>> aliases;
  TPUParamsAttr params;
  bool onSparseCore = false;
  /// The limit that the kernel needs when the parameters don't set one.
  std::optional<int64_t> vmemLimit;
  CostEstimateAttr cost;
  DictionaryAttr metadata;
};

/// Declares the kernel next to its module and calls it.
func::CallOp emitHostCall(OpBuilder &builder, const HostCall &call);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_OUTLINE_HOSTCALL_H
