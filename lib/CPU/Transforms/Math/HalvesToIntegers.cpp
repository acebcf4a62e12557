//===- HalvesToIntegers.cpp - Floats of 16 bits as their bits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-halves-to-integers. After the passes
// before, halves are only moved: loaded, stored, selected, passed to functions.
// So their types change in place, from
//   %0 = vector.load %m[%i] : memref<64xbf16>, vector<8xbf16>
// to
//   %0 = vector.load %m[%i] : memref<64xi16>, vector<8xi16>
// Operations of the LLVM dialect compute with halves, and so keep them, behind
// bit casts.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUHALVESTOINTEGERS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// The type that holds the bits of `type`; itself if that has no halves.
static Type toIntegers(Type type) {
  if (isHalf(type))
    return IntegerType::get(type.getContext(), 16);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !isHalf(shaped.getElementType()))
    return type;
  Type integer = IntegerType::get(type.getContext(), 16);
  if (auto memref = dyn_cast<MemRefType>(type))
    return MemRefType::Builder(memref).setElementType(integer);
  return shaped.clone(integer);
}

/// Float arithmetic, which must have been widened before. Selects and constants
/// only move bits, so integers do as well.
static bool computes(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp,
              arith::ExtFOp, arith::TruncFOp>(op);
}

/// An operation that computes would compute with the bits.
static LogicalResult checkOperation(Operation *op) {
  auto hasHalf = [](Type type) { return isHalf(getElementTypeOrSelf(type)); };
  bool uses = llvm::any_of(op->getOperandTypes(), hasHalf) ||
              llvm::any_of(op->getResultTypes(), hasHalf);
  if (!uses || !computes(op))
    return success();
  return op->emitOpError("computes with floats of 16 bits, which "
                         "pallas-cpu-widen-narrow-floats widens");
}

/// Gives conversions by an instruction the form that stays: they become
/// operations of the LLVM dialect. For example:
///
///   %1 = arith.extf %0 : vector<8xf16> to vector<8xf32>
///
/// becomes:
///
///   %1 = llvm.fpext %0 : vector<8xf16> to vector<8xf32>
///
static LogicalResult convertByInstruction(Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
    return success();
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Type half = isa<arith::ExtFOp>(op) ? from : to;
  Type single = isa<arith::ExtFOp>(op) ? to : from;
  if (!isHalf(getElementTypeOrSelf(half)))
    return success();
  if (!getElementTypeOrSelf(half).isF16() ||
      !getElementTypeOrSelf(single).isF32() || !LLVM::isCompatibleType(half))
    return op->emitOpError("converts in a way that no instruction does; "
                           "pallas-cpu-expand-narrow-floats expands it");
  OpBuilder b(op);
  Value result;
  if (isa<arith::ExtFOp>(op))
    result = LLVM::FPExtOp::create(b, op->getLoc(), to, op->getOperand(0));
  else
    result = LLVM::FPTruncOp::create(b, op->getLoc(), to, op->getOperand(0));
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

/// Whether the operation keeps halves.
static bool isOfLLVM(Operation *op) {
  return op && isa<LLVM::LLVMDialect>(op->getDialect());
}

/// Puts bit casts between operations that keep halves and all others. For
/// example, the operand of a conversion:
///
///   %bits = builtin.unrealized_conversion_cast %0
///       : vector<8xf16> to vector<8xi16>
///   %half = llvm.bitcast %bits : vector<8xi16> to vector<8xf16>
///   %1 = llvm.fpext %half : vector<8xf16> to vector<8xf32>
///
/// The cast becomes a no-op when `%0` changes its type.
static void castAtBorder(Operation *op) {
  if (!isOfLLVM(op))
    return;
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (toIntegers(type) == type || isOfLLVM(operand.get().getDefiningOp()))
      continue;
    auto bits = UnrealizedConversionCastOp::create(
        b, op->getLoc(), toIntegers(type), operand.get());
    operand.set(
        LLVM::BitcastOp::create(b, op->getLoc(), type, bits.getResult(0)));
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type type = result.getType();
    if (toIntegers(type) == type)
      continue;
    auto bits =
        LLVM::BitcastOp::create(b, op->getLoc(), toIntegers(type), result);
    auto value = UnrealizedConversionCastOp::create(b, op->getLoc(), type,
                                                    bits.getResult());
    result.replaceUsesWithIf(value.getResult(0), [&](OpOperand &use) {
      return use.getOwner() != bits && !isOfLLVM(use.getOwner());
    });
    if (value->use_empty()) {
      value->erase();
      bits->erase();
    }
  }
}

/// Constants keep their bits. For example, `1.0 : bf16` becomes `16256 : i16`,
/// which is 0x3F80.
static Attribute toIntegers(Attribute attribute) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    if (isHalf(number.getType()))
      return IntegerAttr::get(toIntegers(number.getType()),
                              number.getValue().bitcastToAPInt());
  auto floats = dyn_cast_or_null<DenseFPElementsAttr>(attribute);
  if (!floats || !isHalf(floats.getElementType()))
    return attribute;
  Type integer = IntegerType::get(attribute.getContext(), 16);
  return floats.mapValues(
      integer, [](const APFloat &value) { return value.bitcastToAPInt(); });
}

/// Changes the types of what `op` holds. Uses need no change: they see the new
/// type of the value.
static void convertOperation(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(toIntegers(argument.getType()));
  if (auto func = dyn_cast<func::FuncOp>(op)) {
    auto convert = [](ArrayRef<Type> types) {
      return llvm::map_to_vector(
          types, [](Type type) { return Type(toIntegers(type)); });
    };
    FunctionType type = func.getFunctionType();
    func.setFunctionType(FunctionType::get(func.getContext(),
                                           convert(type.getInputs()),
                                           convert(type.getResults())));
  } else if (auto global = dyn_cast<memref::GlobalOp>(op)) {
    global.setType(cast<MemRefType>(toIntegers(Type(global.getType()))));
    if (Attribute initial = global.getInitialValueAttr())
      global.setInitialValueAttr(toIntegers(initial));
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    constant.setValueAttr(
        cast<TypedAttr>(toIntegers(Attribute(constant.getValue()))));
  }
  if (isOfLLVM(op))
    return;
  for (Value result : op->getResults())
    result.setType(toIntegers(result.getType()));
}

namespace {
struct HalvesToIntegers
    : public pallas::impl::PallasCPUHalvesToIntegersBase<HalvesToIntegers> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(checkOperation(op)) || failed(convertByInstruction(op)))
        return signalPassFailure();
    ops.clear();
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    llvm::for_each(ops, castAtBorder);
    getOperation().walk(convertOperation);
    // A bit cast between a half and its bits is now a no-op.
    getOperation().walk([](Operation *op) {
      bool isCast = isa<arith::BitcastOp, UnrealizedConversionCastOp>(op) &&
                    op->getNumOperands() == 1 && op->getNumResults() == 1;
      if (!isCast || op->getOperand(0).getType() != op->getResult(0).getType())
        return;
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    });
  }
};
} // namespace
