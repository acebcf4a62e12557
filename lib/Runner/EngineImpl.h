//===- EngineImpl.h - Inside of an engine -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNNER_ENGINEIMPL_H
#define PALLAS_LIB_RUNNER_ENGINEIMPL_H

#include "Compiler.h"
#include "SanitizedCode.h"
#include "pallas/Runner/Engine.h"
#include "pallas/Runtime/CheckedMeeting.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace mlir::pallas {

using pallas_rt::DeviceBuffers;

using PackedFunction = void (*)(void **);

/// A function that can be called.
struct Entry {
  EntrySignature signature;
  /// In ring mode, what kind of float each input is; null for others.
  SmallVector<const llvm::fltSemantics *> ringInputs;
  PackedFunction function = nullptr;
};

struct Engine::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// Where code comes from, if the options ask for it.
  std::unique_ptr<CodeLines> lines;
  std::unique_ptr<SanitizedCode> sanitized;
  std::vector<std::string> names;
  llvm::StringMap<Entry> entries;
  bool fromCache = false, checked = false, toleratesLeftovers = false;
  bool sanitize = false, keepsLines = false;
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
  llvm::Error enterLines(const llvm::MemoryBuffer &object);
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_ENGINEIMPL_H
