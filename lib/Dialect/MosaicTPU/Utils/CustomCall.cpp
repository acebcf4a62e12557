//===- CustomCall.cpp - How a kernel module is called ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dictionary that describes a call is read once, into a struct. Everything
// wrong with it is reported, each entry by name, since modules come from files.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// Reads one entry after the other; remembers whether one was wrong.
class EntryReader {
public:
  EntryReader(ModuleOp kernel, DictionaryAttr entries)
      : kernel(kernel), entries(entries) {}

  /// The entry as this kind of attribute; null when it is absent or wrong.
  template <typename AttrT> AttrT get(StringRef name, StringRef kind) {
    // Entries that no call asks for are unknown.
    known.push_back(name);
    Attribute value = entries.get(name);
    if (!value)
      return nullptr;
    auto typed = dyn_cast<AttrT>(value);
    if (!typed)
      reject(name, kind);
    return typed;
  }

  /// Absent entries leave the value as it is, which is the default.
  void readFlag(StringRef name, bool &value) {
    if (auto attr = get<BoolAttr>(name, "a boolean"))
      value = attr.getValue();
  }
  void readNumber(StringRef name, std::optional<int64_t> &value) {
    if (auto attr = get<IntegerAttr>(name, "an integer"))
      value = attr.getInt();
  }

  /// Reads each element of an array.
  template <typename Fn>
  void readEach(StringRef name, StringRef kind, Fn &&read) {
    auto array = get<ArrayAttr>(name, "an array");
    if (!array)
      return;
    for (Attribute element : array)
      if (!read(element))
        return reject(name, kind);
  }

  void reject(StringRef name, StringRef kind) {
    kernel.emitError("'") << kCallAttrName << "' has " << name << " = "
                          << entries.get(name) << ", which is not " << kind;
    failed = true;
  }

  /// Fails for unknown entries: a misspelt one would otherwise be ignored.
  LogicalResult finish() {
    for (NamedAttribute entry : entries)
      if (!llvm::is_contained(known, entry.getName()))
        return kernel.emitError("'")
               << kCallAttrName << "' has the unknown entry "
               << entry.getName();
    return success(!failed);
  }

private:
  ModuleOp kernel;
  DictionaryAttr entries;
  SmallVector<StringRef> known;
  bool failed = false;
};
} // namespace

/// Types of arrays, of which each has to be a ranked tensor.
static void readArrays(EntryReader &reader, StringRef name,
                       SmallVectorImpl<RankedTensorType> &types) {
  reader.readEach(name, "an array of tensor types", [&](Attribute element) {
    auto type = dyn_cast<TypeAttr>(element);
    auto tensor = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
    if (tensor)
      types.push_back(tensor);
    return static_cast<bool>(tensor);
  });
}

/// Spaces of arrays. A unit is an array whose space is left to XLA.
static void readSpaces(EntryReader &reader, StringRef name,
                       SmallVectorImpl<std::optional<MemorySpace>> &spaces) {
  reader.readEach(name, "an array of memory spaces and units",
                  [&](Attribute element) {
                    auto space = dyn_cast<MemorySpaceAttr>(element);
                    spaces.push_back(space ? std::optional(space.getValue())
                                           : std::nullopt);
                    return space || isa<UnitAttr>(element);
                  });
}

/// Flags of the compiler with their values. Which ones exist is its business.
static void readFlags(EntryReader &reader, SmallVectorImpl<CallFlag> &flags) {
  auto dictionary = reader.get<DictionaryAttr>("flags", "a dictionary");
  if (!dictionary)
    return;
  for (NamedAttribute flag : dictionary) {
    std::string name = flag.getName().str();
    if (auto boolean = dyn_cast<BoolAttr>(flag.getValue()))
      flags.emplace_back(name, boolean.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(flag.getValue()))
      flags.emplace_back(name, integer.getInt());
    else if (auto number = dyn_cast<FloatAttr>(flag.getValue()))
      flags.emplace_back(name, number.getValueAsDouble());
    else
      return reader.reject("flags", "a dictionary of booleans and numbers");
  }
}

/// The cost of the call; absent numbers are zero.
static void readCost(EntryReader &reader, std::optional<CallCost> &cost) {
  auto dictionary = reader.get<DictionaryAttr>("cost_estimate", "a dictionary");
  if (!dictionary)
    return;
  cost.emplace();
  for (NamedAttribute entry : dictionary) {
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    int64_t *field =
        llvm::StringSwitch<int64_t *>(entry.getName())
            .Case("flops", &cost->flops)
            .Case("transcendentals", &cost->transcendentals)
            .Case("bytes_accessed", &cost->bytesAccessed)
            .Case("remote_bytes_transferred", &cost->remoteBytesTransferred)
            .Default(nullptr);
    if (!number || !field)
      return reader.reject("cost_estimate",
                           "a dictionary of flops, transcendentals, "
                           "bytes_accessed, remote_bytes_transferred");
    *field = number.getInt();
  }
}

/// Reads how a kernel is called from the attribute of its module:
///
///   module attributes {tpu.custom_call = {name = "add", operands = [...],
///                                  results = [...], collective_id = 3 : i64}}
///
/// All entries are read before the first error ends it. An entry of another
/// name is an error, too.
FailureOr<TPUCustomCall> tpu::readCallAttribute(ModuleOp kernel) {
  auto entries = kernel->getAttrOfType<DictionaryAttr>(kCallAttrName);
  if (!entries)
    return kernel.emitError("the module has no dictionary '")
           << kCallAttrName << "', so it is not known how it is called";
  TPUCustomCall call;
  call.kernel = kernel;
  // The name of the module is the default for the name of the kernel.
  call.name = kernel.getSymName().value_or("kernel").str();
  EntryReader reader(kernel, entries);
  if (auto name = reader.get<StringAttr>("name", "a string"))
    call.name = name.str();
  readArrays(reader, "operands", call.operands);
  readArrays(reader, "results", call.results);
  reader.readEach("aliases", "an array of array<i64: operand, result>",
                  [&](Attribute element) {
                    auto pair = dyn_cast<DenseI64ArrayAttr>(element);
                    if (!pair || pair.size() != 2)
                      return false;
                    call.aliases.emplace_back(pair[0], pair[1]);
                    return true;
                  });
  readSpaces(reader, "operand_spaces", call.operandSpaces);
  readSpaces(reader, "result_spaces", call.resultSpaces);
  if (auto fusion = reader.get<DenseBoolArrayAttr>("allow_input_fusion",
                                                   "an array<i1: ...>"))
    llvm::append_range(call.allowInputFusion, fusion.asArrayRef());
  if (auto effects = reader.get<StringAttr>("side_effects", "a string")) {
    auto kind = llvm::StringSwitch<std::optional<CallSideEffects>>(effects)
                    .Case("pure", CallSideEffects::Pure)
                    .Case("dataflow_side_effecting", CallSideEffects::Dataflow)
                    .Case("side_effecting", CallSideEffects::Full)
                    .Default(std::nullopt);
    if (!kind)
      reader.reject("side_effects", "\"pure\", \"dataflow_side_effecting\" or "
                                    "\"side_effecting\"");
    call.sideEffects = kind.value_or(CallSideEffects::Pure);
  }
  readCost(reader, call.cost);
  readFlags(reader, call.flags);
  reader.readNumber("vmem_limit_bytes", call.vmemLimitBytes);
  reader.readNumber("collective_id", call.collectiveId);
  reader.readNumber("internal_scratch_in_bytes", call.internalScratchInBytes);
  reader.readFlag("needs_hlo_passes", call.needsHloPasses);
  reader.readFlag("shape_invariant_numerics", call.shapeInvariantNumerics);
  reader.readFlag("disable_bounds_checks", call.disableBoundsChecks);
  reader.readFlag("disable_semaphore_checks", call.disableSemaphoreChecks);
  reader.readFlag("skip_device_barrier", call.skipDeviceBarrier);
  reader.readFlag("needs_layout_passes", call.needsLayoutPassesOnSparseCore);
  if (auto tiling = reader.get<StringAttr>(kSparseCoreTilingName, "a string"))
    call.sparseCoreTiling = tiling.str();
  if (auto metadata = reader.get<StringAttr>("metadata", "a string"))
    call.metadata = metadata.str();
  if (failed(reader.finish()))
    return failure();
  return call;
}

/// Old modules have no core type. Their kernel is `main`, with semantics.
bool tpu::isKernelFunction(func::FuncOp function) {
  if (function.isExternal())
    return false;
  return function->hasAttr(kCoreTypeAttrName) ||
         (function.getName() == "main" &&
          function->hasAttr("dimension_semantics"));
}

bool tpu::isKernelModule(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), isKernelFunction);
}
