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
/// MLIR's writer knows operations by the names that they have, so that all of
/// them would be made anew for it; and it sorts what it numbers by frequency,
/// for which it visits everything twice.
LogicalResult writeWireModule(ModuleOp module, DictionaryAttr attributes,
                              raw_ostream &os);

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_WIREWRITER_H
