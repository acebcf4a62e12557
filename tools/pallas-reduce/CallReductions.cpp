//===- CallReductions.cpp - Smaller calls and functions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

static SmallVector<PallasCallOp> getCalls(ModuleOp module) {
  SmallVector<PallasCallOp> calls;
  module.walk([&](PallasCallOp call) { calls.push_back(call); });
  return calls;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

namespace {
struct GridChange {
  PallasCallOp call;
  unsigned dim;
  /// The new size; 0 drops the dimension, which has one program.
  int64_t size;
};
} // namespace

static SmallVector<GridChange> getGridChanges(ModuleOp module) {
  SmallVector<GridChange> changes;
  for (PallasCallOp call : getCalls(module))
    for (auto [dim, size] : llvm::enumerate(call.getGrid())) {
      if (size == 1)
        changes.push_back({call, unsigned(dim), 0});
      for (int64_t smaller : {int64_t(1), int64_t(2), size / 2, size - 1})
        if (smaller > 0 && smaller < size)
          changes.push_back({call, unsigned(dim), smaller});
    }
  return changes;
}

/// Programs have coordinate 0 along the dimension, and none afterwards.
static void dropGridDimension(PallasCallOp call, unsigned dim) {
  auto shift = [&](auto query) {
    uint64_t axis = query.getAxis();
    if (axis > dim)
      query.setAxis(axis - 1);
    return axis == dim;
  };
  OpBuilder builder(call);
  auto replace = [&](Operation *op, int32_t value) {
    builder.setInsertionPoint(op);
    op->getResult(0).replaceAllUsesWith(arith::ConstantIntOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), value));
    op->erase();
  };
  call.getKernel().walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op); id && shift(id))
      replace(op, 0);
    else if (auto size = dyn_cast<NumProgramsOp>(op); size && shift(size))
      replace(op, 1);
  });
  for (Region &map : call.getIndexMaps()) {
    if (map.empty())
      continue;
    BlockArgument id = map.getArgument(dim);
    builder.setInsertionPointToStart(&map.front());
    id.replaceAllUsesWith(
        arith::ConstantIntOp::create(builder, call.getLoc(), id.getType(), 0));
    map.eraseArgument(dim);
  }
  SmallVector<int64_t> grid(call.getGrid());
  grid.erase(grid.begin() + dim);
  call.setGrid(grid);
  call.removeGridNamesAttr();
  call.removeDimensionSemanticsAttr();
}

static unsigned countGrids(ModuleOp module) {
  return getGridChanges(module).size();
}

static bool changeGrid(ModuleOp module, unsigned begin, unsigned) {
  GridChange change = getGridChanges(module)[begin];
  if (!change.size) {
    if (!change.call.getVmappedDims().empty())
      return false;
    dropGridDimension(change.call, change.dim);
    return true;
  }
  SmallVector<int64_t> grid(change.call.getGrid());
  grid[change.dim] = change.size;
  change.call.setGrid(grid);
  return true;
}

//===----------------------------------------------------------------------===//
// Operands and outputs
//===----------------------------------------------------------------------===//

/// Block `index` of a call and whether nothing needs it: no operation of the
/// kernel an input, nor anybody an output, which becomes scratch.
static bool canDropBlock(PallasCallOp call, unsigned index) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  if (index < grid.getNumInputs())
    return grid.sliceBlockOps()[index].use_empty();
  return call.getResult(index - grid.getNumInputs()).use_empty();
}

static SmallVector<std::pair<PallasCallOp, unsigned>>
getDroppableBlocks(ModuleOp module) {
  SmallVector<std::pair<PallasCallOp, unsigned>> blocks;
  for (PallasCallOp call : getCalls(module)) {
    auto grid = cast<GridMappingOpInterface>(call.getOperation());
    // A call of nothing is none.
    for (unsigned i = 0; i < grid.getNumBlocks() && grid.getNumBlocks() > 1;
         ++i)
      if (canDropBlock(call, i))
        blocks.push_back({call, i});
  }
  return blocks;
}

/// Without the block of this number.
static void dropBlock(PallasCallOp call, unsigned index) {
  auto grid = cast<GridMappingOpInterface>(call.getOperation());
  unsigned numInputs = grid.getNumInputs();
  bool isInput = index < numInputs;
  Block &kernel = call.getKernel().front();
  BlockArgument argument = grid.sliceBlockOps()[index];
  if (!isInput)
    argument.replaceAllUsesWith(
        kernel.addArgument(argument.getType(), argument.getLoc()));
  kernel.eraseArgument(argument.getArgNumber());

  SmallVector<Attribute> mappings(call.getBlockMappings().getValue());
  mappings.erase(mappings.begin() + index);
  SmallVector<Type> types(call.getResultTypes());
  if (!isInput)
    types.erase(types.begin() + (index - numInputs));
  if (isInput)
    call.getInputsMutable().erase(index);

  OpBuilder builder(call);
  OperationState state(call.getLoc(), call->getName());
  state.addOperands(call->getOperands());
  state.addTypes(types);
  state.addAttributes(call->getAttrDictionary().getValue());
  state.attributes.set(call.getBlockMappingsAttrName(),
                       ArrayAttr::get(call.getContext(), mappings));
  // Numbers of operands in it are others now.
  state.attributes.set(call.getAliasesAttrName(),
                       builder.getDenseI64ArrayAttr({}));
  state.addRegion()->takeBody(call.getKernel());
  for (auto [i, map] : llvm::enumerate(call.getIndexMaps()))
    if (i != index)
      state.addRegion()->takeBody(map);
  Operation *smaller = builder.create(state);
  unsigned next = 0;
  for (auto [i, result] : llvm::enumerate(call.getResults()))
    if (isInput || i != index - numInputs)
      result.replaceAllUsesWith(smaller->getResult(next++));
  call.erase();
}

static unsigned countBlocks(ModuleOp module) {
  return getDroppableBlocks(module).size();
}

static bool changeBlocks(ModuleOp module, unsigned begin, unsigned) {
  auto [call, index] = getDroppableBlocks(module)[begin];
  dropBlock(call, index);
  return true;
}

static SmallVector<BlockArgument> getUnusedScratch(ModuleOp module) {
  SmallVector<BlockArgument> unused;
  for (PallasCallOp call : getCalls(module))
    for (BlockArgument scratch :
         cast<GridMappingOpInterface>(call.getOperation()).sliceScratchOps())
      if (scratch.use_empty())
        unused.push_back(scratch);
  return unused;
}

static unsigned countScratch(ModuleOp module) {
  return getUnusedScratch(module).size();
}

static bool dropScratch(ModuleOp module, unsigned begin, unsigned end) {
  SmallVector<BlockArgument> unused = getUnusedScratch(module);
  for (unsigned i = end; i > begin; --i)
    unused[i - 1].getOwner()->eraseArgument(unused[i - 1].getArgNumber());
  return begin < end;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Attributes that operations may do without.
static SmallVector<std::pair<Operation *, StringAttr>>
getOptionalAttributes(ModuleOp module) {
  SmallVector<std::pair<Operation *, StringAttr>> attributes;
  module.walk([&](Operation *op) {
    for (NamedAttribute attr : op->getDiscardableAttrs())
      attributes.push_back({op, attr.getName()});
    if (!isa<PallasCallOp, MpmdMapOp>(op))
      return;
    for (StringRef name :
         {"kernelName", "gridNames", "aliases", "dimensionSemantics",
          "compilerParams", "costEstimate", "metadata", "kernelNames"})
      if (Attribute attr = op->getInherentAttr(name).value_or(nullptr);
          attr && attr != Builder(op->getContext()).getDenseI64ArrayAttr({}))
        attributes.push_back({op, StringAttr::get(op->getContext(), name)});
  });
  return attributes;
}

static unsigned countAttributes(ModuleOp module) {
  return getOptionalAttributes(module).size();
}

static bool dropAttributes(ModuleOp module, unsigned begin, unsigned end) {
  auto attributes = getOptionalAttributes(module);
  for (auto [op, name] : ArrayRef(attributes).slice(begin, end - begin))
    if (isa_and_present<DenseI64ArrayAttr>(op->getAttr(name)))
      op->setAttr(name, Builder(op->getContext()).getDenseI64ArrayAttr({}));
    else
      op->removeAttr(name);
  return begin < end;
}

//===----------------------------------------------------------------------===//
// Arguments and results of functions
//===----------------------------------------------------------------------===//

/// Callers would have to change with a function, so it has none.
static SmallVector<func::FuncOp> getEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function.getBody().hasOneBlock() &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      entries.push_back(function);
  return entries;
}

static SmallVector<BlockArgument> getUnusedArguments(ModuleOp module) {
  SmallVector<BlockArgument> arguments;
  for (func::FuncOp function : getEntries(module))
    for (BlockArgument argument : function.getArguments())
      if (argument.use_empty())
        arguments.push_back(argument);
  return arguments;
}

static unsigned countArguments(ModuleOp module) {
  return getUnusedArguments(module).size();
}

static bool dropArguments(ModuleOp module, unsigned begin, unsigned end) {
  SmallVector<BlockArgument> arguments = getUnusedArguments(module);
  bool isChanged = false;
  for (unsigned i = end; i > begin; --i) {
    auto function =
        cast<func::FuncOp>(arguments[i - 1].getOwner()->getParentOp());
    isChanged |=
        succeeded(function.eraseArgument(arguments[i - 1].getArgNumber()));
  }
  return isChanged;
}

static SmallVector<std::pair<func::FuncOp, unsigned>>
getFunctionResults(ModuleOp module) {
  SmallVector<std::pair<func::FuncOp, unsigned>> results;
  for (func::FuncOp function : getEntries(module))
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      results.push_back({function, i});
  return results;
}

static unsigned countResults(ModuleOp module) {
  return getFunctionResults(module).size();
}

static bool dropResults(ModuleOp module, unsigned begin, unsigned end) {
  auto results = getFunctionResults(module);
  bool isChanged = false;
  for (unsigned i = end; i > begin; --i) {
    auto [function, number] = results[i - 1];
    function.getBody().front().getTerminator()->eraseOperand(number);
    isChanged |= succeeded(function.eraseResult(number));
  }
  return isChanged;
}

void pallas::addCallReductions(SmallVectorImpl<Reduction> &reductions) {
  reductions.append({
      {"fewer results", countResults, dropResults},
      {"fewer attributes", countAttributes, dropAttributes},
      {"smaller grids", countGrids, changeGrid, /*inChunks=*/false},
      {"fewer operands of calls", countBlocks, changeBlocks,
       /*inChunks=*/false},
      {"less scratch memory", countScratch, dropScratch},
      {"fewer arguments", countArguments, dropArguments},
  });
}
