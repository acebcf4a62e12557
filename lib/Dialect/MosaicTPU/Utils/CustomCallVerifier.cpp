//===- CustomCallVerifier.cpp - A call against its kernel -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that passes this check can be written as a custom call: the kernel
// takes exactly the arrays that the call passes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/CustomCall.h"

using namespace mlir;
using namespace mlir::tpu;

static InFlightDiagnostic emitCallError(const TPUCustomCall &call) {
  return call.kernel->emitError("call of '") << call.name << "': ";
}

/// An entry per array, or none at all.
template <typename List>
static LogicalResult verifyPerArray(const TPUCustomCall &call, StringRef what,
                                    const List &list, size_t arrays) {
  if (list.empty() || list.size() == arrays)
    return success();
  return emitCallError(call) << "has " << list.size() << " " << what << " for "
                             << arrays << " arrays; give one each, or none";
}

static LogicalResult verifyAliases(const TPUCustomCall &call) {
  llvm::SmallDenseSet<int64_t> operands, results;
  for (auto [operand, result] : call.aliases) {
    if (operand < 0 || operand >= static_cast<int64_t>(call.operands.size()) ||
        result < 0 || result >= static_cast<int64_t>(call.results.size()))
      return emitCallError(call)
             << "aliases operand " << operand << " with result " << result
             << ", but there are " << call.operands.size() << " operands and "
             << call.results.size() << " results";
    if (!operands.insert(operand).second || !results.insert(result).second)
      return emitCallError(call) << "aliases operand " << operand
                                 << " or result " << result << " twice";
    // An alias is one array under two names.
    if (call.operands[operand] != call.results[result])
      return emitCallError(call)
             << "aliases operand " << operand << " of type "
             << call.operands[operand] << " with result " << result
             << " of type " << call.results[result] << "; both are equal";
    if (call.operandSpaces.empty() || call.resultSpaces.empty())
      continue;
    auto from = call.operandSpaces[operand], to = call.resultSpaces[result];
    if (from && to && *from != *to)
      return emitCallError(call)
             << "aliases operand " << operand << " in "
             << stringifyMemorySpace(*from) << " with result " << result
             << " in " << stringifyMemorySpace(*to)
             << "; both share one memory";
  }
  return success();
}

static int64_t getCount(func::FuncOp func, StringRef name) {
  auto attr = func->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

/// Whether the kernel gets blocks of the array, whose shape does not determine
/// the shape of the array.
static bool isWindowed(ArrayAttr windows, int64_t index) {
  if (!windows || index < 0 || index >= static_cast<int64_t>(windows.size()))
    return false;
  auto window = dyn_cast<DictionaryAttr>(windows[index]);
  return window && window.contains("window_bounds");
}

/// The kernel's argument for one array.
static LogicalResult verifyArray(const TPUCustomCall &call, StringRef what,
                                 size_t number, RankedTensorType array,
                                 BlockArgument argument, bool windowed) {
  auto memref = dyn_cast<MemRefType>(argument.getType());
  Type element = array.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(array.getContext(), 32);
  // Memory holds signless integers.
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(array.getContext(), integer.getWidth());
  // Windows are parts of an array, so only the rank is known.
  bool fits = memref && memref.getElementType() == element &&
              memref.getRank() == array.getRank() &&
              (windowed || memref.getShape() == array.getShape());
  if (fits)
    return success();
  InFlightDiagnostic diag = emitCallError(call);
  diag << what << " " << number << " is " << array << ", but the kernel takes "
       << argument.getType()
       << (windowed ? " as a block of it" : " as the whole of it");
  diag.attachNote(argument.getLoc()) << "the argument of the kernel";
  return diag;
}

/// The arguments of a kernel are grid indices, arrays and scratch memory. The
/// call passes the arrays, and sizes of dynamic grid dimensions in front.
static LogicalResult verifySignature(const TPUCustomCall &call,
                                     func::FuncOp func) {
  auto bounds = func->getAttrOfType<DenseI64ArrayAttr>("iteration_bounds");
  auto windows = func->getAttrOfType<ArrayAttr>("window_params");
  int64_t gridRank = bounds ? bounds.size() : 0;
  int64_t dynamicBounds =
      bounds ? llvm::count_if(bounds.asArrayRef(), ShapedType::isDynamic) : 0;
  int64_t prefetch = getCount(func, "scalar_prefetch");
  int64_t arrays =
      func.getNumArguments() - gridRank - getCount(func, "scratch_operands");
  int64_t given = call.operands.size() - dynamicBounds + call.results.size();
  if (arrays != given) {
    InFlightDiagnostic diag = emitCallError(call);
    diag << "has " << call.operands.size() << " operands, " << dynamicBounds
         << " of them grid bounds, and " << call.results.size()
         << " results, but the kernel takes " << arrays << " arrays";
    diag.attachNote(func.getLoc()) << "the kernel";
    return diag;
  }
  auto scalar =
      RankedTensorType::get({}, IntegerType::get(func.getContext(), 32));
  for (int64_t i = 0; i < dynamicBounds; ++i)
    if (call.operands[i] != scalar)
      return emitCallError(call)
             << "operand " << i << " is the bound of a dynamic grid dimension "
             << "and is " << call.operands[i] << "; make it " << scalar;
  // Operands behind the bounds, then results.
  for (int64_t i = 0; i < arrays; ++i) {
    int64_t operand = i + dynamicBounds;
    int64_t result = operand - call.operands.size();
    bool isResult = result >= 0;
    if (failed(verifyArray(
            call, isResult ? "result" : "operand", isResult ? result : operand,
            isResult ? call.results[result] : call.operands[operand],
            func.getArgument(gridRank + i), isWindowed(windows, i - prefetch))))
      return failure();
  }
  return success();
}

/// Checks lists per array before the kernels, since the message about a list is
/// clearer than one about an argument.
LogicalResult tpu::verifyCall(const TPUCustomCall &call) {
  size_t operands = call.operands.size(), results = call.results.size();
  if (failed(verifyPerArray(call, "operand spaces", call.operandSpaces,
                            operands)) ||
      failed(
          verifyPerArray(call, "result spaces", call.resultSpaces, results)) ||
      failed(verifyPerArray(call, "fusion flags", call.allowInputFusion,
                            operands)) ||
      failed(verifyAliases(call)))
    return failure();
  // XLA compiles a call for one shape.
  for (ArrayRef<RankedTensorType> types :
       {ArrayRef(call.operands), ArrayRef(call.results)})
    for (RankedTensorType type : types)
      if (!type.hasStaticShape())
        return emitCallError(call)
               << "has an array of type " << type << "; shapes are static";

  bool found = false;
  // All cores run with the same arrays.
  for (CoreType core : {CoreType::TensorCore, CoreType::ScScalarSubcore,
                        CoreType::ScVectorSubcore}) {
    FailureOr<func::FuncOp> func = getFuncWithCoreType(call.kernel, core);
    if (failed(func))
      return failure();
    if (!*func)
      continue;
    found = true;
    if (failed(verifySignature(call, *func)))
      return failure();
  }
  if (!found)
    return emitCallError(call)
           << "the module has no function with '" << kCoreTypeAttrName << "'";
  return success();
}
