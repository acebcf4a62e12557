//===- OutlineTasks.cpp - Bodies of tasks as functions --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-outline-tasks. The iterations of an
// `scf.forall` may wait for each other, so each of them is a task of the
// runtime, which needs a function to call. For example:
//   scf.forall (%i) in (4) {
//     memref.store %x, %m[%i] : memref<4xf32>
//   }
// becomes
//   func.func private @_pallas_task_f_0(%record: !llvm.ptr, %task: i64) {
//     %1 = llvm.load %record : !llvm.ptr -> !llvm.struct<(...)>
//     %i = arith.index_cast %task : i64 to index
//     ...
//   }
//   llvm.call @pallas_rt_run_tasks(%function, %record, %c4, %axes)
// It runs after bufferization, when the body uses nothing but memory and
// scalars.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/CPU/Transforms/Passes.h"
#include "pallas/Support/Tasks.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUOUTLINETASKS
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

static constexpr StringLiteral runtimeName = "pallas_rt_run_tasks";

namespace {
/// Outlines one loop.
struct Outliner {
  Outliner(ModuleOp module, scf::ForallOp loop, unsigned number)
      : module(module), loop(loop), loc(loop.getLoc()), b(loop),
        converter(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        name(("_pallas_task_" +
              loop->getParentOfType<func::FuncOp>().getName() + "_" +
              Twine(number))
                 .str()) {}

  LogicalResult run();

private:
  /// Clones the constants that the body uses into it, and finds what else it
  /// takes from outside.
  LogicalResult findCaptures();
  func::FuncOp createFunction();
  Value packCaptures();
  Value getAxes();

  ModuleOp module;
  scf::ForallOp loop;
  Location loc;
  OpBuilder b;
  LLVMTypeConverter converter;
  Type pointer;
  std::string name;
  SmallVector<Value> captures;
  LLVM::LLVMStructType record;
};
} // namespace

/// Constants are cloned: their values are needed for static sizes and strides
/// in the function.
LogicalResult Outliner::findCaptures() {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(loop.getRegion(), above);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Type> types;
  for (Value value : above) {
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>()) {
      Value copy = b.clone(*op)->getResult(0);
      replaceAllUsesInRegionWith(value, copy, loop.getRegion());
      continue;
    }
    Type type = converter.convertType(value.getType());
    if (!type)
      return loop.emitOpError() << "uses a value of type " << value.getType()
                                << ", which can't be passed to a task";
    captures.push_back(value);
    types.push_back(type);
  }
  record = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  return success();
}

/// Makes the function of one task out of the body. The captures are the fields
/// of a record:
///
///   %record = llvm.load %argument : !llvm.ptr -> !llvm.struct<(f32, ptr)>
///   %x = llvm.extractvalue %record[0] : !llvm.struct<(f32, ptr)>
func::FuncOp Outliner::createFunction() {
  b.setInsertionPointAfter(loop->getParentOfType<func::FuncOp>());
  auto type = b.getFunctionType({pointer, b.getI64Type()}, {});
  auto function = func::FuncOp::create(b, loc, name, type);
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value packed = LLVM::LoadOp::create(b, loc, record, function.getArgument(0));
  for (auto [i, value] : llvm::enumerate(captures)) {
    Value part = LLVM::ExtractValueOp::create(b, loc, packed, i);
    if (part.getType() != value.getType())
      part = UnrealizedConversionCastOp::create(b, loc, value.getType(), part)
                 .getResult(0);
    replaceAllUsesInRegionWith(value, part, loop.getRegion());
  }
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                           function.getArgument(1));
  loop.getInductionVar(0).replaceAllUsesWith(index);
  Block *body = loop.getBody();
  entry->getOperations().splice(entry->end(), body->getOperations(),
                                body->begin(), std::prev(body->end()));
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
  return function;
}

/// Stores the captures in a record on the stack of the function around, or of
/// the task that the loop will be in. Either outlives the tasks. The allocation
/// is in the entry block, as one in a loop would grow the stack.
Value Outliner::packCaptures() {
  auto task = loop->getParentOfType<scf::ForallOp>();
  b.setInsertionPointToStart(
      task ? task.getBody() : &loop->getParentOfType<func::FuncOp>().front());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  Value place = LLVM::AllocaOp::create(b, loc, pointer, record, one, 64);
  b.setInsertionPoint(loop);
  Value packed = LLVM::UndefOp::create(b, loc, record);
  for (auto [i, capture] : llvm::enumerate(captures)) {
    Type type = record.getBody()[i];
    Value value = capture;
    if (value.getType() != type)
      value =
          UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
    packed = LLVM::InsertValueOp::create(b, loc, packed, value, i);
  }
  LLVM::StoreOp::create(b, loc, packed, place);
  return place;
}

/// The name of the tasks in messages of the runtime.
Value Outliner::getAxes() {
  auto axes = loop->getAttrOfType<StringAttr>(kTaskAxesAttrName);
  std::string text = ((axes ? axes.getValue() : "") + Twine('\0')).str();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name + "_axes",
                                       b.getStringAttr(text));
  b.setInsertionPoint(loop);
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// Replaces the loop by a call of the runtime, which returns when all tasks
/// have ended.
LogicalResult Outliner::run() {
  if (loop.getRank() != 1 || loop.getNumResults() != 0 ||
      !isConstantIntValue(loop.getMixedLowerBound()[0], 0) ||
      !isConstantIntValue(loop.getMixedStep()[0], 1))
    return loop.emitOpError("runs tasks only if it has one dimension that "
                            "counts from zero by one, and no results");
  if (failed(findCaptures()))
    return failure();
  Value place = packCaptures();
  func::FuncOp function = createFunction();
  b.setInsertionPoint(loop);
  Value count =
      getValueOrCreateConstantIndexOp(b, loc, loop.getMixedUpperBound()[0]);
  count = arith::IndexCastOp::create(b, loc, b.getI64Type(), count);
  Value constant = func::ConstantOp::create(b, loc, function.getFunctionType(),
                                            SymbolRefAttr::get(function));
  Value address = UnrealizedConversionCastOp::create(b, loc, pointer, constant)
                      .getResult(0);
  Value arguments[] = {address, place, count, getAxes()};
  if (!module.lookupSymbol(runtimeName)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type types[] = {pointer, pointer, b.getI64Type(), pointer};
    LLVM::LLVMFuncOp::create(
        b, loc, runtimeName,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(module.getContext()), types));
  }
  LLVM::CallOp::create(b, loc, TypeRange(), runtimeName, arguments);
  loop.erase();
  return success();
}

namespace {
struct OutlineTasks
    : public pallas::impl::PallasCPUOutlineTasksBase<OutlineTasks> {
  void runOnOperation() override {
    // Inner loops first: they are within functions of their own then.
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (auto [i, loop] : llvm::enumerate(loops))
      if (failed(Outliner(getOperation(), loop, i).run()))
        return signalPassFailure();
  }
};
} // namespace
