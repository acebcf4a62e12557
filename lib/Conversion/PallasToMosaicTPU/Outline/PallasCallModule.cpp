//===- PallasCallModule.cpp - The module of a pipelined kernel ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pallas_call has a grid and windows. Mosaic runs the grid and copies the
// windows; the module tells it how by attributes and by one transform per
// window.
//
//===----------------------------------------------------------------------===//

#include "../Memory/Allocation.h"
#include "../Plan/TPUFootprint.h"
#include "KernelModule.h"
#include "pallas/Conversion/PallasToMosaicTPU/PallasToMosaicTPU.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/CompilerParams.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

/// The cast is what the conversion of bodies starts from. It takes the same
/// uses, so that nothing in the body has to change here.
void mlir::pallas::replaceRef(OpBuilder &builder, Value argument,
                              Value memref) {
  auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(),
                                                 argument.getType(), memref);
  argument.replaceAllUsesWith(cast.getResult(0));
}

/// Replaces queries of the kernel about its grid by the arguments that Mosaic
/// passes and by bounds of its loops:
///
///   %i = pallas.program_id 0
///   %n = pallas.num_programs 0
///
/// become the argument of dimension 0, and a constant where the grid is static.
static void answerGridQueries(GridMappingOpInterface op, ValueRange indices) {
  SmallVector<int64_t> grid = op.getGridShape();
  replaceGridQueries(op.getKernelRegion(), op.getGridDimensionNames(),
                     [&](OpBuilder &builder, const GridQuery &query) -> Value {
                       if (!query.isSize)
                         return indices[query.dim];
                       // A size of run time is known to the loops of Mosaic
                       // only.
                       if (ShapedType::isDynamic(grid[query.dim]))
                         return tpu::IterationBoundOp::create(
                             builder, query.getLoc(), builder.getI32Type(),
                             query.dim);
                       return arith::ConstantOp::create(
                           builder, query.getLoc(),
                           builder.getI32IntegerAttr(grid[query.dim]));
                     });
}

/// Sequential is what Mosaic calls arbitrary: in order, on one core.
static tpu::DimensionSemantics convertSemantics(DimensionSemantics semantics) {
  switch (semantics) {
  case DimensionSemantics::Parallel:
    return tpu::DimensionSemantics::Parallel;
  case DimensionSemantics::CoreParallel:
    return tpu::DimensionSemantics::CoreParallel;
  case DimensionSemantics::SubcoreParallel:
    return tpu::DimensionSemantics::SubcoreParallel;
  case DimensionSemantics::Arbitrary:
  case DimensionSemantics::Sequential:
    break;
  }
  return tpu::DimensionSemantics::Arbitrary;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {

/// Takes one call apart and puts its module together.
///
/// `plan` decides all that can fail, and the rest only builds: a call that has
/// no form leaves the module as it was.
class PallasCallOutliner {
public:
  PallasCallOutliner(PallasCallOp op, SymbolTable &symbols, const TPUChip &chip)
      : op(op), grid(cast<GridMappingOpInterface>(op.getOperation())),
        symbols(symbols), types(tpu::CoreType::TensorCore, chip),
        builder(op->getContext()) {}

  FailureOr<ModuleOp> run();

private:
  LogicalResult plan();
  void createModule();
  func::FuncOp createKernel();
  void createTransform(unsigned index);
  Attribute describeWindow(unsigned index);
  void setAttributes(func::FuncOp kernel);
  /// The memref that the kernel sees, given the window.
  Value getVisible(Value window, const WindowPlan &plan, unsigned index,
                   ValueRange indices, ValueRange indexRefs);
  /// Copies an index map to where the builder is; the results as i32.
  SmallVector<Value> inlineIndexMap(unsigned index, ValueRange indices,
                                    ValueRange indexRefs);
  void emitCall();

  MemRefType getWindowType(const WindowPlan &plan) {
    // Elements are those of the call: i32 for i1, i16 for f16.
    auto space = tpu::MemorySpaceAttr::get(op->getContext(), plan.space);
    Type element = getCallType(plan).getElementType();
    return MemRefType::get(plan.getBounds(), element,
                           MemRefLayoutAttrInterface(), space);
  }
  /// The grid as the compiler sees it: windows need at least one dimension.
  SmallVector<int64_t> getTargetGrid() {
    SmallVector<int64_t> sizes = grid.getGridShape();
    if (sizes.empty() && !llvm::all_of(plans, [](const WindowPlan &plan) {
          return plan.isTrivial;
        }))
      sizes.push_back(1); // T6
    return sizes;
  }

  PallasCallOp op;
  GridMappingOpInterface grid;
  SymbolTable &symbols;
  TPUTypeConverter types;
  std::optional<int64_t> vmemLimit;
  OpBuilder builder;
  SmallVector<WindowPlan, 0> plans;
  /// Types of the index operands of the kernel and of its transforms.
  SmallVector<Type> indexRefTypes;
  ModuleOp module;
  std::string kernelName;
};

} // namespace

/// A name that every tool takes as a symbol.
/// JAX names kernels after functions, among them `<lambda>`.
static std::string sanitizeName(StringRef name) {
  std::string result;
  for (char c : name)
    result.push_back(llvm::isAlnum(c) || c == '_' ? c : '_');
  return result.empty() || llvm::isDigit(result.front()) ? "kernel" + result
                                                         : result;
}

/// Refs of global memory become windows here, of which an input and an output
/// have one each: a store through the input would not reach the output.
///
/// An alias is a promise to XLA about arrays. The copies of blocks in VMEM know
/// nothing of it.
static LogicalResult checkSharedWindows(GridMappingOpInterface grid,
                                        unsigned input, unsigned output) {
  BlockMappingAttr mapping = grid.getMappings()[input];
  if (mapping.getMemorySpace().getSpace() != MemorySpace::Gmem ||
      !grid.sharesMemory(input, output) ||
      !mayBeWritten(grid.sliceBlockOps()[input]))
    return success();
  return grid->emitOpError()
         << "writes input " << input << " in place of output " << output
         << ", which is the same array in gmem, but windows of a TPU share "
            "nothing; write the output, or keep both blocks in hbm and copy";
}

/// Plans every window and checks memory, in the order in which a user would fix
/// the errors: captures, windows, scratch, their sum, aliases.
LogicalResult PallasCallOutliner::plan() {
  if (grid.getNumCaptures() > 0)
    return op.emitOpError()
           << "captures " << grid.getNumCaptures()
           << " values, but kernels on TPUs take operands only; run "
              "pallas-discharge-state for refs and "
              "pallas-hoist-scalar-prefetch for values before";
  auto planned = planWindows(grid, types.getChip());
  if (failed(planned))
    return failure();
  plans = std::move(*planned);
  for (Value scratch : grid.sliceScratchOps()) {
    auto memref =
        dyn_cast_or_null<MemRefType>(types.convertType(scratch.getType()));
    if (!memref)
      return emitError(scratch.getLoc())
             << "memory of type " << scratch.getType()
             << " doesn't exist on TPUs; use a ref in vmem, smem, hbm or "
                "semaphore memory";
    if (failed(checkAllocation(scratch.getLoc(), memref, types.getCore(),
                               MemoryLifetime::Kernel)))
      return failure();
  }
  TPUFootprint footprint = computeTPUFootprint(op, plans, types.getChip());
  if (failed(checkTPUFootprint(op, footprint, types.getChip())))
    return failure();
  // Windows may give up buffers before the limit is asked for.
  dropBuffers(op, plans, footprint, types.getChip());
  vmemLimit = getVmemLimit(footprint, types.getChip());
  for (auto [input, output] : grid.getInputOutputAliases()) {
    int64_t block = input - int64_t(grid.getNumIndexOperands());
    // Prefetched operands are no blocks, and their aliases have no layout.
    if (block < 0)
      continue;
    if (failed(checkSharedWindows(grid, block, output)))
      return failure();
    // An alias has one array type, and two layouts are two types.
    const WindowPlan &in = plans[block];
    const WindowPlan &out = plans[grid.getNumInputs() + output];
    if (getCallType(in) == getCallType(out))
      continue;
    return op.emitOpError()
           << "aliases input " << block << " and output " << output
           << ", but their blocks need different layouts of the array: "
           << getCallType(in) << " and " << getCallType(out)
           << "; give both the same block shape";
  }
  return success();
}

/// The module is in front of the function that calls it, so that modules have
/// the order of calls.
void PallasCallOutliner::createModule() {
  kernelName = sanitizeName(op.getKernelName().value_or("kernel"));
  module = ModuleOp::create(builder, op.getLoc(), kernelName);
  auto parent = cast<ModuleOp>(symbols.getOp());
  Operation *function = op->getParentOfType<func::FuncOp>();
  symbols.insert(module, function ? Block::iterator(function)
                                  : parent.getBody()->begin());
}

FailureOr<ModuleOp> PallasCallOutliner::run() {
  if (failed(plan()))
    return failure();
  createModule();
  func::FuncOp kernel = createKernel();
  for (unsigned i = 0, e = plans.size(); i < e; ++i)
    // Without a grid there is nothing to select by a transform.
    if (plans[i].isWindowed && !getTargetGrid().empty())
      createTransform(i);
  setAttributes(kernel);
  emitCall();
  return module;
}

/// Arguments are in the order that Mosaic prescribes: grid indices, prefetched
/// operands, windows, scratch memory.
///
///   func.func @add(%i: i32, %x: memref<8x128xf32, ...>, ...)
func::FuncOp PallasCallOutliner::createKernel() {
  SmallVector<Type> inputs(getTargetGrid().size(), builder.getI32Type());
  size_t numIndices = inputs.size();
  for (Type type : grid.getIndexRefTypes())
    indexRefTypes.push_back(types.convertType(type));
  llvm::append_range(inputs, indexRefTypes);
  for (const WindowPlan &plan : plans)
    inputs.push_back(getWindowType(plan));
  for (Value scratch : grid.sliceScratchOps())
    inputs.push_back(types.convertType(scratch.getType()));

  builder.setInsertionPointToEnd(module.getBody());
  auto kernel = func::FuncOp::create(builder, op.getLoc(), kernelName,
                                     builder.getFunctionType(inputs, {}));
  Block *entry = kernel.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ValueRange arguments = entry->getArguments();
  ValueRange indices = arguments.take_front(numIndices);
  answerGridQueries(grid, indices);

  unsigned numRefs = grid.getNumIndexOperands();
  ValueRange indexRefs = arguments.slice(numIndices, numRefs);
  for (auto [old, memref] : llvm::zip_equal(grid.sliceIndexOps(), indexRefs))
    replaceRef(builder, old, memref);
  for (auto [i, old] : llvm::enumerate(grid.sliceBlockOps())) {
    Value window = arguments[numIndices + numRefs + i];
    replaceRef(builder, old,
               getVisible(window, plans[i], i, indices, indexRefs));
  }
  for (auto [old, memref] :
       llvm::zip_equal(grid.sliceScratchOps(),
                       arguments.take_back(grid.getNumScratchOperands())))
    replaceRef(builder, old, memref);

  // The body moves; it is not cloned. Its call is erased at the end.
  Block &body = grid.getKernelRegion().front();
  Operation *terminator = body.getTerminator();
  Location end = terminator->getLoc();
  terminator->erase();
  entry->getOperations().splice(entry->end(), body.getOperations());
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, end);
  return kernel;
}

/// A window may be larger than the block: split dimensions of size 1 are
/// squeezed, and an element window is sliced where the index map points:
///
///   %0 = tpu.memref_slice %window[%c0, %start]
///        : memref<8x356xf32> -> memref<8x100xf32>
///   %1 = tpu.memref_squeeze %0 : memref<1x8x100xf32> -> memref<8x100xf32>
Value PallasCallOutliner::getVisible(Value window, const WindowPlan &plan,
                                     unsigned index, ValueRange indices,
                                     ValueRange indexRefs) {
  Location loc = window.getLoc();
  auto type = cast<MemRefType>(window.getType());
  auto withShape = [&](ArrayRef<int64_t> shape) {
    return MemRefType::get(shape, type.getElementType(),
                           MemRefLayoutAttrInterface(), type.getMemorySpace());
  };
  if (plan.hasOffsets()) {
    SmallVector<Value> places = inlineIndexMap(index, indices, indexRefs);
    SmallVector<Value> starts;
    SmallVector<int64_t> shape;
    for (const PlannedDim &dim : plan.dims) {
      shape.push_back(dim.visibleSize);
      Value start =
          arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
      if (dim.offsetSource) {
        start = places[*dim.offsetSource];
        if (dim.scale != 1)
          start = arith::MulIOp::create(
              builder, loc, start,
              arith::ConstantOp::create(builder, loc,
                                        builder.getI32IntegerAttr(dim.scale)));
      }
      starts.push_back(start);
    }
    window = tpu::MemRefSliceOp::create(builder, loc, withShape(shape), window,
                                        starts, ValueRange());
  }
  SmallVector<int64_t> visible;
  for (const PlannedDim &dim : plan.dims)
    if (dim.visible)
      visible.push_back(dim.visibleSize);
  if (visible.size() == plan.dims.size())
    return window;
  return tpu::MemRefSqueezeOp::create(builder, loc, withShape(visible), window);
}

/// An operand without an index map has the map of zeros.
SmallVector<Value> PallasCallOutliner::inlineIndexMap(unsigned index,
                                                      ValueRange indices,
                                                      ValueRange indexRefs) {
  Location loc = op.getLoc();
  Region *map = grid.getIndexMap(index);
  if (!map) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    return SmallVector<Value>(plans[index].original.size(), zero);
  }
  unsigned rank = grid.getGridRank();
  // Dimensions that the target adds to an empty grid are no arguments of the
  // map.
  SmallVector<Value> arguments(indices.take_front(rank));
  for (auto [old, memref] :
       llvm::zip_equal(map->getArguments().drop_front(rank), indexRefs))
    arguments.push_back(
        UnrealizedConversionCastOp::create(builder, loc, old.getType(), memref)
            .getResult(0));
  return copyIndexMap(builder, loc, *map, arguments);
}

/// Mosaic evaluates it for each program to find the block:
///
///   func.func @transform_0(%i: i32) -> (i32, i32)
void PallasCallOutliner::createTransform(unsigned index) {
  Location loc = op.getLoc();
  if (Region *map = grid.getIndexMap(index))
    loc = map->front().getTerminator()->getLoc();
  SmallVector<Type> inputs(getTargetGrid().size(), builder.getI32Type());
  unsigned numIndices = inputs.size();
  llvm::append_range(inputs, indexRefTypes);
  const WindowPlan &plan = plans[index];
  SmallVector<Type> results(plan.dims.size(), builder.getI32Type());
  builder.setInsertionPointToEnd(module.getBody());
  auto transform =
      func::FuncOp::create(builder, loc, "transform_" + std::to_string(index),
                           builder.getFunctionType(inputs, results));
  Block *entry = transform.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  ValueRange arguments = entry->getArguments();
  SmallVector<Value> places =
      inlineIndexMap(index, arguments.take_front(numIndices),
                     arguments.drop_front(numIndices));
  SmallVector<Value> values;
  for (const PlannedDim &dim : plan.dims) {
    if (!dim.source) {
      values.push_back(arith::ConstantOp::create(builder, loc,
                                                 builder.getI32IntegerAttr(0)));
      continue;
    }
    Value place = places[*dim.source];
    // Element dimensions of a map count elements, others blocks of `scale`.
    if (dim.scale != 1)
      place = arith::MulIOp::create(
          builder, loc, place,
          arith::ConstantOp::create(builder, loc,
                                    builder.getI32IntegerAttr(dim.scale)));
    values.push_back(place);
  }
  func::ReturnOp::create(builder, loc, values);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Mosaic's description of one window: the transform, the size, the buffers.
Attribute PallasCallOutliner::describeWindow(unsigned index) {
  const WindowPlan &plan = plans[index];
  MLIRContext *context = op->getContext();
  NamedAttrList attrs;
  // An array that isn't copied has an entry, but an empty one.
  if (!plan.isWindowed)
    return builder.getDictionaryAttr({});
  attrs.set(
      "transform_indices",
      FlatSymbolRefAttr::get(context, "transform_" + std::to_string(index)));
  attrs.set("window_bounds", builder.getDenseI64ArrayAttr(plan.getBounds()));
  if (plan.isElementWindow)
    attrs.set("window_kind",
              tpu::ElementWindowAttr::get(context, plan.padLow, plan.padHigh));
  if (plan.isTrivial && plan.space == tpu::MemorySpace::Vmem) {
    attrs.set("pipeline_mode", tpu::PipelineModeAttr::get(
                                   context, tpu::PipelineMode::Synchronous));
  } else if (plan.pipelineMode) {
    // Only one output window that may come back can be kept. T10, T12
    bool isAny = plan.pipelineMode.getRevisit() == RevisitMode::Any;
    bool isSingle = plan.pipelineMode.getBufferCount() == 1 || isAny;
    attrs.set("pipeline_mode",
              tpu::PipelineModeAttr::get(
                  context, isSingle ? tpu::PipelineMode::Synchronous
                                    : tpu::PipelineMode::DoubleBuffered));
    if (isAny)
      attrs.set("revisit_mode",
                tpu::RevisitModeAttr::get(context, tpu::RevisitMode::Any));
  }
  return attrs.getDictionary(context);
}

/// The attributes by which Mosaic recognizes and runs a kernel.
void PallasCallOutliner::setAttributes(func::FuncOp kernel) {
  MLIRContext *context = op->getContext();
  SmallVector<int64_t> sizes = getTargetGrid();
  SmallVector<DimensionSemantics> said = grid.getGridDimensionSemantics();
  ArrayRef<int64_t> vmapped = grid.getVmappedDimensions();
  SmallVector<Attribute> semantics;
  auto *next = said.begin();
  for (int64_t dim = 0, rank = sizes.size(); dim < rank; ++dim) {
    auto value = tpu::DimensionSemantics::Arbitrary;
    // Semantics are listed for the dimensions that the author wrote; those that
    // vmap added are independent of each other.
    if (llvm::is_contained(vmapped, dim)) // T9
      value = tpu::DimensionSemantics::Parallel;
    else if (next != said.end())
      value = convertSemantics(*next++);
    semantics.push_back(tpu::DimensionSemanticsAttr::get(context, value));
  }
  kernel->setAttr("dimension_semantics", builder.getArrayAttr(semantics));
  kernel->setAttr("scalar_prefetch",
                  builder.getI64IntegerAttr(grid.getNumIndexOperands()));
  kernel->setAttr("scratch_operands",
                  builder.getI64IntegerAttr(grid.getNumScratchOperands()));
  kernel->setAttr(tpu::kCoreTypeAttrName,
                  tpu::CoreTypeAttr::get(context, tpu::CoreType::TensorCore));
  // A kernel without a grid has no windows either.
  if (sizes.empty())
    return;
  kernel->setAttr("iteration_bounds", builder.getDenseI64ArrayAttr(sizes));
  SmallVector<Attribute> windows;
  for (unsigned i = 0, e = plans.size(); i < e; ++i)
    windows.push_back(describeWindow(i));
  kernel->setAttr("window_params", builder.getArrayAttr(windows));
}

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

/// Replaces the call: operands relaid out, the call, results brought back.
void PallasCallOutliner::emitCall() {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  HostCall call;
  call.source = op;
  call.kernelModule = module;
  call.kernelName = kernelName;
  for (Value bound : grid.getDynamicGridOperands()) {
    if (bound.getType().isIndex())
      bound =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), bound);
    call.operands.push_back(bound);
  }
  unsigned numInputs = grid.getNumInputs();
  for (Value array : grid.getIndexOperands())
    call.operands.push_back(layOutScalarOperand(builder, loc, array));
  for (auto [i, array] : llvm::enumerate(grid.getInputOperands()))
    call.operands.push_back(layOutOperand(builder, loc, array, plans[i]));
  for (const WindowPlan &plan : llvm::drop_begin(plans, numInputs))
    call.resultTypes.push_back(getCallType(plan));
  // T16
  // Aliases of the custom call count dynamic grid sizes as operands.
  int64_t shift = grid.getNumDynamicGridBounds();
  for (auto [input, output] : grid.getInputOutputAliases())
    call.aliases.push_back({input + shift, output});
  call.params = findParams<TPUParamsAttr>(op.getCompilerParams());
  if (std::optional<CostEstimateAttr> cost = op.getCostEstimate())
    call.cost = *cost;
  if (std::optional<DictionaryAttr> metadata = op.getMetadata())
    call.metadata = *metadata;
  call.vmemLimit = vmemLimit;
  func::CallOp result = emitHostCall(builder, call);
  for (auto [i, value] : llvm::enumerate(result.getResults()))
    op.getResult(i).replaceAllUsesWith(
        restoreResult(builder, loc, value, plans[numInputs + i]));
  op.erase();
}

/// A pinned array has a memory space, which tensors around kernels don't have.
FailureOr<ModuleOp> mlir::pallas::outlinePallasCall(PallasCallOp op,
                                                    SymbolTable &symbols,
                                                    const TPUChip &chip) {
  for (Type type : op->getOperandTypes())
    if (isa<PinnedType>(type))
      return op.emitOpError("takes a pinned array, but arrays outside of "
                            "kernels are plain tensors on TPUs; unpin it");
  return PallasCallOutliner(op, symbols, chip).run();
}
