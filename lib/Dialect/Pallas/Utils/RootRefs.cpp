//===- RootRefs.cpp - The refs that others are views of -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/RootRefs.h"
#include "pallas/Dialect/Pallas/IR/CheckOps.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/IR/WindowOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Returns the ref outside that an argument of a region is bound to, if there
/// is one: a captured ref, a ref among the inputs of a map, or the array of a
/// pipeline window.
static Value getOutsideRef(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto call = dyn_cast<PallasCallOp>(parent))
    return index < call.getCaptures().size() ? call.getCaptures()[index]
                                             : Value();
  if (auto map = dyn_cast<MpmdMapOp>(parent))
    return index < map.getInputs().size() &&
                   isa<RefType>(map.getInputs()[index].getType())
               ? map.getInputs()[index]
               : Value();
  if (auto pipeline = dyn_cast<EmitPipelineOp>(parent)) {
    auto grid = cast<GridMappingOpInterface>(parent);
    for (auto [i, window] : llvm::enumerate(grid.sliceBlockOps()))
      if (window == argument)
        return i < pipeline.getInputs().size()
                   ? pipeline.getInputs()[i]
                   : pipeline.getOutputs()[i - pipeline.getInputs().size()];
  }
  return {};
}

Value pallas::getRootRef(Value ref) {
  while (true) {
    Value source;
    if (auto argument = dyn_cast<BlockArgument>(ref))
      source = getOutsideRef(argument);
    else if (isRefAlias(ref.getDefiningOp()))
      source = ref.getDefiningOp()->getOperand(0);
    if (!source)
      return ref;
    ref = source;
  }
}

SliceRefOp pallas::getGather(Value ref) {
  auto slice = ref.getDefiningOp<SliceRefOp>();
  return slice && slice.getIndexer().hasGather() ? slice : SliceRefOp();
}

/// Name of a ref in messages: its role in the call that declares it, and the
/// name of the operand in the source. For example "input 0 (x_ref)".
std::string pallas::describeRef(Value ref) {
  Value root = getRootRef(ref);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // A padded array has the name of the array.
  while (auto pad = root.getDefiningOp<PadRefOp>())
    root = getRootRef(pad.getRef());
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument) {
    if (auto global = root.getDefiningOp<GetGlobalOp>()) {
      stream << "memory \"" << global.getName() << "\"";
      return text;
    }
    auto names =
        root.getDefiningOp()->getAttrOfType<ArrayAttr>(kRefNamesAttrName);
    return names ? cast<StringAttr>(names[0]).str() : "a ref";
  }
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto names = parent->getAttrOfType<ArrayAttr>(kRefNamesAttrName))
    return cast<StringAttr>(names[argument.getArgNumber()]).str();
  auto grid = dyn_cast<GridMappingOpInterface>(parent);
  if (!grid) {
    stream << (isa<RunScopedOp>(parent) ? "scoped ref " : "ref ")
           << argument.getArgNumber();
    return text;
  }
  auto findIn = [&](auto arguments) -> std::optional<size_t> {
    const auto *it = llvm::find(arguments, argument);
    return it == arguments.end() ? std::nullopt
                                 : std::optional(it - arguments.begin());
  };
  // Index maps have them behind the ids of a program.
  bool isOfMap = &grid.getKernelRegion() != argument.getParentRegion();
  if (auto i = findIn(isOfMap ? argument.getOwner()->getArguments().take_back(
                                    grid.getNumIndexOperands())
                              : grid.sliceIndexOps())) {
    stream << "index operand " << *i;
  } else if (auto i = findIn(grid.sliceScratchOps())) {
    stream << "scratch " << *i;
  } else if (auto i = findIn(grid.sliceBlockOps())) {
    bool isInput = *i < grid.getNumInputs();
    stream << (isInput ? "input " : "output ")
           << (isInput ? *i : *i - grid.getNumInputs());
    if (StringAttr origin = grid.getMappings()[*i].getOrigin())
      stream << " (" << origin.getValue() << ")";
  } else {
    stream << "captured ref " << argument.getArgNumber();
  }
  return text;
}
