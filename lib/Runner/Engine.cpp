//===- Engine.cpp - Compile a module once, call it with buffers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options are joined, the object comes from the cache or the compiler, and the
// JIT loads it.
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "Entries.h"
#include "ObjectCache.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Ring.h"
#include "pallas/Pipelines/RaiseToPallas.h"
#include "pallas/Runner/Sanitizer.h"
#include "pallas/Runtime/Runtime.h"
#include "pallas/Support/CrashReport.h"
#include "pallas/Support/DumpStages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"

using namespace mlir;
using namespace mlir::pallas;
using namespace pallas_rt;

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
        // Warnings and remarks go on to the handlers of the caller.
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
  // Passes that find nothing to do take milliseconds to get ready.
  if (options.checked || options.ring || !isLowered(module))
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
  // Code that was lowered before asks the runtime where the memory of another
  // device is.
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return call.getCallee() == "pallas_rt_peer_offset";
  return isa<MulticastRefOp, MultimemLoadReduceOp, RemoteRefOp>(op);
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
  // Files of stages and of LLVM IR come from a compilation, which an object
  // from the cache would skip.
  if (options.llvmFile.empty() && options.stagesFolder.empty())
    if (std::unique_ptr<llvm::MemoryBuffer> object = cache.load(key)) {
      fromCache = true;
      return object;
    }
  DialectRegistry registry;
  registerPallasToLLVMDependencies(registry);
  module.getContext()->appendDialectRegistry(registry);
  // The pipeline lowers in place, and the module belongs to the caller, who may
  // compile it again with other options.
  OwningOpRef<ModuleOp> copy = module.clone();
  if (llvm::Error error = runPipeline(*copy, options))
    return std::move(error);
  SmallVector<size_t> numArguments;
  for (const std::string &name : names) {
    const EntrySignature &signature = entries[name].signature;
    numArguments.push_back(signature.inputs.size() + signature.outputs.size());
  }
  if (options.sanitize || options.keepsLines)
    addDebugLines(*copy);
  CrashContext context(
      [](raw_ostream &os) { os << "making code of the LLVM module"; });
  auto object =
      compileToObject(*copy, names, numArguments, target, use, options);
  if (object)
    cache.store(key, (*object)->getMemBufferRef());
  return object;
}

/// Reads where loaded code comes from; checks of it become ready, and their
/// reports name these places.
llvm::Error Engine::Impl::enterLines(const llvm::MemoryBuffer &object) {
  // Any entry does: all of them are in one section, which moved as a whole.
  const auto &first = *entries.begin();
  auto read =
      CodeLines::create(object, getPackedName(first.first()),
                        reinterpret_cast<uintptr_t>(first.second.function));
  if (!read)
    return read.takeError();
  lines = std::move(*read);
  if (!sanitize)
    return llvm::Error::success();
  auto lookup = [&](StringRef name) -> llvm::Expected<void *> {
    auto symbol = jit->lookup(name);
    if (!symbol)
      return symbol.takeError();
    return symbol->toPtr<void *>();
  };
  auto code = SanitizedCode::create(*lines, lookup);
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
  // The JIT takes the object, whose debug information is read only when the
  // addresses of its functions are known.
  std::unique_ptr<llvm::MemoryBuffer> kept;
  if (sanitize || keepsLines)
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
    // ORC links an object at the first look-up of a symbol, so what is missing
    // shows here, not where the object was added.
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
  return kept ? enterLines(*kept) : llvm::Error::success();
}

/// A kernel of a target has no function that takes arrays, so a copy of it is
/// raised first. Nothing is compiled.
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
  // Buffers that share an allocation have no guard between them: an access past
  // the end of one would go unnoticed in the next.
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
  keepsLines = options.keepsLines;
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
  // Code for another CPU would load here, and end the process at the first
  // instruction that this one lacks.
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

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

ArrayRef<std::string> Engine::getEntries() const { return impl->names; }
bool Engine::isFromCache() const { return impl->fromCache; }

const EntrySignature *Engine::getSignature(StringRef entry) const {
  auto it = impl->entries.find(entry);
  return it == impl->entries.end() ? nullptr : &it->second.signature;
}

std::string Engine::findPlace(uintptr_t address) const {
  const CodeLines::Line *line =
      impl->lines ? impl->lines->find(address) : nullptr;
  return line ? line->place : "";
}
