//===- Engine.h - Compile a module once, call it with buffers ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto engine = pallas::Engine::create(module);
//   if (!engine)
//     return engine.takeError();
//   llvm::Error error = (*engine)->invoke("matmul", {a, b}, {c});
//
// Ownership: the engine keeps nothing of the module or its context after
// `create` returned; it owns the compiled code, which lives as long as the
// engine. Buffers belong to the caller; inputs are only read and outputs are
// only written, and neither is kept after `invoke` returned. An output may not
// overlap any other buffer of the same call.
//
// Threads: `invoke` and the queries may be called from several threads at once.
// `create` changes the module's context only by loading dialects into it.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNNER_ENGINE_H
#define PALLAS_RUNNER_ENGINE_H

#include "mlir/IR/BuiltinOps.h"
#include "pallas/Pipelines/PallasToLLVM.h"
#include "pallas/Runner/DType.h"
#include "pallas/Runtime/Devices.h"
#include "pallas/Runtime/Mistakes.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::pallas {

// Arguments of calls belong to the runtime, which knows no IR.
using pallas_rt::Allowance;
using pallas_rt::BufferView;
using pallas_rt::DeviceContext;
using pallas_rt::DeviceGroup;
using pallas_rt::DeviceMesh;

/// Type of one argument or result of an entry; `ShapedType::kDynamic` is a size
/// that each call chooses.
struct BufferType {
  DType dtype;
  SmallVector<int64_t> shape;
};

/// Zeroed memory for `count` arrays of a type, one behind the other. It is an
/// error if their size is not static, or if there is not as much.
llvm::Expected<std::unique_ptr<llvm::WritableMemoryBuffer>>
allocateArrays(const BufferType &type, size_t count = 1);

struct EntrySignature {
  SmallVector<BufferType> inputs;
  SmallVector<BufferType> outputs;
};

/// The functions of a valid module that can be called, without compiling them.
llvm::Expected<std::vector<std::pair<std::string, EntrySignature>>>
readEntries(ModuleOp module);

struct EngineOptions {
  /// How the module is lowered.
  PallasToLLVMOptions pipeline;
  /// CPU that code is made for, by LLVM's name or `native`, that of this
  /// machine. "" means that of the pipeline; where that is "", too, it is that
  /// of `PALLAS_CPU`, or `native`.
  std::string cpu;
  /// 0 to 3: none, the quick clean-up that vectorized loops need (1 and 2), or
  /// everything that LLVM has.
  unsigned optLevel = 2;
  /// Folder in which compiled objects are kept. "" means the user's cache
  /// folder, which `PALLAS_CACHE_DIR` overrides.
  std::string cacheDirectory;
  bool useCache = true;
  /// Whether calls look for mistakes of the kernels: what is read, written and
  /// waited for is followed element by element, on one thread. A call that
  /// finds some yields a `Violation` for each and leaves its outputs as they
  /// are.
  bool checked = false;
  /// Mistakes that checked calls pass over. Comments in the source allow others
  /// (docs/CheckedMode.md).
  std::vector<Allowance> allowed;
  /// Whether floats are integers mod 2^w: float inputs are taken into the ring,
  /// and float outputs are integers of the same width.
  bool ring = false;
  /// Whether every access of compiled code is checked by LLVM's
  /// AddressSanitizer, whose runtime must be part of the process. A mistake
  /// ends the process with a report. `PALLAS_SANITIZE=address` asks for it,
  /// too.
  bool sanitize = false;
  /// Whether `findPlace` knows the code.
  bool keepsLines = false;
  /// Whether a semaphore that is not zero at the end of its scope, such as that
  /// of a copy that is never waited for, is a warning on stderr, not an error.
  bool toleratesLeftovers = false;
  /// Whether the module is verified after each pass, not only once at the end.
  /// Passes that keep to the rules keep it valid, so builds without assertions
  /// do not pay for mistrust.
#ifdef NDEBUG
  bool verifyEach = false;
#else
  bool verifyEach = true;
#endif
  /// File for the text of the LLVM module as the code generator gets it; with
  /// one, the module is compiled whether or not there is a cached object.
  std::string llvmFile;
  /// Folder for the module after each pass that changes it (`dumpStages`); the
  /// module is then compiled as with `llvmFile`.
  std::string stagesFolder;
};

/// Native code of all public functions of a module.
class Engine {
public:
  /// Lowers a copy of `module`, a valid one, which may be at any stage from
  /// pallas kernels to the LLVM dialect, and compiles it for this machine. What
  /// the pipeline reports as diagnostics becomes the text of the error. A CPU
  /// that has more than this machine is an error.
  static llvm::Expected<std::unique_ptr<Engine>>
  create(ModuleOp module, const EngineOptions &options = {});

  /// Native code as an object file, for whatever CPU the options name. Each
  /// entry `f` is there as `void _pallas_packed_f(void **descriptors)`, which
  /// takes pointers to the memref descriptors of its arguments, then of its
  /// results.
  static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  createObject(ModuleOp module, const EngineOptions &options = {});

  ~Engine();

  /// Names of the functions that can be called, in the order of the module.
  ArrayRef<std::string> getEntries() const;

  /// Signature of the entry; null if there is no such entry.
  const EntrySignature *getSignature(StringRef entry) const;

  /// Calls an entry. Wrong numbers, shapes or element types are errors, and so
  /// is what goes wrong while the kernel runs. An empty name calls the only
  /// entry. With a device, the call is that device's part of what its group
  /// does; the other devices must be run by other threads.
  llvm::Error invoke(StringRef entry, ArrayRef<BufferView> inputs,
                     ArrayRef<BufferView> outputs,
                     DeviceContext device = {}) const;

  /// Calls an entry on all devices of a mesh at the same time, each on a thread
  /// with buffers of its own.
  llvm::Error invokeOnDevices(StringRef entry, const DeviceMesh &mesh,
                              ArrayRef<SmallVector<BufferView>> inputs,
                              ArrayRef<SmallVector<BufferView>> outputs) const;

  /// The place that code at `address` comes from, as `FILE:LINE:COLUMN`; empty
  /// for other code, and without `EngineOptions::keepsLines`.
  std::string findPlace(uintptr_t address) const;

  /// Whether the object came from the cache instead of being compiled.
  bool isFromCache() const;

private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::pallas

#endif // PALLAS_RUNNER_ENGINE_H
