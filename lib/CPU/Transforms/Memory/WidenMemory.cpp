//===- WidenMemory.cpp - One byte per narrow number -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the pass pallas-cpu-widen-memory. LLVM packs the bits of a
// vector of i1 when it stores it, but gives a scalar i1 a byte; so memory of
// narrow numbers has no single layout until it is made of bytes. Callers expect
// bytes.
//   %v = memref.load %m[%i] : memref<8xi1>
// becomes
//   %b = memref.load %m[%i] : memref<8xi8>
//   %v = arith.trunci %b : i8 to i1
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "pallas/CPU/Transforms/Passes.h"

namespace mlir::pallas {
#define GEN_PASS_DEF_PALLASCPUWIDENMEMORY
#include "pallas/CPU/Transforms/Passes.h.inc"
} // namespace mlir::pallas

using namespace mlir;
using namespace mlir::pallas;

/// Less than a byte.
static bool isNarrow(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 8;
}

/// Only memory changes; values stay narrow.
static Type widen(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    if (isNarrow(memref.getElementType()))
      return MemRefType::Builder(memref).setElementType(
          IntegerType::get(type.getContext(), 8));
  return type;
}

/// `type` with i8 in the place of its element.
static Type toBytes(Type type) {
  Type byte = IntegerType::get(type.getContext(), 8);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(byte)) : byte;
}

/// `type` with integers of its width in the place of its element.
static Type toBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  Type bits =
      IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(bits)) : bits;
}

static bool isNarrowValue(Value value) {
  return isNarrow(getElementTypeOrSelf(value.getType()));
}

/// Makes result 0 of a load bytes, and its users read the low bits.
///
///   %v = vector.load %m[%i] : memref<8xi4>, vector<8xi4>
///
/// becomes
///
///   %b = vector.load %m[%i] : memref<8xi8>, vector<8xi8>
///   %v = arith.trunci %b : vector<8xi8> to vector<8xi4>
static void widenLoad(Operation *op) {
  Value result = op->getResult(0);
  Type narrow = result.getType();
  result.setType(toBytes(narrow));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Type bits = toBits(narrow);
  auto low = arith::TruncIOp::create(builder, op->getLoc(), bits, result);
  Value value = low;
  if (bits != narrow)
    value = arith::BitcastOp::create(builder, op->getLoc(), narrow, value);
  result.replaceAllUsesExcept(value, low);
}

///   vector.store %v, %m[%i] : memref<8xi4>, vector<8xi4>
///
/// becomes
///
///   %b = arith.extsi %v : vector<8xi4> to vector<8xi8>
///   vector.store %b, %m[%i] : memref<8xi8>, vector<8xi8>
static void widenOperand(Operation *op, OpOperand &operand) {
  OpBuilder builder(op);
  Value value = operand.get();
  Type bytes = toBytes(value.getType());
  Type element = getElementTypeOrSelf(value.getType());
  bool isFloat = isa<FloatType>(element);
  if (isFloat)
    value = arith::BitcastOp::create(builder, op->getLoc(),
                                     toBits(value.getType()), value);
  // Booleans are 0 and 1, floats their bits; other narrow integers have two's
  // complement bytes.
  Value wide;
  if (isFloat || element.isInteger(1))
    wide = arith::ExtUIOp::create(builder, op->getLoc(), bytes, value);
  else
    wide = arith::ExtSIOp::create(builder, op->getLoc(), bytes, value);
  operand.set(wide);
}

/// Loads and stores are the only operations that move between memory and
/// values.
static void widenAccess(Operation *op) {
  if (isa<memref::LoadOp, vector::LoadOp>(op) &&
      isNarrowValue(op->getResult(0)))
    return widenLoad(op);
  if (isa<memref::StoreOp, vector::StoreOp>(op) &&
      isNarrowValue(op->getOperand(0)))
    return widenOperand(op, op->getOpOperand(0));
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
    if (isNarrowValue(load.getResult())) {
      widenOperand(op, load.getPassThruMutable());
      return widenLoad(op);
    }
  if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
    if (isNarrowValue(store.getValueToStore()))
      widenOperand(op, store.getValueToStoreMutable());
}

/// Types change in place, in one walk.
static void widenFunction(func::FuncOp func) {
  func.walk([](Operation *op) {
    widenAccess(op);
    for (Value result : op->getResults())
      result.setType(widen(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(widen(argument.getType()));
  });
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.front().getArgumentTypes(),
                                         func.getResultTypes()));
}

/// Constants of narrow numbers lie in memory as other values do.
static void widenGlobal(memref::GlobalOp global) {
  Type type = widen(global.getType());
  if (type == global.getType())
    return;
  global.setType(cast<MemRefType>(type));
  Type byte = IntegerType::get(global.getContext(), 8);
  Attribute initial = global.getInitialValueAttr();
  if (auto floats = dyn_cast_or_null<DenseFPElementsAttr>(initial))
    global.setInitialValueAttr(floats.mapValues(byte, [](const APFloat &value) {
      return value.bitcastToAPInt().zext(8);
    }));
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(initial);
  if (!elements)
    return;
  bool isBoolean = elements.getElementType().isInteger(1);
  global.setInitialValueAttr(elements.mapValues(byte, [&](const APInt &value) {
    return isBoolean ? value.zext(8) : value.sext(8);
  }));
}

namespace {
struct WidenMemory
    : public pallas::impl::PallasCPUWidenMemoryBase<WidenMemory> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        widenFunction(func);
    for (auto global : getOperation().getOps<memref::GlobalOp>())
      widenGlobal(global);
  }
};
} // namespace
