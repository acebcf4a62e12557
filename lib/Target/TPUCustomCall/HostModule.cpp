//===- HostModule.cpp - StableHLO text of the functions around kernels ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that call kernels hold few other operations: those that change the
// layout of arrays for the hardware and back. They are written here one by one.
//
//===----------------------------------------------------------------------===//

#include "CustomCallText.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "pallas/Target/TPUCustomCall/TPUCustomCall.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
/// Writes one function. For example:
///
///   %0 = pallas.transpose %a, [1, 0] : tensor<8x128xf32> -> tensor<128x8xf32>
///
/// becomes:
///
///   %0 = stablehlo.transpose %a, dims = [1, 0]
///       : (tensor<8x128xf32>) -> tensor<128x8xf32>
class HostFunctionWriter {
public:
  HostFunctionWriter(func::FuncOp func, raw_ostream &os,
                     const LibtpuRelease &libtpu)
      : func(func), os(os), libtpu(libtpu) {}

  LogicalResult write();

  /// StableHLO has tensors only.
  static Type hostType(Type type) {
    if (isa<RankedTensorType>(type))
      return type;
    if (type.isIndex())
      type = IntegerType::get(type.getContext(), 32);
    return RankedTensorType::get({}, type);
  }
  static void writeTypes(TypeRange types, raw_ostream &os) {
    os << "(";
    llvm::interleaveComma(types, os, [&](Type type) { os << hostType(type); });
    os << ")";
  }

private:
  LogicalResult writeOp(Operation *op);
  LogicalResult writeKernelCall(func::CallOp call);
  LogicalResult writePad(tensor::PadOp op);
  LogicalResult writeSlice(tensor::ExtractSliceOp op);
  LogicalResult writeUnsignedCast(Operation *op);
  void writeConstant(arith::ConstantOp op);
  /// `%r = stablehlo.<name> <operands><attributes> : (types) -> type`
  void writeSimple(Operation *op, StringRef name, const Twine &attributes = "",
                   ValueRange operands = {});

  std::string name(Value value) {
    auto [entry, isNew] = names.try_emplace(value, "");
    if (isNew)
      entry->second = "%" + std::to_string(names.size() - 1);
    return entry->second;
  }

  func::FuncOp func;
  raw_ostream &os;
  const LibtpuRelease &libtpu;
  llvm::DenseMap<Value, std::string> names;
};
} // namespace

/// An operation whose form has operands, attributes and a function type:
///
///   %b = pallas.transpose %a [1, 0] : tensor<8x128xf32>
///   %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x128xf32>) -> ...
void HostFunctionWriter::writeSimple(Operation *op, StringRef opName,
                                     const Twine &attributes,
                                     ValueRange operands) {
  if (operands.empty())
    operands = op->getOperands();
  os << "    " << name(op->getResult(0)) << " = stablehlo." << opName << " ";
  llvm::interleaveComma(operands, os, [&](Value v) { os << name(v); });
  os << attributes << " : ";
  writeTypes(operands.getTypes(), os);
  os << " -> " << hostType(op->getResult(0).getType()) << "\n";
}

/// Scalars are tensors of rank 0 there.
void HostFunctionWriter::writeConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(hostType(op.getType()));
  os << "    " << name(op) << " = stablehlo.constant ";
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    Attribute value = op.getValue();
    if (op.getType().isIndex())
      value = IntegerAttr::get(type.getElementType(),
                               cast<IntegerAttr>(value).getInt());
    elements = DenseElementsAttr::get(type, value);
  }
  os << elements << "\n";
}

/// StableHLO pads with a value and constant amounts; a `tensor.pad` may compute
/// both.
///
///   %2 = stablehlo.pad %0, %1, low = [0, 0], high = [0, 8],
///       interior = [0, 0]
///       : (tensor<8x120xf32>, tensor<f32>) -> tensor<8x128xf32>
LogicalResult HostFunctionWriter::writePad(tensor::PadOp op) {
  std::optional<SmallVector<int64_t>> low =
      getConstantIntValues(op.getMixedLowPad());
  std::optional<SmallVector<int64_t>> high =
      getConstantIntValues(op.getMixedHighPad());
  Value padding = op.getConstantPaddingValue();
  if (!low || !high || !padding)
    return op.emitOpError("needs constant amounts and one padding value to be "
                          "written as StableHLO");
  // A constant in the region was not written as an operation of the function.
  if (op.getRegion().isAncestor(padding.getParentRegion())) {
    auto constant = padding.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return op.emitOpError("pads with a value that it computes itself; "
                            "compute it in front to have it written as "
                            "StableHLO");
    writeConstant(constant);
  }
  std::string attributes;
  llvm::raw_string_ostream text(attributes);
  auto list = [&](StringRef key, ArrayRef<int64_t> values) {
    text << ", " << key << " = [";
    llvm::interleaveComma(values, text);
    text << "]";
  };
  list("low", *low);
  list("high", *high);
  list("interior", SmallVector<int64_t>(low->size(), 0));
  writeSimple(op, "pad", attributes, {op.getSource(), padding});
  return success();
}

/// StableHLO has the end of a slice where tensor has its size.
///
///   %1 = tensor.extract_slice %0[0, 8] [8, 4] [1, 2]
///       : tensor<8x128xf32> to tensor<8x4xf32>
/// -->
///   %1 = stablehlo.slice %0 [0:8:1, 8:15:2]
///       : (tensor<8x128xf32>) -> tensor<8x4xf32>
///
/// The end lies right behind the last element, not a whole stride behind it,
/// where it could be out of bounds.
LogicalResult HostFunctionWriter::writeSlice(tensor::ExtractSliceOp op) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()) ||
      op.getSourceType().getRank() != op.getType().getRank())
    return op.emitOpError("needs constant offsets, sizes and strides, and the "
                          "rank of its operand, to be written as StableHLO");
  std::string attributes;
  llvm::raw_string_ostream text(attributes);
  text << " [";
  llvm::interleaveComma(
      llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes(),
                      op.getStaticStrides()),
      text, [&](auto part) {
        auto [offset, size, stride] = part;
        text << offset << ":" << offset + (size - 1) * stride + 1 << ":"
             << stride;
      });
  text << "]";
  writeSimple(op, "slice", attributes);
  return success();
}

/// `i8` is a signed integer in StableHLO, so its convert extends the sign; `i1`
/// is the exception.
LogicalResult HostFunctionWriter::writeUnsignedCast(Operation *op) {
  auto getWidth = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
  };
  unsigned from = getWidth(op->getOperand(0).getType());
  if (from != 1 && from < getWidth(op->getResult(0).getType()))
    return op->emitOpError() << "extends " << op->getOperand(0).getType()
                             << " by zeros, which has no StableHLO form here; "
                                "do it in a kernel";
  writeSimple(op, "convert");
  return success();
}

/// A call of a declaration that names the module of a kernel. For example:
///
///   func.func private @f(tensor<8xf32>) -> tensor<8xf32>
///       attributes {tpu.kernel = @kernel}
///   %1 = func.call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
///
/// becomes a `stablehlo.custom_call` with the serialized module.
LogicalResult HostFunctionWriter::writeKernelCall(func::CallOp op) {
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
  auto operands = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return name(operand); });
  std::string result = "%call" + std::to_string(names.size());
  writeCustomCall(*call, *config, operands, result, os);
  for (auto [i, value] : llvm::enumerate(op.getResults()))
    names[value] = result + "#" + std::to_string(i);
  return success();
}

/// StableHLO is written as text, since its dialect is not linked. What may come
/// is what the lowering puts around kernels, and the casts of an export.
LogicalResult HostFunctionWriter::writeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<func::CallOp>([&](auto call) { return writeKernelCall(call); })
      .Case<tensor::PadOp>([&](auto pad) { return writePad(pad); })
      .Case<tensor::ExtractSliceOp>([&](auto s) { return writeSlice(s); })
      .Case<arith::ConstantOp>([&](auto constant) {
        writeConstant(constant);
        return success();
      })
      .Case<pallas::ReshapeOp, tensor::FromElementsOp, tensor::CollapseShapeOp,
            tensor::ExpandShapeOp>([&](auto reshape) {
        writeSimple(reshape, "reshape");
        return success();
      })
      .Case<pallas::BitcastOp>([&](auto bitcast) {
        writeSimple(bitcast, "bitcast_convert");
        return success();
      })
      .Case<pallas::TransposeOp>([&](auto transpose) {
        std::string attributes;
        llvm::raw_string_ostream text(attributes);
        text << ", dims = [";
        llvm::interleaveComma(transpose.getPermutation(), text);
        text << "]";
        writeSimple(transpose, "transpose", attributes);
        return success();
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto cast) { return writeUnsignedCast(cast); })
      .Case<arith::IndexCastOp>([&](auto cast) {
        writeSimple(cast, "convert");
        return success();
      })
      .Case<arith::CmpIOp>([&](auto compare) -> LogicalResult {
        // A conversion to a boolean asks whether a number is not zero:
        //   %b = arith.cmpi ne, %x, %zeros : tensor<8xi32>
        // -->
        //   %b = stablehlo.convert %x : (tensor<8xi32>) -> tensor<8xi1>
        if (compare.getPredicate() != arith::CmpIPredicate::ne ||
            !matchPattern(compare.getRhs(), m_Zero()))
          return compare.emitOpError("compares other than with zero by ne, "
                                     "which has no StableHLO form here; do it "
                                     "in a kernel");
        writeSimple(compare, "convert", "", compare.getLhs());
        return success();
      })
      .Case<func::ReturnOp>([&](auto ret) {
        os << "    return";
        if (ret.getNumOperands()) {
          os << " ";
          llvm::interleaveComma(ret.getOperands(), os,
                                [&](Value v) { os << name(v); });
          os << " : ";
          llvm::interleaveComma(ret.getOperandTypes(), os,
                                [&](Type type) { os << hostType(type); });
        }
        os << "\n";
        return success();
      })
      .Default([](Operation *op) {
        return op->emitOpError("is outside of kernels, where only "
                               "reshapes, transposes, paddings, slices, casts "
                               "and constants can be written as StableHLO");
      });
}

/// Values get their numbers when they are first named, and arguments are named
/// first. So `%0` is the first argument, whatever the function called it.
LogicalResult HostFunctionWriter::write() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has several blocks; kernels are called from "
                            "straight-line functions");
  os << "  func.func " << (func.getSymName() == "main" ? "public" : "private")
     << " " << FlatSymbolRefAttr::get(func.getSymNameAttr()) << "(";
  llvm::interleaveComma(func.getArguments(), os, [&](Value argument) {
    os << name(argument) << ": " << hostType(argument.getType());
  });
  os << ") -> ";
  writeTypes(func.getResultTypes(), os);
  os << " {\n";
  for (Operation &op : func.getBody().front())
    if (failed(writeOp(&op)))
      return failure();
  os << "  }\n";
  return success();
}

/// XLA starts at `main`: it calls all functions, one after the other, on
/// arguments of its own, and gives all results.
static void writeMain(ArrayRef<func::FuncOp> funcs, raw_ostream &os) {
  SmallVector<Type> types;
  std::string parameters, body, results;
  llvm::raw_string_ostream parameterText(parameters), bodyText(body),
      resultText(results);
  unsigned next = 0;
  for (auto [i, constFunc] : llvm::enumerate(funcs)) {
    func::FuncOp func = constFunc;
    if (func.getNumResults())
      bodyText << "    %call" << i << ":" << func.getNumResults() << " = ";
    bodyText << "func.call " << FlatSymbolRefAttr::get(func.getSymNameAttr())
             << "(";
    llvm::interleaveComma(func.getArgumentTypes(), bodyText, [&](Type type) {
      parameterText << (next ? ", " : "") << "%arg" << next << ": "
                    << HostFunctionWriter::hostType(type);
      bodyText << "%arg" << next++;
    });
    bodyText << ") : ";
    HostFunctionWriter::writeTypes(func.getArgumentTypes(), bodyText);
    bodyText << " -> ";
    HostFunctionWriter::writeTypes(func.getResultTypes(), bodyText);
    bodyText << "\n";
    for (unsigned k = 0; k < func.getNumResults(); ++k)
      resultText << (types.empty() && k == 0 ? " " : ", ") << "%call" << i
                 << "#" << k;
    llvm::append_range(types, func.getResultTypes());
  }
  os << "  func.func public @main(" << parameters << ") -> ";
  HostFunctionWriter::writeTypes(types, os);
  os << " {\n" << body << "    return" << results;
  if (!types.empty()) {
    os << " : ";
    llvm::interleaveComma(types, os, [&](Type type) {
      os << HostFunctionWriter::hostType(type);
    });
  }
  os << "\n  }\n";
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
  os << "module ";
  if (*devices > 1)
    os << "attributes {mhlo.num_partitions = " << *devices
       << " : i32, mhlo.num_replicas = 1 : i32} ";
  os << "{\n";
  for (func::FuncOp func : funcs)
    if (failed(HostFunctionWriter(func, os, libtpu).write()))
      return failure();
  bool hasMain = llvm::any_of(
      funcs, [](func::FuncOp func) { return func.getSymName() == "main"; });
  if (!hasMain)
    writeMain(funcs, os);
  os << "}\n";
  return success();
}
