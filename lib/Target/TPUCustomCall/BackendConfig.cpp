//===- BackendConfig.cpp - The JSON text of a call ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file writes the JSON text of a call, as XLA's runtime for TPUs parses
// it. Keys are left out where their value is the default.
//
//===----------------------------------------------------------------------===//

#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tpu;
using llvm::json::OStream;

namespace {
/// Facts about the call that follow from the kernel.
struct KernelFacts {
  bool onSparseCore = false;
  bool communicates = false;
  bool hasBarrier = false;
  /// A dimension over the cores has size 1: one core runs all.
  bool singleCore = false;
};
} // namespace

/// Collects the facts in one walk. For example, a copy to another device means
/// that the call communicates:
///
///   tpu.enqueue_dma source(%a : ...) target(%b : ...)
///       target_semaphore(%s : ...) device_id(%d : i32)
static KernelFacts getFacts(ModuleOp kernel) {
  KernelFacts facts;
  kernel.walk([&](Operation *op) {
    if (auto dma = dyn_cast<EnqueueDMAOp>(op))
      facts.communicates |= static_cast<bool>(dma.getDeviceId());
    else if (auto signal = dyn_cast<SemSignalOp>(op))
      facts.communicates |= static_cast<bool>(signal.getDeviceId());
    else if (isa<SemBarrierOp>(op))
      facts.hasBarrier = true;
    else if (auto core = op->getAttrOfType<CoreTypeAttr>(kCoreTypeAttrName))
      facts.onSparseCore |= core.getValue() != CoreType::TensorCore;
  });
  for (auto func : kernel.getOps<func::FuncOp>()) {
    auto semantics = func->getAttrOfType<ArrayAttr>("dimension_semantics");
    auto bounds = func->getAttrOfType<DenseI64ArrayAttr>("iteration_bounds");
    if (!semantics || !bounds)
      continue;
    for (auto [kind, bound] : llvm::zip(semantics, bounds.asArrayRef())) {
      auto dim = dyn_cast<DimensionSemanticsAttr>(kind);
      facts.singleCore |= dim &&
                          dim.getValue() == DimensionSemantics::CoreParallel &&
                          bound == 1;
    }
  }
  return facts;
}

/// Number by which XLA knows a memory.
static std::optional<int64_t> getColor(MemorySpace space) {
  switch (space) {
  case MemorySpace::Hbm:
    return 0;
  case MemorySpace::Vmem:
    return 1;
  case MemorySpace::SemaphoreMem:
    return 2;
  case MemorySpace::Smem:
    return 4;
  case MemorySpace::Host:
    return 5;
  case MemorySpace::Any:
  case MemorySpace::Cmem:
  case MemorySpace::VmemShared:
    return std::nullopt;
  }
  return std::nullopt;
}

/// False is the default of all flags.
static void writeFlag(OStream &json, StringRef key, bool value) {
  if (value)
    json.attribute(key, true);
}

static void writeNumber(OStream &json, StringRef key,
                        std::optional<int64_t> value) {
  if (value)
    json.attribute(key, *value);
}

/// XLA schedules other work next to the call by these numbers.
static void writeCost(OStream &json, const CallCost &cost) {
  json.attributeObject("cost_estimate", [&] {
    json.attribute("flops", cost.flops);
    json.attribute("transcendentals", cost.transcendentals);
    json.attribute("bytes_accessed", cost.bytesAccessed);
    json.attribute("remote_bytes_transferred", cost.remoteBytesTransferred);
  });
}

namespace {
/// The memories of all arrays of a call.
struct ArraySpaces {
  SmallVector<std::optional<MemorySpace>> operands, results;
};
} // namespace

/// A buffer has one memory: an array that shares the buffer of a constrained
/// array is constrained as well.
static ArraySpaces getArraySpaces(const TPUCustomCall &call) {
  ArraySpaces spaces{call.operandSpaces, call.resultSpaces};
  spaces.operands.resize(call.operands.size());
  spaces.results.resize(call.results.size());
  for (auto [operand, result] : call.aliases) {
    if (!spaces.results[result])
      spaces.results[result] = spaces.operands[operand];
    else if (!spaces.operands[operand])
      spaces.operands[operand] = spaces.results[result];
  }
  return spaces;
}

/// XLA places arrays by colors, which are numbers of memory spaces:
///
///   "input_memory_space_colors": [{"operand_index": 0, "color": 1}]
///   "output_memory_space_colors": [{"color": 1, "shape_index": [0]}]
///
/// An array without a color may lie anywhere.
static void writeColors(OStream &json, const TPUCustomCall &call) {
  ArraySpaces spaces = getArraySpaces(call);
  auto isConstrained = [](std::optional<MemorySpace> space) {
    return space && getColor(*space);
  };
  if (llvm::any_of(spaces.results, isConstrained))
    json.attributeArray("output_memory_space_colors", [&] {
      for (size_t index = 0; index < spaces.results.size(); ++index) {
        std::optional<MemorySpace> space = spaces.results[index];
        if (!isConstrained(space))
          continue;
        json.object([&] {
          json.attribute("color", *getColor(*space));
          // A single result is not a tuple, so nothing points into it.
          if (spaces.results.size() > 1)
            json.attributeArray("shape_index", [&] {
              json.value(static_cast<int64_t>(index));
            });
        });
      }
    });
  // XLA leaves small arrays in smem by itself and takes no color for it.
  auto isInputColor = [](std::optional<MemorySpace> space) {
    return space == MemorySpace::Hbm || space == MemorySpace::Vmem;
  };
  if (llvm::any_of(spaces.operands, isInputColor))
    json.attributeArray("input_memory_space_colors", [&] {
      for (size_t index = 0; index < spaces.operands.size(); ++index)
        if (std::optional<MemorySpace> space = spaces.operands[index];
            isInputColor(space))
          json.object([&] {
            json.attribute("operand_index", static_cast<int64_t>(index));
            json.attribute("color", *getColor(*space));
          });
    });
}

/// The part that the compiler of kernels reads. A key that is missing has the
/// default of the compiler, so only what differs is written.
static void writeKernelConfig(OStream &json, const TPUCustomCall &call,
                              const KernelFacts &facts, StringRef body) {
  json.attribute("body", llvm::encodeBase64(body));
  writeFlag(json, "has_communication", facts.communicates);
  writeNumber(json, "collective_id", call.collectiveId);
  if (call.cost)
    writeCost(json, *call.cost);
  writeFlag(json, "needs_hlo_passes", call.needsHloPasses);
  json.attribute("serialization_format", 1);
  // On the TensorCore the compiler takes only what its layout passes made.
  writeFlag(json, "needs_layout_passes",
            !facts.onSparseCore || call.needsLayoutPassesOnSparseCore);
  if (!call.shapeInvariantNumerics)
    json.attribute("shape_invariant_numerics", false);
  if (!call.allowInputFusion.empty())
    json.attributeArray("allow_input_fusion", [&] {
      for (bool allowed : call.allowInputFusion)
        json.value(allowed);
    });
  writeNumber(json, "internal_scratch_in_bytes", call.internalScratchInBytes);
  writeColors(json, call);
  writeFlag(json, "disable_bounds_checks", call.disableBoundsChecks);
  writeFlag(json, "disable_semaphore_checks", call.disableSemaphoreChecks);
  writeFlag(json, "skip_device_barrier", call.skipDeviceBarrier);
}

/// A flag has the type of its value in its key.
static void writeFlags(OStream &json, ArrayRef<CallFlag> flags) {
  json.attributeArray("flag_configs", [&] {
    for (const CallFlag &flag : flags)
      json.object([&] {
        json.attribute("flag_type", flag.first);
        json.attributeObject("value", [&] {
          if (auto *boolean = std::get_if<bool>(&flag.second))
            json.attribute("boolean_value", *boolean);
          else if (auto *integer = std::get_if<int64_t>(&flag.second))
            json.attribute("integer_value", *integer);
          else
            json.attribute("double_value", std::get<double>(flag.second));
        });
      });
  });
}

/// Releases that know the names of cores want the configuration with all
/// SparseCore kernels.
static void writeSparseCoreConfig(OStream &json, const TPUCustomCall &call,
                                  const KernelFacts &facts) {
  bool isNamed = facts.onSparseCore && call.libtpu.namesSparseCores();
  if (!isNamed && !call.sparseCoreTiling)
    return;
  json.attributeObject("sparse_core_config", [&] {
    if (isNamed && facts.singleCore)
      json.attributeArray("core_ids", [&] { json.value("0"); });
    json.attribute("tiling",
                   call.sparseCoreTiling.value_or(kCompactTiling.str()));
  });
}

/// The JSON of a call: what the compiler of kernels reads, then what XLA does.
///
///   {"custom_call_config": {"body": "<base64 of stable_mosaic>", ...},
///    "scoped_memory_configs": [{"memory_space": 1, "offset": 0, "size": N}]}
///
/// Releases of libtpu differ in where they look for the core of a SparseCore
/// kernel, so the release decides which of two keys names it.
FailureOr<std::string> tpu::getBackendConfig(const TPUCustomCall &call) {
  KernelFacts facts = getFacts(call.kernel);
  if (facts.hasBarrier && !call.collectiveId)
    return call.kernel->emitError(
        "the kernel uses the barrier semaphore of a collective, but the call "
        "has no collective_id; give one");
  std::string body;
  llvm::raw_string_ostream bytes(body);
  if (failed(serializeStableMosaic(call.kernel, bytes,
                                   call.libtpu.getStableMosaicVersion())))
    return failure();

  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os);
  json.object([&] {
    json.attributeObject("custom_call_config",
                         [&] { writeKernelConfig(json, call, facts, body); });
    writeSparseCoreConfig(json, call, facts);
    if (facts.onSparseCore)
      json.attribute("device_type", "DEVICE_TYPE_SPARSECORE");
    if (call.vmemLimitBytes)
      json.attributeArray("scoped_memory_configs", [&] {
        json.object([&] {
          json.attribute("memory_space", 1);
          json.attribute("offset", 0);
          json.attribute("size", *call.vmemLimitBytes);
        });
      });
    if (!call.flags.empty())
      writeFlags(json, call.flags);
    if (facts.onSparseCore && facts.singleCore &&
        !call.libtpu.namesSparseCores())
      json.attributeObject("megachip_parallelism_config", [&] {
        json.attributeArray("cores", [&] { json.value("0"); });
      });
  });
  return text;
}
