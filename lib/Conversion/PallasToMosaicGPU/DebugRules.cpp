//===- DebugRules.cpp - Printing, checks, spans of profiles ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// A scalar as printf takes it, and the word that prints it.
struct Printable {
  Value value;
  StringRef word;
};
} // namespace

/// printf has words for integers of 64 bits and for doubles, and the compiler
/// widens f32 to those.
static std::optional<Printable> makePrintable(KernelEmitter &emit, Value value,
                                              bool isUnsigned) {
  OpBuilder &b = emit.b;
  Type type = value.getType();
  if (auto number = dyn_cast<FloatType>(type)) {
    if (number.getWidth() < 32)
      value = arith::ExtFOp::create(b, emit.loc, b.getF32Type(), value);
    return Printable{value, "%f"};
  }
  if (type.isIndex())
    return Printable{
        arith::IndexCastOp::create(b, emit.loc, b.getI64Type(), value), "%lld"};
  if (!isa<IntegerType>(type) || type.getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  isUnsigned |= type.isInteger(1);
  if (!type.isInteger(64))
    value =
        isUnsigned
            ? Value(arith::ExtUIOp::create(b, emit.loc, b.getI64Type(), value))
            : Value(arith::ExtSIOp::create(b, emit.loc, b.getI64Type(), value));
  return Printable{value, isUnsigned ? "%llu" : "%lld"};
}

/// One thread prints what all of them have in common:
///   pallas.debug_print "i = {}" %i : i32
/// -->
///   scf.if %elected {
///     %wide = arith.extsi %i : i32 to i64
///     gpu.printf "i = %lld\0A", %wide : i64
///   }
static LogicalResult printScalars(DebugPrintOp op, ArrayRef<Value> values,
                                  KernelEmitter &emit) {
  auto branch = scf::IfOp::create(emit.b, emit.loc, emit.electThread(),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(emit.b);
  emit.b.setInsertionPointToStart(branch.thenBlock());
  std::string format;
  SmallVector<Value> printed;
  // A percent sign of the text is doubled, or printf reads a word there.
  auto append = [&](StringRef text) {
    for (char c : text)
      format.append(c == '%' ? 2 : 1, c);
  };
  SmallVector<std::string> texts = splitPrintFormat(op.getFormat());
  std::optional<ArrayRef<bool>> isUnsigned = op.getUnsignedValues();
  for (auto [index, value] : llvm::enumerate(values)) {
    std::optional<Printable> printable =
        makePrintable(emit, value, isUnsigned && (*isUnsigned)[index]);
    if (!printable)
      return op.emitOpError("prints a scalar of type ")
             << value.getType()
             << "; on GPUs integers of up to 64 bits and floats are printed";
    append(texts[index]);
    format += printable->word;
    printed.push_back(printable->value);
  }
  append(texts.back());
  gpu::PrintfOp::create(emit.b, emit.loc, emit.b.getStringAttr(format + "\n"),
                        printed);
  return success();
}

/// A vector is printed by the compiler, which knows where its elements are, and
/// takes no brace alone:
///   pallas.debug_print "{v = {}" %v : tensor<64x128xf32>
/// -->
///   "mosaic_gpu.debug_print"(%v) <{format = "{{v = {}"}>
static LogicalResult convertPrint(DebugPrintOp op, KernelEmitter &emit) {
  FailureOr<SmallVector<Value>> values = emit.getValues(op.getValues());
  if (failed(values))
    return failure();
  if (llvm::none_of(*values, [](Value value) {
        return isa<VectorType>(value.getType());
      }))
    return printScalars(op, *values, emit);
  if (values->size() != 1)
    return op.emitOpError("prints ")
           << values->size()
           << " values, of which one is an array; on GPUs an array is printed "
              "alone, so print the others by themselves";
  SmallVector<std::string> texts = splitPrintFormat(op.getFormat());
  std::string format =
      escapePrintText(texts[0]) + "{}" + escapePrintText(texts[1]);
  mosaic_gpu::DebugPrintOp::create(
      emit.b, emit.loc, emit.b.getStringAttr(format), values->front());
  return success();
}

///   pallas.check %c, "must hold"
/// -->
///   cf.assert %c, "must hold"
static LogicalResult convertCheck(CheckOp op, KernelEmitter &emit) {
  FailureOr<Value> condition = emit.getValue(op.getCondition());
  if (failed(condition))
    return failure();
  cf::AssertOp::create(emit.b, emit.loc, *condition, op.getMessage());
  return success();
}

/// Profiles of GPUs have no spans by name, and no kernel computes with them.
template <typename OpTy> static LogicalResult dropTrace(OpTy, KernelEmitter &) {
  return success();
}

void mlir::pallas::addDebugRules(RuleTable &rules) {
  rules.add<CheckOp>(convertCheck);
  rules.add<DebugPrintOp>(convertPrint);
  rules.add<TraceStartOp>(dropTrace<TraceStartOp>);
  rules.add<TraceStopOp>(dropTrace<TraceStopOp>);
  rules.add<TraceValueOp>(dropTrace<TraceValueOp>);
}
