//===- CoreTypes.cpp - Which core runs and owns what ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memref names its space and, if it belongs to another core, that core. A
// function names the core that runs it.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/IR/TPU.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::tpu;

/// Spaces of other dialects are treated as unknown.
std::optional<MemorySpace> tpu::getMemorySpace(MemRefType type) {
  Attribute space = type.getMemorySpace();
  if (!space)
    return std::nullopt;
  if (auto tpuSpace = dyn_cast<MemorySpaceAttr>(space))
    return tpuSpace.getValue();
  return MemorySpace::Any;
}

/// The core that the space names; none for the core that runs the code.
std::optional<CoreType> tpu::getNamedCoreType(MemRefType type) {
  auto space = dyn_cast_or_null<MemorySpaceAttr>(type.getMemorySpace());
  return space ? space.getCoreType() : std::nullopt;
}

static std::optional<CoreType> getFuncCoreType(Operation *func) {
  auto core = func->getAttrOfType<CoreTypeAttr>(kCoreTypeAttrName);
  if (!core)
    return std::nullopt;
  return core.getValue();
}

CoreType tpu::getCoreType(Operation *op) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  // An operation runs on the core of its function.
  if (!func)
    func = op->getParentOfType<FunctionOpInterface>();
  if (!func)
    return CoreType::TensorCore;
  return getFuncCoreType(func).value_or(CoreType::TensorCore);
}

/// Finds the kernel of a core. Two would be ambiguous for the compiler.
FailureOr<func::FuncOp> tpu::getFuncWithCoreType(ModuleOp module,
                                                 CoreType core) {
  func::FuncOp found;
  for (auto func : module.getOps<func::FuncOp>()) {
    std::optional<CoreType> named = getFuncCoreType(func);
    // `main` is how kernels were found before functions named their core.
    bool matches =
        named ? *named == core
              : core == CoreType::TensorCore && func.getSymName() == "main";
    if (!matches)
      continue;
    if (found) {
      InFlightDiagnostic diag = func.emitOpError("is the second function for ")
                                << stringifyCoreType(core)
                                << " in this module; a module has at most one "
                                   "function per core";
      diag.attachNote(found.getLoc()) << "the first one is here";
      return diag;
    }
    found = func;
  }
  return found;
}
