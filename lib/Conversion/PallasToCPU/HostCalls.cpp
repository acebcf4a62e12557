//===- HostCalls.cpp - Functions of the process around a kernel -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function whose declaration has the attribute pallas.host_call is one of the
// process that runs the kernel, which knows it under that number. Values reach
// it through memory.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::pallas;

/// Passes the addresses of all operands and results as one array, so that the
/// runtime needs one entry point for every signature. For example:
///
///   %s = func.call @sort(%x) : (tensor<8xf32>) -> tensor<8xf32>
///
/// becomes
///
///   %in = bufferization.to_buffer %x read_only : tensor<8xf32> to ...
///   %out = memref.alloc() : memref<8xf32>
///   %list = memref.alloc() : memref<2xi64>
///   memref.store %in_address, %list[%c0] : memref<2xi64>
///   memref.store %out_address, %list[%c1] : memref<2xi64>
///   llvm.call @pallas_rt_call_host(%number, %list_address, %c2_i64, %place)
LogicalResult Lowering::lowerHostCall(func::CallOp call, func::FuncOp callee) {
  Location loc = call.getLoc();
  auto number = callee->getAttrOfType<IntegerAttr>(kHostCallAttrName);
  if (!number || !number.getType().isInteger(64))
    return callee.emitOpError()
           << "has the attribute " << kHostCallAttrName << " = "
           << callee->getAttr(kHostCallAttrName)
           << "; give it the number of a function of the process, an i64";
  SmallVector<Value> arrays;
  for (Value value : call.getOperands()) {
    if (isa<RankedTensorType>(value.getType())) {
      FailureOr<Value> array = b.getBuffer(call, value);
      if (failed(array))
        return failure();
      arrays.push_back(*array);
      continue;
    }
    arrays.push_back(b.allocateValue(loc, value.getType()));
    memref::StoreOp::create(b, loc, value, arrays.back());
  }
  unsigned numOperands = arrays.size();
  for (Type type : call.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !tensor.hasStaticShape())
      return call.emitOpError() << "has a result of type " << type
                                << "; functions of the process yield arrays "
                                   "of static shape";
    arrays.push_back(b.allocateValue(loc, type));
  }
  Value list = memref::AllocOp::create(
      b, loc,
      MemRefType::get({static_cast<int64_t>(arrays.size())}, b.getI64Type()),
      b.getI64IntegerAttr(64));
  for (auto [i, array] : llvm::enumerate(arrays)) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, array);
    memref::StoreOp::create(
        b, loc, arith::IndexCastOp::create(b, loc, b.getI64Type(), base), list,
        b.createIndex(loc, i));
  }
  b.callRuntime(loc, "pallas_rt_call_host",
                {b.createInteger(loc, number.getInt(), 64),
                 b.getAddress(loc, list),
                 b.createInteger(loc, arrays.size(), 64), b.getPlace(loc)});
  for (auto [result, array] : llvm::zip_equal(
           call.getResults(), ArrayRef(arrays).drop_front(numOperands)))
    result.replaceAllUsesWith(b.readView(loc, array, result.getType(),
                                         /*copy=*/false,
                                         /*writable=*/true));
  b.eraseOp(call);
  return success();
}
