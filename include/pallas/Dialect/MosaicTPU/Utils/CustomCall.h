//===- CustomCall.h - How a kernel module is called -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_CUSTOMCALL_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_CUSTOMCALL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/MosaicTPU/Utils/LibtpuRelease.h"
#include <optional>
#include <string>
#include <variant>

namespace mlir::tpu {

/// Whether XLA may remove a call whose results are unused, or merge two equal
/// calls.
enum class CallSideEffects {
  Pure,     ///< Remove the former, merge the latter.
  Dataflow, ///< Remove the former.
  Full,     ///< Neither.
};

struct CallCost {
  int64_t flops = 0;
  int64_t transcendentals = 0;
  int64_t bytesAccessed = 0;
  int64_t remoteBytesTransferred = 0;
};

using CallFlag = std::pair<std::string, std::variant<bool, int64_t, double>>;

/// One call of one kernel module. What follows from the kernel (cores,
/// communication) is not repeated here.
struct TPUCustomCall {
  ModuleOp kernel;
  std::string name;

  /// Whole arrays. Operands are the bounds of dynamic grid dimensions
  /// (tensor<i32>), scalar-prefetch arrays, inputs, in this order. An array of
  /// i1 is one of i32 to the kernel.
  SmallVector<RankedTensorType> operands, results;
  /// Operand and result that share one buffer.
  SmallVector<std::pair<int64_t, int64_t>> aliases;
  /// Memories that XLA must put arrays in; empty, or one entry per array.
  SmallVector<std::optional<MemorySpace>> operandSpaces, resultSpaces;
  /// Operands whose producer XLA may fuse; empty, or one entry per operand.
  SmallVector<bool> allowInputFusion;

  CallSideEffects sideEffects = CallSideEffects::Pure;
  std::optional<CallCost> cost;
  std::optional<int64_t> vmemLimitBytes;
  std::optional<int64_t> collectiveId;
  std::optional<int64_t> internalScratchInBytes;
  bool needsHloPasses = false;
  bool shapeInvariantNumerics = true;
  bool disableBoundsChecks = false;
  bool disableSemaphoreChecks = false;
  bool skipDeviceBarrier = false;
  /// Of SparseCore kernels: whether layouts are inferred, and the tiling of
  /// arrays (kCompactTiling or kSparseCoreTiling).
  bool needsLayoutPassesOnSparseCore = true;
  std::optional<std::string> sparseCoreTiling;
  SmallVector<CallFlag> flags;
  /// JSON text that profiles show.
  std::string metadata = "{}";
  /// The release of libtpu that reads the call.
  LibtpuRelease libtpu;
};

/// Reads `tpu.custom_call` of a kernel module; an error names a wrong entry.
FailureOr<TPUCustomCall> readCallAttribute(ModuleOp kernel);

/// Checks the call against the kernel's functions, which the Mosaic compiler
/// does not: it would read an array as if it had another type.
LogicalResult verifyCall(const TPUCustomCall &call);

/// Whether the function is the kernel of a core, and not one that computes the
/// position of a window.
bool isKernelFunction(func::FuncOp function);

/// Whether functions of the module itself, not of one inside, are kernels: then
/// it has no function yet that a host could call.
bool isKernelModule(ModuleOp module);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_CUSTOMCALL_H
