//===- RaisePallasCall.cpp - A grid kernel as a pallas_call ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of TensorCores. The grid, the windows and the transforms of the
// function become grid, blocks and index maps of a pallas_call.
//
//===----------------------------------------------------------------------===//

#include "RaiseKernel.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "pallas/Dialect/Pallas/Utils/Grid.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Casts a ref of the new code to the memref of the copied code.
static Value castToMemRef(OpBuilder &builder, Value ref, Value memref) {
  return UnrealizedConversionCastOp::create(builder, memref.getLoc(),
                                            memref.getType(), ref)
      .getResult(0);
}

/// The body is cloned, with casts at its borders that the conversion folds.
/// Callers may need the function again, so it isn't moved.
void mlir::pallas::copyKernelBody(const KernelFunction &kernel, Block *block,
                                  ValueRange ids, ValueRange refs) {
  OpBuilder builder(block, std::prev(block->end()));
  IRMapping mapping;
  mapping.map(kernel.getIds(), ids);
  for (auto [memref, ref] : llvm::zip_equal(
           kernel.func.getArguments().drop_front(kernel.grid.size()), refs))
    mapping.map(memref, castToMemRef(builder, ref, memref));
  for (Operation &op : kernel.func.getBody().front().without_terminator())
    builder.clone(op, mapping);
}

SmallVector<unsigned>
/// Input and output of an alias that stay in place are one memory: the kernel
/// writes through either, and reads through the other. Windows are apart.
mlir::pallas::getSharedArrays(const KernelFunction &kernel,
                              const KernelCall &call) {
  auto arrays = llvm::to_vector(llvm::seq<unsigned>(0, kernel.numArrays));
  unsigned leading = kernel.getNumDynamicBounds() + kernel.numPrefetch;
  unsigned numInputs = call.operands.size() - leading;
  auto isShared = [&](unsigned index) {
    auto space = tpu::getMemorySpace(
        cast<MemRefType>(kernel.getArrays()[index].getType()));
    return !kernel.windows[index].transform &&
           (space == tpu::MemorySpace::Any || space == tpu::MemorySpace::Hbm ||
            space == tpu::MemorySpace::Host);
  };
  for (auto [operand, result] : call.aliases) {
    int64_t input = operand - int64_t(leading);
    unsigned output = numInputs + result;
    if (input >= 0 && isShared(input) && isShared(output))
      arrays[input] = output;
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Every dimension is blocked or counts elements. A squeezed one can't be told
/// from a block of size 1, which means the same.
static BlockMappingAttr describeWindow(const KernelFunction &kernel,
                                       unsigned index, RankedTensorType array) {
  const KernelWindow &window = kernel.windows[index];
  MLIRContext *context = array.getContext();
  SmallVector<BlockDimAttr> dims;
  for (auto [d, size] : llvm::enumerate(array.getShape())) {
    if (!window.transform)
      dims.push_back(
          BlockDimAttr::get(context, BlockDimKind::Blocked, size, 0, 0));
    else if (window.countsElements)
      dims.push_back(BlockDimAttr::get(context, BlockDimKind::Element,
                                       window.bounds[d], window.padLow[d],
                                       window.padHigh[d]));
    else
      dims.push_back(BlockDimAttr::get(context, BlockDimKind::Blocked,
                                       window.bounds[d], 0, 0));
  }
  // A mode of Mosaic is a number of buffers.
  PipelineModeAttr mode;
  if (window.pipelineMode)
    mode = PipelineModeAttr::get(
        context, *window.pipelineMode == tpu::PipelineMode::Synchronous ? 1 : 2,
        /*useLookahead=*/false, RevisitMode::Immediate, /*prefetchedCount=*/0,
        /*delayRelease=*/0);
  RefType ref =
      convertMemRef(cast<MemRefType>(kernel.getArrays()[index].getType()));
  return BlockMappingAttr::get(context, dims, ref.getMemorySpace(), mode,
                               /*transforms=*/{}, /*origin=*/{});
}

/// Copies a transform function; without one, the window is at zero.
static void createIndexMap(OpBuilder &builder, PallasCallOp call,
                           unsigned index, func::FuncOp transform,
                           int64_t rank) {
  call.createIndexMap(
      builder, index, [&](OpBuilder &builder, ValueRange arguments) {
        if (!transform)
          return SmallVector<Value>(
              rank, arith::ConstantIntOp::create(builder, call.getLoc(),
                                                 builder.getI32Type(), 0));
        SmallVector<Value> values;
        for (auto [old, value] :
             llvm::zip_equal(transform.getArguments(), arguments))
          values.push_back(isa<RefType>(value.getType())
                               ? castToMemRef(builder, value, old)
                               : value);
        return copyIndexMap(builder, call.getLoc(), transform.getBody(),
                            values);
      });
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
///   %0 = pallas.pallas_call @add grid(8) in(%x : tensor<64x128xf32>)
///       block<[8, 128], vmem> map(%i) -> (%i, %c0) ...
mlir::pallas::raisePallasCall(OpBuilder &builder, const KernelFunction &kernel,
                              const KernelCall &call, ValueRange operands) {
  func::FuncOp func = kernel.func;
  Location loc = func.getLoc();
  unsigned numBounds = kernel.getNumDynamicBounds();
  SmallVector<Value> bounds;
  for (Value bound : operands.take_front(numBounds)) {
    // Dynamic sizes come as arrays without dimensions in compiled programs.
    if (isa<RankedTensorType>(bound.getType()))
      bound = tensor::ExtractOp::create(builder, loc, bound, ValueRange());
    bounds.push_back(bound);
  }
  ValueRange arrays = operands.drop_front(numBounds);
  ValueRange inputs = arrays.drop_front(kernel.numPrefetch);
  SmallVector<RankedTensorType> types =
      llvm::map_to_vector(inputs.getTypes(), [](Type type) {
        return cast<RankedTensorType>(type);
      });
  llvm::append_range(types, call.results);
  SmallVector<BlockMappingAttr> mappings;
  for (auto [i, type] : llvm::enumerate(types))
    mappings.push_back(describeWindow(kernel, i, type));

  SmallVector<Type> results(call.results.begin(), call.results.end());
  auto op = PallasCallOp::create(builder, loc, results, kernel.grid, bounds,
                                 arrays.take_front(kernel.numPrefetch), inputs,
                                 mappings);
  op.setKernelName(func.getName());
  // A grid without dimensions has no semantics.
  if (!kernel.grid.empty() && !kernel.semantics.empty())
    op.setDimensionSemanticsAttr(builder.getArrayAttr(llvm::map_to_vector(
        kernel.semantics, [&](DimensionSemantics value) -> Attribute {
          return DimensionSemanticsAttr::get(op.getContext(), value);
        })));
  SmallVector<int64_t> aliases;
  for (auto [operand, result] : call.aliases)
    // Aliases of a custom call count the dynamic sizes, those of a pallas_call
    // don't.
    aliases.append({operand - int64_t(numBounds), result});
  op.setAliases(aliases);
  for (auto [i, type] : llvm::enumerate(types))
    createIndexMap(builder, op, i, kernel.windows[i].transform, type.getRank());

  SmallVector<Type> scratch;
  for (BlockArgument argument : kernel.getScratch())
    scratch.push_back(convertMemRef(cast<MemRefType>(argument.getType())));
  Block *block = op.createKernel(builder, scratch);
  OpBuilder inner(block, block->begin());
  // Grid indices become program ids.
  SmallVector<Value> ids;
  for (unsigned d = 0; d < kernel.grid.size(); ++d)
    ids.push_back(ProgramIdOp::create(inner, loc, d));
  SmallVector<Value> refs(block->getArguments().begin(),
                          block->getArguments().end());
  auto shared = getSharedArrays(kernel, call);
  for (auto [i, array] : llvm::enumerate(shared))
    refs[kernel.numPrefetch + i] =
        block->getArgument(kernel.numPrefetch + array);
  copyKernelBody(kernel, block, ids, refs);
  return SmallVector<Value>(op.getResults());
}
