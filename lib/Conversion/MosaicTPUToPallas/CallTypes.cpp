//===- CallTypes.cpp - The arrays that a kernel is called with ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel module names the arrays of its call in an attribute. Modules from
// elsewhere lack it, so this file infers them from the kernel functions.
//
//===----------------------------------------------------------------------===//

#include "RaiseKernel.h"
#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Arrays that kernels write
//===----------------------------------------------------------------------===//

/// Whether a use of a memref writes to it.
static bool isWrite(OpOperand &use) {
  Operation *op = use.getOwner();
  Value memref = use.get();
  if (auto dma = dyn_cast<tpu::EnqueueDMAOp>(op))
    return dma.getTarget() == memref;
  if (auto dma = dyn_cast<tpu::EnqueueIndirectDMAOp>(op))
    return dma.getTarget() == memref;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.getEffectOnValue<MemoryEffects::Write>(memref);
}

/// Follows views, through which copies and stores reach the memref.
static bool isWritten(Value memref) {
  return llvm::any_of(memref.getUses(), [](OpOperand &use) {
    auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner());
    if (view && view.getViewSource() == use.get())
      return llvm::any_of(view->getResults(), isWritten);
    return isWrite(use);
  });
}

//===----------------------------------------------------------------------===//
// Extents of windows
//===----------------------------------------------------------------------===//

/// Grids with more points than this are not walked, to bound the time.
static constexpr int64_t kMaxPrograms = 1 << 16;

/// Runs a transform function for one point of the grid; false if its results
/// depend on more than the point.
///
///   func.func @transform_0(%i: i32) -> (i32, i32) {
///     %0 = arith.muli %i, %c2
///     return %0, %c0 : i32, i32
///   }
///
/// yields (6, 0) at point 3. Operations are folded one by one, so everything
/// that MLIR can fold is understood. Loads from prefetched arrays stay unknown.
static bool evaluateTransform(func::FuncOp transform, ArrayRef<int64_t> ids,
                              SmallVectorImpl<int64_t> &place) {
  DenseMap<Value, Attribute> values;
  Builder builder(transform.getContext());
  for (auto [argument, id] : llvm::zip(transform.getArguments(), ids))
    values[argument] = builder.getI32IntegerAttr(id);
  Block &body = transform.getBody().front();
  for (Operation &op : body.without_terminator()) {
    SmallVector<Attribute> operands = llvm::map_to_vector(
        op.getOperands(), [&](Value value) { return values.lookup(value); });
    SmallVector<OpFoldResult> results;
    // An operation that doesn't fold leaves its results unknown; it may be
    // unused.
    if (failed(op.fold(operands, results)) ||
        results.size() != op.getNumResults())
      continue;
    for (auto [value, result] : llvm::zip_equal(op.getResults(), results)) {
      auto folded = dyn_cast<Attribute>(result);
      values[value] = folded ? folded : values.lookup(cast<Value>(result));
    }
  }
  for (Value value : body.getTerminator()->getOperands()) {
    auto index = dyn_cast_or_null<IntegerAttr>(values.lookup(value));
    if (!index)
      return false;
    place.push_back(index.getInt());
  }
  return true;
}

/// The shape that the windows of all programs cover; nothing if that depends on
/// data.
///
/// An array of 64 rows in blocks of 8 is found from a grid of 8 points and
/// blocks that begin at 8 * i. Arrays that windows don't cover to the end can't
/// be told from shorter ones, which have the same results.
static std::optional<SmallVector<int64_t>>
getCoveredShape(const KernelFunction &kernel, const KernelWindow &window) {
  // The product may overflow only behind the bound.
  if (ShapedType::isDynamicShape(kernel.grid))
    return std::nullopt;
  int64_t programs = 1;
  for (int64_t size : kernel.grid)
    if (size < 1 || (programs *= size) > kMaxPrograms)
      return std::nullopt;
  SmallVector<int64_t> shape(window.bounds.size(), 0);
  SmallVector<int64_t> ids(kernel.grid.size(), 0);
  for (int64_t program = 0; program < programs; ++program) {
    for (int64_t rest = program, d = ids.size() - 1; d >= 0; --d) {
      ids[d] = rest % kernel.grid[d];
      rest /= kernel.grid[d];
    }
    SmallVector<int64_t> place;
    if (!evaluateTransform(window.transform, ids, place))
      return std::nullopt;
    for (auto [d, index] : llvm::enumerate(place)) {
      int64_t bound = window.bounds[d];
      // Padding of element windows is no part of the array.
      int64_t end = window.countsElements
                        ? index + bound - window.padLow[d] - window.padHigh[d]
                        : (index + 1) * bound;
      shape[d] = std::max(shape[d], end);
    }
  }
  return shape;
}

/// The array behind argument `index` of the arrays.
/// An array that is not copied to a window is as large as its memref.
static FailureOr<RankedTensorType> inferArray(const KernelFunction &kernel,
                                              unsigned index) {
  auto memref = cast<MemRefType>(kernel.getArrays()[index].getType());
  const KernelWindow &window = kernel.windows[index];
  if (!window.transform)
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  if (std::optional<SmallVector<int64_t>> shape =
          getCoveredShape(kernel, window))
    return RankedTensorType::get(*shape, memref.getElementType());
  return kernel.func.emitError()
         << "sees blocks " << memref << " of array " << index
         << ", and where they lie depends on data, so the size of the array "
            "can't be inferred; name the types of operands and results in the "
            "attribute '"
         << tpu::kCallAttrName << "' of the module";
}

/// Operands come in the order of the arguments; written arrays at the end are
/// the results. An alias can't be seen, since it changes no function.
static FailureOr<KernelCall> inferCall(ArrayRef<KernelFunction> kernels) {
  const KernelFunction &kernel = kernels.front();
  KernelCall call;
  Builder builder(kernel.func.getContext());
  for (unsigned i = 0; i < kernel.getNumDynamicBounds(); ++i)
    call.operands.push_back(RankedTensorType::get({}, builder.getI32Type()));
  for (BlockArgument argument : kernel.getPrefetch()) {
    auto memref = cast<MemRefType>(argument.getType());
    call.operands.push_back(
        RankedTensorType::get(memref.getShape(), memref.getElementType()));
  }
  unsigned firstResult = kernel.numArrays;
  // All kernels of a module see the same arrays. One that writes is enough.
  auto isResult = [&](unsigned index) {
    return llvm::any_of(kernels, [&](const KernelFunction &each) {
      return index < each.numArrays && isWritten(each.getArrays()[index]);
    });
  };
  // An array in the middle that is written is an input that the kernel
  // overwrites.
  while (firstResult > 0 && isResult(firstResult - 1))
    --firstResult;
  for (unsigned i = 0; i < kernel.numArrays; ++i) {
    FailureOr<RankedTensorType> array = inferArray(kernel, i);
    if (failed(array))
      return failure();
    (i < firstResult ? call.operands : call.results).push_back(*array);
  }
  return call;
}

FailureOr<KernelCall>
/// The attribute is verified before anything is built from it: the module may
/// come from a file.
mlir::pallas::readKernelCall(ModuleOp module,
                             ArrayRef<KernelFunction> kernels) {
  if (!module->hasAttr(tpu::kCallAttrName))
    return inferCall(kernels);
  FailureOr<tpu::TPUCustomCall> described = tpu::readCallAttribute(module);
  if (failed(described) || failed(tpu::verifyCall(*described)))
    return failure();
  return KernelCall{described->operands, described->results,
                    described->aliases};
}
