//===- HostModule.cpp - StableHLO of the functions around kernels ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call kernels hold few other operations: those that change the
// layout of arrays for the hardware and back. They are rebuilt here one by one.
//
//===----------------------------------------------------------------------===//

#include "HostOperations.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// Builds one function. For example:
///
///   %0 = pallas.transpose %a, [1, 0] : tensor<8x128xf32> -> tensor<128x8xf32>
///
/// becomes:
///
///   %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 1, 0>}
///       : (tensor<8x128xf32>) -> tensor<128x8xf32>
class HostFunctionBuilder {
public:
  HostFunctionBuilder(func::FuncOp func, OpBuilder &builder,
                      const LibtpuRelease &libtpu)
      : func(func), builder(builder), libtpu(libtpu) {}

  LogicalResult build();

private:
  LogicalResult buildOp(Operation *op);
  LogicalResult buildKernelCall(func::CallOp call);
  LogicalResult buildPad(tensor::PadOp op);
  LogicalResult buildSlice(tensor::ExtractSliceOp op);
  LogicalResult buildUnsignedCast(Operation *op);
  void buildConstant(arith::ConstantOp op);
  /// The operation `stablehlo.<name>` for one with a single result, on these
  /// values of the function or on its own.
  void replace(Operation *op, StringRef name,
               ArrayRef<NamedAttribute> attributes = {},
               ValueRange operands = {});

  SmallVector<Value> getMapped(ValueRange values) {
    return llvm::map_to_vector(values,
                               [&](Value v) { return mapping.lookup(v); });
  }
  NamedAttribute numbers(StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  }

  func::FuncOp func;
  OpBuilder &builder;
  const LibtpuRelease &libtpu;
  /// From values of the function to those of StableHLO.
  IRMapping mapping;
};
} // namespace

/// StableHLO has tensors only.
static Type getHostType(Type type) {
  if (isa<RankedTensorType>(type))
    return type;
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 32);
  return RankedTensorType::get({}, type);
}

static SmallVector<Type> getHostTypes(TypeRange types) {
  return llvm::map_to_vector(types, getHostType);
}

void HostFunctionBuilder::replace(Operation *op, StringRef name,
                                  ArrayRef<NamedAttribute> attributes,
                                  ValueRange operands) {
  if (operands.empty())
    operands = op->getOperands();
  Value result = op->getResult(0);
  Operation *hostOp = createHostOp(builder, name, getHostType(result.getType()),
                                   getMapped(operands), attributes);
  mapping.map(result, hostOp->getResult(0));
}

/// Scalars are tensors of rank 0 there.
void HostFunctionBuilder::buildConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(getHostType(op.getType()));
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements) {
    Attribute value = op.getValue();
    if (op.getType().isIndex())
      value = IntegerAttr::get(type.getElementType(),
                               cast<IntegerAttr>(value).getInt());
    elements = DenseElementsAttr::get(type, value);
  }
  Operation *constant = createHostOp(builder, "constant", type, {},
                                     builder.getNamedAttr("value", elements));
  mapping.map(op.getResult(), constant->getResult(0));
}

/// StableHLO pads with a value and constant amounts; a `tensor.pad` may compute
/// both.
LogicalResult HostFunctionBuilder::buildPad(tensor::PadOp op) {
  std::optional<SmallVector<int64_t>> low =
      getConstantIntValues(op.getMixedLowPad());
  std::optional<SmallVector<int64_t>> high =
      getConstantIntValues(op.getMixedHighPad());
  Value padding = op.getConstantPaddingValue();
  if (!low || !high || !padding)
    return op.emitOpError("needs constant amounts and one padding value to be "
                          "written as StableHLO");
  // A constant in the region is no operation of the function.
  if (op.getRegion().isAncestor(padding.getParentRegion())) {
    auto constant = padding.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return op.emitOpError("pads with a value that it computes itself; "
                            "compute it in front to have it written as "
                            "StableHLO");
    buildConstant(constant);
  }
  replace(op, "pad",
          {numbers("edge_padding_low", *low),
           numbers("edge_padding_high", *high),
           numbers("interior_padding", SmallVector<int64_t>(low->size(), 0))},
          {op.getSource(), padding});
  return success();
}

/// StableHLO has the end of a slice where tensor has its size.
///
///   %1 = tensor.extract_slice %0[0, 8] [8, 4] [1, 2]
///       : tensor<8x128xf32> to tensor<8x4xf32>
/// -->
///   %1 = "stablehlo.slice"(%0) {limit_indices = array<i64: 8, 15>,
///       start_indices = array<i64: 0, 8>, strides = array<i64: 1, 2>}
///       : (tensor<8x128xf32>) -> tensor<8x4xf32>
///
/// The end lies right behind the last element, not a whole stride behind it,
/// where it could be out of bounds.
LogicalResult HostFunctionBuilder::buildSlice(tensor::ExtractSliceOp op) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()) ||
      op.getSourceType().getRank() != op.getType().getRank())
    return op.emitOpError("needs constant offsets, sizes and strides, and the "
                          "rank of its operand, to be written as StableHLO");
  SmallVector<int64_t> ends;
  for (auto [offset, size, stride] : llvm::zip_equal(
           op.getStaticOffsets(), op.getStaticSizes(), op.getStaticStrides()))
    ends.push_back(offset + (size - 1) * stride + 1);
  replace(op, "slice",
          {numbers("start_indices", op.getStaticOffsets()),
           numbers("limit_indices", ends),
           numbers("strides", op.getStaticStrides())});
  return success();
}

/// `i8` is a signed integer in StableHLO, so its convert extends the sign; `i1`
/// is the exception.
LogicalResult HostFunctionBuilder::buildUnsignedCast(Operation *op) {
  auto getWidth = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
  };
  unsigned from = getWidth(op->getOperand(0).getType());
  if (from != 1 && from < getWidth(op->getResult(0).getType()))
    return op->emitOpError() << "extends " << op->getOperand(0).getType()
                             << " by zeros, which has no StableHLO form here; "
                                "do it in a kernel";
  replace(op, "convert");
  return success();
}

/// A call of a declaration that names the module of a kernel. For example:
///
///   func.func private @f(tensor<8xf32>) -> tensor<8xf32>
///       attributes {tpu.kernel = @kernel}
///   %1 = func.call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
///
/// becomes a `stablehlo.custom_call` with the serialized module.
LogicalResult HostFunctionBuilder::buildKernelCall(func::CallOp op) {
  auto declaration = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  auto symbol =
      declaration
          ? declaration->getAttrOfType<FlatSymbolRefAttr>(kKernelAttrName)
          : FlatSymbolRefAttr();
  auto kernel =
      symbol
          ? SymbolTable::lookupNearestSymbolFrom<ModuleOp>(declaration, symbol)
          : ModuleOp();
  if (!kernel)
    return op.emitOpError() << "calls @" << op.getCallee()
                            << ", which is not a kernel; inline it";
  FailureOr<TPUCustomCall> call = readCallAttribute(kernel);
  if (failed(call) || failed(verifyCall(*call)))
    return failure();
  call->libtpu = libtpu;
  FailureOr<std::string> config = getBackendConfig(*call);
  if (failed(config))
    return failure();
  Operation *hostCall =
      createCustomCall(builder, *call, *config, getMapped(op.getOperands()));
  mapping.map(op->getResults(), hostCall->getResults());
  return success();
}

/// Only what the lowering puts around kernels, and the casts of an export.
LogicalResult HostFunctionBuilder::buildOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<func::CallOp>([&](auto call) { return buildKernelCall(call); })
      .Case<tensor::PadOp>([&](auto pad) { return buildPad(pad); })
      .Case<tensor::ExtractSliceOp>([&](auto s) { return buildSlice(s); })
      .Case<arith::ConstantOp>([&](auto constant) {
        buildConstant(constant);
        return success();
      })
      .Case<pallas::ReshapeOp, tensor::FromElementsOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp>([&](auto reshape) {
        replace(reshape, "reshape");
        return success();
      })
      .Case<pallas::BitcastOp>([&](auto bitcast) {
        replace(bitcast, "bitcast_convert");
        return success();
      })
      .Case<pallas::TransposeOp>([&](auto transpose) {
        replace(transpose, "transpose",
                numbers("permutation", transpose.getPermutation()));
        return success();
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto cast) { return buildUnsignedCast(cast); })
      .Case<arith::IndexCastOp>([&](auto cast) {
        replace(cast, "convert");
        return success();
      })
      .Case<arith::CmpIOp>([&](auto compare) -> LogicalResult {
        // A conversion to a boolean asks whether a number is not zero:
        //   %b = arith.cmpi ne, %x, %zeros : tensor<8xi32>
        // -->
        //   %b = "stablehlo.convert"(%x) : (tensor<8xi32>) -> tensor<8xi1>
        if (compare.getPredicate() != arith::CmpIPredicate::ne ||
            !matchPattern(compare.getRhs(), m_Zero()))
          return compare.emitOpError("compares other than with zero by ne, "
                                     "which has no StableHLO form here; do it "
                                     "in a kernel");
        replace(compare, "convert", {}, compare.getLhs());
        return success();
      })
      .Case<func::ReturnOp>([&](auto ret) {
        func::ReturnOp::create(builder, builder.getUnknownLoc(),
                               getMapped(ret.getOperands()));
        return success();
      })
      .Default([](Operation *op) {
        return op->emitOpError("is outside of kernels, where only "
                               "reshapes, transposes, paddings, slices, casts "
                               "and constants can be written as StableHLO");
      });
}

LogicalResult HostFunctionBuilder::build() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has several blocks; kernels are called from "
                            "straight-line functions");
  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp host = createHostFunction(
      builder, func.getSymNameAttr(), getHostTypes(func.getArgumentTypes()),
      getHostTypes(func.getResultTypes()),
      /*isPublic=*/func.getSymName() == "main");
  mapping.map(func.getArguments(), host.getArguments());
  for (Operation &op : func.getBody().front())
    if (failed(buildOp(&op)))
      return failure();
  return success();
}

/// XLA starts at `main`: it calls all functions, one after the other, on
/// arguments of its own, and gives all results.
static void buildMain(ArrayRef<func::FuncOp> funcs, OpBuilder &builder) {
  SmallVector<Type> arguments, types;
  for (func::FuncOp func : funcs) {
    llvm::append_range(arguments, getHostTypes(func.getArgumentTypes()));
    llvm::append_range(types, getHostTypes(func.getResultTypes()));
  }
  func::FuncOp main = createHostFunction(builder, builder.getStringAttr("main"),
                                         arguments, types, /*isPublic=*/true);
  ValueRange rest = main.getArguments();
  SmallVector<Value> results;
  for (func::FuncOp func : funcs) {
    unsigned count = func.getNumArguments();
    auto call = func::CallOp::create(builder, main.getLoc(), func.getSymName(),
                                     getHostTypes(func.getResultTypes()),
                                     rest.take_front(count));
    llvm::append_range(results, call.getResults());
    rest = rest.drop_front(count);
  }
  func::ReturnOp::create(builder, main.getLoc(), results);
}

/// The number of devices that run the module, each one a partition of it. The
/// compiler of the module assigns that many; without them remote copies have no
/// target.
static FailureOr<int64_t> getNumDevices(ArrayRef<func::FuncOp> funcs) {
  func::FuncOp first;
  int64_t count = 1;
  for (func::FuncOp func : funcs) {
    SmallVector<pallas::DeviceAxis> mesh = pallas::getDeviceMesh(func);
    if (mesh.empty())
      continue;
    int64_t size = 1;
    for (const pallas::DeviceAxis &axis : mesh)
      size *= axis.size;
    if (first && size != count) {
      InFlightDiagnostic diag = func.emitOpError()
                                << "runs on " << size << " devices, but @"
                                << first.getSymName() << " on " << count
                                << "; one program has one set of devices";
      diag.attachNote(first.getLoc()) << "the other function";
      return diag;
    }
    first = func;
    count = size;
  }
  return count;
}

/// Functions keep their names; XLA runs the one called main.
LogicalResult tpu::writeHostModule(ModuleOp module, raw_ostream &os,
                                   const LibtpuRelease &libtpu) {
  SmallVector<func::FuncOp> funcs;
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isDeclaration())
      funcs.push_back(func);
  FailureOr<int64_t> devices = getNumDevices(funcs);
  if (failed(devices))
    return failure();
  OwningOpRef<ModuleOp> host = createHostModule(module.getContext());
  auto builder = OpBuilder::atBlockEnd(host->getBody());
  if (*devices > 1) {
    (*host)->setAttr("mhlo.num_partitions",
                     builder.getI32IntegerAttr(*devices));
    (*host)->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  }
  for (func::FuncOp func : funcs)
    if (failed(HostFunctionBuilder(func, builder, libtpu).build()))
      return failure();
  bool hasMain = llvm::any_of(
      funcs, [](func::FuncOp func) { return func.getSymName() == "main"; });
  if (!hasMain)
    buildMain(funcs, builder);
  host->print(os);
  return success();
}
