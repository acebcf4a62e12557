//===- Compiler.cpp - From the LLVM dialect to an object ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file translates a module of the LLVM dialect to LLVM IR, optimizes it
// and generates an object. It adds a function per entry that takes all
// arguments as one array of pointers, so that the engine can call any
// signature.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"
#include "SanitizedCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>

using namespace mlir;
using namespace mlir::pallas;

void pallas::initializeNativeTarget() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

/// An object file is linked by others, so its code is position-independent;
/// multiplications and additions may be contracted in either.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const cpu::Target &target, unsigned optLevel,
                    ObjectUse use) {
  initializeNativeTarget();
  llvm::orc::JITTargetMachineBuilder builder(target.triple);
  builder.setCPU(target.cpu);
  builder.addFeatures(llvm::SubtargetFeatures(target.features).getFeatures());
  builder.setCodeGenOptLevel(llvm::CodeGenOpt::getLevel(optLevel).value_or(
      llvm::CodeGenOptLevel::Default));
  builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Standard;
  if (use == ObjectUse::File) {
    builder.setRelocationModel(llvm::Reloc::PIC_);
    builder.setCodeModel(llvm::CodeModel::Small);
  }
  return builder.createTargetMachine();
}

//===----------------------------------------------------------------------===//
// The CPU
//===----------------------------------------------------------------------===//

/// A function that names its CPU was lowered before.
static LLVM::LLVMFuncOp findLoweredFunction(ModuleOp module) {
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (func.getTargetCpu())
      return func;
  return {};
}

bool pallas::isLowered(ModuleOp module) {
  if (!findLoweredFunction(module))
    return false;
  auto isLeft = [](Operation *op) {
    return !isa<ModuleOp>(op) &&
           !isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
  };
  return !module
              .walk([&](Operation *op) {
                return isLeft(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
              })
              .wasInterrupted();
}

llvm::Expected<cpu::Target> pallas::chooseTarget(ModuleOp module,
                                                 const EngineOptions &options) {
  LLVM::LLVMFuncOp lowered = findLoweredFunction(module);
  std::string name = cpu::getNameOfCPU(options.cpu);
  if (!lowered)
    return cpu::getTarget(name);
  LLVM::TargetFeaturesAttr features = lowered.getTargetFeaturesAttr();
  auto chosen = cpu::getTarget(*lowered.getTargetCpu(),
                               features ? features.getFeaturesString() : "");
  // Nothing but a default asks for this machine's own.
  if (!chosen || name == "native")
    return chosen;
  auto wanted = cpu::getTarget(name);
  if (!wanted)
    return wanted.takeError();
  if (wanted->cpu != chosen->cpu || wanted->features != chosen->features)
    return llvm::createStringError(
        "the module was lowered for the CPU '%s', and can't be compiled for "
        "'%s'; lower it with --pallas-to-llvm=cpu=%s",
        chosen->cpu.c_str(), name.c_str(), name.c_str());
  return chosen;
}

/// An unknown CPU is reported when the code is compiled.
std::string pallas::describeTarget(const EngineOptions &options) {
  llvm::Expected<cpu::Target> target = cpu::getTarget(options.cpu);
  if (!target) {
    llvm::consumeError(target.takeError());
    return options.cpu;
  }
  return target->triple.str() + "," + target->cpu + "," + target->features;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

std::string pallas::getPackedName(StringRef entry) {
  return ("_pallas_packed_" + entry).str();
}

/// Defines `void packed(ptr args)`, which loads `numArguments` pointers and
/// calls the C interface of the entry with them.
static llvm::Error addPackedWrapper(llvm::Module &module, StringRef entry,
                                    size_t numArguments) {
  llvm::Function *callee = module.getFunction(("_mlir_ciface_" + entry).str());
  if (!callee || callee->arg_size() != numArguments)
    return llvm::createStringError("no function '%s' with a C interface came "
                                   "out of the pipeline",
                                   entry.str().c_str());
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *wrapper = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false),
      llvm::GlobalValue::ExternalLinkage, getPackedName(entry), module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", wrapper));
  SmallVector<llvm::Value *> arguments;
  for (size_t i = 0; i < numArguments; ++i)
    arguments.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, wrapper->getArg(0), i)));
  builder.CreateCall(callee, arguments);
  builder.CreateRetVoid();
  return llvm::Error::success();
}

/// Functions other than the packed wrappers are private to the object, so that
/// the optimizer may inline them and drop what nothing calls.
static void internalize(llvm::Module &module, ArrayRef<std::string> entries) {
  llvm::StringSet<> kept;
  for (const std::string &entry : entries)
    kept.insert(getPackedName(entry));
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !kept.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// The loops arrive vectorized, tiled and unrolled as far as it helps, so
/// scalar clean-up is all that most code needs. LLVM's own pipelines take ten
/// times as long and unroll what is wide already.
static constexpr StringLiteral cleanUp =
    "function(sroa,early-cse<memssa>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn,simplifycfg,adce),globaldce";

/// Level 0 is for --diff-passes, which compiles once per pass; level 3 is
/// LLVM's own pipeline without its vectorizers.
static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                            unsigned optLevel) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  StringRef text = optLevel == 0   ? "default<O0>"
                   : optLevel >= 3 ? "default<O3>"
                                   : StringRef(cleanUp);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, text))
    return error;
  passes.run(module, mam);
  return llvm::Error::success();
}

/// Writes a module to a file, if one is named.
static llvm::Error writeModule(const llvm::Module &module, StringRef file) {
  if (file.empty())
    return llvm::Error::success();
  std::error_code code;
  llvm::raw_fd_ostream os(file, code);
  if (code)
    return llvm::createStringError(code, "%s: %s", file.str().c_str(),
                                   code.message().c_str());
  module.print(os, nullptr);
  os.close();
  // A stream that keeps an error ends the process.
  if ((code = os.error())) {
    os.clear_error();
    return llvm::createStringError(code, "%s: %s", file.str().c_str(),
                                   code.message().c_str());
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
pallas::compileToObject(ModuleOp module, ArrayRef<std::string> entries,
                        ArrayRef<size_t> numArguments,
                        const cpu::Target &target, ObjectUse use,
                        const EngineOptions &options) {
  auto machine = createTargetMachine(target, options.optLevel, use);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context);
  if (!llvmModule)
    return llvm::createStringError(
        "the module could not be translated to LLVM IR");
  llvmModule->setDataLayout((*machine)->createDataLayout());
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  for (auto [entry, count] : llvm::zip_equal(entries, numArguments))
    if (llvm::Error error = addPackedWrapper(*llvmModule, entry, count))
      return std::move(error);
  internalize(*llvmModule, entries);
  // Without it the code generator halves 512-bit vectors.
  std::string width = std::to_string(target.vectorBits);
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    // Whether subnormal numbers are zeros is the choice of the process, so LLVM
    // must not make `x == 0.0` of a test of all bits of x but the sign.
    function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    if (options.sanitize) {
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
      function.addFnAttr("frame-pointer", "all");
    }
  }
  if (llvm::Error error = optimize(*llvmModule, **machine, options.optLevel))
    return std::move(error);
  if (options.sanitize)
    // After the optimizer, which could remove no access that has a check.
    instrumentAccesses(*llvmModule, **machine);
  if (llvm::Error error = writeModule(*llvmModule, options.llvmFile))
    return std::move(error);
  return llvm::orc::SimpleCompiler(**machine)(*llvmModule);
}
