//===- WireWriter.h - Modules as bytecode of the wire format ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_STABLEMOSAIC_WIREWRITER_H
#define PALLAS_LIB_TARGET_STABLEMOSAIC_WIREWRITER_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tpu {

/// Writes a module with these attributes of its own. Operations in it get the
/// names of the wire format, if they don't have them.
///
/// MLIR's writer takes the names of operations as they are, so all operations
/// would have to be replaced for it. It also sorts what it numbers by
/// frequency, for which it visits everything twice.
LogicalResult writeWireModule(ModuleOp module, DictionaryAttr attributes,
                              raw_ostream &os);

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_WIREWRITER_H
