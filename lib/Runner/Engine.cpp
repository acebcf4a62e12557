//===- Engine.cpp - Compile a module once, call it with buffers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options are joined, the object comes from the cache or the compiler, and the
// JIT loads it. Calls check their buffers, as compiled code trusts shapes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runner/Engine.h"
#include "Compiler.h"
#include "Entries.h"
#include "ObjectCache.h"
#include "SanitizedCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Ring.h"
#include "pallas/Pipelines/RaiseToPallas.h"
#include "pallas/Runner/Sanitizer.h"
#include "pallas/Runtime/CheckedMeeting.h"
#include "pallas/Runtime/Runtime.h"
#include "pallas/Support/CrashReport.h"
#include "pallas/Support/DumpStages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstring>
#include <thread>

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;

namespace {
using PackedFunction = void (*)(void **);

struct Entry {
  EntrySignature signature;
  /// In ring mode, what kind of float each input is; null for others.
  SmallVector<const llvm::fltSemantics *> ringInputs;
  PackedFunction function = nullptr;
};
} // namespace

struct Engine::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::unique_ptr<SanitizedCode> sanitized;
  std::vector<std::string> names;
  llvm::StringMap<Entry> entries;
  bool fromCache = false, checked = false, toleratesLeftovers = false;
  bool sanitize = false;
  /// Whether kernels reach for memory or semaphores of other devices.
  bool reachesDevices = false;
  std::vector<Allowance> allowed;

  llvm::Expected<const Entry *> resolve(StringRef name,
                                        ArrayRef<BufferView> inputs,
                                        ArrayRef<BufferView> outputs) const;
  llvm::Error call(PackedFunction function, ArrayRef<BufferView> inputs,
                   ArrayRef<BufferView> outputs, DeviceContext device) const;
  llvm::Error callTogether(PackedFunction function, DeviceGroup &group,
                           const std::map<unsigned, DeviceBuffers> &devices,
                           ArrayRef<BufferView> outputs) const;
  llvm::Error checkAlone(PackedFunction function, ArrayRef<BufferView> inputs,
                         ArrayRef<BufferView> outputs,
                         DeviceContext device) const;
  llvm::Error checkTogether(PackedFunction function,
                            ArrayRef<BufferView> inputs,
                            ArrayRef<BufferView> outputs,
                            DeviceContext device) const;
  llvm::Error addEntries(ModuleOp module, bool ring);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  build(ModuleOp module, EngineOptions options, ObjectUse use);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  compile(ModuleOp module, const cpu::Target &target, ObjectUse use,
          const EngineOptions &options);
  llvm::Error load(std::unique_ptr<llvm::MemoryBuffer> object);
  llvm::Error enterSanitized(const llvm::MemoryBuffer &object);
};

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// Runs passes; the diagnostics of error severity are the error. What they make
/// is verified after each of them, or at the end.
static llvm::Error runPasses(PassManager &pm, ModuleOp module,
                             bool verifyEach) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        stream << (text.empty() ? "" : "\n") << diagnostic.getLocation() << ": "
               << diagnostic;
        for (Diagnostic &note : diagnostic.getNotes())
          stream << "\n  note: " << note.getLocation() << ": " << note;
        return success();
      });
  pm.enableVerifier(verifyEach);
  reportPassesInCrashes(pm);
  if (succeeded(pm.run(module)) && (verifyEach || succeeded(verify(module))))
    return llvm::Error::success();
  return llvm::createStringError("%s", text.empty() ? "the pipeline failed"
                                                    : text.c_str());
}

static llvm::Error runPipeline(ModuleOp module, const EngineOptions &options) {
  PassManager pm(module.getContext());
  buildPallasToLLVMPipeline(pm, options.pipeline);
  if (llvm::Error error = dumpStages(pm, options.stagesFolder))
    return error;
  return runPasses(pm, module, options.verifyEach);
}

/// Gives a module that is a kernel a function that takes arrays.
static llvm::Error createEntry(ModuleOp module, const EngineOptions &options) {
  PassManager pm(module.getContext());
  buildRaiseToPallasPipeline(pm, options.checked);
  return runPasses(pm, module, options.verifyEach);
}

/// Whether an operation may mean memory or a semaphore of another device.
static bool reachesDevices(Operation *op) {
  if (auto signal = dyn_cast<SemaphoreSignalOp>(op))
    return !signal.getDeviceIds().empty();
  if (auto start = dyn_cast<DMAStartOp>(op))
    return !start.getDeviceIds().empty();
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCallee() == "pallas_rt_peer_offset";
  return isa<RemoteRefOp>(op);
}

/// Notes the functions that can be called.
llvm::Error Engine::Impl::addEntries(ModuleOp module, bool ring) {
  for (auto func : module.getOps<FunctionOpInterface>()) {
    if (!isEntry(func, module))
      continue;
    auto signature = getSignatureOf(func);
    if (!signature)
      return signature.takeError();
    Entry &entry = entries[func.getName()];
    if (ring)
      if (llvm::Error error = enterRing(func, *signature, entry.ringInputs))
        return error;
    names.push_back(func.getName().str());
    entry.signature = std::move(*signature);
  }
  if (names.empty())
    return llvm::createStringError("the module has no public function to call");
  module.walk([&](Operation *op) { reachesDevices |= ::reachesDevices(op); });
  return llvm::Error::success();
}

/// The object of the module, from the cache if it is there.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
Engine::Impl::compile(ModuleOp module, const cpu::Target &target, ObjectUse use,
                      const EngineOptions &options) {
  ObjectCache cache(options);
  std::string key = cache ? ObjectCache::computeKey(module, options) : "";
  if (options.llvmFile.empty() && options.stagesFolder.empty())
    if (std::unique_ptr<llvm::MemoryBuffer> object = cache.load(key)) {
      fromCache = true;
      return object;
    }
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  module.getContext()->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> copy = module.clone();
  if (llvm::Error error = runPipeline(*copy, options))
    return std::move(error);
  SmallVector<size_t> numArguments;
  for (const std::string &name : names) {
    const EntrySignature &signature = entries[name].signature;
    numArguments.push_back(signature.inputs.size() + signature.outputs.size());
  }
  if (options.sanitize)
    addDebugLines(*copy);
  CrashContext context(
      [](raw_ostream &os) { os << "making code of the LLVM module"; });
  auto object =
      compileToObject(*copy, names, numArguments, target, use, options);
  if (object)
    cache.store(key, (*object)->getMemBufferRef());
  return object;
}

/// Makes checks of loaded code ready, and known to reports.
llvm::Error Engine::Impl::enterSanitized(const llvm::MemoryBuffer &object) {
  const auto &first = *entries.begin();
  auto lookup = [&](StringRef name) -> llvm::Expected<void *> {
    auto symbol = jit->lookup(name);
    if (!symbol)
      return symbol.takeError();
    return symbol->toPtr<void *>();
  };
  auto code = SanitizedCode::create(
      object, getPackedName(first.first()),
      reinterpret_cast<void *>(first.second.function), lookup);
  if (!code)
    return code.takeError();
  sanitized = std::move(*code);
  return llvm::Error::success();
}

/// Order matters: the runtime's symbols are defined before those of the process
/// are searched, so a process that has symbols of the same names changes
/// nothing.
llvm::Error Engine::Impl::load(std::unique_ptr<llvm::MemoryBuffer> object) {
  initializeNativeTarget();
  std::unique_ptr<llvm::MemoryBuffer> kept;
  if (sanitize)
    kept = llvm::MemoryBuffer::getMemBufferCopy(object->getBuffer());
  auto created = llvm::orc::LLJITBuilder().create();
  if (!created)
    return created.takeError();
  jit = std::move(*created);
  llvm::orc::SymbolMap runtime;
  for (auto symbols : {getRuntimeSymbols(), getCheckerSymbols()})
    for (auto [name, address] : symbols)
      runtime[jit->mangleAndIntern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  llvm::orc::JITDylib &main = jit->getMainJITDylib();
  if (llvm::Error error =
          main.define(llvm::orc::absoluteSymbols(std::move(runtime))))
    return error;
  char prefix = jit->getDataLayout().getGlobalPrefix();
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  main.addGenerator(std::move(*process));
  // The OpenMP runtime is needed by parallel grids only, so its absence
  // matters only when a symbol of it stays unresolved.
  auto openmp =
      llvm::orc::DynamicLibrarySearchGenerator::Load("libomp.so.5", prefix);
  std::string noOpenMP;
  if (openmp)
    main.addGenerator(std::move(*openmp));
  else
    noOpenMP = toString(openmp.takeError());
  if (llvm::Error error = jit->addObjectFile(std::move(object)))
    return error;
  for (auto &entry : entries) {
    auto symbol = jit->lookup(getPackedName(entry.first()));
    if (!symbol && !noOpenMP.empty())
      return llvm::createStringError(toString(symbol.takeError()) +
                                     "; the OpenMP runtime of parallel grids "
                                     "could not be loaded: " +
                                     noOpenMP);
    if (!symbol)
      return symbol.takeError();
    entry.second.function = symbol->toPtr<PackedFunction>();
  }
  return kept ? enterSanitized(*kept) : llvm::Error::success();
}

llvm::Expected<std::vector<std::pair<std::string, EntrySignature>>>
pallas::readEntries(ModuleOp module) {
  OwningOpRef<ModuleOp> raised;
  if (isTargetKernelModule(module)) {
    raised = module.clone();
    module = *raised;
    if (llvm::Error error = createEntry(module, EngineOptions()))
      return std::move(error);
  }
  std::vector<std::pair<std::string, EntrySignature>> entries;
  for (auto func : module.getOps<FunctionOpInterface>()) {
    if (!isEntry(func, module))
      continue;
    auto signature = getSignatureOf(func);
    if (!signature)
      return signature.takeError();
    entries.emplace_back(func.getName().str(), std::move(*signature));
  }
  if (entries.empty())
    return llvm::createStringError("the module has no public function to call");
  return entries;
}

/// The environment asks for checks of code that runs here, and only there is
/// the runtime that they need known.
static llvm::Error joinSanitizer(EngineOptions &options, ObjectUse use) {
  if (use != ObjectUse::Process) {
    if (!options.sanitize)
      return llvm::Error::success();
    return llvm::createStringError(
        "sanitize=address is for code that runs in this process, not for "
        "object files; leave it out");
  }
  auto isRequested = isSanitizeRequested();
  if (!isRequested)
    return isRequested.takeError();
  options.sanitize |= *isRequested;
  if (!options.sanitize)
    return llvm::Error::success();
  options.pipeline.separateBuffers = true;
  return checkAddressSanitizer();
}

/// Makes options that can be given in two places the same in both.
static llvm::Error joinOptions(EngineOptions &options, ObjectUse use) {
  options.checked |= options.pipeline.checked;
  options.pipeline.checked = options.checked;
  options.ring |= options.pipeline.ring;
  options.pipeline.ring = options.ring;
  std::string &ofPipeline = options.pipeline.cpu;
  if (!options.cpu.empty() && !ofPipeline.empty() && options.cpu != ofPipeline)
    return llvm::createStringError(
        "the engine is asked for the CPU '%s', and its pipeline for '%s'; name "
        "one",
        options.cpu.c_str(), ofPipeline.c_str());
  options.cpu =
      cpu::getNameOfCPU(options.cpu.empty() ? ofPipeline : options.cpu);
  ofPipeline = options.cpu;
  return joinSanitizer(options, use);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
Engine::Impl::build(ModuleOp module, EngineOptions options, ObjectUse use) {
  if (llvm::Error error = joinOptions(options, use))
    return std::move(error);
  sanitize = options.sanitize;
  OwningOpRef<ModuleOp> raised;
  if (isTargetKernelModule(module)) {
    raised = module.clone();
    module = *raised;
    if (llvm::Error error = createEntry(module, options))
      return std::move(error);
  }
  auto target = chooseTarget(module, options);
  if (!target)
    return target.takeError();
  if (use == ObjectUse::Process)
    if (llvm::Error error = cpu::checkRunsHere(*target))
      return std::move(error);
  checked = options.checked;
  allowed = options.allowed;
  toleratesLeftovers = options.toleratesLeftovers;
  if (llvm::Error error = addEntries(module, options.ring))
    return std::move(error);
  return compile(module, *target, use, options);
}

llvm::Expected<std::unique_ptr<Engine>>
Engine::create(ModuleOp module, const EngineOptions &options) {
  auto impl = std::make_unique<Impl>();
  auto object = impl->build(module, options, ObjectUse::Process);
  if (!object)
    return object.takeError();
  if (llvm::Error error = impl->load(std::move(*object)))
    return std::move(error);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
Engine::createObject(ModuleOp module, const EngineOptions &given) {
  EngineOptions options = given;
  // Code in a file has other relocations.
  options.useCache = false;
  return Impl().build(module, std::move(options), ObjectUse::File);
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

ArrayRef<std::string> Engine::getEntries() const { return impl->names; }
bool Engine::isFromCache() const { return impl->fromCache; }

const EntrySignature *Engine::getSignature(StringRef entry) const {
  auto it = impl->entries.find(entry);
  return it == impl->entries.end() ? nullptr : &it->second.signature;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static llvm::Error checkBuffers(StringRef kind, StringRef entry,
                                ArrayRef<BufferView> buffers,
                                ArrayRef<BufferType> types) {
  if (buffers.size() != types.size())
    return llvm::createStringError("'%s' has %zu %ss, but %zu were given",
                                   entry.str().c_str(), types.size(),
                                   kind.str().c_str(), buffers.size());
  for (auto [index, buffer, type] : llvm::enumerate(buffers, types)) {
    bool matches =
        buffer.dtype == type.dtype && buffer.shape.size() == type.shape.size();
    for (size_t d = 0; matches && d < type.shape.size(); ++d)
      matches = ShapedType::isDynamic(type.shape[d]) ||
                type.shape[d] == buffer.shape[d];
    if (!matches)
      return llvm::createStringError(
          "%s %zu of '%s' is %s, but %s was given", kind.str().c_str(),
          static_cast<size_t>(index), entry.str().c_str(),
          describe(type.dtype, type.shape).c_str(),
          describe(buffer.dtype, buffer.shape).c_str());
    if (!buffer.data && ShapedType::getNumElements(buffer.shape) != 0)
      return llvm::createStringError(
          "%s %zu of '%s' has no memory", kind.str().c_str(),
          static_cast<size_t>(index), entry.str().c_str());
  }
  return llvm::Error::success();
}

/// Appends the memref descriptor of a dense buffer: two pointers, the offset,
/// the sizes and the strides.
static void appendDescriptor(const BufferView &buffer,
                             SmallVectorImpl<int64_t> &words) {
  auto address = static_cast<int64_t>(reinterpret_cast<intptr_t>(buffer.data));
  words.append({address, address, 0});
  words.append(buffer.shape.begin(), buffer.shape.end());
  size_t rank = buffer.shape.size(), first = words.size();
  words.append(rank, 1);
  for (size_t d = rank; d > 1; --d)
    words[first + d - 2] = words[first + d - 1] * buffer.shape[d - 1];
}

/// The entry of this name, which fits the buffers.
llvm::Expected<const Entry *>
Engine::Impl::resolve(StringRef name, ArrayRef<BufferView> inputs,
                      ArrayRef<BufferView> outputs) const {
  if (name.empty()) {
    if (names.size() != 1)
      return llvm::createStringError(
          "the module has %zu functions (%s); name the one to call",
          names.size(), llvm::join(names, ", ").c_str());
    name = names.front();
  }
  auto it = entries.find(name);
  if (it == entries.end())
    return llvm::createStringError("the module has no function '%s'; it has %s",
                                   name.str().c_str(),
                                   llvm::join(names, ", ").c_str());
  const Entry &entry = it->second;
  llvm::Error error =
      checkBuffers("input", name, inputs, entry.signature.inputs);
  if (!error)
    error = checkBuffers("output", name, outputs, entry.signature.outputs);
  if (error)
    return std::move(error);
  return &entry;
}

llvm::Error Engine::Impl::call(PackedFunction function,
                               ArrayRef<BufferView> inputs,
                               ArrayRef<BufferView> outputs,
                               DeviceContext device) const {
  std::optional<WatchedArrays> watched;
  if (sanitized) {
    watched.emplace(inputs, outputs);
    inputs = watched->getInputs();
    outputs = watched->getOutputs();
  }
  SmallVector<int64_t, 64> words;
  SmallVector<size_t, 8> starts;
  for (ArrayRef<BufferView> buffers : {inputs, outputs})
    for (const BufferView &buffer : buffers) {
      starts.push_back(words.size());
      appendDescriptor(buffer, words);
    }
  SmallVector<void *, 8> pointers;
  for (size_t start : starts)
    pointers.push_back(words.data() + start);
  CrashContext context([&](raw_ostream &os) {
    os << "running compiled code";
    if (!sanitized)
      os << " (--sanitize=address names the access that is wrong)";
  });
  RuntimeScope scope(device);
  function(pointers.data());
  if (watched)
    watched->copyBack();
  return scope.finish(toleratesLeftovers);
}

/// Calls the function on several devices at the same time, each on a thread;
/// `outputs` are those of all, one behind the other.
llvm::Error
Engine::Impl::callTogether(PackedFunction function, DeviceGroup &group,
                           const std::map<unsigned, DeviceBuffers> &devices,
                           ArrayRef<BufferView> outputs) const {
  std::vector<std::string> errors(devices.size());
  std::vector<std::thread> threads;
  size_t numOutputs = outputs.size() / devices.size();
  for (const auto &[device, buffers] : devices)
    threads.emplace_back([&, device = device, inputs = buffers.inputs,
                          position = threads.size()] {
      errors[position] = llvm::toString(call(
          function, inputs, outputs.slice(position * numOutputs, numOutputs),
          {&group, device}));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &error : errors)
    if (!error.empty())
      return llvm::createStringError("%s", error.c_str());
  return llvm::Error::success();
}

/// Checks what one device does; it reaches no other.
llvm::Error Engine::Impl::checkAlone(PackedFunction function,
                                     ArrayRef<BufferView> inputs,
                                     ArrayRef<BufferView> outputs,
                                     DeviceContext device) const {
  auto run = [&](ArrayRef<BufferView> outputs) {
    if (!device.group)
      return call(function, inputs, outputs, {});
    const DeviceMesh &mesh = device.group->getMesh();
    SmallVector<unsigned> others;
    for (unsigned i = 0, e = mesh.getNumDevices(); i < e; ++i)
      if (i != device.device)
        others.push_back(i);
    DeviceGroup alone(mesh, others);
    return call(function, inputs, outputs, {&alone, device.device});
  };
  return callChecked(run, outputs, allowed).getError();
}

/// Checks what all devices of the group do that this process has.
llvm::Error Engine::Impl::checkTogether(PackedFunction function,
                                        ArrayRef<BufferView> inputs,
                                        ArrayRef<BufferView> outputs,
                                        DeviceContext device) const {
  const DeviceMesh &mesh = device.group->getMesh();
  SmallVector<unsigned> elsewhere = device.group->getElsewhere();
  auto check = [&](const std::map<unsigned, DeviceBuffers> &devices) {
    SmallVector<BufferView> allOutputs;
    for (const auto &[number, buffers] : devices)
      llvm::append_range(allOutputs, buffers.outputs);
    auto run = [&](ArrayRef<BufferView> outputs) {
      DeviceGroup group(mesh, elsewhere);
      return callTogether(function, group, devices, outputs);
    };
    return callChecked(run, allOutputs, allowed, devices.size());
  };
  return device.group->getCheckedMeeting().join(
      device.device, mesh.getNumDevices() - elsewhere.size(), {inputs, outputs},
      check);
}

llvm::Error Engine::invoke(StringRef name, ArrayRef<BufferView> inputs,
                           ArrayRef<BufferView> outputs,
                           DeviceContext device) const {
  auto resolved = impl->resolve(name, inputs, outputs);
  if (!resolved)
    return resolved.takeError();
  PackedFunction function = (*resolved)->function;
  SmallVector<std::vector<char>> elements;
  SmallVector<BufferView> ringInputs =
      takeIntoRing(inputs, (*resolved)->ringInputs, elements);
  inputs = ringInputs;
  if (!impl->checked)
    return impl->call(function, inputs, outputs, device);
  return device.group && impl->reachesDevices
             ? impl->checkTogether(function, inputs, outputs, device)
             : impl->checkAlone(function, inputs, outputs, device);
}

llvm::Error
Engine::invokeOnDevices(StringRef entry, const DeviceMesh &mesh,
                        ArrayRef<SmallVector<BufferView>> inputs,
                        ArrayRef<SmallVector<BufferView>> outputs) const {
  size_t count = mesh.getNumDevices();
  if (inputs.size() != count || outputs.size() != count)
    return llvm::createStringError(
        "a mesh of %zu devices needs inputs and outputs for each of them, but "
        "there are inputs for %zu and outputs for %zu",
        count, inputs.size(), outputs.size());
  // A device with bad buffers would never come to meet the others.
  const Entry *called = nullptr;
  SmallVector<std::vector<char>> elements;
  std::vector<SmallVector<BufferView>> ringInputs;
  SmallVector<BufferView> allOutputs;
  for (size_t device = 0; device < count; ++device) {
    auto resolved = impl->resolve(entry, inputs[device], outputs[device]);
    if (!resolved)
      return resolved.takeError();
    called = *resolved;
    ringInputs.push_back(
        takeIntoRing(inputs[device], called->ringInputs, elements));
    llvm::append_range(allOutputs, outputs[device]);
  }
  std::map<unsigned, DeviceBuffers> devices;
  for (size_t device = 0; device < count; ++device)
    devices[device] = {ringInputs[device], outputs[device]};
  auto run = [&](ArrayRef<BufferView> outputs) {
    DeviceGroup group(mesh);
    return impl->callTogether(called->function, group, devices, outputs);
  };
  return impl->checked
             ? callChecked(run, allOutputs, impl->allowed, count).getError()
             : run(allOutputs);
}
