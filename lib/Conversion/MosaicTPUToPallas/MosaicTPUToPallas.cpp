//===- MosaicTPUToPallas.cpp - From the tpu dialect to pallas -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-mosaic-tpu-to-pallas: kernel modules of the tpu dialect
// become pallas_call or mpmd_map again, which run on CPUs. Functions are raised
// in two steps: the call around the kernel first, then the operations in its
// body.
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/MosaicTPUToPallas/MosaicTPUToPallas.h"
#include "Patterns.h"
#include "RaiseKernel.h"
#include "mlir/IR/SymbolTable.h"
#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_CONVERTMOSAICTPUTOPALLAS
#include "pallas/Conversion/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Patterns and target, shared by the conversion of all functions.
struct mlir::pallas::BodyConverter {
  explicit BodyConverter(MLIRContext *context) : target(*context) {
    RewritePatternSet set(context);
    populateRaisingPatterns(types, set);
    populateElementPatterns(types, set);
    populateMemoryPatterns(types, set);
    populateViewPatterns(types, set);
    populateShapePatterns(types, set);
    populateReductionPatterns(types, set);
    populateSparseCorePatterns(types, set);
    populateAsyncPatterns(types, set);
    populateScopePatterns(types, set);
    populateMiscPatterns(types, set);
    // Legal is everything that no pattern is for, and that has no memref.
    markRaisedLegal(types, set, target);
    patterns = std::move(set);
  }

  LogicalResult run(func::FuncOp function) {
    return raiseBody(function, target, patterns);
  }

  MosaicTPUTypeConverter types;
  ConversionTarget target;
  FrozenRewritePatternSet patterns;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Several kernels in one module run on the cores of their meshes.
static FailureOr<SmallVector<KernelFunction, 2>> readKernels(ModuleOp module) {
  SmallVector<KernelFunction, 2> kernels;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!tpu::isKernelFunction(func))
      continue;
    FailureOr<KernelFunction> kernel = readKernelFunction(func);
    if (failed(kernel))
      return failure();
    kernels.push_back(std::move(*kernel));
  }
  if (kernels.empty())
    return module.emitError()
           << "has no kernel: none of its functions has the attribute '"
           << tpu::kCoreTypeAttrName << "'";
  return kernels;
}

/// Kernels have 32-bit integers where the host has booleans. T17
static Value castOperand(OpBuilder &builder, Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || !type.getElementType().isInteger(1))
    return operand;
  return arith::ExtUIOp::create(builder, operand.getLoc(),
                                type.clone(builder.getI32Type()), operand);
}

/// The counterpart for results: any bit set is true.
static Value castResult(OpBuilder &builder, Value result, Type type) {
  if (result.getType() == type)
    return result;
  Value zero = arith::ConstantOp::create(
      builder, result.getLoc(),
      cast<TypedAttr>(builder.getZeroAttr(result.getType())));
  return arith::CmpIOp::create(builder, result.getLoc(),
                               arith::CmpIPredicate::ne, result, zero);
}

/// The types of the arrays as kernels see them.
static SmallVector<RankedTensorType>
getKernelTypes(ArrayRef<RankedTensorType> types) {
  return llvm::map_to_vector(types, [](RankedTensorType type) {
    Type element = type.getElementType();
    if (!element.isInteger(1))
      return type;
    return cast<RankedTensorType>(
        type.clone(IntegerType::get(type.getContext(), 32)));
  });
}

/// Gives `function`, which takes the operands of the call and yields its
/// results, a body that runs the kernels.
static LogicalResult defineCall(func::FuncOp function,
                                ArrayRef<KernelFunction> kernels,
                                KernelCall call) {
  auto builder = OpBuilder::atBlockBegin(function.addEntryBlock());
  SmallVector<Value> operands =
      llvm::map_to_vector(function.getArguments(), [&](Value argument) {
        return castOperand(builder, argument);
      });
  call.results = getKernelTypes(call.results);
  bool isMap = kernels.size() > 1 || kernels.front().runsOnMesh;
  FailureOr<SmallVector<Value>> results =
      isMap ? raiseMpmdMap(builder, kernels, call, operands)
            : raisePallasCall(builder, kernels.front(), call, operands);
  if (failed(results))
    return failure();
  SmallVector<Value> cast;
  for (auto [result, type] :
       llvm::zip_equal(*results, function.getResultTypes()))
    cast.push_back(castResult(builder, result, type));
  func::ReturnOp::create(builder, function.getLoc(), cast);
  return success();
}

namespace {

/// A module is a kernel itself, or has kernels as nested modules. Both occur:
/// the first from a compiled program, the second behind pallas-to-mosaic-tpu.
struct ConvertMosaicTPUToPallas
    : mlir::pallas::impl::ConvertMosaicTPUToPallasBase<
          ConvertMosaicTPUToPallas> {
  using ConvertMosaicTPUToPallasBase::ConvertMosaicTPUToPallasBase;

  LogicalResult initialize(MLIRContext *context) override {
    bodies = std::make_shared<BodyConverter>(context);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> done;
    if (tpu::isKernelModule(module) && failed(raiseOwnKernels(module, done)))
      return signalPassFailure();
    if (failed(raiseNestedKernels(module, done)))
      return signalPassFailure();
    // Erased at the end, since the raised code is copied from them.
    for (Operation *op : done)
      op->erase();
  }

private:
  LogicalResult define(func::FuncOp function, ArrayRef<KernelFunction> kernels,
                       const KernelCall &call) {
    return success(succeeded(defineCall(function, kernels, call)) &&
                   succeeded(bodies->run(function)));
  }
  /// Creates a public function that calls the kernels of `module`.
  LogicalResult createEntry(ModuleOp module, ModuleOp parent, StringRef name,
                            Block::iterator at);
  LogicalResult raiseOwnKernels(ModuleOp module,
                                SmallVectorImpl<Operation *> &done);
  LogicalResult raiseNestedKernels(ModuleOp module,
                                   SmallVectorImpl<Operation *> &done);
  LogicalResult defineDeclaration(func::FuncOp declaration, ModuleOp kernel);

  std::shared_ptr<BodyConverter> bodies;
};

} // namespace

LogicalResult ConvertMosaicTPUToPallas::createEntry(ModuleOp module,
                                                    ModuleOp parent,
                                                    StringRef name,
                                                    Block::iterator at) {
  FailureOr<SmallVector<KernelFunction, 2>> kernels = readKernels(module);
  if (failed(kernels))
    return failure();
  FailureOr<KernelCall> call = readKernelCall(module, *kernels);
  if (failed(call))
    return failure();
  // The function takes and yields the arrays of the call.
  SmallVector<Type> operands(call->operands.begin(), call->operands.end());
  SmallVector<Type> results(call->results.begin(), call->results.end());
  func::FuncOp first = kernels->front().func;
  OpBuilder builder(parent.getBody(), at);
  auto entry = func::FuncOp::create(builder, first.getLoc(), name,
                                    builder.getFunctionType(operands, results));
  return define(entry, *kernels, *call);
}

LogicalResult
/// Raises a module that has kernel functions: they are replaced by one that
/// calls them.
ConvertMosaicTPUToPallas::raiseOwnKernels(ModuleOp module,
                                          SmallVectorImpl<Operation *> &done) {
  // A function of a kernel module is a kernel or a transform of a window.
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  std::string name;
  for (func::FuncOp function : functions) {
    if (name.empty() && tpu::isKernelFunction(function))
      name = function.getName();
    done.push_back(function);
  }
  if (failed(createEntry(module, module, name, module.getBody()->end())))
    return failure();
  // The entry takes over the name of the kernel.
  for (func::FuncOp function : functions)
    function.setName("_raised_" + function.getName().str());
  module->removeAttr(tpu::kCallAttrName);
  return success();
}

LogicalResult
/// Defines a declaration that the host calls, so that callers stay as they are:
///
///   func.func private @add_call(...) attributes {tpu.kernel = @add}
ConvertMosaicTPUToPallas::defineDeclaration(func::FuncOp declaration,
                                            ModuleOp kernel) {
  FailureOr<SmallVector<KernelFunction, 2>> kernels = readKernels(kernel);
  if (failed(kernels))
    return failure();
  FailureOr<KernelCall> call = readKernelCall(kernel, *kernels);
  if (failed(call))
    return failure();
  // The bound of a dynamic dimension may come as a number.
  auto fits = [](Type given, RankedTensorType type) {
    return given == type ||
           (type.getRank() == 0 && given == type.getElementType());
  };
  auto allFit = [&](TypeRange given, ArrayRef<RankedTensorType> types) {
    return given.size() == types.size() && llvm::all_of_zip(given, types, fits);
  };
  if (!allFit(declaration.getArgumentTypes(), call->operands) ||
      !allFit(declaration.getResultTypes(), call->results)) {
    InFlightDiagnostic diag =
        declaration.emitError()
        << "calls kernel @" << kernel.getSymName().value_or("")
        << ", but has the type " << declaration.getFunctionType()
        << "; it must take and yield the arrays of the kernel";
    diag.attachNote(kernel.getLoc())
        << "the kernel takes (" << call->operands << ") and yields ("
        << call->results << ")";
    return diag;
  }
  declaration->removeAttr(tpu::kKernelAttrName);
  return define(declaration, *kernels, *call);
}

/// Raises kernels in nested modules: first those that declarations name, then
/// the others, which get an entry of their module's name.
LogicalResult ConvertMosaicTPUToPallas::raiseNestedKernels(
    ModuleOp module, SmallVectorImpl<Operation *> &done) {
  SymbolTable symbols(module);
  llvm::SmallPtrSet<Operation *, 4> called;
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    auto name =
        function->getAttrOfType<FlatSymbolRefAttr>(tpu::kKernelAttrName);
    if (!name || !function.isExternal())
      continue;
    auto kernel = symbols.lookup<ModuleOp>(name.getAttr());
    if (!kernel)
      return function.emitError() << "calls kernel " << name
                                  << ", but there is no module of this name";
    if (failed(defineDeclaration(function, kernel)))
      return failure();
    called.insert(kernel);
  }
  for (auto kernel : llvm::to_vector(module.getOps<ModuleOp>())) {
    if (!tpu::isKernelModule(kernel))
      continue;
    done.push_back(kernel);
    // A kernel that is called needs no second entry.
    if (called.contains(kernel))
      continue;
    std::string name = kernel.getSymName().value_or("kernel").str();
    if (kernel.getSymName())
      kernel.setSymName("_raised_" + name);
    if (failed(createEntry(kernel, module, name, Block::iterator(kernel))))
      return failure();
  }
  return success();
}
