//===- WireOps.h - Operations of the wire format ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_STABLEMOSAIC_WIREOPS_H
#define PALLAS_LIB_TARGET_STABLEMOSAIC_WIREOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

namespace mlir::tpu {

inline constexpr llvm::StringLiteral kWirePrefix = "stable_mosaic.";
inline constexpr llvm::StringLiteral kWireVersionAttr = "stable_mosaic.version";

/// Owns all names of the wire format, so that no context needs to allow
/// unregistered dialects for it.
class StableMosaicDialect : public Dialect {
public:
  explicit StableMosaicDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<StableMosaicDialect>()) {
    allowUnknownOperations();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return llvm::StringLiteral("stable_mosaic");
  }
};

/// Replaces an operation by one of another name and with these attributes.
Operation *replaceWithName(Operation *op, StringRef name,
                           ArrayRef<NamedAttribute> attributes);

/// Whether this version can be read and written.
LogicalResult checkVersion(ModuleOp module, int64_t version);

/// Whether compilers of this version know the operations of a module, and the
/// attributes that no rule knows.
LogicalResult checkIsKnown(ModuleOp module, int64_t version);

/// Whether no rule of a later version is about an operation of the module.
bool isSameInNewest(ModuleOp module, int64_t version);

/// Bring all operations below a module of the wire format from or to the newest
/// version.
LogicalResult upgradeToNewest(ModuleOp module, int64_t from);
LogicalResult downgradeFromNewest(ModuleOp module, int64_t to);

} // namespace mlir::tpu

MLIR_DECLARE_EXPLICIT_TYPE_ID(mlir::tpu::StableMosaicDialect)

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_WIREOPS_H
