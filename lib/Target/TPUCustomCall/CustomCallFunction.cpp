//===- CustomCallFunction.cpp - StableHLO text of a call ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file writes a function with one call of a kernel as StableHLO text, as
// JAX would lower it. It is text because this project doesn't link StableHLO.
//
//===----------------------------------------------------------------------===//

#include "CustomCallText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tpu;

/// Type that the kernel sees: memory has no booleans.
static RankedTensorType getKernelType(RankedTensorType type) {
  if (!type.getElementType().isSignlessInteger(1))
    return type;
  return type.clone(IntegerType::get(type.getContext(), 32));
}

/// `(t, u)`, or the bare type when there is one and `bare` is set.
static void writeTypes(raw_ostream &os, ArrayRef<RankedTensorType> types,
                       bool bare) {
  if (bare && types.size() == 1) {
    os << types.front();
    return;
  }
  os << "(";
  llvm::interleaveComma(types, os);
  os << ")";
}

static void writeString(raw_ostream &os, StringRef text) {
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
}

/// Row-major layouts: the last dimension is the fastest. For example,
/// `dense<[1, 0]> : tensor<2xindex>` for two dimensions.
static void writeLayouts(raw_ostream &os, ArrayRef<RankedTensorType> types) {
  os << "[";
  llvm::interleaveComma(types, os, [&](RankedTensorType type) {
    int64_t rank = type.getRank();
    os << "dense<";
    if (rank > 0) {
      os << "[";
      llvm::interleaveComma(llvm::reverse(llvm::seq<int64_t>(0, rank)), os);
      os << "]";
    }
    os << "> : tensor<" << rank << "xindex>";
  });
  os << "]";
}

static void writeAliases(raw_ostream &os, const TPUCustomCall &call) {
  os << "[";
  llvm::interleaveComma(call.aliases, os, [&](auto alias) {
    os << "#stablehlo.output_operand_alias<output_tuple_indices = [";
    // A single result is not a tuple, so nothing points into it.
    if (call.results.size() > 1)
      os << alias.second;
    os << "], operand_index = " << alias.first
       << ", operand_tuple_indices = []>";
  });
  os << "]";
}

/// Attributes are in alphabetical order, as StableHLO prints them.
static void writeAttributes(raw_ostream &os, const TPUCustomCall &call,
                            StringRef config,
                            ArrayRef<RankedTensorType> operands,
                            ArrayRef<RankedTensorType> results) {
  os << "{backend_config = ";
  writeString(os, config);
  if (call.sideEffects != CallSideEffects::Pure)
    os << ", has_side_effect = true";
  os << ", kernel_name = ";
  writeString(os, call.name);
  os << ", mhlo.frontend_attributes = {kernel_metadata = ";
  writeString(os, call.metadata);
  if (call.sideEffects == CallSideEffects::Dataflow)
    os << ", xla_allow_dce_side_effecting_op = \"true\"";
  os << "}, operand_layouts = ";
  writeLayouts(os, operands);
  if (!call.aliases.empty()) {
    os << ", output_operand_aliases = ";
    writeAliases(os, call);
  }
  os << ", result_layouts = ";
  writeLayouts(os, results);
  os << "}";
}

/// Writes the conversion of a value where the types differ; gives the name of
/// the value that has type `to`. Kernels have 32-bit integers where the program
/// has booleans.
static std::string writeConvert(raw_ostream &os, const std::string &value,
                                const std::string &converted,
                                RankedTensorType from, RankedTensorType to) {
  if (from == to)
    return value;
  os << "    " << converted << " = stablehlo.convert " << value << " : ("
     << from << ") -> " << to << "\n";
  return converted;
}

/// For example:
///
///   %out:1 = stablehlo.custom_call @tpu_custom_call(%arg0) {...}
///       : (tensor<8x128xf32>) -> tensor<8x128xf32>
void tpu::writeCustomCall(const TPUCustomCall &call, StringRef config,
                          ArrayRef<std::string> values, StringRef result,
                          raw_ostream &os) {
  auto operands = llvm::map_to_vector(call.operands, getKernelType);
  auto results = llvm::map_to_vector(call.results, getKernelType);
  os << "    ";
  if (!results.empty())
    os << result << ":" << results.size() << " = ";
  os << "stablehlo.custom_call @tpu_custom_call(";
  llvm::interleaveComma(values, os);
  os << ") ";
  writeAttributes(os, call, config, operands, results);
  os << " : ";
  writeTypes(os, operands, /*bare=*/false);
  os << " -> ";
  writeTypes(os, results, /*bare=*/true);
  os << "\n";
}

/// For example:
///
///   func.func public @main(%arg0: tensor<8xi1>) -> (tensor<8xi32>) {
///     %in0 = stablehlo.convert %arg0 : (tensor<8xi1>) -> tensor<8xi32>
///     %out:1 = stablehlo.custom_call @tpu_custom_call(%in0) {...}
///     return %out#0 : tensor<8xi32>
///   }
LogicalResult tpu::writeCustomCallFunction(const TPUCustomCall &call,
                                           StringRef function,
                                           raw_ostream &os) {
  if (failed(verifyCall(call)))
    return failure();
  FailureOr<std::string> config = getBackendConfig(call);
  if (failed(config))
    return failure();
  auto operands = llvm::map_to_vector(call.operands, getKernelType);
  auto results = llvm::map_to_vector(call.results, getKernelType);

  os << "  func.func public ";
  FlatSymbolRefAttr::get(call.kernel->getContext(), function).print(os);
  os << "(";
  for (auto [number, type] : llvm::enumerate(call.operands))
    os << (number ? ", " : "") << "%arg" << number << ": " << type;
  os << ") -> ";
  writeTypes(os, call.results, /*bare=*/false);
  os << " {\n";

  SmallVector<std::string> values;
  for (auto [number, from, to] : llvm::enumerate(call.operands, operands))
    values.push_back(writeConvert(os, "%arg" + std::to_string(number),
                                  "%in" + std::to_string(number), from, to));
  writeCustomCall(call, *config, values, "%out", os);

  values.clear();
  for (auto [number, from, to] : llvm::enumerate(results, call.results))
    values.push_back(writeConvert(os, "%out#" + std::to_string(number),
                                  "%bool" + std::to_string(number), from, to));
  os << "    return";
  if (!values.empty()) {
    os << " ";
    llvm::interleaveComma(values, os);
    os << " : ";
    llvm::interleaveComma(call.results, os);
  }
  os << "\n  }\n";
  return success();
}
