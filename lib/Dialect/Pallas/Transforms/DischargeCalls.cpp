//===- DischargeCalls.cpp - Kernel calls as loops over values -------------===//

#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Dialect/Pallas/Transforms/Discharge.h"

using namespace mlir;
using namespace mlir::pallas;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value castIndex(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  if (value.getType() == type)
    return value;
  return arith::IndexCastOp::create(builder, loc, type, value);
}

namespace {
/// Builds the loops of one call.
class CallLoops {
public:
  CallLoops(PallasCallOp call, OpBuilder &builder, DischargeState &state)
      : call(call), grid(cast<GridMappingOpInterface>(call.getOperation())),
        builder(builder), state(state), loc(call.getLoc()),
        mappings(grid.getMappings()) {}

  LogicalResult run();

private:
  LogicalResult verify();
  SmallVector<int64_t> getPaddedShape(unsigned index);
  Value createPadded(unsigned index, Value array);
  SmallVector<Value> createSizes();
  LogicalResult emitProgram(ValueRange ids);
  void replaceGridQueries(ValueRange ids);
  FailureOr<SmallVector<OpFoldResult>> createStarts(unsigned index,
                                                    ValueRange ids);
  Rectangle getRectangle(unsigned index, ArrayRef<OpFoldResult> starts);

  PallasCallOp call;
  GridMappingOpInterface grid;
  OpBuilder &builder;
  DischargeState &state;
  Location loc;
  SmallVector<BlockMappingAttr> mappings;
  SmallVector<Value> sizes;
  /// What the arrays hold: inputs, then outputs.
  SmallVector<Value> arrays;
};
} // namespace

LogicalResult CallLoops::verify() {
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index) {
    auto type = dyn_cast<RankedTensorType>(grid.getArrayType(index));
    if (!type || !type.hasStaticShape())
      return call.emitOpError()
             << "has an array of type " << grid.getArrayType(index)
             << ", but loops over values need tensors of static shape";
    for (BlockDimAttr dim : mappings[index].getDims())
      if (dim.getKind() == BlockDimKind::BoundedSlice ||
          dim.getKind() == BlockDimKind::Indirect)
        return call.emitOpError()
               << "has a block dimension " << dim
               << ", which only pipelines in kernels can have";
  }
  return success();
}

/// The array with the padding that element dimensions ask for, and as much
/// behind it that blocks divide it.
SmallVector<int64_t> CallLoops::getPaddedShape(unsigned index) {
  auto type = cast<RankedTensorType>(grid.getArrayType(index));
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip(shape, mappings[index].getDims())) {
    size += dim.getPadLow() + dim.getPadHigh();
    if (dim.getKind() == BlockDimKind::Blocked)
      size = llvm::divideCeil(size, dim.getSize()) * dim.getSize();
  }
  return shape;
}

Value CallLoops::createPadded(unsigned index, Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  SmallVector<int64_t> shape = getPaddedShape(index);
  if (type.getShape() == ArrayRef(shape))
    return array;
  SmallVector<OpFoldResult> low, high;
  for (auto [from, to, dim] :
       llvm::zip(type.getShape(), shape, mappings[index].getDims())) {
    low.push_back(builder.getIndexAttr(dim.getPadLow()));
    high.push_back(builder.getIndexAttr(to - from - dim.getPadLow()));
  }
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(builder, loc, type.clone(shape), array, low,
                               high, zero);
}

SmallVector<Value> CallLoops::createSizes() {
  SmallVector<Value> result;
  auto dynamic = grid.getDynamicGridOperands().begin();
  for (int64_t size : grid.getGridShape())
    result.push_back(
        ShapedType::isDynamic(size)
            ? castIndex(builder, loc, *dynamic++, builder.getIndexType())
            : createIndex(builder, loc, size));
  return result;
}

/// Element at which the window of a block starts, along each dimension.
FailureOr<SmallVector<OpFoldResult>> CallLoops::createStarts(unsigned index,
                                                             ValueRange ids) {
  ArrayRef<BlockDimAttr> dims = mappings[index].getDims();
  Region *map = grid.getIndexMap(index);
  if (!map)
    return SmallVector<OpFoldResult>(dims.size(), builder.getIndexAttr(0));
  IRMapping clones;
  Region copy;
  map->cloneInto(&copy, clones);
  Block &body = copy.front();
  SmallVector<Value> refs(grid.sliceIndexOps());
  llvm::append_range(refs, grid.getKernelCaptures());
  unsigned numIds = ids.size();
  for (auto [argument, id] : llvm::zip(body.getArguments(), ids))
    argument.replaceAllUsesWith(id);
  for (auto [argument, ref] :
       llvm::zip(body.getArguments().drop_front(numIds), refs)) {
    if (state.isDischarged(ref))
      state.define(argument, state.read(builder, loc, ref));
    else
      argument.replaceAllUsesWith(ref);
  }
  DischargeState inner = state;
  if (failed(inner.discharge(body)))
    return failure();
  SmallVector<Value> results(body.getTerminator()->getOperands());
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations(), body.begin(),
      std::prev(body.end()));
  SmallVector<OpFoldResult> starts;
  for (auto [result, dim] : llvm::zip(results, dims)) {
    Value start = castIndex(builder, loc, result, builder.getIndexType());
    if (dim.getKind() == BlockDimKind::Blocked)
      start = arith::MulIOp::create(builder, loc, start,
                                    createIndex(builder, loc, dim.getSize()));
    starts.push_back(getAsOpFoldResult(start));
  }
  body.getTerminator()->erase();
  return starts;
}

Rectangle CallLoops::getRectangle(unsigned index,
                                  ArrayRef<OpFoldResult> starts) {
  ArrayRef<BlockDimAttr> dims = mappings[index].getDims();
  Rectangle part;
  part.offsets.assign(starts.begin(), starts.end());
  part.sizes = getAsIndexOpFoldResult(builder.getContext(),
                                      mappings[index].getBlockShape());
  part.strides.assign(dims.size(), builder.getIndexAttr(1));
  part.dropped.resize(dims.size());
  for (auto [dim, attribute] : llvm::enumerate(dims))
    part.dropped[dim] = attribute.getKind() == BlockDimKind::Squeezed;
  return part;
}

/// Ids become the loops' counters, and sizes what the loops run to.
void CallLoops::replaceGridQueries(ValueRange ids) {
  SmallVector<StringRef> names = grid.getGridDimensionNames();
  auto sizeOf = [&](unsigned dim) {
    return castIndex(builder, loc, sizes[dim], builder.getI32Type());
  };
  auto findName = [&](StringRef name) -> std::optional<unsigned> {
    auto it = llvm::find(names, name);
    if (it == names.end())
      return std::nullopt;
    return it - names.begin();
  };
  SmallVector<Region *> regions = {&grid.getKernelRegion()};
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index)
    if (Region *map = grid.getIndexMap(index))
      regions.push_back(map);
  auto replace = [&](Operation *op) {
    Value value;
    if (auto id = dyn_cast<ProgramIdOp>(op))
      value = ids[grid.getGridDimensionOfAxis(id.getAxis())];
    else if (auto number = dyn_cast<NumProgramsOp>(op))
      value = sizeOf(grid.getGridDimensionOfAxis(number.getAxis()));
    else if (auto index = dyn_cast<AxisIndexOp>(op)) {
      if (auto dim = findName(index.getAxisName()))
        value = ids[*dim];
    } else if (auto size = dyn_cast<AxisSizeOp>(op)) {
      if (auto dim = findName(size.getAxisName()))
        value = sizeOf(*dim);
    }
    if (!value)
      return;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  for (Region *region : regions)
    region->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<GridMappingOpInterface>(op))
        return WalkResult::skip();
      replace(op);
      return WalkResult::advance();
    });
}

/// One run of the kernel: windows out of the arrays, the body, and windows that
/// it wrote back into them.
LogicalResult CallLoops::emitProgram(ValueRange ids) {
  Block &kernel = grid.getKernelRegion().front();
  SmallVector<SmallVector<OpFoldResult>> starts;
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps())) {
    auto start = createStarts(index, ids);
    if (failed(start))
      return failure();
    starts.push_back(*start);
    state.define(argument, createExtract(builder, loc, arrays[index],
                                         getRectangle(index, *start)));
  }
  SmallVector<Value> refs = state.getWritten(grid.getKernelRegion());
  if (failed(state.discharge(kernel)))
    return failure();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), kernel.getOperations(), kernel.begin(),
      std::prev(kernel.end()));
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    if (llvm::is_contained(refs, argument))
      arrays[index] = createInsert(builder, loc, arrays[index],
                                   state.read(builder, loc, argument),
                                   getRectangle(index, starts[index]));
  return success();
}

LogicalResult CallLoops::run() {
  if (failed(verify()))
    return failure();
  unsigned numInputs = grid.getNumInputs();
  for (auto [argument, operand] :
       llvm::zip(grid.getKernelCaptures(), grid.getCaptureOperands())) {
    if (state.isDischarged(operand))
      state.define(argument, state.read(builder, loc, operand));
    else
      argument.replaceAllUsesWith(operand);
  }
  for (auto [argument, operand] :
       llvm::zip(grid.sliceIndexOps(), grid.getIndexOperands()))
    state.define(argument, operand);
  for (BlockArgument argument : grid.sliceScratchOps())
    state.define(argument, DischargeState::createInitial(builder, loc,
                                                         argument.getType()));
  for (auto [index, operand] : llvm::enumerate(grid.getInputOperands()))
    arrays.push_back(createPadded(index, operand));
  SmallVector<std::pair<int64_t, int64_t>> aliases =
      grid.getInputOutputAliases();
  for (auto [index, type] : llvm::enumerate(grid.getOutputArrayTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    Value init;
    for (auto [input, output] : aliases)
      if (output == int64_t(index)) {
        unsigned numIndex = grid.getNumIndexOperands();
        init = input < int64_t(numIndex)
                   ? Value(grid.getIndexOperands()[input])
                   : Value(grid.getInputOperands()[input - numIndex]);
      }
    if (init)
      arrays.push_back(createPadded(numInputs + index, init));
    else
      arrays.push_back(tensor::EmptyOp::create(
          builder, loc, getPaddedShape(numInputs + index),
          tensor.getElementType()));
  }

  // What the loops carry: contents of refs that the kernel keeps, and arrays
  // that it writes windows of.
  SmallVector<Value> kept;
  for (const auto &list :
       {grid.getKernelCaptures(), grid.sliceIndexOps(), grid.sliceScratchOps()})
    llvm::append_range(kept, list);
  DischargeState probe = state;
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    probe.define(argument, arrays[index]);
  SmallVector<Value> written = probe.getWritten(grid.getKernelRegion());
  llvm::erase_if(kept,
                 [&](Value ref) { return !llvm::is_contained(written, ref); });
  SmallVector<unsigned> changed;
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    if (llvm::is_contained(written, argument))
      changed.push_back(index);

  SmallVector<Value> inits = state.readAll(builder, kept);
  for (unsigned index : changed)
    inits.push_back(arrays[index]);
  sizes = createSizes();
  SmallVector<Value> lower(sizes.size(), createIndex(builder, loc, 0)),
      step(sizes.size(), createIndex(builder, loc, 1));
  LogicalResult status = success();
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, sizes, step, inits,
      [&](OpBuilder &nested, Location, ValueRange ivs, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(nested.saveInsertionPoint());
        for (auto [ref, value] : llvm::zip(kept, carried))
          state.define(ref, value);
        for (auto [index, value] :
             llvm::zip(changed, carried.drop_front(kept.size())))
          arrays[index] = value;
        SmallVector<Value> ids;
        for (Value iv : ivs)
          ids.push_back(castIndex(builder, loc, iv, builder.getI32Type()));
        replaceGridQueries(ids);
        status = emitProgram(ids);
        scf::ValueVector results = state.readAll(builder, kept);
        for (unsigned index : changed)
          results.push_back(arrays[index]);
        nested.restoreInsertionPoint(builder.saveInsertionPoint());
        return failed(status) ? scf::ValueVector(carried) : results;
      });
  if (failed(status))
    return failure();
  for (auto [ref, value] : llvm::zip(kept, nest.results))
    state.define(ref, value);
  for (auto [index, value] :
       llvm::zip(changed, ValueRange(nest.results).drop_front(kept.size())))
    arrays[index] = value;
  for (auto [argument, operand] :
       llvm::zip(grid.getKernelCaptures(), grid.getCaptureOperands()))
    if (state.isDischarged(operand) &&
        failed(state.write(builder, loc, operand,
                           state.read(builder, loc, argument))))
      return failure();

  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    Value array = arrays[numInputs + index];
    auto type = cast<RankedTensorType>(result.getType());
    if (array.getType() != type) {
      SmallVector<OpFoldResult> offsets,
          strides(type.getRank(), builder.getIndexAttr(1));
      for (BlockDimAttr dim : mappings[numInputs + index].getDims())
        offsets.push_back(builder.getIndexAttr(dim.getPadLow()));
      array = tensor::ExtractSliceOp::create(
          builder, loc, type, array, offsets,
          getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
          strides);
    }
    result.replaceAllUsesWith(array);
  }
  return success();
}

namespace {
struct DischargePallasCall
    : public DischargeableOpInterface::ExternalModel<DischargePallasCall,
                                                     PallasCallOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return CallLoops(cast<PallasCallOp>(op), builder, state).run();
  }
};
} // namespace

void pallas::attachCallModels(MLIRContext *context) {
  PallasCallOp::attachInterface<DischargePallasCall>(*context);
}
