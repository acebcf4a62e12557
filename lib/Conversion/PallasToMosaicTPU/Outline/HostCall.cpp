//===- HostCall.cpp - The call of a kernel from the host ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host keeps arrays in their natural shapes. Operands are relaid out before
// the call, as Plan/WindowPlan.cpp decided, and results brought back behind it.
//
//===----------------------------------------------------------------------===//

#include "HostCall.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Layout of arrays
//===----------------------------------------------------------------------===//

/// Booleans are 32-bit integers outside of registers, and f16 its bits. T17
static Type getCallElement(Type element) {
  if (element.isF16())
    return IntegerType::get(element.getContext(), 16);
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 32)
                              : element;
}

RankedTensorType mlir::pallas::getCallType(const WindowPlan &plan) {
  return RankedTensorType::get(plan.getArrayShape(),
                               getCallElement(plan.element));
}

/// Booleans are extended, not cast, and all others keep their bits:
///
///   %0 = arith.extui %mask : tensor<8x128xi1> to tensor<8x128xi32>
///   %1 = pallas.bitcast %half : tensor<8x128xf16> -> tensor<8x128xi16>
static Value castElements(OpBuilder &builder, Location loc, Value array) {
  auto type = cast<RankedTensorType>(array.getType());
  auto inCall = type.clone(getCallElement(type.getElementType()));
  if (type.getElementType().isInteger(1))
    return arith::ExtUIOp::create(builder, loc, inCall, array);
  if (inCall != type)
    return BitcastOp::create(builder, loc, inCall, array);
  return array;
}

/// Scalar operands and inputs of meshes are whole, so only elements change.
Value mlir::pallas::layOutScalarOperand(OpBuilder &builder, Location loc,
                                        Value array) {
  return castElements(builder, loc, array);
}

/// A reshape that changes tiles is a copy on a TPU, so none is created without
/// need.
static Value reshape(OpBuilder &builder, Location loc, Value array,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(array.getType());
  if (type.getShape() == shape)
    return array;
  return ReshapeOp::create(builder, loc, type.clone(shape), array);
}

///   %0 = tensor.pad %x low[0, 0] high[0, 24]
///   %1 = pallas.reshape %0 : tensor<8x1024xf32> -> tensor<8x8x128xf32>
///   %2 = pallas.transpose %1, [1, 0, 2] : tensor<8x8x128xf32>
///
/// Only the steps that the plan asks for are emitted.
Value mlir::pallas::layOutOperand(OpBuilder &builder, Location loc, Value array,
                                  const WindowPlan &plan) {
  array = castElements(builder, loc, array);
  if (!plan.isRelaidOut())
    return array;
  auto type = cast<RankedTensorType>(array.getType());
  auto isZero = [](int64_t size) { return size == 0; };
  if (!llvm::all_of(plan.hostPadLow, isZero) ||
      !llvm::all_of(plan.hostPadHigh, isZero)) {
    SmallVector<int64_t> padded(type.getShape());
    for (auto [size, low, high] :
         llvm::zip_equal(padded, plan.hostPadLow, plan.hostPadHigh))
      size += low + high;
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    array = tensor::PadOp::create(
        builder, loc, type.clone(padded), array,
        getAsIndexOpFoldResult(builder.getContext(), plan.hostPadLow),
        getAsIndexOpFoldResult(builder.getContext(), plan.hostPadHigh), zero);
  }
  array = reshape(builder, loc, array, plan.split);
  if (plan.permutation.empty())
    return array;
  return TransposeOp::create(builder, loc, array, plan.permutation);
}

/// The steps of `layOutOperand` backwards: transpose, join, drop the padding,
/// and the elements last, while there are fewest of them.
Value mlir::pallas::restoreResult(OpBuilder &builder, Location loc, Value array,
                                  const WindowPlan &plan) {
  if (!plan.permutation.empty())
    array = TransposeOp::create(builder, loc, array,
                                invertPermutationVector(plan.permutation));
  SmallVector<int64_t> padded(plan.original);
  for (auto [size, low, high] :
       llvm::zip_equal(padded, plan.hostPadLow, plan.hostPadHigh))
    size += low + high;
  array = reshape(builder, loc, array, padded);
  auto type = cast<RankedTensorType>(array.getType());
  if (padded != plan.original) {
    SmallVector<int64_t> strides(padded.size(), 1);
    MLIRContext *context = builder.getContext();
    array = tensor::ExtractSliceOp::create(
        builder, loc, type.clone(plan.original), array,
        getAsIndexOpFoldResult(context, plan.hostPadLow),
        getAsIndexOpFoldResult(context, plan.original),
        getAsIndexOpFoldResult(context, strides));
    type = cast<RankedTensorType>(array.getType());
  }
  if (plan.element.isF16())
    return BitcastOp::create(builder, loc, type.clone(plan.element), array);
  if (!plan.element.isInteger(1))
    return array;
  // Any bit of the integer makes a boolean true, as JAX reads it.
  Value zero = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, array,
                               zero);
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Only values that differ from the default become entries. Readers of the
/// attribute supply the defaults.
static void addParams(NamedAttrList &attrs, OpBuilder &builder,
                      TPUParamsAttr params) {
  auto addInt = [&](StringRef name, std::optional<int64_t> value) {
    if (value)
      attrs.set(name, builder.getI64IntegerAttr(*value));
  };
  auto addFlag = [&](StringRef name, bool value) {
    if (value)
      attrs.set(name, builder.getBoolAttr(true));
  };
  addInt("vmem_limit_bytes", params.getVmemLimitBytes());
  addInt("collective_id", params.getCollectiveId());
  addInt("internal_scratch_in_bytes", params.getInternalScratchInBytes());
  addFlag("disable_bounds_checks", params.getDisableBoundsChecks());
  addFlag("disable_semaphore_checks", params.getDisableSemaphoreChecks());
  addFlag("skip_device_barrier", params.getSkipDeviceBarrier());
  if (!params.getShapeInvariantNumerics())
    attrs.set("shape_invariant_numerics", builder.getBoolAttr(false));
  if (params.getHasSideEffects())
    attrs.set("side_effects", builder.getStringAttr("side_effecting"));
  if (params.getAllowInputFusion())
    attrs.set("allow_input_fusion", params.getAllowInputFusion());
  if (params.getFlags())
    attrs.set("flags", params.getFlags());
}

/// Parameters for the compiler for SparseCores only. Arrays have the tiles of
/// the TensorCore, from which they come, unless the kernel declares otherwise.
static void addSparseCoreParams(NamedAttrList &attrs, OpBuilder &builder,
                                TPUParamsAttr params) {
  bool isCompact = !params || params.getUseTCTilingOnSC();
  attrs.set(tpu::kSparseCoreTilingName,
            builder.getStringAttr(isCompact ? tpu::kCompactTiling
                                            : tpu::kSparseCoreTiling));
  if (params && !params.getNeedsLayoutPasses())
    attrs.set("needs_layout_passes", builder.getBoolAttr(false));
}

static DictionaryAttr describeCost(OpBuilder &builder, CostEstimateAttr cost) {
  NamedAttrList attrs;
  auto add = [&](StringRef name, int64_t value) {
    attrs.set(name, builder.getI64IntegerAttr(value));
  };
  add("flops", cost.getFlops());
  add("transcendentals", cost.getTranscendentals());
  add("bytes_accessed", cost.getBytesAccessed());
  add("remote_bytes_transferred", cost.getRemoteBytesTransferred());
  return attrs.getDictionary(builder.getContext());
}

/// The metadata that the author attached to the call, as JSON text.
/// JSON has strings only here: profilers show them, and nothing computes on
/// them.
static StringAttr describeMetadata(OpBuilder &builder,
                                   DictionaryAttr metadata) {
  llvm::json::Object object;
  for (NamedAttribute entry : metadata) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto string = dyn_cast<StringAttr>(entry.getValue()))
      os << string.getValue();
    else
      entry.getValue().print(os, /*elideType=*/true);
    object[entry.getName().getValue()] = text;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return builder.getStringAttr(text);
}

/// Collects all that is known about a call in one attribute of the kernel
/// module, because the target that writes the custom call sees that module
/// only.
static DictionaryAttr describeCall(OpBuilder &builder, const HostCall &call) {
  NamedAttrList attrs;
  auto addTypes = [&](StringRef name, TypeRange types) {
    attrs.set(name, builder.getTypeArrayAttr(llvm::to_vector(
                        llvm::map_range(types, [](Type type) -> Type {
                          // A dynamic grid size is a scalar operand.
                          if (isa<RankedTensorType>(type))
                            return type;
                          return RankedTensorType::get({}, type);
                        }))));
  };
  attrs.set("name", builder.getStringAttr(call.kernelName));
  addTypes("operands", TypeRange(ValueRange(call.operands)));
  addTypes("results", call.resultTypes);
  SmallVector<Attribute> aliases;
  for (auto [operand, result] : call.aliases)
    aliases.push_back(builder.getDenseI64ArrayAttr({operand, result}));
  if (!aliases.empty())
    attrs.set("aliases", builder.getArrayAttr(aliases));
  if (call.cost)
    attrs.set("cost_estimate", describeCost(builder, call.cost));
  if (call.vmemLimit)
    attrs.set("vmem_limit_bytes", builder.getI64IntegerAttr(*call.vmemLimit));
  // The limit that the author sets replaces the computed one, so it comes
  // later.
  if (call.params)
    addParams(attrs, builder, call.params);
  if (call.onSparseCore)
    addSparseCoreParams(attrs, builder, call.params);
  if (call.metadata)
    attrs.set("metadata", describeMetadata(builder, call.metadata));
  return attrs.getDictionary(builder.getContext());
}

/// The host calls a declaration that names the module of the kernel:
///
///   %0 = call @add_call(%x) : (tensor<64x128xf32>) -> tensor<64x128xf32>
///
/// A direct call can't reach a function in a nested module, and the verifier of
/// func checks operands and results against the declaration.
func::CallOp mlir::pallas::emitHostCall(OpBuilder &builder,
                                        const HostCall &call) {
  Location loc = call.source->getLoc();
  call.kernelModule->setAttr(tpu::kCallAttrName, describeCall(builder, call));
  auto type = builder.getFunctionType(TypeRange(ValueRange(call.operands)),
                                      call.resultTypes);
  auto declaration =
      func::FuncOp::create(loc, (call.kernelName + "_call").str(), type);
  declaration.setPrivate();
  declaration->setAttr(
      tpu::kKernelAttrName,
      FlatSymbolRefAttr::get(SymbolTable::getSymbolName(call.kernelModule)));
  // It follows its module, for readers.
  SymbolTable(call.kernelModule->getParentOp())
      .insert(declaration, std::next(Block::iterator(call.kernelModule)));
  return func::CallOp::create(builder, loc, declaration, call.operands);
}
