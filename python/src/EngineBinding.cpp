//===- EngineBinding.cpp - Compiled kernels behind XLA's FFI --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled module is kept under the hash of its text; the custom call carries
// that hash, and the text for processes that meet the executable first. XLA's
// buffers are handed to the kernel where they lie.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "mlir/Parser/Parser.h"
#include "pallas/Pipelines/PallasToLLVM.h"
#include "pallas/Register.h"
#include "pallas/Runner/Engine.h"
#include "pallas/Runtime/CheckedCall.h"
#include "pallas/Runtime/DeviceRuns.h"
#include "pallas/Runtime/HostCall.h"
#include "pallas/Runtime/Print.h"
#include "pallas/Runtime/Violation.h"
#include "xla/ffi/api/ffi.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"
#include <mutex>
#include <set>
#include <shared_mutex>

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;
using namespace mlir::pallas::python;
namespace ffi = xla::ffi;

namespace {
/// Compiled modules by key. Entries are never removed: an executable of XLA may
/// call its kernel at any time.
class EngineTable {
public:
  static EngineTable &get() {
    // Leaked, so that kernels may still run while the process ends.
    static auto *table = new EngineTable();
    return *table;
  }

  const Engine *find(StringRef key) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto it = engines.find(key);
    return it == engines.end() ? nullptr : it->second.get();
  }

  void insert(StringRef key, std::unique_ptr<Engine> engine) {
    std::unique_lock<std::shared_mutex> lock(mutex);
    // Of two threads that compiled the same module the first one stays.
    engines.try_emplace(key, std::move(engine));
  }

private:
  std::shared_mutex mutex;
  llvm::StringMap<std::unique_ptr<Engine>> engines;
};

/// Findings of checked calls. XLA forwards only text, and only later.
class Findings {
public:
  struct Finding {
    std::string location, kind, message, remedy, comment;
  };

  static Findings &get() {
    static auto *findings = new Findings();
    return *findings;
  }

  /// Takes a mistake, unless another device has come with it, which may be long
  /// ago.
  void add(const Violation &violation) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [place, isNew] =
        known.emplace(violation.getCall(), violation.getLocation().str(),
                      violation.getMessage().str());
    if (!isNew)
      return;
    constexpr size_t mostKnown = 1 << 12;
    if (known.size() > mostKnown)
      known.erase(known.begin());
    found.push_back({violation.getLocation().str(),
                     getMistakeTitle(violation.getKind()).str(),
                     violation.getMessage().str(), violation.getRemedy().str(),
                     violation.getComment()});
  }

  std::vector<Finding> take() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(found, {});
  }

private:
  std::mutex mutex;
  std::vector<Finding> found;
  std::set<std::tuple<uint64_t, std::string, std::string>> known;
};
} // namespace

/// The engine of a call that this process did not lower: its executable comes
/// from another one.
static llvm::Expected<const Engine *>
compileText(StringRef key, StringRef text, bool checked, StringRef allowed) {
  DialectRegistry registry;
  pallas::registerAllDialects(registry);
  pallas::registerPallasToLLVMDependencies(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  if (!module)
    return llvm::createStringError(
        "the kernel that the executable carries cannot be read; it was made by "
        "another version of pallas_mlir: clear the compilation cache");
  auto allowances = parseAllowances(allowed);
  if (!allowances)
    return allowances.takeError();
  EngineOptions options;
  options.checked = checked;
  options.allowed = std::move(*allowances);
  options.toleratesLeftovers = true;
  llvm::Expected<std::unique_ptr<Engine>> engine =
      Engine::create(*module, options);
  if (!engine)
    return engine.takeError();
  EngineTable::get().insert(key, std::move(*engine));
  return EngineTable::get().find(key);
}

/// The text of an error; what is a violation is kept as well.
static std::string report(llvm::Error error) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<Violation>())
      Findings::get().add(static_cast<const Violation &>(info));
    os << (text.empty() ? "" : "\n") << info.message();
  });
  // Python spells places without MLIR's quotes.
  static const llvm::Regex place("loc\\(\"([^\"]+)\"(:[0-9:]+)\\)");
  while (place.match(text))
    text = place.sub("\\1\\2", text);
  return text;
}

/// The view that the kernel wants of a buffer of XLA: data from there, shape
/// and element type from the kernel's own signature, which the caller was made
/// for.
static ffi::Error fillView(const ffi::AnyBuffer &buffer, const BufferType &type,
                           BufferView &view) {
  ffi::AnyBuffer::Dimensions dims = buffer.dimensions();
  if (!llvm::equal(dims, type.shape))
    return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                      "a buffer has another shape than the kernel was compiled "
                      "for");
  view.data = buffer.untyped_data();
  view.dtype = type.dtype;
  view.shape = type.shape;
  return ffi::Error::Success();
}

/// The run and the call site of a call.
struct Place {
  ffi::RunId run;
  int64_t site;
  std::string_view mesh;
  std::string_view elsewhere;
};

static llvm::Error callOnDevice(const Engine &engine, StringRef entry,
                                ArrayRef<BufferView> inputs,
                                ArrayRef<BufferView> outputs,
                                const Place &place, unsigned device) {
  // Leaked for the same reason as the engines.
  static auto *runs = new DeviceRuns();
  auto mesh = DeviceMesh::parse(StringRef(place.mesh));
  if (!mesh)
    return mesh.takeError();
  if (device >= mesh->getNumDevices())
    return llvm::createStringError("device %u calls, but the mesh has %lld",
                                   device, (long long)mesh->getNumDevices());
  SmallVector<StringRef> numbers;
  StringRef(place.elsewhere).split(numbers, ',', -1, /*KeepEmpty=*/false);
  SmallVector<unsigned> elsewhere(numbers.size());
  for (auto [number, text] : llvm::zip_equal(elsewhere, numbers))
    if (text.getAsInteger(10, number) || number >= mesh->getNumDevices())
      return llvm::createStringError("'%s' is no device of the mesh",
                                     text.str().c_str());
  DeviceRuns::Call call(*runs, {place.run.run_id, place.site}, *mesh, device,
                        elsewhere);
  if (!call.getContext().group)
    return llvm::createStringError(
        "device %u runs this kernel twice at the same time, so it is unknown "
        "which calls of other devices belong to which; let one call depend on "
        "the other",
        device);
  return engine.invoke(entry, inputs, outputs, call.getContext());
}

/// With a mesh, the last argument is the number of the device.
static ffi::Error call(std::string_view key, std::string_view entry,
                       std::string_view module, bool checked,
                       std::string_view allowed, const Place &place,
                       ffi::RemainingArgs args, ffi::RemainingRets rets) {
  bool isOnMesh = !place.mesh.empty();
  size_t numInputs = args.size() - isOnMesh;
  const Engine *engine = EngineTable::get().find(StringRef(key));
  if (!engine) {
    llvm::Expected<const Engine *> compiled = compileText(
        StringRef(key), StringRef(module), checked, StringRef(allowed));
    if (!compiled)
      return ffi::Error(ffi::ErrorCode::kInternal,
                        llvm::toString(compiled.takeError()));
    engine = *compiled;
  }
  const EntrySignature *signature = engine->getSignature(StringRef(entry));
  if (!signature || signature->inputs.size() != numInputs ||
      signature->outputs.size() != rets.size())
    return ffi::Error(ffi::ErrorCode::kInvalidArgument,
                      "the call does not fit the compiled kernel");
  SmallVector<BufferView, 8> inputs(numInputs), outputs(rets.size());
  for (size_t i = 0; i < numInputs; ++i)
    if (ffi::Error error = fillView(*args.get<ffi::AnyBuffer>(i),
                                    signature->inputs[i], inputs[i]);
        error.failure())
      return error;
  for (size_t i = 0; i < rets.size(); ++i)
    if (ffi::Error error = fillView(**rets.get<ffi::AnyBuffer>(i),
                                    signature->outputs[i], outputs[i]);
        error.failure())
      return error;
  unsigned device = 0;
  if (isOnMesh)
    device = *static_cast<const uint32_t *>(
        args.get<ffi::AnyBuffer>(numInputs)->untyped_data());
  llvm::Error error = isOnMesh
                          ? callOnDevice(*engine, StringRef(entry), inputs,
                                         outputs, place, device)
                          : engine->invoke(StringRef(entry), inputs, outputs);
  if (error)
    return ffi::Error(ffi::ErrorCode::kInternal, report(std::move(error)));
  return ffi::Error::Success();
}

static ffi::Error bindCall(ffi::RunId run, std::string_view key,
                           std::string_view entry, std::string_view module,
                           bool checked, std::string_view allowed, int64_t site,
                           std::string_view mesh, std::string_view elsewhere,
                           ffi::RemainingArgs args, ffi::RemainingRets rets) {
  return call(key, entry, module, checked, allowed,
              {run, site, mesh, elsewhere}, args, rets);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(pallasMLIRCall, bindCall,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::RunId>()
                                  .Attr<std::string_view>("key")
                                  .Attr<std::string_view>("entry")
                                  .Attr<std::string_view>("module")
                                  .Attr<bool>("checked")
                                  .Attr<std::string_view>("allowed")
                                  .Attr<int64_t>("site")
                                  .Attr<std::string_view>("mesh")
                                  .Attr<std::string_view>("elsewhere")
                                  .RemainingArgs()
                                  .RemainingRets());

/// The list of `allow=...`; raises what is wrong with it.
static std::vector<Allowance> readAllowances(const std::string &text) {
  auto allowances = parseAllowances(text);
  if (!allowances)
    throw nb::value_error(llvm::toString(allowances.takeError()).c_str());
  return std::move(*allowances);
}

/// Compiles the module and keeps it under `key`; calls of checked code fail
/// with the mistakes that they find, one a line, unless these are allowed.
/// Returns what went wrong.
static std::vector<Message> compile(ModuleBuilder &builder,
                                    const std::string &key, bool checked,
                                    const std::string &allowed) {
  MessageCollector collector(builder.getContext());
  EngineOptions options;
  options.checked = checked;
  options.allowed = readAllowances(allowed);
  // JAX only warns about semaphores that are not zero at the end as well.
  options.toleratesLeftovers = true;
  llvm::Expected<std::unique_ptr<Engine>> engine =
      Engine::create(builder.getModule(), options);
  if (engine) {
    EngineTable::get().insert(key, std::move(*engine));
    return {};
  }
  std::string text = llvm::toString(engine.takeError());
  std::vector<Message> messages;
  for (Message &message : collector.messages)
    if (message.severity == "error")
      messages.push_back(std::move(message));
  if (messages.empty())
    messages.push_back({"error", text, "", 0, {}});
  return messages;
}

/// Prints as Python does, so that redirection and notebooks see it.
static void printFromPython(StringRef line) {
  if (!Py_IsInitialized()) {
    fwrite(line.data(), 1, line.size(), stdout);
    return;
  }
  nb::gil_scoped_acquire gil;
  try {
    nb::module_::import_("sys").attr("stdout").attr("write")(
        nb::str(line.data(), line.size()));
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("a print of a kernel");
  }
}

/// Calls back into the package; yields the error, or nothing.
static std::string callPython(int64_t number, llvm::ArrayRef<void *> arrays) {
  if (!Py_IsInitialized())
    return "Python has ended";
  nb::gil_scoped_acquire gil;
  try {
    nb::list addresses;
    for (void *array : arrays)
      addresses.append(reinterpret_cast<uintptr_t>(array));
    return nb::cast<std::string>(nb::module_::import_("pallas_mlir.callbacks")
                                     .attr("call")(number, addresses));
  } catch (nb::python_error &error) {
    return error.what();
  }
}

void mlir::pallas::python::bindEngine(nb::module_ &m) {
  setPrintHandler(&printFromPython);
  setHostCallHandler(&callPython);
  m.def("compile", &compile, nb::arg("builder"), nb::arg("key"),
        nb::arg("checked") = false, nb::arg("allowed") = "",
        nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "check_allowances", [](const std::string &text) { readAllowances(text); },
      nb::arg("text"));
  m.def("take_findings", [] {
    nb::list findings;
    for (const Findings::Finding &f : Findings::get().take())
      findings.append(
          nb::make_tuple(f.location, f.kind, f.message, f.remedy, f.comment));
    return findings;
  });
  m.def("refuse_checked_calls", &refuseCheckedCalls, nb::arg("reason"));
  m.def("is_compiled", [](const std::string &key) {
    return EngineTable::get().find(key) != nullptr;
  });
  m.def("ffi_handler",
        [] { return nb::capsule(reinterpret_cast<void *>(pallasMLIRCall)); });
}
