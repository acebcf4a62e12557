//===- KernelFunction.cpp - Signature of a TPU kernel function ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of a kernel function describe its arguments. They are checked
// here once, so that raising can rely on them.
//
//===----------------------------------------------------------------------===//

#include "KernelFunction.h"

using namespace mlir;
using namespace mlir::pallas;

static constexpr StringLiteral kBoundsName = "iteration_bounds";
static constexpr StringLiteral kSemanticsName = "dimension_semantics";
static constexpr StringLiteral kWindowsName = "window_params";

/// Arbitrary is the order in which pallas runs dimensions without semantics.
static DimensionSemantics convertSemantics(tpu::DimensionSemantics semantics) {
  switch (semantics) {
  case tpu::DimensionSemantics::Parallel:
    return DimensionSemantics::Parallel;
  case tpu::DimensionSemantics::CoreParallel:
    return DimensionSemantics::CoreParallel;
  case tpu::DimensionSemantics::SubcoreParallel:
    return DimensionSemantics::SubcoreParallel;
  case tpu::DimensionSemantics::Arbitrary:
    break;
  }
  return DimensionSemantics::Arbitrary;
}

namespace {

/// Reads the arguments in the order in which the function has them: grid
/// indices, prefetched arrays, arrays, scratch memory. The grid and the counts
/// determine how many arguments are arrays.
class KernelReader {
public:
  explicit KernelReader(func::FuncOp func) : func(func) { kernel.func = func; }

  FailureOr<KernelFunction> read() {
    kernel.core = tpu::getCoreType(func);
    if (failed(readGrid()) || failed(readArguments()) ||
        failed(readWindows()) || failed(verifyBody()))
      return failure();
    // Only TensorCores have grids with windows.
    kernel.runsOnMesh |= kernel.core != tpu::CoreType::TensorCore;
    return std::move(kernel);
  }

private:
  LogicalResult readGrid();
  LogicalResult readArguments();
  LogicalResult readWindows();
  LogicalResult readWindow(unsigned index, DictionaryAttr params);
  LogicalResult verifyTransform(unsigned index, func::FuncOp transform,
                                size_t rank);
  LogicalResult verifyBody();
  unsigned getCount(StringRef name) {
    auto attr = func->getAttrOfType<IntegerAttr>(name);
    return attr && attr.getInt() > 0 ? attr.getInt() : 0;
  }

  func::FuncOp func;
  KernelFunction kernel;
};

} // namespace

/// The grid and the order of its dimensions.
LogicalResult KernelReader::readGrid() {
  if (auto bounds = func->getAttrOfType<DenseI64ArrayAttr>(kBoundsName))
    kernel.grid = llvm::to_vector(bounds.asArrayRef());
  auto semantics = func->getAttrOfType<ArrayAttr>(kSemanticsName);
  if (!semantics)
    return success();
  for (Attribute attr : semantics) {
    auto value = dyn_cast<tpu::DimensionSemanticsAttr>(attr);
    if (!value)
      return func.emitError() << kSemanticsName << " holds " << attr
                              << ", which is not the order of a dimension";
    kernel.semantics.push_back(convertSemantics(value.getValue()));
  }
  if (!kernel.grid.empty() && kernel.semantics.size() != kernel.grid.size())
    return func.emitError()
           << kSemanticsName << " names " << kernel.semantics.size()
           << " dimensions, but the grid has " << kernel.grid.size()
           << "; name each of them";
  return success();
}

/// Counts of arguments, then their types.
LogicalResult KernelReader::readArguments() {
  kernel.numPrefetch = getCount("scalar_prefetch");
  unsigned numScratch = getCount("scratch_operands");
  unsigned known = kernel.grid.size() + kernel.numPrefetch + numScratch;
  if (func.getNumArguments() < known)
    return func.emitError()
           << "has " << func.getNumArguments() << " arguments, but "
           << kernel.grid.size() << " grid indices, " << kernel.numPrefetch
           << " prefetched arrays and " << numScratch
           << " scratch buffers make " << known;
  kernel.numArrays = func.getNumArguments() - known;
  for (BlockArgument argument : func.getArguments()) {
    // Grid indices are i32, and everything behind them is memory.
    bool isId = argument.getArgNumber() < kernel.grid.size();
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (isId ? argument.getType().isInteger(32)
             : memref && convertMemRef(memref))
      continue;
    return emitError(argument.getLoc())
           << "argument " << argument.getArgNumber() << " of kernel '"
           << func.getName() << "' has type " << argument.getType()
           << ", but must be "
           << (isId ? "i32: it is a grid index"
                    : "a memref of numbers or semaphores in row-major order");
  }
  return success();
}

/// Kernels without windows see whole arrays.
LogicalResult KernelReader::readWindows() {
  kernel.windows.resize(kernel.numArrays);
  auto params = func->getAttrOfType<ArrayAttr>(kWindowsName);
  if (!params)
    return success();
  if (params.size() != kernel.numArrays)
    return func.emitError() << kWindowsName << " describes " << params.size()
                            << " windows, but the kernel takes "
                            << kernel.numArrays << " arrays; give one for each";
  for (auto [index, attr] : llvm::enumerate(params)) {
    auto window = dyn_cast<DictionaryAttr>(attr);
    if (!window)
      return func.emitError() << kWindowsName << " has the entry " << attr
                              << ", which is not a dictionary";
    if (failed(readWindow(index, window)))
      return failure();
  }
  return success();
}

/// One entry of `window_params`. Entries without a transform are whole arrays.
LogicalResult KernelReader::readWindow(unsigned index, DictionaryAttr params) {
  KernelWindow &window = kernel.windows[index];
  Attribute place = params.get("transform_indices");
  // Maps instead of functions are for kernels on meshes: their windows are
  // whole arrays.
  if (isa_and_present<AffineMapAttr>(place)) {
    kernel.runsOnMesh = true;
    return success();
  }
  auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(place);
  auto bounds = params.getAs<DenseI64ArrayAttr>("window_bounds");
  if (!symbol || !bounds)
    return success();
  auto memref = cast<MemRefType>(kernel.getArrays()[index].getType());
  if (bounds.asArrayRef() != memref.getShape())
    return func.emitError()
           << "window " << index << " has the bounds [" << bounds.asArrayRef()
           << "], but the kernel takes " << memref << "; both are one block";
  auto transform =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(func, symbol);
  if (!transform || transform.isExternal())
    return func.emitError() << "window " << index << " has the transform "
                            << symbol << ", but there is no such function";
  if (failed(verifyTransform(index, transform, bounds.size())))
    return failure();
  window.transform = transform;
  window.bounds = llvm::to_vector(bounds.asArrayRef());
  // Element windows have padding per dimension.
  if (auto kind = params.getAs<tpu::ElementWindowAttr>("window_kind")) {
    window.countsElements = true;
    window.padLow = llvm::to_vector(kind.getPadLow());
    window.padHigh = llvm::to_vector(kind.getPadHigh());
    if (window.padLow.size() != bounds.size() ||
        window.padHigh.size() != bounds.size())
      return func.emitError() << "window " << index << " pads "
                              << window.padLow.size() << " dimensions, but has "
                              << bounds.size() << "; pad each, by 0 too";
  }
  if (auto mode = params.getAs<tpu::PipelineModeAttr>("pipeline_mode"))
    window.pipelineMode = mode.getValue();
  return success();
}

/// The transform becomes an index map, so it needs the arguments of one and a
/// single block.
LogicalResult KernelReader::verifyTransform(unsigned index,
                                            func::FuncOp transform,
                                            size_t rank) {
  SmallVector<Type> expected;
  for (unsigned i = 0, e = kernel.grid.size() + kernel.numPrefetch; i < e; ++i)
    expected.push_back(func.getArgument(i).getType());
  bool yieldsPlace = transform.getNumResults() == rank &&
                     llvm::all_of(transform.getResultTypes(),
                                  [](Type type) { return type.isInteger(32); });
  if (TypeRange(expected) == TypeRange(transform.getArgumentTypes()) &&
      yieldsPlace && transform.getBody().hasOneBlock())
    return success();
  InFlightDiagnostic diag = transform.emitError()
                            << "computes the position of window " << index
                            << " of '" << func.getName()
                            << "': it must take the grid indices and the "
                               "prefetched arrays and yield "
                            << rank << " i32, in one block";
  diag.attachNote(func.getLoc()) << "the kernel";
  return diag;
}

/// A pallas kernel is one block and yields nothing.
LogicalResult KernelReader::verifyBody() {
  if (func.getNumResults() == 0 && func.getBody().hasOneBlock())
    return success();
  return func.emitError() << "is a kernel with " << func.getNumResults()
                          << " results and "
                          << func.getBody().getBlocks().size()
                          << " blocks; kernels have no results, and control "
                             "flow of scf only";
}

FailureOr<KernelFunction> mlir::pallas::readKernelFunction(func::FuncOp func) {
  return KernelReader(func).read();
}
