//===- Debug.cpp - Printing, checks, devices ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers operations that have no effect on refs: prints, checks,
// profiling marks, and queries of devices and cores.
//
//===----------------------------------------------------------------------===//

#include "DebugLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"

using namespace mlir;
using namespace mlir::pallas;

/// Prints a constant text.
void DebugLowering::printText(Operation *op, StringRef text) {
  if (!text.empty())
    b.callRuntime(op->getLoc(), "pallas_rt_print_text",
                  {b.createString(op->getLoc(), text)});
}

/// Integers are extended to 64 bits and floats to f64, so that the runtime
/// needs one function for each:
///
///   %wide = arith.extsi %value : i32 to i64
///   llvm.call @pallas_rt_print_integer(%wide) : (i64) -> ()
void DebugLowering::printScalar(Operation *op, Value value, bool isUnsigned) {
  Location loc = op->getLoc();
  if (auto type = dyn_cast<FloatType>(value.getType())) {
    // How many digits tell values apart depends on the type.
    Value semantics = b.createInteger(
        loc, llvm::APFloatBase::SemanticsToEnum(type.getFloatSemantics()), 32);
    if (type.getWidth() < 64)
      value = arith::ExtFOp::create(b, loc, b.getF64Type(), value);
    b.callRuntime(loc, "pallas_rt_print_float", {value, semantics});
    return;
  }
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  else if (value.getType().getIntOrFloatBitWidth() < 64) {
    if (isUnsigned || value.getType().isInteger(1))
      value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
    else
      value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  }
  b.callRuntime(loc, "pallas_rt_print_integer", {value});
}

/// Prints a tensor as nested lists, a loop per dimension. `at` holds the loop
/// variables so far.
void DebugLowering::printValue(Operation *op, Value value, bool isUnsigned,
                               SmallVector<Value> &at) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return printScalar(op, value, isUnsigned);
  Location loc = op->getLoc();
  if (static_cast<int64_t>(at.size()) == tensor.getRank())
    return printScalar(op, tensor::ExtractOp::create(b, loc, value, at),
                       isUnsigned);
  printText(op, "[");
  OpBuilder::InsertionGuard guard(b);
  Value size = b.createIndex(loc, tensor.getDimSize(at.size()));
  Value zero = b.createIndex(loc, 0);
  auto loop = scf::ForOp::create(b, loc, zero, size, b.createIndex(loc, 1));
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Value isLater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          loop.getInductionVar(), zero);
    auto branch = scf::IfOp::create(b, loc, isLater);
    {
      OpBuilder::InsertionGuard separator(b);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
      printText(op, " ");
    }
    at.push_back(loop.getInductionVar());
    printValue(op, value, isUnsigned, at);
    at.pop_back();
  }
  b.setInsertionPointAfter(loop);
  printText(op, "]");
}

/// For example:
///
///   pallas.debug_print "n = {}" %n : i32
///
/// becomes
///
///   %text = llvm.mlir.addressof @_pallas_text_f_1 : !llvm.ptr
///   llvm.call @pallas_rt_print_text(%text) : (!llvm.ptr) -> ()
///   %wide = arith.extsi %n : i32 to i64
///   llvm.call @pallas_rt_print_integer(%wide) : (i64) -> ()
LogicalResult DebugLowering::lowerDebug(Operation *op) {
  Location loc = op->getLoc();
  auto failUnless = [&](Value condition, StringRef message) {
    Value one = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    b.failIf(op, arith::XOrIOp::create(b, loc, condition, one), message);
  };
  if (auto print = dyn_cast<DebugPrintOp>(op)) {
    SmallVector<std::string> texts = splitPrintFormat(print.getFormat());
    for (auto [i, value] : llvm::enumerate(print.getValues())) {
      printText(op, texts[i]);
      SmallVector<Value> at;
      auto isUnsigned = print.getUnsignedValues();
      printValue(op, value, isUnsigned && (*isUnsigned)[i], at);
    }
    printText(op, texts.back() + "\n");
  } else if (auto check = dyn_cast<CheckOp>(op)) {
    failUnless(check.getCondition(), check.getMessage());
  } else if (auto check = dyn_cast<cf::AssertOp>(op)) {
    // Discharge makes this of a check.
    failUnless(check.getArg(), check.getMsg());
  } else if (isa<AxisIndexOp, AxisSizeOp>(op)) {
    // Neither the grid nor a mesh has this axis, so the devices must.
    b.replaceOp(
        op, sharing.getDeviceQuery(op,
                                   isa<AxisIndexOp>(op) ? "pallas_rt_axis_index"
                                                        : "pallas_rt_axis_size",
                                   op->getAttrOfType<StringAttr>("axisName")));
    return success();
  } else if (isa<DeviceIdOp>(op)) {
    b.replaceOp(op, sharing.getDeviceQuery(op, "pallas_rt_device", ""));
    return success();
  } else if (isa<CoreIdOp>(op)) {
    // There is no mesh around, so this is the only core.
    b.replaceOp(op, b.createInteger(loc, 0, 32));
    return success();
  }
  // Delays and spans of profiles have no meaning here.
  b.eraseOp(op);
  return success();
}
