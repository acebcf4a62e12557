//===- Random.cpp - The random generator of a core ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file lowers the random generator of a core. The generator of a TPU is
// not specified, so any good one will do: a key that the seeds are mixed into,
// and a count of the words it has yielded. Each word is a hash of both, so the
// words of one request are independent and a loop that draws them vectorizes.
//
//===----------------------------------------------------------------------===//

#include "RandomLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::pallas;

/// An i32 constant from an unsigned value.
static Value constant(OpBuilder &b, Location loc, uint32_t value) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getI32Type(), APInt(32, value)));
}

/// A bijection of words in which every bit depends on all bits. It is the
/// finalizer `lowbias32` of Ellis and Wellons, which was found by search for
/// the least bias:
///
///   %shifted = arith.shrui %word, %c16 : i32
///   %mixed = arith.xori %word, %shifted : i32
///   %next = arith.muli %mixed, %c0x7feb352d : i32
///
/// and so on, with shifts by 15 and 16 and another multiplier.
static Value scramble(OpBuilder &b, Location loc, Value word) {
  auto fold = [&](unsigned bits) {
    Value shifted =
        arith::ShRUIOp::create(b, loc, word, constant(b, loc, bits));
    word = arith::XOrIOp::create(b, loc, word, shifted);
  };
  auto multiply = [&](uint32_t multiplier) {
    word = arith::MulIOp::create(b, loc, word, constant(b, loc, multiplier));
  };
  fold(16);
  multiply(0x7feb352d);
  fold(15);
  multiply(0x846ca68b);
  fold(16);
  return word;
}

Value RandomLowering::createGenerator(Location loc) {
  Value state = memref::AllocOp::create(
      b, loc, MemRefType::get({2}, b.getI32Type()), b.getI64IntegerAttr(64));
  b.fill(loc, state, b.getI32IntegerAttr(0));
  return state;
}

/// Outside of a mesh there is one core, whose generator lives as long as the
/// function. `runPoint` in Meshes.cpp replaces it by one per core.
Value RandomLowering::getGenerator(Location loc) {
  if (!generator) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.front());
    generator = createGenerator(loc);
  }
  return generator;
}

/// A seed sets the key and restarts the count. A draw of N words takes the next
/// N numbers, and element `i` is
///
///   %number = arith.addi %i, %count : i32
///   %word = arith.xori %hash_of_number, %key : i32
///
/// hashed once more.
LogicalResult RandomLowering::lowerRandom(Operation *op) {
  Location loc = op->getLoc();
  Value state = getGenerator(loc);
  Value zero = b.createIndex(loc, 0), one = b.createIndex(loc, 1);
  if (auto seed = dyn_cast<PRNGSeedOp>(op)) {
    Value key = constant(b, loc, 0x9e3779b9);
    for (Value part : seed.getSeeds()) {
      key = arith::AddIOp::create(b, loc, scramble(b, loc, key), part);
      key = scramble(b, loc, key);
    }
    memref::StoreOp::create(b, loc, key, state, zero);
    memref::StoreOp::create(b, loc, constant(b, loc, 0), state, one);
    b.eraseOp(op);
    return success();
  }
  Type type = op->getResult(0).getType();
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!element || element.getWidth() > 32)
    return op->emitOpError() << "yields " << type
                             << "; on CPUs the generator yields integers of "
                                "up to 32 bits";
  auto tensor = dyn_cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  if (tensor)
    llvm::append_range(shape, tensor.getShape());
  Value key = memref::LoadOp::create(b, loc, state, zero);
  Value count = memref::LoadOp::create(b, loc, state, one);
  int64_t numWords = ShapedType::getNumElements(shape);
  // The count moves on before the words are made, since these may be computed
  // late, or not at all.
  Value next = arith::AddIOp::create(b, loc, count, constant(b, loc, numWords));
  memref::StoreOp::create(b, loc, next, state, one);

  Value words = memref::AllocOp::create(b, loc, MemRefType::get(shape, element),
                                        b.getI64IntegerAttr(64));
  SmallVector<utils::IteratorType> kinds(shape.size(),
                                         utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, TypeRange(), ValueRange(), words,
      b.getMultiDimIdentityMap(shape.size()), kinds,
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value number = constant(b, loc, 0);
        for (auto [d, size] : llvm::enumerate(shape)) {
          Value at = linalg::IndexOp::create(b, loc, d);
          at = arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
          number =
              arith::MulIOp::create(b, loc, number, constant(b, loc, size));
          number = arith::AddIOp::create(b, loc, number, at);
        }
        number = arith::AddIOp::create(b, loc, number, count);
        Value word = scramble(b, loc, number);
        word = arith::XOrIOp::create(b, loc, word, key);
        word = scramble(b, loc, word);
        if (element.getWidth() < 32)
          word = arith::TruncIOp::create(b, loc, element, word);
        linalg::YieldOp::create(b, loc, word);
      });
  b.replaceOp(op,
              b.readView(loc, words, type, /*copy=*/false, /*writable=*/true));
  return success();
}
