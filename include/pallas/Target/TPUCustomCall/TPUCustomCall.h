//===- TPUCustomCall.h - Kernels as custom calls of XLA ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA runs a kernel as `stablehlo.custom_call @tpu_custom_call`: the operands
// and results are whole arrays, and a JSON text holds the serialized kernel and
// all that the kernel itself does not say. Arrays are row-major.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H
#define PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <variant>

namespace mlir::tpu {

/// What XLA may do with a call whose results nobody uses, or with two equal
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

/// A release of libtpu, whose Mosaic compiler reads the call, as numbers:
/// 0.0.50 is {0, 0, 50}. The calls of one release may be unknown to another.
class LibtpuRelease {
public:
  /// The oldest release that calls are written for, whose calls all later ones
  /// read as well.
  LibtpuRelease() : numbers({0, 0, 42, 1}) {}

  /// Nothing when the text is no release, or an older one than the oldest.
  static std::optional<LibtpuRelease> parse(StringRef text);

  /// Newest version of the kernel's bytes that the release reads.
  int64_t getStableMosaicVersion() const;
  /// Whether the SparseCores of a kernel are named by their own
  /// configuration, which older releases do not know.
  bool namesSparseCores() const;

private:
  explicit LibtpuRelease(ArrayRef<unsigned> numbers) : numbers(numbers) {}

  SmallVector<unsigned, 4> numbers;
};

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
  /// arrays (TILING_COMPACT or TILING_SPARSE_CORE).
  bool needsLayoutPassesOnSparseCore = true;
  std::optional<std::string> sparseCoreTiling;
  SmallVector<CallFlag> flags;
  /// JSON text that profiles show.
  std::string metadata = "{}";
  LibtpuRelease libtpu;
};

/// Module attribute by which a kernel module in IR says how it is called: a
/// dictionary with `operands` and `results` (tensor types) and any of
/// `aliases` (pairs), `operand_spaces`, `result_spaces`, `allow_input_fusion`,
/// `side_effects`, `cost_estimate`, `vmem_limit_bytes`, `collective_id`, ...
inline constexpr llvm::StringLiteral kCallAttrName = "tpu.custom_call";

/// Attribute of a function declaration that stands for a kernel: the name of
/// the kernel's module.
inline constexpr llvm::StringLiteral kKernelAttrName = "tpu.kernel";

/// Reads `tpu.custom_call` of a kernel module; an error names a wrong entry.
FailureOr<TPUCustomCall> readCallAttribute(ModuleOp kernel);

/// Checks the call against the kernel's functions, which the Mosaic compiler
/// does not: it would read an array as if it had another type.
LogicalResult verifyCall(const TPUCustomCall &call);

/// The JSON text of the call, with the kernel in it.
FailureOr<std::string> getBackendConfig(const TPUCustomCall &call);

/// Writes a StableHLO function of this name that makes the call. XLA enters a
/// module at the function `main`.
LogicalResult writeCustomCallFunction(const TPUCustomCall &call,
                                      StringRef function, raw_ostream &os);

/// Writes the functions of a module that call kernels as StableHLO: each call
/// of a declaration with `tpu.kernel` is a call of that kernel's module, as
/// this release of libtpu reads it.
LogicalResult writeHostModule(ModuleOp module, raw_ostream &os,
                              const LibtpuRelease &libtpu = {});

} // namespace mlir::tpu

#endif // PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H
