//===- CallOps.cpp - Operations that run kernels --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders and interface methods of calls, pipelines and maps. The rules are
// checked in GridMappingVerifier.cpp, IndexMapVerifier.cpp and
// MpmdVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "GridClauses.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// The verifier of the attribute has checked the elements.
static SmallVector<BlockMappingAttr> toMappings(ArrayAttr mappings) {
  return llvm::map_to_vector(mappings, [](Attribute mapping) {
    return cast<BlockMappingAttr>(mapping);
  });
}

/// Absent means that nothing is promised: an empty list tells callers so.
static SmallVector<DimensionSemantics>
toSemantics(std::optional<ArrayAttr> semantics) {
  SmallVector<DimensionSemantics> values;
  if (semantics)
    for (auto attr : semantics->getAsRange<DimensionSemanticsAttr>())
      values.push_back(attr.getValue());
  return values;
}

/// Three messages, since the mistakes differ: a kernel in the functional style
/// returns its results, one that carries values forgets them, or types differ.
LogicalResult mlir::pallas::verifyKernelYield(Operation *op, Region &kernel,
                                              StringRef what,
                                              TypeRange expected) {
  // V3
  if (!kernel.hasOneBlock())
    return op->emitOpError() << what << " must have exactly one block, but has "
                             << llvm::range_size(kernel);
  Block &block = kernel.front();
  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  // V3
  if (!yield)
    return op->emitOpError() << what << " must end with pallas.yield";
  if (yield.getOperandTypes() == expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  if (expected.empty())
    diag << what << " must return nothing, but returns "
         << yield.getNumOperands() << " values; write results through output "
         << "refs";
  else if (yield.getOperands().empty())
    diag << what << " must yield values of types " << expected
         << ", but yields nothing; end it with pallas.yield and the values";
  else
    diag << what << " must yield values of types " << expected
         << ", but yields " << yield.getOperandTypes();
  diag.attachNote(yield.getLoc()) << "yielded here";
  return diag;
}

//===----------------------------------------------------------------------===//
// PallasCallOp
//===----------------------------------------------------------------------===//

/// Regions are created empty: `createIndexMap` and `createKernel` fill them,
/// since their arguments depend on the operation as a whole.
void PallasCallOp::build(OpBuilder &builder, OperationState &state,
                         TypeRange outputTypes, ArrayRef<int64_t> grid,
                         ValueRange dynamicGrid, ValueRange indexOperands,
                         ValueRange inputs,
                         ArrayRef<BlockMappingAttr> blockMappings,
                         ValueRange captures) {
  for (ValueRange operands : {captures, dynamicGrid, indexOperands, inputs})
    state.addOperands(operands);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {
      int32_t(captures.size()), int32_t(dynamicGrid.size()),
      int32_t(indexOperands.size()), int32_t(inputs.size())};
  properties.grid = builder.getDenseI64ArrayAttr(grid);
  properties.blockMappings = builder.getArrayAttr(
      SmallVector<Attribute>(blockMappings.begin(), blockMappings.end()));
  state.addTypes(outputTypes);
  state.addRegion();
  for (size_t i = 0; i < blockMappings.size(); ++i)
    state.addRegion();
}

/// `body` gets all arguments of the map: ids, index refs and captures.
void PallasCallOp::createIndexMap(
    OpBuilder &builder, unsigned index,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto grid = cast<GridMappingOpInterface>(getOperation());
  SmallVector<Type> types = grid.getIndexMapArgumentTypes();
  Block *block =
      builder.createBlock(&getIndexMaps()[index], {}, types,
                          SmallVector<Location>(types.size(), getLoc()));
  YieldOp::create(builder, getLoc(), body(builder, block->getArguments()));
}

/// The order of the arguments is that of the interface: captures, index refs,
/// blocks, scratch.
Block *PallasCallOp::createKernel(OpBuilder &builder, TypeRange scratch) {
  auto grid = cast<GridMappingOpInterface>(getOperation());
  SmallVector<Type> types(getCaptures().getTypes());
  llvm::append_range(types, grid.getIndexRefTypes());
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    types.push_back(grid.getBlockRefType(index));
  llvm::append_range(types, scratch);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &getKernel(), {}, types, SmallVector<Location>(types.size(), getLoc()));
  YieldOp::create(builder, getLoc());
  return block;
}

/// Results print under the name of their kernel: `%matmul =
/// pallas.pallas_call`.
void PallasCallOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> name = getKernelName())
    if (getNumResults() != 0)
      setName(getResult(0), *name);
}

SmallVector<int64_t> PallasCallOp::getGridShape() {
  return llvm::to_vector(getGrid());
}
OperandRange PallasCallOp::getDynamicGridOperands() { return getDynamicGrid(); }
OperandRange PallasCallOp::getCaptureOperands() { return getCaptures(); }
OperandRange PallasCallOp::getInputOperands() { return getInputs(); }
SmallVector<Type> PallasCallOp::getOutputArrayTypes() {
  return llvm::to_vector(getResultTypes());
}
SmallVector<BlockMappingAttr> PallasCallOp::getMappings() {
  return toMappings(getBlockMappings());
}
Region *PallasCallOp::getIndexMap(unsigned index) {
  return index < getIndexMaps().size() ? &getIndexMaps()[index] : nullptr;
}
Region &PallasCallOp::getKernelRegion() { return getKernel(); }
ArrayRef<int64_t> PallasCallOp::getVmappedDimensions() {
  return getVmappedDims();
}

/// A dimension without a name has an empty one, so that positions stay.
SmallVector<StringRef> PallasCallOp::getGridDimensionNames() {
  SmallVector<StringRef> names;
  if (std::optional<ArrayAttr> attr = getGridNames())
    for (Attribute name : *attr)
      names.push_back(isa<StringAttr>(name) ? cast<StringAttr>(name).getValue()
                                            : StringRef());
  return names;
}

SmallVector<DimensionSemantics> PallasCallOp::getGridDimensionSemantics() {
  return toSemantics(getDimensionSemantics());
}

SmallVector<std::pair<int64_t, int64_t>> PallasCallOp::getInputOutputAliases() {
  return getAliasPairs(getAliases());
}

/// Checks the operation alone. Rules about regions wait for `verifyRegions`,
/// when nested operations are known to be valid.
LogicalResult PallasCallOp::verify() {
  // J1; counted before anything asks for the map of a block
  if (getIndexMaps().size() != getBlockMappings().size())
    return emitOpError() << "has " << getBlockMappings().size()
                         << " block mappings, but " << getIndexMaps().size()
                         << " index maps; give one index map for each";
  if (std::optional<ArrayAttr> names = getGridNames())
    for (Attribute name : *names)
      // J6
      if (!isa<StringAttr, UnitAttr>(name))
        return emitOpError() << "grid name must be a string, or unit for a "
                                "dimension without name, but is "
                             << name;
  for (auto [index, value] : llvm::enumerate(getCaptures()))
    // W4
    if (isa<RefType>(value.getType()) &&
        llvm::is_contained(getCaptures().take_front(index), value))
      return emitOpError() << "captured value " << index
                           << " is a ref that is captured already; capture "
                              "each ref once and use its argument twice";
  if (failed(verifyGridMappingSignature(*this)))
    return failure();
  SmallVector<Type> inShapes =
      cast<GridMappingOpInterface>(getOperation()).getInShapes();
  return verifyAliases(*this, getAliases(), inShapes, getIndexOperands().size(),
                       getResultTypes());
}

LogicalResult PallasCallOp::verifyRegions() {
  if (failed(verifyGridMapping(*this)))
    return failure();
  // B9
  return verifyKernelYield(*this, getKernel(), "kernel", {});
}

//===----------------------------------------------------------------------===//
// MpmdMapOp
//===----------------------------------------------------------------------===//

void MpmdMapOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (std::optional<ArrayAttr> names = getKernelNames())
    if (getNumResults() != 0 && !names->empty())
      if (auto name = dyn_cast<StringAttr>((*names)[0]))
        setName(getResult(0), name.getValue());
}

/// With one mesh the map is a grid over its axes. Several meshes run different
/// kernels side by side, which no single grid describes.
bool MpmdMapOp::hasGridMapping() {
  return getMeshes().size() == 1 && getKernels().size() == 1;
}

SmallVector<int64_t> MpmdMapOp::getGridShape() {
  return cast<MeshAttr>(getMeshes()[0]).getShape();
}
OperandRange MpmdMapOp::getDynamicGridOperands() {
  return getOperands().take_front(0);
}
OperandRange MpmdMapOp::getCaptureOperands() {
  return getOperands().take_front(0);
}
OperandRange MpmdMapOp::getIndexOperands() {
  return getOperands().take_front(0);
}
OperandRange MpmdMapOp::getInputOperands() { return getInputs(); }
SmallVector<Type> MpmdMapOp::getOutputArrayTypes() {
  return llvm::to_vector(getResultTypes());
}
Region *MpmdMapOp::getIndexMap(unsigned) { return nullptr; }
Region &MpmdMapOp::getKernelRegion() { return getKernels()[0]; }

/// Whole-array blocks in the spaces that the kernel's arguments name. A scalar
/// input has no block: it counts as an array without dimensions.
SmallVector<BlockMappingAttr> MpmdMapOp::getMappings() {
  SmallVector<Type> arrays(getInputs().getTypes());
  llvm::append_range(arrays, getResultTypes());
  SmallVector<BlockMappingAttr> mappings;
  Region &kernel = getKernelRegion();
  unsigned numArguments = kernel.empty() ? 0 : kernel.getNumArguments();
  for (auto [index, array] : llvm::enumerate(arrays)) {
    SmallVector<BlockDimAttr> dims;
    auto space = MemorySpaceAttr::get(getContext(), MemorySpace::Any);
    if (ShapedType shaped = getArrayShapedType(array))
      for (int64_t size : shaped.getShape())
        dims.push_back(
            BlockDimAttr::get(getContext(), BlockDimKind::Blocked, size, 0, 0));
    if (index < numArguments)
      if (auto ref = dyn_cast<RefType>(kernel.getArgument(index).getType()))
        space = ref.getMemorySpace();
    mappings.push_back(BlockMappingAttr::get(getContext(), dims, space,
                                             PipelineModeAttr(), ArrayAttr(),
                                             StringAttr()));
  }
  return mappings;
}

SmallVector<StringRef> MpmdMapOp::getGridDimensionNames() {
  return llvm::map_to_vector(
      cast<MeshAttr>(getMeshes()[0]).getAxes(),
      [](MeshAxisAttr axis) { return axis.getName().getValue(); });
}

SmallVector<DimensionSemantics> MpmdMapOp::getGridDimensionSemantics() {
  return cast<MeshAttr>(getMeshes()[0]).getDimensionSemantics();
}

SmallVector<std::pair<int64_t, int64_t>> MpmdMapOp::getInputOutputAliases() {
  return getAliasPairs(getAliases());
}

//===----------------------------------------------------------------------===//
// EmitPipelineOp
//===----------------------------------------------------------------------===//

SmallVector<int64_t> EmitPipelineOp::getGridShape() {
  return llvm::to_vector(getGrid());
}
OperandRange EmitPipelineOp::getDynamicGridOperands() {
  return getDynamicGrid();
}
OperandRange EmitPipelineOp::getCaptureOperands() {
  return getOperands().take_front(0);
}
OperandRange EmitPipelineOp::getIndexOperands() {
  return getOperands().take_front(0);
}
OperandRange EmitPipelineOp::getInputOperands() { return getInputs(); }
SmallVector<Type> EmitPipelineOp::getOutputArrayTypes() {
  return llvm::to_vector(getOutputs().getTypes());
}
SmallVector<BlockMappingAttr> EmitPipelineOp::getMappings() {
  return toMappings(getBlockMappings());
}
Region *EmitPipelineOp::getIndexMap(unsigned index) {
  return index < getIndexMaps().size() ? &getIndexMaps()[index] : nullptr;
}
Region &EmitPipelineOp::getKernelRegion() { return getKernel(); }
unsigned EmitPipelineOp::getNumLeadingKernelArguments() {
  return getGrid().size();
}
OperandRange EmitPipelineOp::getCarriedOperands() { return getInitCarry(); }
SmallVector<DimensionSemantics> EmitPipelineOp::getGridDimensionSemantics() {
  return toSemantics(getDimensionSemantics());
}

/// Numbers of steps and buffers that a schedule can exist for.
static LogicalResult verifyPipelineBuffers(EmitPipelineOp op) {
  std::optional<uint64_t> steps = op.getMaxConcurrentSteps();
  // V8
  if (steps && int64_t(*steps) < 1)
    return op.emitOpError() << "max_concurrent_steps must be at least 1, but "
                               "is "
                            << int64_t(*steps);
  std::optional<uint64_t> warpgroups = op.getNumComputeWarpgroups();
  // V8
  if (warpgroups && int64_t(*warpgroups) < 1)
    return op.emitOpError()
           << "needs at least 1 compute warpgroup, but has "
           << int64_t(*warpgroups) << "; leave the count out for one";
  for (auto [index, mapping] : llvm::enumerate(op.getMappings())) {
    PipelineModeAttr mode = mapping.getPipelineMode();
    if (!mode)
      continue;
    // V8
    if (steps && mode.getDelayRelease() >= int64_t(*steps))
      return op.emitOpError()
             << "block " << index << " is released " << mode.getDelayRelease()
             << " steps late, but only " << int64_t(*steps)
             << " steps run at once; delay_release must be smaller";
    // V8
    if (mode.getUseLookahead() && index >= op.getInputs().size())
      return op.emitOpError() << "output " << index - op.getInputs().size()
                              << " has lookahead, but only inputs are fetched "
                                 "ahead; leave lookahead out";
  }
  return success();
}

/// A pipeline fetches its first block before it looks at the grid, so each
/// dimension needs a step.
LogicalResult EmitPipelineOp::verify() {
  // J1; counted before anything asks for the map of a block
  if (getIndexMaps().size() != getBlockMappings().size())
    return emitOpError() << "has " << getBlockMappings().size()
                         << " block mappings, but " << getIndexMaps().size()
                         << " index maps; give one index map for each";
  for (auto [dim, size] : llvm::enumerate(getGrid()))
    // V6
    if (size == 0)
      return emitOpError() << "grid dimension " << dim
                           << " has size 0; a pipeline needs sizes of at least "
                              "1, so guard it with scf.if instead";
  // V7
  if (getInitCarry().getTypes() != getResultTypes())
    return emitOpError() << "carries values of types "
                         << getInitCarry().getTypes() << ", but has results "
                         << getResultTypes() << "; yield what is carried";
  for (auto [index, value] : llvm::enumerate(getOutputs()))
    // W4
    if (llvm::is_contained(getOutputs().take_front(index), value))
      return emitOpError() << "output " << index
                           << " is a ref that is an output already; two "
                              "windows of one ref would overwrite each other";
  if (failed(verifyPipelineBuffers(*this)))
    return failure();
  return verifyGridMappingSignature(*this);
}

LogicalResult EmitPipelineOp::verifyRegions() {
  if (failed(verifyGridMapping(*this)))
    return failure();
  ArrayRef<BlockArgument> args = getKernel().getArguments();
  for (BlockArgument arg : args.take_front(getGrid().size()))
    // V7
    if (!arg.getType().isInteger(32))
      return emitOpError() << "kernel argument " << arg.getArgNumber()
                           << " is a grid index, so it must have type i32, but "
                              "has type "
                           << arg.getType();
  for (auto [arg, type] :
       llvm::zip(args.take_back(getNumResults()), getInitCarry().getTypes()))
    // V7
    if (arg.getType() != type)
      return emitOpError() << "kernel argument " << arg.getArgNumber()
                           << " is carried, so it must have type " << type
                           << ", but has type " << arg.getType();
  return verifyKernelYield(*this, getKernel(), "kernel", getResultTypes());
}
