//===- EntryABI.cpp - Functions that take buffers -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-entry-abi, the first one on tensors. Public
// functions take buffers, so that callers own all memory:
//   func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
//     %y = arith.addf %x, %x : tensor<8xf32>
//     return %y : tensor<8xf32>
// becomes
//   func.func @f(%xb: memref<8xf32>, %yb: memref<8xf32>) {
//     %x = bufferization.to_tensor %xb restrict : ...
//     %y = arith.addf %x, %x : tensor<8xf32>
//     bufferization.materialize_in_destination %y in restrict writable %yb
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUENTRYABI
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// The memref that holds a value of this type; null if none can. For example,
/// `tensor<8xf32>` is held by `memref<8xf32>`, and `i32` by `memref<i32>`.
static MemRefType getBufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return type.isIntOrIndexOrFloat() ? MemRefType::get({}, type) : MemRefType();
}

/// Checks all types before anything changes.
static LogicalResult checkSignature(func::FuncOp func) {
  auto check = [&](Type type) -> LogicalResult {
    if (getBufferType(type))
      return success();
    return func.emitOpError()
           << "has the type " << type
           << " in its signature, which no buffer can hold; functions that are "
              "called from outside take and yield ranked tensors and scalars";
  };
  for (Type type : func.getFunctionType().getInputs())
    if (failed(check(type)))
      return failure();
  for (Type type : func.getFunctionType().getResults())
    if (failed(check(type)))
      return failure();
  return success();
}

/// Stores the operands of `terminator` in the memrefs `results`.
static void storeResults(func::ReturnOp terminator, ValueRange results) {
  OpBuilder builder(terminator);
  for (auto [value, memory] :
       llvm::zip_equal(terminator.getOperands(), results)) {
    if (!isa<RankedTensorType>(value.getType())) {
      memref::StoreOp::create(builder, value.getLoc(), value, memory);
      continue;
    }
    auto store = bufferization::MaterializeInDestinationOp::create(
        builder, terminator.getLoc(), /*result=*/Type(), value, memory);
    store.setRestrict(true);
    store.setWritable(true);
  }
  terminator.getOperandsMutable().clear();
}

/// The old type is kept as an attribute: callers find the shapes of results,
/// and the difference of scalars and arrays of rank zero, in it. Arguments are
/// read through operations with the old types, so the body stays as it is. For
/// example:
///
///   func.func @f(%x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
///     return %x : tensor<8xf32>
///   }
///
/// becomes:
///
///   func.func @f(%x: memref<8xf32>, %n: memref<i32>, %out: memref<8xf32>) {
///     %0 = bufferization.to_tensor %x restrict : ...
///     %1 = memref.load %n[] : memref<i32>
///     bufferization.materialize_in_destination %0 in restrict writable %out
///     return
///   }
///
static LogicalResult convertFunction(func::FuncOp func) {
  if (failed(checkSignature(func)))
    return failure();
  func->setAttr(getEntryTypeAttrName(), TypeAttr::get(func.getFunctionType()));
  Block &entry = func.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (BlockArgument argument : entry.getArguments()) {
    Type type = argument.getType();
    Location loc = argument.getLoc();
    argument.setType(getBufferType(type));
    Operation *read;
    if (isa<RankedTensorType>(type))
      read = bufferization::ToTensorOp::create(builder, loc, type, argument,
                                               /*restrict=*/true);
    else
      read = memref::LoadOp::create(builder, loc, argument);
    argument.replaceAllUsesExcept(read->getResult(0), read);
  }
  SmallVector<Value> results;
  for (Type type : func.getResultTypes())
    results.push_back(entry.addArgument(getBufferType(type), func.getLoc()));
  func.walk([&](func::ReturnOp op) { storeResults(op, results); });
  func.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), TypeRange()));
  func.removeArgAttrsAttr();
  func.removeResAttrsAttr();
  func->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                builder.getUnitAttr());
  return success();
}

namespace {
struct EntryABI : public pallas::impl::PallasCPUEntryABIBase<EntryABI> {
  void runOnOperation() override {
    llvm::SmallDenseSet<StringAttr> called;
    getOperation().walk([&](func::CallOp call) {
      called.insert(call.getCalleeAttr().getAttr());
    });
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      // It takes buffers already.
      if (func->hasAttr(getEntryTypeAttrName()))
        continue;
      if (called.contains(func.getSymNameAttr()) ||
          (!func.isPublic() &&
           !SymbolTable::symbolKnownUseEmpty(func, getOperation()))) {
        func.emitOpError()
            << "is still used after inlining, so it calls itself, or has "
               "several blocks where a loop calls it; neither has a native "
               "form";
        return signalPassFailure();
      }
      if (!func.isPublic()) {
        func.erase();
        continue;
      }
      if (failed(convertFunction(func)))
        return signalPassFailure();
    }
  }
};
} // namespace
