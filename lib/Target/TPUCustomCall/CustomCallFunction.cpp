//===- CustomCallFunction.cpp - A call as StableHLO -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file builds a function with one call of a kernel as StableHLO, as JAX
// would lower it.
//
//===----------------------------------------------------------------------===//

#include "HostOperations.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// In place of StableHLO, whose operations and attributes it takes as they
/// come.
class HostDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HostDialect)

  explicit HostDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<HostDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "stablehlo"; }
};
} // namespace

OwningOpRef<ModuleOp> tpu::createHostModule(MLIRContext *context) {
  context->loadDialect<func::FuncDialect>();
  // An embedder may have the real one.
  if (!context->getLoadedDialect(HostDialect::getDialectNamespace()))
    context->loadDialect<HostDialect>();
  return ModuleOp::create(UnknownLoc::get(context));
}

func::FuncOp tpu::createHostFunction(OpBuilder &builder, StringAttr name,
                                     TypeRange arguments, TypeRange results,
                                     bool isPublic) {
  auto func =
      func::FuncOp::create(builder, builder.getUnknownLoc(), name.getValue(),
                           builder.getFunctionType(arguments, results));
  // JAX writes it even where it is the default.
  func.setSymVisibility(isPublic ? "public" : "private");
  builder.setInsertionPointToStart(func.addEntryBlock());
  return func;
}

Operation *tpu::createHostOp(OpBuilder &builder, StringRef name,
                             TypeRange results, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  OperationState state(builder.getUnknownLoc(), ("stablehlo." + name).str());
  state.addTypes(results);
  state.addOperands(operands);
  state.addAttributes(attributes);
  return builder.create(state);
}

/// Type that the kernel sees: memory has no booleans.
static Type getKernelType(RankedTensorType type) {
  if (!type.getElementType().isSignlessInteger(1))
    return type;
  return type.clone(IntegerType::get(type.getContext(), 32));
}

/// Row-major layouts: the last dimension is the fastest. For example,
/// `dense<[1, 0]> : tensor<2xindex>` for two dimensions.
static ArrayAttr getLayouts(Builder &builder,
                            ArrayRef<RankedTensorType> types) {
  return builder.getArrayAttr(
      llvm::map_to_vector(types, [&](RankedTensorType type) -> Attribute {
        auto dims = llvm::to_vector(
            llvm::reverse(llvm::seq<int64_t>(0, type.getRank())));
        return builder.getIndexTensorAttr(dims);
      }));
}

/// For example:
///
///   [#stablehlo.output_operand_alias<output_tuple_indices = [],
///        operand_index = 0, operand_tuple_indices = []>]
static ArrayAttr getAliases(Builder &builder, const TPUCustomCall &call) {
  auto dialect = builder.getStringAttr(HostDialect::getDialectNamespace());
  return builder.getArrayAttr(
      llvm::map_to_vector(call.aliases, [&](auto alias) -> Attribute {
        // A single result is not a tuple, so nothing points into it.
        std::string place =
            call.results.size() > 1 ? std::to_string(alias.second) : "";
        return OpaqueAttr::get(
            dialect,
            ("output_operand_alias<output_tuple_indices = [" + Twine(place) +
             "], operand_index = " + Twine(alias.first) +
             ", operand_tuple_indices = []>")
                .str(),
            builder.getNoneType());
      }));
}

/// For example:
///
///   %0 = "stablehlo.custom_call"(%arg0)
///       {call_target_name = "tpu_custom_call", ...}
///       : (tensor<8x128xf32>) -> tensor<8x128xf32>
Operation *tpu::createCustomCall(OpBuilder &builder, const TPUCustomCall &call,
                                 StringRef config, ValueRange operands) {
  NamedAttrList attributes, frontend;
  attributes.set("call_target_name", builder.getStringAttr("tpu_custom_call"));
  attributes.set("backend_config", builder.getStringAttr(config));
  if (call.sideEffects != CallSideEffects::Pure)
    attributes.set("has_side_effect", builder.getBoolAttr(true));
  attributes.set("kernel_name", builder.getStringAttr(call.name));
  frontend.set("kernel_metadata", builder.getStringAttr(call.metadata));
  if (call.sideEffects == CallSideEffects::Dataflow)
    frontend.set("xla_allow_dce_side_effecting_op",
                 builder.getStringAttr("true"));
  attributes.set("mhlo.frontend_attributes",
                 frontend.getDictionary(builder.getContext()));
  attributes.set("operand_layouts", getLayouts(builder, call.operands));
  if (!call.aliases.empty())
    attributes.set("output_operand_aliases", getAliases(builder, call));
  attributes.set("result_layouts", getLayouts(builder, call.results));
  return createHostOp(builder, "custom_call",
                      llvm::map_to_vector(call.results, getKernelType),
                      operands, attributes.getAttrs());
}

/// Kernels have 32-bit integers where the program has booleans.
static Value convert(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return createHostOp(builder, "convert", type, value)->getResult(0);
}

/// For example:
///
///   func.func public @main(%arg0: tensor<8xi1>) -> tensor<8xi32> {
///     %0 = "stablehlo.convert"(%arg0) : (tensor<8xi1>) -> tensor<8xi32>
///     %1 = "stablehlo.custom_call"(%0) {...}
///     return %1 : tensor<8xi32>
///   }
LogicalResult tpu::writeCustomCallModule(const TPUCustomCall &call,
                                         StringRef function, raw_ostream &os) {
  if (failed(verifyCall(call)))
    return failure();
  FailureOr<std::string> config = getBackendConfig(call);
  if (failed(config))
    return failure();
  OwningOpRef<ModuleOp> module = createHostModule(call.kernel->getContext());
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Type> operandTypes(call.operands.begin(), call.operands.end());
  SmallVector<Type> resultTypes(call.results.begin(), call.results.end());
  func::FuncOp func =
      createHostFunction(builder, builder.getStringAttr(function), operandTypes,
                         resultTypes, /*isPublic=*/true);

  SmallVector<Value> operands, results;
  for (auto [value, type] : llvm::zip_equal(func.getArguments(), call.operands))
    operands.push_back(convert(builder, value, getKernelType(type)));
  Operation *op = createCustomCall(builder, call, *config, operands);
  for (auto [value, type] : llvm::zip_equal(op->getResults(), resultTypes))
    results.push_back(convert(builder, value, type));
  func::ReturnOp::create(builder, func.getLoc(), results);
  module->print(os);
  return success();
}
