//===- Target.cpp - What the code generator knows of the CPU --------------===//

#include "Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::pallas;

static const llvm::StringMap<bool> &getHostFeatures() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

cpu::Target cpu::getTarget(int64_t vectorBits, StringRef features) {
  llvm::StringMap<bool> named;
  SmallVector<StringRef> names;
  features.split(names, ',');
  for (StringRef name : names)
    named[name] = true;
  const llvm::StringMap<bool> &host = getHostFeatures();
  const llvm::StringMap<bool> &known = features == "host" ? host : named;
  Target target;
  // Other widths than those of registers make nothing faster.
  target.vectorBits =
      vectorBits ? int64_t(llvm::bit_floor(
                       uint64_t(std::clamp<int64_t>(vectorBits, 64, 2048))))
      : host.lookup("avx512f") ? 512
      : host.lookup("avx2")    ? 256
                               : 128;
  // The instructions are used on whole registers of AVX-512.
  bool isWide = target.vectorBits == 512;
  target.hasScale = isWide && known.lookup("avx512f");
  target.hasReduce = target.hasScale && known.lookup("avx512dq");
  target.hasBF16Dot = isWide && known.lookup("avx512bf16");
  target.hasInt8Dot = isWide && known.lookup("avx512vnni");
  return target;
}
