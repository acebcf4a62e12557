//===- GridMapping.cpp - What a grid mapping implies ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default methods of the interface of grid mappings: everything that follows
// from the grid, the block mappings and the order of the kernel's arguments.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/AliasedRefs.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Derived properties
//===----------------------------------------------------------------------===//

/// For analyses that count programs; lowerings take sizes as values instead.
std::optional<SmallVector<int64_t>> GridMappingOpInterface::getStaticGrid() {
  if (!hasStaticGrid())
    return std::nullopt;
  return getGridShape();
}

unsigned GridMappingOpInterface::getNumDynamicGridBounds() {
  return llvm::count_if(getGridShape(), ShapedType::isDynamic);
}

/// Scratch memory has no operands, so its number follows from what else the
/// kernel takes. It may be negative before the verifier has run.
int64_t GridMappingOpInterface::getNumScratchOperands() {
  int64_t implied = getNumCaptures() + getNumLeadingKernelArguments() +
                    getNumIndexOperands() + getNumBlocks() +
                    getCarriedOperands().size();
  return int64_t(getKernelRegion().getNumArguments()) - implied;
}

/// `vmap` adds dimensions in front that the kernel does not see.
unsigned GridMappingOpInterface::getNumUserGridDimensions() {
  return getGridRank() - getVmappedDimensions().size();
}

/// Program ids in a kernel count the dimensions that users wrote. With a grid
/// of (b, m, n), where `vmap` added b, `program_id 0` is that of dimension 1.
unsigned GridMappingOpInterface::getGridDimensionOfAxis(unsigned axis) {
  ArrayRef<int64_t> vmapped = getVmappedDimensions();
  unsigned dim = 0;
  for (;; ++dim) {
    if (llvm::is_contained(vmapped, int64_t(dim)))
      continue;
    if (axis-- == 0)
      return dim;
  }
}

/// In the order of JAX's arguments: scalars for prefetch, then arrays.
SmallVector<Type> GridMappingOpInterface::getInShapes() {
  SmallVector<Type> types(getIndexOperands().getTypes());
  llvm::append_range(types, getInputOperands().getTypes());
  return types;
}

/// Blocks are numbered through, inputs before outputs.
Type GridMappingOpInterface::getArrayType(unsigned index) {
  if (index < getNumInputs())
    return getInputOperands()[index].getType();
  return getOutputArrayTypes()[index - getNumInputs()];
}

/// A pinned array is a handle; its windows are those of the array behind it.
ShapedType mlir::pallas::getArrayShapedType(Type type) {
  if (auto pinned = dyn_cast<PinnedType>(type))
    return pinned.getArrayType();
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() ? shaped : ShapedType();
}

/// Null for what the verifier reports, so that it can ask before it has
/// checked.
RefType GridMappingOpInterface::getBlockRefType(unsigned index) {
  ShapedType array = getArrayShapedType(getArrayType(index));
  SmallVector<BlockMappingAttr> mappings = getMappings();
  if (!array || index >= mappings.size() ||
      !RefType::isValidElementType(array.getElementType()))
    return {};
  return mappings[index].getRefType(array.getElementType());
}

/// A window that is the whole array and never moves needs no copies, and no
/// second buffer.
bool GridMappingOpInterface::hasTrivialWindow(unsigned index) {
  ShapedType array = getArrayShapedType(getArrayType(index));
  if (!array || !getMappings()[index].coversWholeArray(array.getShape()))
    return false;
  Region *map = getIndexMap(index);
  if (!map)
    return true;
  return llvm::all_of(
      map->front().getTerminator()->getOperands(),
      [](Value result) { return getConstantInteger(result) == 0; });
}

SmallVector<BlockMappingAttr> GridMappingOpInterface::getBlockMappingsOutput() {
  SmallVector<BlockMappingAttr> mappings = getMappings();
  mappings.erase(mappings.begin(), mappings.begin() + getNumInputs());
  return mappings;
}

Block::BlockArgListType GridMappingOpInterface::getKernelCaptures() {
  return getKernelRegion().getArguments().take_front(getNumCaptures());
}

Block::BlockArgListType GridMappingOpInterface::sliceIndexOps() {
  return getKernelRegion().getArguments().slice(
      getNumCaptures() + getNumLeadingKernelArguments(), getNumIndexOperands());
}

/// Whether refs in this space are windows, which copies fill and empty.
static bool isWindowed(BlockMappingAttr mapping) {
  switch (mapping.getMemorySpace().getSpace()) {
  case MemorySpace::Any:
  case MemorySpace::Hbm:
  case MemorySpace::Gmem:
  case MemorySpace::Host:
    return false;
  default:
    return true;
  }
}

/// An aliased input and output are one array, but where windows are copied, the
/// kernel's refs are two buffers. Only refs of the array itself, with the same
/// windows, are the same memory.
bool GridMappingOpInterface::sharesMemory(unsigned input, unsigned output) {
  if (isa<MpmdMapOp>(getOperation()))
    return true;
  unsigned other = getNumInputs() + output;
  SmallVector<BlockMappingAttr> mappings = getMappings();
  if (isWindowed(mappings[input]) || isWindowed(mappings[other]) ||
      mappings[input].getDims() != mappings[other].getDims())
    return false;
  Region *inputMap = getIndexMap(input), *outputMap = getIndexMap(other);
  if (!inputMap || !outputMap)
    return inputMap == outputMap;
  return OperationEquivalence::isRegionEquivalentTo(
      inputMap, outputMap, OperationEquivalence::IgnoreLocations);
}

/// The output's ref stays, since it outlives the kernel.
static void joinRefs(Region &kernel, unsigned input, unsigned output) {
  BlockArgument from = kernel.getArgument(input),
                to = kernel.getArgument(output);
  if (from.getType() == to.getType())
    from.replaceAllUsesWith(to);
}

void mlir::pallas::joinAliasedRefs(MpmdMapOp map) {
  for (auto [input, output] : map.getInputOutputAliases())
    for (Region &kernel : map.getKernels())
      joinRefs(kernel, input, map.getInputs().size() + output);
}

void GridMappingOpInterface::joinAliasedRefs() {
  if (auto map = dyn_cast<MpmdMapOp>(getOperation()))
    return pallas::joinAliasedRefs(map);
  unsigned numIndex = getNumIndexOperands(), numInputs = getNumInputs();
  unsigned first = getNumCaptures() + getNumLeadingKernelArguments();
  for (auto [operand, output] : getInputOutputAliases())
    if (operand >= numIndex && sharesMemory(operand - numIndex, output))
      joinRefs(getKernelRegion(), first + operand,
               first + numIndex + numInputs + output);
}

Block::BlockArgListType GridMappingOpInterface::sliceBlockOps() {
  return getKernelRegion().getArguments().slice(
      getNumCaptures() + getNumLeadingKernelArguments() + getNumIndexOperands(),
      getNumBlocks());
}

Block::BlockArgListType GridMappingOpInterface::sliceScratchOps() {
  return getKernelRegion()
      .getArguments()
      .drop_back(getCarriedOperands().size())
      .take_back(getNumScratchOperands());
}

SmallVector<Type> GridMappingOpInterface::getIndexRefTypes() {
  return llvm::map_to_vector(getIndexOperands().getTypes(), [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    // C6
    return Type(RefType::get(tensor.getShape(), tensor.getElementType(),
                             MemorySpace::Smem));
  });
}

/// Index maps run before a program starts, where ids are i32, as in JAX.
SmallVector<Type> GridMappingOpInterface::getIndexMapArgumentTypes() {
  Builder builder(getContext());
  SmallVector<Type> types(getGridRank(), builder.getI32Type());
  llvm::append_range(types, getIndexRefTypes());
  llvm::append_range(types, getCaptureOperands().getTypes());
  return types;
}

/// Wider integers have no place in an int64_t, and are no sizes or indices.
/// Analyses ask for each value of an index map, and nearly all of them are
/// arguments or results of `arith`, which need no folding to tell.
std::optional<int64_t> mlir::pallas::getConstantInteger(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() > 0)
    return std::nullopt;
  if (auto known = dyn_cast<arith::ConstantOp>(op))
    if (auto integer = dyn_cast<IntegerAttr>(known.getValue());
        integer && integer.getValue().getSignificantBits() <= 64)
      return integer.getValue().getSExtValue();
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

/// Pipelines are skipped: `program_id` in one means the grid of the call
/// around.
GridMappingOpInterface mlir::pallas::getEnclosingGrid(Operation *op) {
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (auto grid = dyn_cast<GridMappingOpInterface>(op))
      if (!isa<EmitPipelineOp>(op))
        return grid;
  return {};
}

/// Size of the axis of this name among those that `owner` gives to the kernel
/// that holds `inner`.
static std::optional<int64_t> getOwnAxis(Operation *owner, Operation *inner,
                                         StringRef name) {
  if (auto coreMap = dyn_cast<CoreMapOp>(owner))
    return coreMap.getMesh().getAxisSize(name);
  if (auto mpmd = dyn_cast<MpmdMapOp>(owner)) {
    unsigned kernel = inner->getParentRegion()->getRegionNumber();
    if (kernel >= mpmd.getMeshes().size())
      return std::nullopt;
    return cast<MeshAttr>(mpmd.getMeshes()[kernel]).getAxisSize(name);
  }
  auto grid = cast<GridMappingOpInterface>(owner);
  for (auto [dimName, size] :
       llvm::zip(grid.getGridDimensionNames(), grid.getGridShape()))
    if (dimName == name)
      return size;
  return std::nullopt;
}

/// Outside of any kernel, as in a function that is yet to be inlined, every
/// name may come to exist.
LogicalResult mlir::pallas::verifyAxisName(Operation *op, StringRef what,
                                           StringRef name) {
  AxisLookup found = lookUpAxis(op, name);
  // V9, V25
  if (!found.owner || found.size)
    return success();
  InFlightDiagnostic diag =
      op->emitOpError() << what << " the axis \"" << name
                        << "\", which the kernel around does not have; name an "
                           "axis of its mesh or grid";
  diag.attachNote(found.owner->getLoc()) << "the kernel belongs to this";
  return diag;
}

/// Looks from the inside out, so an inner mesh hides an outer axis of the same
/// name. `owner` is the innermost kernel, which a message points to.
AxisLookup mlir::pallas::lookUpAxis(Operation *op, StringRef name) {
  AxisLookup result;
  for (Operation *inner = op, *owner; (owner = inner->getParentOp());
       inner = owner) {
    if (!isa<CoreMapOp, MpmdMapOp, PallasCallOp>(owner))
      continue;
    if (!result.owner)
      result.owner = owner;
    if ((result.size = getOwnAxis(owner, inner, name))) {
      result.holder = owner;
      return result;
    }
  }
  return result;
}
