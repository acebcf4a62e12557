//===- KernelFunctions.cpp - The modules that passes on kernels run on-----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of this folder run on modules with a target. With the option `chip`
// they also run on modules without one, which makes them usable from the
// command line.
//
//===----------------------------------------------------------------------===//

#include "KernelFunctions.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"

using namespace mlir;
using namespace mlir::tpu;

FailureOr<SmallVector<std::pair<ModuleOp, const TPUChip *>>>
/// Modules nest, since the host module has the kernels in it.
mlir::tpu::findKernelModules(Operation *root, StringRef chip) {
  SmallVector<std::pair<ModuleOp, const TPUChip *>> modules;
  WalkResult result =
      root->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return WalkResult::skip();
        bool isTarget = module->hasAttr(kTargetAttrName);
        bool isMeant = !chip.empty() && !module.getOps<func::FuncOp>().empty();
        if (!isTarget && !isMeant)
          return WalkResult::advance();
        FailureOr<const TPUChip *> known =
            chip.empty() ? getTargetChip(module) : findTPUChip(module, chip);
        if (failed(known))
          return WalkResult::interrupt();
        modules.emplace_back(module, *known);
        return WalkResult::advance();
      });
  if (result.wasInterrupted())
    return failure();
  return modules;
}

/// Declarations have no body to rewrite.
LogicalResult mlir::tpu::forEachKernelFunction(
    Operation *root, StringRef chip,
    function_ref<void(func::FuncOp, const TPUChip &)> visit) {
  auto modules = findKernelModules(root, chip);
  if (failed(modules))
    return failure();
  for (auto [module, target] : *modules)
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        visit(function, *target);
  return success();
}
