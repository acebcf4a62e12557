//===- Target.cpp - The CPU that code is made for -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file answers questions about the CPU that code is made for: is there
// such a CPU, does this machine run its code, and which vectors and
// instructions does it have. The names and features are LLVM's.
//
//===----------------------------------------------------------------------===//

#include "pallas/CPU/Target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/Targets.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace mlir;
using namespace mlir::pallas;
using llvm::MCSubtargetInfo;

using SubtargetPtr = std::unique_ptr<MCSubtargetInfo>;

/// Makes LLVM know the CPUs of the architectures that code can be made for. A
/// name of a CPU decides the architecture, so both are initialized; generators
/// of code, which are ten times as large, are not needed for questions.
static void initializeArchitectures() {
  static std::once_flag flag;
  std::call_once(flag, [] {
#if LLVM_HAS_X86_TARGET
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
#endif
#if LLVM_HAS_AARCH64_TARGET
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
#endif
  });
}

/// The triple of this machine comes first: some names are known to both.
static SmallVector<llvm::Triple> getTriples() {
  llvm::Triple host(llvm::sys::getProcessTriple());
  SmallVector<llvm::Triple> triples = {host};
  if (host.getArch() != llvm::Triple::x86_64)
    triples.emplace_back("x86_64-unknown-linux-gnu");
  if (host.getArch() != llvm::Triple::aarch64)
    triples.emplace_back("aarch64-unknown-linux-gnu");
  return triples;
}

/// Null if LLVM was built without the architecture.
static SubtargetPtr createSubtarget(const llvm::Triple &triple, StringRef cpu,
                                    StringRef features) {
  initializeArchitectures();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  return SubtargetPtr(
      target ? target->createMCSubtargetInfo(triple, cpu, features) : nullptr);
}

/// Whether the subtarget has a feature; false also if LLVM has no such name.
static bool has(const MCSubtargetInfo &subtarget, StringRef feature) {
  ArrayRef<llvm::SubtargetFeatureKV> known =
      subtarget.getAllProcessorFeatures();
  const llvm::SubtargetFeatureKV *found = llvm::lower_bound(known, feature);
  return found != known.end() && feature == found->Key &&
         subtarget.hasFeature(found->Value);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Whether LLVM can make code for this CPU: of the names, some are of CPUs
/// without a 64-bit mode, for which it ends the process.
static bool isUsable(const llvm::Triple &triple,
                     const MCSubtargetInfo &subtarget, StringRef cpu) {
  if (!subtarget.isCPUStringValid(cpu))
    return false;
  return !triple.isX86() || has(*createSubtarget(triple, cpu, ""), "64bit");
}

/// An error with the four nearest names. The full list has hundreds.
static std::string describeUnknown(StringRef cpu) {
  SmallVector<std::pair<unsigned, StringRef>> names = {
      {cpu.edit_distance("native"), "native"}};
  for (const llvm::Triple &triple : getTriples())
    if (SubtargetPtr subtarget = createSubtarget(triple, "", ""))
      for (const auto &description : subtarget->getAllProcessorDescriptions())
        if (isUsable(triple, *subtarget, description.Key))
          names.push_back(
              {cpu.edit_distance(description.Key), description.Key});
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  names.truncate(std::min<size_t>(names.size(), 4));
  std::string text =
      ("there is no CPU '" + cpu + "'; the nearest names are ").str();
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(llvm::make_second_range(names), os);
  os << ", and native is the CPU of this machine";
  return text;
}

/// The architecture that has a CPU of this name.
static std::optional<llvm::Triple> findTriple(StringRef cpu) {
  for (const llvm::Triple &triple : getTriples())
    if (SubtargetPtr subtarget = createSubtarget(triple, "", ""))
      if (isUsable(triple, *subtarget, cpu))
        return triple;
  return std::nullopt;
}

std::string cpu::getNameOfCPU(StringRef cpu) {
  if (!cpu.empty())
    return cpu.str();
  std::optional<std::string> name = llvm::sys::Process::GetEnv(cpuVariable);
  return name && !name->empty() ? *name : "native";
}

//===----------------------------------------------------------------------===//
// This machine
//===----------------------------------------------------------------------===//

/// Features that this machine has beyond the name of its CPU, or lacks, such as
/// "+avx512bf16,-rtm". They are sorted, as they are part of the names of cached
/// objects.
static std::string getOwnFeatures(const llvm::Triple &triple, StringRef cpu) {
  SubtargetPtr named = createSubtarget(triple, cpu, "");
  SmallVector<std::string> differences;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    if (has(*named, feature.first()) != feature.second)
      differences.push_back(
          ((feature.second ? "+" : "-") + feature.first()).str());
  }
  llvm::sort(differences);
  return llvm::join(differences, ",");
}

namespace {
struct NamedCPU {
  std::string cpu, features;
};
} // namespace

/// Computed once; the features are read by CPUID.
static const NamedCPU &getHost() {
  static const NamedCPU host = [] {
    llvm::Triple triple(llvm::sys::getProcessTriple());
    NamedCPU result{llvm::sys::getHostCPUName().str(), ""};
    SubtargetPtr subtarget = createSubtarget(triple, "", "");
    // A CPU that is newer than LLVM has a name that LLVM can't take.
    if (subtarget && !isUsable(triple, *subtarget, result.cpu))
      result.cpu = "generic";
    if (subtarget)
      result.features = getOwnFeatures(triple, result.cpu);
    return result;
  }();
  return host;
}

/// Instructions of operating systems, of cryptography and of tiles, which no
/// plain operation of LLVM becomes. Virtual machines like to hide them.
static bool isNeverGenerated(StringRef feature) {
  static const StringRef names[] = {
      "adx",       "aes",        "cldemote",  "clflushopt", "clwb",
      "clzero",    "crc32",      "enqcmd",    "ermsb",      "fsgsbase",
      "fsrm",      "fxsr",       "hreset",    "invpcid",    "kl",
      "lwp",       "movdir64b",  "movdiri",   "mwaitx",     "pclmul",
      "pconfig",   "pku",        "prefetchi", "ptwrite",    "raoint",
      "rdpid",     "rdpru",      "rdrnd",     "rdseed",     "rtm",
      "serialize", "sgx",        "sha",       "sha512",     "shstk",
      "sm3",       "sm4",        "tsxldtrk",  "uintr",      "usermsr",
      "vaes",      "vpclmulqdq", "waitpkg",   "wbnoinvd",   "widekl",
      "xsave",     "xsavec",     "xsaveopt",  "xsaves"};
  return feature.starts_with("amx-") || llvm::is_contained(names, feature);
}

/// An instruction that the machine lacks would end the process, so code for
/// another CPU is rejected before it is run.
llvm::Error cpu::checkRunsHere(const Target &target) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const NamedCPU &host = getHost();
  // Most code is for this machine, and comparing features takes longer.
  if (target.cpu == host.cpu && target.features == host.features)
    return llvm::Error::success();
  if (triple.getArch() != target.triple.getArch())
    return llvm::createStringError(
        "the CPU '%s' is one of %s, but this machine is one of %s; only an "
        "object can be made here",
        target.cpu.c_str(), target.triple.getArchName().str().c_str(),
        triple.getArchName().str().c_str());
  SubtargetPtr here = createSubtarget(triple, host.cpu, host.features);
  SubtargetPtr there = createSubtarget(triple, target.cpu, target.features);
  // Features that only tune code add no instructions.
  here->setDefaultFeatures(host.cpu, "", host.features);
  there->setDefaultFeatures(target.cpu, "", target.features);
  llvm::FeatureBitset lacking =
      there->getFeatureBits() & ~here->getFeatureBits();
  SmallVector<StringRef> names;
  for (const llvm::SubtargetFeatureKV &feature :
       there->getAllProcessorFeatures())
    if (lacking.test(feature.Value) && !isNeverGenerated(feature.Key))
      names.push_back(feature.Key);
  if (names.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "the CPU '%s' has %s, which this machine lacks ('%s'); choose a CPU that "
      "has no more than this machine, or native",
      target.cpu.c_str(), llvm::join(names, ", ").c_str(), host.cpu.c_str());
}

//===----------------------------------------------------------------------===//
// Queries of code generators
//===----------------------------------------------------------------------===//

/// Vectors are as wide as the registers, also on CPUs that lower their clock
/// for AVX-512.
static void describeX86(const MCSubtargetInfo &subtarget, cpu::Target &target) {
  bool isWide = has(subtarget, "avx512f");
  target.vectorBits = isWide ? 512 : has(subtarget, "avx2") ? 256 : 128;
  target.numVectorRegisters = isWide ? 32 : 16;
  target.secondCacheBytes = (isWide ? 1024 : 512) * 1024;
  target.hasFMA = has(subtarget, "fma") || isWide;
  target.hasF16Conversion = has(subtarget, "f16c") || isWide;
  // The instructions are used on whole registers of AVX-512.
  target.hasScale = isWide;
  target.hasReduce = has(subtarget, "avx512dq");
  if (!isWide)
    target.int16Dot = target.vectorBits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                               : "llvm.x86.sse2.pmadd.wd";
  else if (has(subtarget, "avx512bw"))
    target.int16Dot = "llvm.x86.avx512.pmaddw.d.512";
  if (has(subtarget, "avx512bf16"))
    target.bf16Dot = "llvm.x86.avx512bf16.dpbf16ps.512";
  if (has(subtarget, "avx512vnni"))
    target.int8Dot = "llvm.x86.avx512.vpdpbusd.512";
  target.int8DotIsMixed = true;
}

/// SVE is not used: its vectors have no static size.
static void describeAArch64(const MCSubtargetInfo &subtarget,
                            cpu::Target &target) {
  target.vectorBits = 128;
  target.numVectorRegisters = 32;
  target.hasFMA = true;
  target.hasF16Conversion = true;
  if (has(subtarget, "bf16"))
    target.bf16Dot = "llvm.aarch64.neon.bfdot.v4f32.v8bf16";
  if (has(subtarget, "dotprod"))
    target.int8Dot = "llvm.aarch64.neon.sdot.v4i32.v16i8";
}

/// The target of a name that is not empty.
static llvm::Expected<cpu::Target> computeTarget(StringRef cpu,
                                                 StringRef features) {
  cpu::Target target;
  target.cpu = cpu.str();
  target.features = features.str();
  if (target.cpu == "native") {
    target.triple = llvm::Triple(llvm::sys::getProcessTriple());
    target.cpu = getHost().cpu;
    target.features = getHost().features;
  } else if (std::optional<llvm::Triple> triple = findTriple(target.cpu)) {
    target.triple = *triple;
  } else {
    return llvm::createStringError("%s", describeUnknown(target.cpu).c_str());
  }
  SubtargetPtr subtarget =
      createSubtarget(target.triple, target.cpu, target.features);
  if (!subtarget)
    return llvm::createStringError("LLVM was built without code for %s",
                                   target.triple.str().c_str());
  if (target.triple.isX86())
    describeX86(*subtarget, target);
  else
    describeAArch64(*subtarget, target);
  return target;
}

/// Six passes of a pipeline ask, and LLVM takes a quarter of a millisecond to
/// work out the features that each of a hundred others implies.
llvm::Expected<cpu::Target> cpu::getTarget(StringRef cpu, StringRef features) {
  static std::mutex mutex;
  static llvm::StringMap<Target> known;
  std::string name = getNameOfCPU(cpu);
  std::string key = name + "," + features.str();
  std::lock_guard<std::mutex> guard(mutex);
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  auto target = computeTarget(name, features);
  if (target)
    known[key] = *target;
  return target;
}

LogicalResult cpu::getTarget(MLIRContext *context, StringRef cpu,
                             Target &target) {
  llvm::Expected<Target> found = getTarget(cpu);
  if (!found)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(found.takeError());
  target = std::move(*found);
  return success();
}
