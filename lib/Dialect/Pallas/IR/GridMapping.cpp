//===- GridMapping.cpp - What a grid mapping implies, and its rules
//---------------------===//

#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Derived properties
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> GridMappingOpInterface::getStaticGrid() {
  if (!hasStaticGrid())
    return std::nullopt;
  return getGridShape();
}

unsigned GridMappingOpInterface::getNumDynamicGridBounds() {
  return llvm::count_if(getGridShape(), ShapedType::isDynamic);
}

int64_t GridMappingOpInterface::getNumScratchOperands() {
  int64_t implied = getNumCaptures() + getNumLeadingKernelArguments() +
                    getNumIndexOperands() + getNumBlocks() +
                    getCarriedOperands().size();
  return int64_t(getKernelRegion().getNumArguments()) - implied;
}

unsigned GridMappingOpInterface::getNumUserGridDimensions() {
  return getGridRank() - getVmappedDimensions().size();
}

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

SmallVector<Type> GridMappingOpInterface::getInShapes() {
  SmallVector<Type> types(getIndexOperands().getTypes());
  llvm::append_range(types, getInputOperands().getTypes());
  return types;
}

Type GridMappingOpInterface::getArrayType(unsigned index) {
  if (index < getNumInputs())
    return getInputOperands()[index].getType();
  return getOutputArrayTypes()[index - getNumInputs()];
}

/// The shape and elements of an array operand: a tensor, a pinned one or a ref.
static ShapedType getArrayShapedType(Type type) {
  if (auto pinned = dyn_cast<PinnedType>(type))
    return pinned.getArrayType();
  return dyn_cast<ShapedType>(type);
}

RefType GridMappingOpInterface::getBlockRefType(unsigned index) {
  ShapedType array = getArrayShapedType(getArrayType(index));
  return getMappings()[index].getRefType(array.getElementType());
}

bool GridMappingOpInterface::hasTrivialWindow(unsigned index) {
  ShapedType array = getArrayShapedType(getArrayType(index));
  if (!getMappings()[index].coversWholeArray(array.getShape()))
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

SmallVector<Type> GridMappingOpInterface::getIndexMapArgumentTypes() {
  Builder builder(getContext());
  SmallVector<Type> types(getGridRank(), builder.getI32Type());
  llvm::append_range(types, getIndexRefTypes());
  llvm::append_range(types, getCaptureOperands().getTypes());
  return types;
}

std::optional<int64_t> mlir::pallas::getConstantInteger(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

GridMappingOpInterface mlir::pallas::getEnclosingGrid(Operation *op) {
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (auto grid = dyn_cast<GridMappingOpInterface>(op))
      if (!isa<EmitPipelineOp>(op))
        return grid;
  return {};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
/// Checks one grid mapping; every message names the operand it is about.
class GridMappingVerifier {
public:
  explicit GridMappingVerifier(GridMappingOpInterface op) : op(op) {}

  LogicalResult verify() {
    return success(succeeded(verifyGrid()) &&
                   succeeded(verifyBlockMappings()) &&
                   succeeded(verifyIndexMaps()) && succeeded(verifyKernel()) &&
                   succeeded(verifyAliases()));
  }

private:
  LogicalResult verifyGrid();
  LogicalResult verifyVmappedDimensions();
  LogicalResult verifyBlockMappings();
  LogicalResult verifyIndexMaps();
  LogicalResult verifyIndexMap(unsigned index, Region &map);
  LogicalResult verifyKernel();
  LogicalResult verifyAliases();

  /// `input 1 (args[1])` or `output 0`.
  std::string describeBlock(unsigned index) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (index < op.getNumInputs())
      os << "input " << index;
    else
      os << "output " << index - op.getNumInputs();
    SmallVector<BlockMappingAttr> mappings = op.getMappings();
    if (index < mappings.size() && mappings[index].getOrigin())
      os << " (" << mappings[index].getOrigin().getValue() << ")";
    return text;
  }

  GridMappingOpInterface op;
};
} // namespace

LogicalResult GridMappingVerifier::verifyGrid() {
  SmallVector<int64_t> grid = op.getGridShape();
  for (auto [dim, size] : llvm::enumerate(grid))
    // A7
    if (size < 0 && !ShapedType::isDynamic(size))
      return op.emitOpError()
             << "grid dimension " << dim << " has size " << size
             << "; a size must be at least 0, or dynamic with an operand";
  // A7
  if (op.getNumDynamicGridBounds() != op.getDynamicGridOperands().size())
    return op.emitOpError()
           << "grid has " << op.getNumDynamicGridBounds()
           << " dynamic dimensions, but " << op.getDynamicGridOperands().size()
           << " sizes are given; pass one i32 or index per dynamic dimension";

  SmallVector<StringRef> names = op.getGridDimensionNames();
  // J6
  if (!names.empty() && names.size() != grid.size())
    return op.emitOpError()
           << "has " << names.size() << " grid names, but the grid has rank "
           << grid.size() << "; name every dimension or none";
  llvm::StringSet<> seen;
  for (StringRef name : names)
    // A7; the dimensions that batching adds have no name
    if (!name.empty() && !seen.insert(name).second)
      return op.emitOpError() << "grid name \"" << name
                              << "\" appears twice; name each dimension once";
  if (failed(verifyVmappedDimensions()))
    return failure();

  SmallVector<DimensionSemantics> semantics = op.getGridDimensionSemantics();
  if (!semantics.empty() && semantics.size() != op.getNumUserGridDimensions())
    return op.emitOpError()
           << "has " << semantics.size() << " dimension semantics, but "
           << op.getNumUserGridDimensions()
           << " grid dimensions that are not vmapped; say one for each";
  return success();
}

LogicalResult GridMappingVerifier::verifyVmappedDimensions() {
  ArrayRef<int64_t> vmapped = op.getVmappedDimensions();
  int64_t rank = op.getGridRank();
  int64_t previous = -1;
  for (int64_t dim : vmapped) {
    // J5
    if (dim < 0 || dim >= rank)
      return op.emitOpError() << "vmapped dimension " << dim
                              << " is out of range for a grid of rank " << rank;
    // J8
    if (dim <= previous)
      return op.emitOpError()
             << "vmapped dimension " << dim << " follows " << previous
             << "; list them in ascending order, each once";
    previous = dim;
  }
  return success();
}

LogicalResult GridMappingVerifier::verifyBlockMappings() {
  SmallVector<BlockMappingAttr> mappings = op.getMappings();
  // J1
  if (mappings.size() != op.getNumBlocks())
    return op.emitOpError()
           << "has " << mappings.size() << " block mappings, but "
           << op.getNumInputs() << " inputs and " << op.getNumOutputs()
           << " outputs; give one block mapping for each of them";
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    ShapedType array = getArrayShapedType(op.getArrayType(index));
    // D1
    if (!array || !array.hasRank())
      return op.emitOpError()
             << describeBlock(index) << " cannot be cut into blocks: its type "
             << op.getArrayType(index) << " has no shape";
    // D2, E2
    if (int64_t(mapping.getDims().size()) != array.getRank())
      return op.emitOpError()
             << "block shape for " << describeBlock(index) << " has "
             << mapping.getDims().size() << " dimensions, but the array "
             << op.getArrayType(index) << " has " << array.getRank()
             << "; give one block dimension per array dimension, `squeezed` "
                "for those that the kernel should not see";
  }
  return success();
}

LogicalResult GridMappingVerifier::verifyIndexMaps() {
  for (unsigned index = 0, e = op.getNumBlocks(); index < e; ++index)
    if (Region *map = op.getIndexMap(index))
      if (failed(verifyIndexMap(index, *map)))
        return failure();
  return success();
}

LogicalResult GridMappingVerifier::verifyIndexMap(unsigned index, Region &map) {
  if (!map.hasOneBlock())
    return op.emitOpError()
           << "index map of " << describeBlock(index)
           << " must have exactly one block, but has " << llvm::range_size(map);
  Block &block = map.front();
  SmallVector<Type> expected = op.getIndexMapArgumentTypes();
  // J2
  if (block.getNumArguments() != expected.size())
    return op.emitOpError()
           << "index map of " << describeBlock(index) << " takes "
           << block.getNumArguments() << " arguments, but needs "
           << expected.size() << ": " << op.getGridRank() << " program ids, "
           << op.getNumIndexOperands() << " index refs and "
           << op.getNumCaptures() << " captured values";
  for (auto [position, type] : llvm::enumerate(expected))
    // J4, J7, C6
    if (block.getArgument(position).getType() != type)
      return op.emitOpError()
             << "argument " << position << " of the index map of "
             << describeBlock(index) << " has type "
             << block.getArgument(position).getType() << ", but must be "
             << type;

  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield)
    return op.emitOpError() << "index map of " << describeBlock(index)
                            << " must end with pallas.yield";
  unsigned needed = op.getMappings()[index].getNumIndexMapResults();
  // D8, D9
  if (yield.getNumOperands() != needed) {
    InFlightDiagnostic diag =
        op.emitOpError() << "index map of " << describeBlock(index)
                         << " must return " << needed << " values, but returns "
                         << yield.getNumOperands()
                         << "; return one per block dimension, and a start and "
                            "a size for a bounded one";
    diag.attachNote(yield.getLoc()) << "returned here";
    return diag;
  }
  for (auto [position, type] : llvm::enumerate(yield.getOperandTypes())) {
    // D11, E3
    if (type.isInteger(32) || type.isInteger(64) || type.isIndex())
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "index map of " << describeBlock(index)
                              << " must return integer scalars, but result "
                              << position << " has type " << type
                              << "; return i32, i64 or index";
    diag.attachNote(yield.getLoc()) << "returned here";
    return diag;
  }
  WalkResult walk = map.walk([&](Operation *nested) {
    // D13
    if (isa<NumProgramsOp, AxisSizeOp>(nested) ||
        nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(nested) ||
        hasSingleEffect<MemoryEffects::Read>(nested))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        nested->emitOpError()
        << "may not stand in an index map, which may only compute and read "
           "index refs: it runs ahead of the kernel, any number of times";
    diag.attachNote(op.getLoc())
        << "in the index map of " << describeBlock(index);
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult GridMappingVerifier::verifyKernel() {
  Region &kernel = op.getKernelRegion();
  if (!kernel.hasOneBlock())
    return op.emitOpError() << "kernel must have exactly one block, but has "
                            << llvm::range_size(kernel);
  // J8, E1
  if (op.getNumScratchOperands() < 0)
    return op.emitOpError()
           << "kernel takes " << kernel.getNumArguments()
           << " arguments, but needs at least "
           << int64_t(kernel.getNumArguments()) - op.getNumScratchOperands()
           << ": " << op.getNumCaptures() << " captured values, "
           << op.getNumLeadingKernelArguments() << " indices, "
           << op.getNumIndexOperands() << " index refs, " << op.getNumInputs()
           << " inputs and " << op.getNumOutputs() << " outputs";
  for (auto [arg, value] :
       llvm::zip(op.getKernelCaptures(), op.getCaptureOperands()))
    if (arg.getType() != value.getType())
      return op.emitOpError()
             << "kernel argument " << arg.getArgNumber()
             << " stands for a captured value of type " << value.getType()
             << ", but has type " << arg.getType();
  for (auto [arg, type] : llvm::zip(op.sliceIndexOps(), op.getIndexRefTypes()))
    // C6
    if (arg.getType() != type)
      return op.emitOpError()
             << "kernel argument " << arg.getArgNumber()
             << " stands for an index operand, so it must have type " << type
             << ", but has type " << arg.getType();
  for (auto [index, arg] : llvm::enumerate(op.sliceBlockOps())) {
    RefType expected = op.getBlockRefType(index);
    // E1
    if (arg.getType() != expected) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "kernel argument " << arg.getArgNumber()
                                << " is the block of " << describeBlock(index)
                                << ", so it must have type " << expected
                                << ", but has type " << arg.getType();
      diag.attachNote(arg.getLoc()) << "declared here";
      return diag;
    }
  }
  for (BlockArgument arg : op.sliceScratchOps())
    // A8
    if (!isa<RefType, AccumulatorType>(arg.getType()))
      return op.emitOpError()
             << "scratch argument " << arg.getArgNumber()
             << " of the kernel must be a ref, but has type " << arg.getType();
  return success();
}

LogicalResult GridMappingVerifier::verifyAliases() {
  llvm::SmallDenseSet<int64_t> seenInputs, seenOutputs;
  int64_t numIndex = op.getNumIndexOperands();
  int64_t numPositions = numIndex + op.getNumInputs();
  SmallVector<Type> outputs = op.getOutputArrayTypes();
  SmallVector<Type> inputs = op.getInShapes();
  for (auto [input, output] : op.getInputOutputAliases()) {
    auto error = [&, in = input, out = output] {
      return op.emitOpError() << "alias " << in << " -> " << out << " ";
    };
    // B12
    if (input < 0 || input >= numPositions)
      return error() << "names an input that does not exist: the call has "
                     << numPositions
                     << " index operands and inputs, counted from 0";
    // B13
    if (output < 0 || output >= int64_t(outputs.size()))
      return error() << "names an output that does not exist: the call has "
                     << outputs.size() << " outputs, counted from 0";
    // B15
    if (input < numIndex)
      return error() << "names an index operand; only inputs can share memory "
                        "with an output, from position "
                     << numIndex << " on";
    // B14, K3
    if (inputs[input] != outputs[output])
      return error() << "joins arrays of different types, " << inputs[input]
                     << " and " << outputs[output]
                     << "; both must have the same shape and element type";
    // B15
    if (!seenInputs.insert(input).second)
      return error() << "names an input that is aliased already";
    if (!seenOutputs.insert(output).second)
      return error() << "names an output that is aliased already";
  }
  for (auto [index, type] : llvm::enumerate(op.getInputOperands().getTypes()))
    // K2
    if (isa<PinnedType>(type) && !seenInputs.contains(numIndex + index))
      return op.emitOpError() << "pinned " << describeBlock(index)
                              << " must be aliased to an output; add the alias "
                              << numIndex + index << " -> <output>";
  return success();
}

LogicalResult mlir::pallas::verifyGridMapping(GridMappingOpInterface op) {
  return GridMappingVerifier(op).verify();
}
