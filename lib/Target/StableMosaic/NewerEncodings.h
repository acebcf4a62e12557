//===- NewerEncodings.h - Builtin encodings of later releases ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_STABLEMOSAIC_NEWERENCODINGS_H
#define PALLAS_LIB_TARGET_STABLEMOSAIC_NEWERENCODINGS_H

#include "mlir/Bytecode/BytecodeReaderConfig.h"

namespace mlir::tpu {

/// Lets the reader of bytecode understand how later releases of MLIR than this
/// one write affine maps, strided layouts and narrow floats. Until then these
/// were text.
void readNewerEncodings(BytecodeReaderConfig &config, MLIRContext *context);

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_NEWERENCODINGS_H
