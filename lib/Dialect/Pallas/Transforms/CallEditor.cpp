//===- CallEditor.cpp - Edits operands of a call --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands, kernel arguments, arguments of index maps and aliases of a call
// refer to each other by position. Passes that add or drop an operand change
// all of them through this class.
//
//===----------------------------------------------------------------------===//

#include "CallEditor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::pallas;

/// The kernel argument first, then one argument per index map.
SmallVector<BlockArgument> CallEditor::getPrefetchArguments(unsigned index) {
  SmallVector<BlockArgument> arguments = {getGrid().sliceIndexOps()[index]};
  for (Region &map : call.getIndexMaps())
    arguments.push_back(map.getArgument(getGrid().getGridRank() + index));
  return arguments;
}

SmallVector<BlockArgument> CallEditor::getCaptureArguments(unsigned index) {
  unsigned first = getGrid().getGridRank() + getGrid().getNumIndexOperands();
  SmallVector<BlockArgument> arguments = {getGrid().getKernelCaptures()[index]};
  for (Region &map : call.getIndexMaps())
    arguments.push_back(map.getArgument(first + index));
  return arguments;
}

/// Aliases count index operands and inputs.
void CallEditor::shiftAliases(int64_t from, int64_t by) {
  SmallVector<int64_t> aliases(call.getAliases());
  for (unsigned i = 0; i < aliases.size(); i += 2)
    if (aliases[i] >= from)
      aliases[i] += by;
  call.setAliases(aliases);
}

/// Behind all prefetched operands, so that no other one changes its position.
void CallEditor::appendPrefetch(Value operand) {
  unsigned index = call.getIndexOperands().size();
  unsigned inKernel = call.getCaptures().size() + index;
  unsigned inMaps = call.getGrid().size() + index;
  shiftAliases(index, 1);
  call.getIndexOperandsMutable().append(operand);
  Type type = getGrid().getIndexRefTypes()[index];
  call.getKernel().insertArgument(inKernel, type, operand.getLoc());
  for (Region &map : call.getIndexMaps())
    map.insertArgument(inMaps, type, operand.getLoc());
}

/// The argument has no uses left; the caller has replaced them.
void CallEditor::dropPrefetch(unsigned index) {
  for (BlockArgument argument : getPrefetchArguments(index))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
  call.getIndexOperandsMutable().erase(index);
  shiftAliases(index + 1, -1);
}

void CallEditor::dropCapture(unsigned index) {
  for (BlockArgument argument : getCaptureArguments(index))
    argument.getOwner()->eraseArgument(argument.getArgNumber());
  call.getCapturesMutable().erase(index);
}

/// The window of a new input is the whole array, which needs no index map.
BlockArgument CallEditor::appendInput(Value operand, MemorySpaceAttr space) {
  auto type = cast<RankedTensorType>(operand.getType());
  unsigned index = call.getInputs().size();
  SmallVector<BlockDimAttr> dims;
  for (int64_t size : type.getShape())
    dims.push_back(BlockDimAttr::get(call.getContext(), BlockDimKind::Blocked,
                                     size, 0, 0));
  auto mapping =
      BlockMappingAttr::get(call.getContext(), dims, space, {}, {}, {});
  SmallVector<Value> inputs(call.getInputs());
  inputs.push_back(operand);
  // Inputs come before outputs in the list of blocks.
  SmallVector<BlockMappingAttr> mappings = getGrid().getMappings();
  mappings.insert(mappings.begin() + index, mapping);
  SmallVector<Region *> maps;
  for (Region &map : call.getIndexMaps())
    maps.push_back(&map);
  maps.insert(maps.begin() + index, nullptr);
  unsigned position =
      call.getCaptures().size() + call.getIndexOperands().size() + index;
  BlockArgument argument = call.getKernel().insertArgument(
      position, mapping.getRefType(type.getElementType()), operand.getLoc());
  recreate(inputs, call.getResultTypes(), mappings, maps);
  return argument;
}

void CallEditor::dropInput(unsigned index) {
  unsigned numIndex = call.getIndexOperands().size();
  call.getKernel().eraseArgument(call.getCaptures().size() + numIndex + index);
  SmallVector<Value> inputs(call.getInputs());
  inputs.erase(inputs.begin() + index);
  SmallVector<BlockMappingAttr> mappings = getGrid().getMappings();
  mappings.erase(mappings.begin() + index);
  SmallVector<Region *> maps;
  for (Region &map : call.getIndexMaps())
    maps.push_back(&map);
  maps.erase(maps.begin() + index);
  shiftAliases(numIndex + index + 1, -1);
  recreate(inputs, call.getResultTypes(), mappings, maps);
}

/// An output that shares memory with an input, in a window of its own:
///
///   %0 = pallas.pallas_call @k grid(4) in(%x : tensor<32xf32>) ...
///        out(tensor<32xf32>) ... aliases [0 -> 0]
Value CallEditor::appendAliasedOutput(unsigned input) {
  int64_t numIndex = call.getIndexOperands().size(),
          output = call.getNumResults();
  SmallVector<BlockMappingAttr> mappings = getGrid().getMappings();
  mappings.push_back(mappings[input]);
  SmallVector<Region *> maps;
  for (Region &map : call.getIndexMaps())
    maps.push_back(&map);
  maps.push_back(nullptr);
  SmallVector<Type> results(call.getResultTypes());
  results.push_back(call.getInputs()[input].getType());
  SmallVector<int64_t> aliases(call.getAliases());
  aliases.append({numIndex + input, output});
  call.setAliases(aliases);
  unsigned first = call.getCaptures().size() + numIndex;
  Region &kernel = call.getKernel();
  kernel.insertArgument(first + call.getInputs().size() + output,
                        kernel.getArgument(first + input).getType(),
                        call.getLoc());
  recreate(call.getInputs(), results, mappings, maps);
  return call.getResult(output);
}

/// The number of regions of an operation is fixed, so that other blocks need
/// another operation. A missing map yields zeros.
void CallEditor::recreate(ValueRange inputs, TypeRange results,
                          ArrayRef<BlockMappingAttr> mappings,
                          ArrayRef<Region *> maps) {
  auto result = PallasCallOp::create(
      builder, call.getLoc(), results, call.getGrid(), call.getDynamicGrid(),
      call.getIndexOperands(), inputs, mappings, call.getCaptures());
  // Properties are copied as a whole, but for the two that depend on the
  // operands.
  auto properties = call.getProperties();
  properties.operandSegmentSizes = result.getProperties().operandSegmentSizes;
  properties.blockMappings = result.getProperties().blockMappings;
  result.getProperties() = properties;
  result->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  result.getKernel().takeBody(call.getKernel());
  for (unsigned index = 0; index < maps.size(); ++index) {
    if (maps[index]) {
      result.getIndexMaps()[index].takeBody(*maps[index]);
      continue;
    }
    unsigned rank = mappings[index].getDims().size();
    result.createIndexMap(builder, index, [&](OpBuilder &nested, ValueRange) {
      Value zero = arith::ConstantOp::create(nested, call.getLoc(),
                                             nested.getI32IntegerAttr(0));
      return SmallVector<Value>(rank, zero);
    });
  }
  call->replaceAllUsesWith(
      result.getResults().take_front(call.getNumResults()));
  call.erase();
  call = result;
  builder.setInsertionPoint(call);
}
