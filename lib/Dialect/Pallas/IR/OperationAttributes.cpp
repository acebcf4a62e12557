//===- OperationAttributes.cpp - Attributes on operations of others -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies attributes of the dialect on operations of other dialects, such as
// the mesh of a module and parallel loops.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Operation.h"
#include "pallas/Dialect/Pallas/IR/GridAttributes.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// pallas.device_mesh
//===----------------------------------------------------------------------===//

/// Reads `["x", 2]`.
static std::optional<DeviceAxis> readAxis(Attribute entry) {
  auto pair = dyn_cast<ArrayAttr>(entry);
  if (!pair || pair.size() != 2)
    return std::nullopt;
  auto name = dyn_cast<StringAttr>(pair[0]);
  auto size = dyn_cast<IntegerAttr>(pair[1]);
  if (!name || !size || size.getInt() <= 0)
    return std::nullopt;
  return DeviceAxis{name.getValue(), size.getInt()};
}

static LogicalResult verifyDeviceMesh(Operation *op, Attribute attr) {
  auto list = dyn_cast<ArrayAttr>(attr);
  if (!list || list.empty())
    return op->emitOpError()
           << "has the '" << kDeviceMeshAttrName << "' " << attr
           << ", but it must list axes, as in [[\"x\", 2], [\"y\", 4]]";
  for (Attribute entry : list)
    if (!readAxis(entry))
      return op->emitOpError()
             << "has a '" << kDeviceMeshAttrName << "' with the entry " << entry
             << ", but each must be the name of an axis and its size, as in "
                "[\"x\", 2]";
  return success();
}

SmallVector<DeviceAxis> mlir::pallas::getDeviceMesh(Operation *op) {
  SmallVector<DeviceAxis> axes;
  if (auto list = op->getAttrOfType<ArrayAttr>(kDeviceMeshAttrName))
    for (Attribute entry : list)
      axes.push_back(*readAxis(entry));
  return axes;
}

//===----------------------------------------------------------------------===//
// pallas.parallel_loop
//===----------------------------------------------------------------------===//

static LogicalResult verifyParallelLoop(Operation *op, Attribute attr) {
  // The dialect doesn't depend on scf.
  if (op->getName().getStringRef() != "scf.for")
    return op->emitOpError("has '")
           << kParallelLoopAttrName << "', which belongs on scf.for";
  auto count = dyn_cast<IntegerAttr>(attr);
  if (!count || !count.getType().isInteger(64) || count.getInt() < 1)
    return op->emitOpError("has '")
           << kParallelLoopAttrName << "' of " << attr
           << ", but it is a number of iterations; write an i64 of 1 or more";
  return success();
}

//===----------------------------------------------------------------------===//
// pallas.coarsen
//===----------------------------------------------------------------------===//

static LogicalResult verifyCoarsen(Operation *op, Attribute attr) {
  auto call = dyn_cast<PallasCallOp>(op);
  auto pipeline = dyn_cast<EmitPipelineOp>(op);
  if (!call && !pipeline)
    return op->emitOpError("has '")
           << kCoarsenAttrName
           << "', which belongs on pallas.pallas_call or "
              "pallas.emit_pipeline";
  // Attributes are verified before the operation that has them, so its own may
  // be missing; it reports that.
  DenseI64ArrayAttr grid = call ? call.getGridAttr() : pipeline.getGridAttr();
  if (!grid)
    return success();
  auto factors = dyn_cast<DenseI64ArrayAttr>(attr);
  size_t rank = grid.size();
  if (!factors || size_t(factors.size()) != rank ||
      llvm::any_of(factors.asArrayRef(),
                   [](int64_t factor) { return factor < 1; }))
    return op->emitOpError("has '")
           << kCoarsenAttrName << "' of " << attr << ", but its grid has "
           << rank
           << " dimensions; write array<i64: ...> with a number of 1 or more "
              "for each";
  return success();
}

//===----------------------------------------------------------------------===//
// pallas.split
//===----------------------------------------------------------------------===//

static LogicalResult verifySplit(Operation *op, Attribute attr) {
  auto call = dyn_cast<PallasCallOp>(op);
  if (!call)
    return op->emitOpError("has '")
           << kSplitAttrName << "', which belongs on pallas.pallas_call";
  auto array = call.getNumResults()
                   ? getArrayShapedType(call.getResult(0).getType())
                   : ShapedType();
  int64_t rank = array ? array.getRank() : 0;
  auto counts = dyn_cast<DenseI64ArrayAttr>(attr);
  if (!counts || counts.size() != rank ||
      llvm::any_of(counts.asArrayRef(),
                   [](int64_t count) { return count < 1; }))
    return op->emitOpError("has '")
           << kSplitAttrName << "' of " << attr << ", but its first result has "
           << rank
           << " dimensions; write array<i64: ...> with a number of 1 or more "
              "for each";
  return success();
}

LogicalResult PallasDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  if (attr.getName() == kDeviceMeshAttrName)
    return verifyDeviceMesh(op, attr.getValue());
  if (attr.getName() == kParallelLoopAttrName)
    return verifyParallelLoop(op, attr.getValue());
  if (attr.getName() == kCoarsenAttrName)
    return verifyCoarsen(op, attr.getValue());
  if (attr.getName() == kSplitAttrName)
    return verifySplit(op, attr.getValue());
  return success();
}
