//===- StableMosaic.h - The wire format of tpu modules ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is sent to the Mosaic compiler as MLIR bytecode in which every
// operation is unregistered and named `stable_mosaic.<name>`, so that compilers
// with older or newer dialects can read it. A version number names the form of
// the operations; rules bring them to any other version.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TARGET_STABLEMOSAIC_STABLEMOSAIC_H
#define PALLAS_TARGET_STABLEMOSAIC_STABLEMOSAIC_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mlir {
class DialectRegistry;

namespace tpu {

/// The versions that can be read and written.
inline constexpr int64_t kOldestStableMosaicVersion = 1;
inline constexpr int64_t kNewestStableMosaicVersion = 18;
/// The version that all compilers in use read: for modules which are kept or go
/// to an unknown compiler.
inline constexpr int64_t kPortableStableMosaicVersion = 15;

/// Writes a module as bytes of this version. The module stays as it is; its
/// context gets the `stable_mosaic` dialect loaded.
LogicalResult
serializeStableMosaic(ModuleOp module, llvm::raw_ostream &os,
                      int64_t version = kPortableStableMosaicVersion);

/// Reads bytes (or the text) of any known version into a verified module. The
/// context loads the dialects that the module needs from its registry. Emits
/// errors and returns null when the bytes are not such a module.
OwningOpRef<ModuleOp> deserializeStableMosaic(llvm::MemoryBufferRef buffer,
                                              MLIRContext *context);

/// Registers all dialects that a kernel module may hold.
void registerKernelModuleDialects(DialectRegistry &registry);

} // namespace tpu
} // namespace mlir

#endif // PALLAS_TARGET_STABLEMOSAIC_STABLEMOSAIC_H
