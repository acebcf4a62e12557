//===- TPUCustomCall.h - Kernels as custom calls of XLA ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XLA runs a kernel as `stablehlo.custom_call @tpu_custom_call`: the operands
// and results are whole arrays, and a JSON text holds the serialized kernel and
// the options of the call. Arrays are row-major.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H
#define PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H

#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"
#include <string>

namespace mlir::tpu {

/// The JSON text of the call, with the kernel in it.
FailureOr<std::string> getBackendConfig(const TPUCustomCall &call);

/// Writes a StableHLO module whose function of this name makes the call. XLA
/// enters a module at the function `main`.
LogicalResult writeCustomCallModule(const TPUCustomCall &call,
                                    StringRef function, raw_ostream &os);

/// Writes the functions of a module that call kernels as StableHLO: each call
/// of a declaration with `tpu.kernel` is a call of that kernel's module, as
/// this release of libtpu reads it.
LogicalResult writeHostModule(ModuleOp module, raw_ostream &os,
                              const LibtpuRelease &libtpu = {});

} // namespace mlir::tpu

#endif // PALLAS_TARGET_TPUCUSTOMCALL_TPUCUSTOMCALL_H
