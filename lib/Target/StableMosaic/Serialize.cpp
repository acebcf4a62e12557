//===- Serialize.cpp - tpu module to stable_mosaic bytes ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file writes modules of the tpu dialect as bytecode of a given version.
// Operations are renamed, which makes them unregistered, so that the rules of
// older versions may give them any attributes:
//
//   %1 = tpu.iota {dimensions = array<i32: 1>} : vector<8x128xi32>
//
// is written as:
//
//   %1 = "stable_mosaic.tpu.iota"() {dimensions = array<i32: 1>} : ...
//
//===----------------------------------------------------------------------===//

#include "WireOps.h"
#include "WireWriter.h"

#include "mlir/IR/Builders.h"
#include "pallas/Target/StableMosaic/StableMosaic.h"

using namespace mlir;
using namespace mlir::tpu;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mlir::tpu::StableMosaicDialect)

/// Regions move, so operations inside stay the same objects.
Operation *tpu::replaceWithName(Operation *op, StringRef name,
                                ArrayRef<NamedAttribute> attributes) {
  OperationState state(op->getLoc(), name, op->getOperands(),
                       op->getResultTypes(), attributes, op->getSuccessors());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *renamed = OpBuilder(op).create(state);
  op->replaceAllUsesWith(renamed);
  op->erase();
  return renamed;
}

LogicalResult tpu::checkVersion(ModuleOp module, int64_t version) {
  if (version > kNewestStableMosaicVersion)
    return module.emitError("stable_mosaic version ")
           << version << " is newer than any that this release knows; "
           << kNewestStableMosaicVersion << " is the newest";
  if (version < kOldestStableMosaicVersion)
    return module.emitError("stable_mosaic version ")
           << version << " is not known; " << kOldestStableMosaicVersion
           << " to " << kNewestStableMosaicVersion << " are";
  return success();
}

LogicalResult tpu::serializeStableMosaic(ModuleOp module, raw_ostream &os,
                                         int64_t version) {
  if (failed(checkVersion(module, version)))
    return failure();
  MLIRContext *context = module.getContext();
  context->getOrLoadDialect<StableMosaicDialect>();

  NamedAttrList attributes(module->getAttrDictionary());
  attributes.set(kWireVersionAttr,
                 IntegerAttr::get(IntegerType::get(context, 64), version));
  if (failed(checkIsKnown(module, version)))
    return failure();
  // Few modules need another form, and making it takes as long as the rest.
  if (isSameInNewest(module, version))
    return writeWireModule(module, attributes.getDictionary(context), os);

  OwningOpRef<ModuleOp> wire = module.clone();
  // Inner operations first: an operation takes its renamed regions along.
  wire->walk([&](Operation *op) {
    if (op == wire->getOperation())
      return;
    std::string name = (kWirePrefix + op->getName().getStringRef()).str();
    replaceWithName(op, name, op->getAttrDictionary().getValue());
  });
  if (failed(downgradeFromNewest(*wire, version)))
    return failure();
  return writeWireModule(*wire, attributes.getDictionary(context), os);
}
