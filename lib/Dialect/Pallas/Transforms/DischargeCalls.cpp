//===- DischargeCalls.cpp - Kernel calls as loops over values -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel runs once per program. Its windows are cut out of the arrays before
// its body, and put back behind it:
//
//   %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%o = %empty) {
//     %x = tensor.extract_slice %in[%start] [8] [1]
//     %y = body of the kernel
//     %1 = tensor.insert_slice %y into %o[%start] [8] [1]
//     scf.yield %1
//   }
//
// Padding is decided in Utils/Grid, as for all stages.
//
//===----------------------------------------------------------------------===//

#include "DischargeLoops.h"
#include "DischargeModels.h"
#include "RefSelection.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"
#include "pallas/Dialect/Pallas/Utils/ProgramOrder.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Builds the loops over one grid: programs that cut windows out of arrays and
/// put them back.
class GridLoops {
public:
  GridLoops(GridMappingOpInterface grid, OpBuilder &builder,
            DischargeState &state)
      : grid(grid), builder(builder), state(state), loc(grid.getLoc()),
        mappings(grid.getMappings()) {}

  LogicalResult runCall(PallasCallOp call);
  LogicalResult runPipeline(EmitPipelineOp pipeline);

private:
  LogicalResult verify();
  SmallVector<int64_t> getPaddedShape(unsigned index);
  Value createPadded(unsigned index, Value array);
  Value createCropped(unsigned index, Value array);
  Value getArray(unsigned index);
  LogicalResult setArray(unsigned index, Value array);
  FailureOr<SmallVector<OpFoldResult>> createStarts(unsigned index,
                                                    ValueRange ids);
  Rectangle getRectangle(unsigned index, ArrayRef<OpFoldResult> starts);
  LogicalResult emitProgram(ValueRange ids);
  LogicalResult createLoops(ArrayRef<Value> refs,
                            MutableArrayRef<Value> others);

  GridMappingOpInterface grid;
  OpBuilder &builder;
  DischargeState &state;
  Location loc;
  SmallVector<BlockMappingAttr> mappings;
  GridPoint point;
  /// Contents of the arrays of a call, with padding: inputs, then outputs.
  /// Those of a pipeline are refs.
  SmallVector<Value> arrays, arrayRefs;
  /// Which windows programs write.
  llvm::BitVector changed;
};
} // namespace

/// Checks before anything is built. Windows have to be rectangles.
LogicalResult GridLoops::verify() {
  for (unsigned index = 0; index < grid.getNumBlocks(); ++index) {
    ShapedType type = getArrayShapedType(grid.getArrayType(index));
    if (!type || !type.hasStaticShape() ||
        isa<PinnedType>(grid.getArrayType(index)))
      return grid.emitOpError()
             << "has an array of type " << grid.getArrayType(index)
             << ", but loops over values need tensors of static shape";
    for (BlockDimAttr dim : mappings[index].getDims())
      if (dim.getKind() == BlockDimKind::BoundedSlice ||
          dim.getKind() == BlockDimKind::Indirect)
        return grid.emitOpError()
               << "has a block dimension " << dim
               << ", whose elements no rectangle of a value holds; copy them "
                  "to a window of their own";
  }
  return success();
}

/// Padded to whole blocks, so that each window is inside.
SmallVector<int64_t> GridLoops::getPaddedShape(unsigned index) {
  ShapedType type = getArrayShapedType(grid.getArrayType(index));
  return pallas::getPaddedShape(type.getShape(), mappings[index]);
}

///   %0 = tensor.pad %x low[0] high[4] { nan }
///        : tensor<28xf32> to tensor<32xf32>
Value GridLoops::createPadded(unsigned index, Value array) {
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
  // Elements outside of the array are uninitialized, as in JAX's interpreter.
  Value padding = arith::ConstantOp::create(
      builder, loc, getUninitializedValue(type.getElementType()));
  return tensor::PadOp::create(builder, loc, type.clone(shape), array, low,
                               high, padding);
}

/// The elements of an array without its padding.
Value GridLoops::createCropped(unsigned index, Value array) {
  ShapedType type = getArrayShapedType(grid.getArrayType(index));
  if (cast<RankedTensorType>(array.getType()).getShape() == type.getShape())
    return array;
  Rectangle part;
  for (BlockDimAttr dim : mappings[index].getDims())
    part.offsets.push_back(builder.getIndexAttr(dim.getPadLow()));
  part.sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  part.strides.assign(type.getRank(), builder.getIndexAttr(1));
  part.dropped.resize(type.getRank());
  return createExtract(builder, loc, array, part);
}

/// The array of a pipeline is read from its ref each time, since the body may
/// have written to it.
Value GridLoops::getArray(unsigned index) {
  if (arrayRefs.empty())
    return arrays[index];
  return createPadded(
      index,
      createArray(builder, loc, state.read(builder, loc, arrayRefs[index])));
}

/// The counterpart: the array of a call is a value of the loop.
LogicalResult GridLoops::setArray(unsigned index, Value array) {
  if (arrayRefs.empty()) {
    arrays[index] = array;
    return success();
  }
  return state.write(builder, loc, arrayRefs[index],
                     createHeld(builder, loc, createCropped(index, array)));
}

/// Element at which the window of a block starts, along each dimension.
FailureOr<SmallVector<OpFoldResult>> GridLoops::createStarts(unsigned index,
                                                             ValueRange ids) {
  ArrayRef<BlockDimAttr> dims = mappings[index].getDims();
  Region *map = grid.getIndexMap(index);
  if (!map)
    return SmallVector<OpFoldResult>(dims.size(), builder.getIndexAttr(0));
  // How far a window may reach is asked before the map is moved.
  SmallVector<std::optional<int64_t>> largest;
  for (unsigned d = 0; d < dims.size(); ++d)
    largest.push_back(getLargestIndex(grid, map, d));
  answerGridQueries(*map, point);
  Block &body = map->front();
  for (auto [argument, id] : llvm::zip(body.getArguments(), ids))
    argument.replaceAllUsesWith(id);
  auto known = body.getArguments().drop_front(ids.size());
  auto indexRefs = grid.sliceIndexOps();
  for (auto [argument, ref] : llvm::zip(known, indexRefs))
    state.define(argument, state.read(builder, loc, ref));
  for (auto [argument, ref, operand] :
       llvm::zip(known.drop_front(indexRefs.size()), grid.getKernelCaptures(),
                 grid.getCaptureOperands())) {
    if (state.isDischarged(ref))
      state.define(argument, state.read(builder, loc, ref));
    else
      argument.replaceAllUsesWith(operand);
  }
  // Index maps read refs, too, and are discharged like a body. What they read
  // can't change the state of the kernel, hence the copy.
  DischargeState inner = state;
  if (failed(inner.discharge(body)))
    return failure();
  SmallVector<OpFoldResult> starts;
  SmallVector<int64_t> shape = getPaddedShape(index);
  for (auto [result, dim, most, size] :
       llvm::zip_equal(moveIndexMap(builder, *map), dims, largest, shape)) {
    Value start = toIndex(builder, loc, result);
    if (dim.getKind() == BlockDimKind::Blocked)
      start = arith::MulIOp::create(
          builder, loc, start,
          arith::ConstantIndexOp::create(builder, loc, dim.getSize()));
    // The policy for windows that start outside.
    start = moveWindowInside(builder, loc, start, dim, most, size);
    starts.push_back(getAsOpFoldResult(start));
  }
  return starts;
}

/// The block as a rectangle, without its squeezed dimensions.
Rectangle GridLoops::getRectangle(unsigned index,
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

/// One run of the kernel: windows out of the arrays, the body, and windows that
/// it wrote back into them.
LogicalResult GridLoops::emitProgram(ValueRange ids) {
  point.ids.assign(ids.begin(), ids.end());
  answerGridQueries(grid.getKernelRegion(), point);
  Block &kernel = grid.getKernelRegion().front();
  for (unsigned i = 0; i < grid.getNumLeadingKernelArguments(); ++i)
    kernel.getArgument(grid.getNumCaptures() + i).replaceAllUsesWith(ids[i]);
  SmallVector<SmallVector<OpFoldResult>> starts;
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps())) {
    auto start = createStarts(index, ids);
    if (failed(start))
      return failure();
    starts.push_back(*start);
    state.define(argument, createExtract(builder, loc, getArray(index),
                                         getRectangle(index, *start)));
  }
  // The body is discharged in place, then moved into the loop.
  if (failed(state.discharge(kernel)))
    return failure();
  spliceBody(builder, kernel);
  // Only windows that the kernel writes are put back.
  for (unsigned index : changed.set_bits()) {
    Value window = state.read(builder, loc, grid.sliceBlockOps()[index]);
    if (failed(
            setArray(index, createInsert(builder, loc, getArray(index), window,
                                         getRectangle(index, starts[index])))))
      return failure();
  }
  return success();
}

/// The loops; `others` comes with what the first program gets of the values
/// that programs carry and of the arrays that they change.
LogicalResult GridLoops::createLoops(ArrayRef<Value> refs,
                                     MutableArrayRef<Value> others) {
  point.names = grid.getGridDimensionNames();
  point.sizes =
      createGridSizes(builder, loc, grid.getGridShape(),
                      grid.getDynamicGridOperands(), builder.getIndexType());
  Block &kernel = grid.getKernelRegion().front();
  // The results of the terminator are carried to the next program.
  auto carried =
      kernel.getArguments().take_back(grid.getCarriedOperands().size());
  auto changedArrays = [&] { return others.drop_front(carried.size()); };
  LogicalResult status = createProgramLoops(
      builder, loc, state, point.sizes, refs, others, [&](ValueRange ids) {
        for (auto [argument, value] : llvm::zip(carried, others))
          argument.replaceAllUsesWith(value);
        if (arrayRefs.empty())
          for (auto [index, value] :
               llvm::zip(changed.set_bits(), changedArrays()))
            arrays[index] = value;
        if (failed(emitProgram(ids)))
          return failure();
        llvm::copy(kernel.getTerminator()->getOperands(), others.begin());
        if (arrayRefs.empty())
          for (auto [index, value] :
               llvm::zip(changed.set_bits(), changedArrays()))
            value = arrays[index];
        return success();
      });
  if (arrayRefs.empty())
    for (auto [index, value] : llvm::zip(changed.set_bits(), changedArrays()))
      arrays[index] = value;
  return status;
}

/// Order matters: aliases are joined before accumulators are looked for, since
/// an alias may be one, and the arguments are defined before the probe asks
/// which of them are written.
LogicalResult GridLoops::runCall(PallasCallOp call) {
  if (failed(verify()))
    return failure();
  grid.joinAliasedRefs();
  if (failed(restartAccumulators(call)))
    return failure();
  // A capture that stays is used as it is.
  for (auto [argument, operand] :
       llvm::zip(grid.getKernelCaptures(), grid.getCaptureOperands())) {
    if (state.isDischarged(operand))
      state.define(argument, state.read(builder, loc, operand));
    else
      argument.replaceAllUsesWith(operand);
  }
  for (auto [argument, operand] :
       llvm::zip(grid.sliceIndexOps(), grid.getIndexOperands()))
    state.define(argument, createHeld(builder, loc, operand));
  for (BlockArgument argument : grid.sliceScratchOps())
    state.define(argument, DischargeState::createInitial(builder, loc,
                                                         argument.getType()));
  SmallVector<Value> initials(grid.getIndexOperands());
  llvm::append_range(initials, grid.getInputOperands());
  // An aliased output starts as its input, any other one uninitialized.
  DenseMap<int64_t, Value> sources;
  for (auto [input, output] : grid.getInputOutputAliases())
    sources[output] = initials[input];
  for (auto [index, operand] : llvm::enumerate(grid.getInputOperands()))
    arrays.push_back(createPadded(index, operand));
  for (auto [output, type] : llvm::enumerate(grid.getOutputArrayTypes())) {
    unsigned index = grid.getNumInputs() + output;
    Value source = sources.lookup(output);
    arrays.push_back(
        source ? createPadded(index, source)
               : tensor::EmptyOp::create(builder, loc, getPaddedShape(index),
                                         getElementTypeOrSelf(type)));
  }

  // Programs carry the contents of refs that the kernel keeps, and the arrays
  // that it writes windows of.
  DischargeState probe = state;
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    probe.define(argument, arrays[index]);
  SmallVector<Value> written = probe.getWritten(grid.getKernelRegion()), kept;
  for (Value ref : written) {
    auto argument = cast<BlockArgument>(ref);
    if (!llvm::is_contained(grid.sliceBlockOps(), argument))
      kept.push_back(ref);
  }
  SmallVector<Value> others;
  changed.resize(grid.getNumBlocks());
  for (auto [index, argument] : llvm::enumerate(grid.sliceBlockOps()))
    if (llvm::is_contained(written, argument)) {
      changed.set(index);
      others.push_back(arrays[index]);
    }
  if (failed(createLoops(kept, others)))
    return failure();
  // Refs outside of the kernel hold what the last program left in them.
  for (auto [argument, operand] :
       llvm::zip(grid.getKernelCaptures(), grid.getCaptureOperands()))
    if (llvm::is_contained(kept, argument) &&
        failed(state.write(builder, loc, operand,
                           state.read(builder, loc, argument))))
      return failure();
  for (auto [output, result] : llvm::enumerate(call->getResults())) {
    unsigned index = grid.getNumInputs() + output;
    result.replaceAllUsesWith(createCropped(index, arrays[index]));
  }
  return success();
}

/// The arrays of a pipeline are refs, which the body may use beside its
/// windows; so windows come from what the refs hold now.
LogicalResult GridLoops::runPipeline(EmitPipelineOp pipeline) {
  llvm::append_range(arrayRefs, pipeline.getInputs());
  llvm::append_range(arrayRefs, pipeline.getOutputs());
  for (Value ref : arrayRefs)
    if (!state.isDischarged(ref))
      return pipeline.emitOpError()
             << "moves blocks between values and a ref of type "
             << ref.getType() << ", which stays; discharge its memory space, "
             << "too";
  if (failed(verify()))
    return failure();
  for (BlockArgument argument : grid.sliceScratchOps())
    state.define(argument, DischargeState::createInitial(builder, loc,
                                                         argument.getType()));
  // Nothing goes back to an input.
  changed.resize(grid.getNumBlocks());
  changed.set(grid.getNumInputs(), grid.getNumBlocks());
  SmallVector<Value> refs = state.getWritten(pipeline);
  SmallVector<Value> carried(pipeline.getInitCarry());
  if (failed(createLoops(refs, carried)))
    return failure();
  pipeline->replaceAllUsesWith(carried);
  return success();
}

namespace {
struct DischargePallasCall
    : public DischargeableOpInterface::ExternalModel<DischargePallasCall,
                                                     PallasCallOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return GridLoops(cast<GridMappingOpInterface>(op), builder, state)
        .runCall(cast<PallasCallOp>(op));
  }
};

/// A pipeline inside of a kernel, by the same loops.
struct DischargePipeline
    : public DischargeableOpInterface::ExternalModel<DischargePipeline,
                                                     EmitPipelineOp> {
  LogicalResult discharge(Operation *op, OpBuilder &builder,
                          DischargeState &state) const {
    return GridLoops(cast<GridMappingOpInterface>(op), builder, state)
        .runPipeline(cast<EmitPipelineOp>(op));
  }
};
} // namespace

void pallas::attachCallModels(MLIRContext *context) {
  PallasCallOp::attachInterface<DischargePallasCall>(*context);
  EmitPipelineOp::attachInterface<DischargePipeline>(*context);
}
