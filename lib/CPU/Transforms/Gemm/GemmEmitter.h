//===- GemmEmitter.h - State while a matmul is emitted ---------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMMEMITTER_H
#define PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMMEMITTER_H

#include "Gemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <functional>

namespace mlir::pallas::cpu {

/// Sizes of register tiles and cache blocks.
struct Tiling {
  int64_t lanes, rows, vectors, depth, width;
  /// How many elements along k, side by side in memory, one instruction takes
  /// per lane; 1 means that operands are converted to the type of the sum.
  int64_t group = 1;
  /// How many steps along k an iteration takes.
  int64_t unroll = 1;
  /// Whether elements of A get an offset of 128, because the instruction takes
  /// them without a sign.
  bool offsetsA = false;
  /// Whether tiles read B where it is: one pass over it doesn't repay packing.
  bool readsB = false;
  /// Whether the first tile of a panel packs what it reads for those below:
  /// its loads hide behind its multiplications.
  bool fillsPanels = false;
  /// Whether packing goes through pieces of rows that are longer than a panel.
  bool packsRows = false;
  /// How many rows of A meet all panels of a block, so that they stay in the
  /// second cache.
  int64_t height;
  int64_t getPanel() const { return lanes * vectors; }
};

class GemmEmitter {
public:
  GemmEmitter(RewriterBase &rewriter, Location loc, const Gemm &gemm,
              const Target &target);
  void run(const Target &target);

private:
  using Values = SmallVector<Value>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value multiply(Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : arith::MulIOp::create(b, loc, lhs, index(rhs));
  }
  Value divide(Value lhs, int64_t rhs) {
    return rhs == 1 ? lhs : arith::DivUIOp::create(b, loc, lhs, index(rhs));
  }
  Value minimum(Value lhs, int64_t rhs) {
    return arith::MinUIOp::create(b, loc, lhs, index(rhs));
  }
  void loop(Value lower, Value upper, int64_t step,
            llvm::function_ref<void(Value)> body);
  Value view(Value matrix, bool transposed, OpFoldResult row,
             OpFoldResult column, OpFoldResult rows, OpFoldResult columns);
  VectorType lanesOf(Type type, int64_t each = 1) const {
    return VectorType::get({tiling.lanes * each}, type);
  }
  /// Mask of the lanes below `count`, or nothing if that is all.
  Value createMask(int64_t count, int64_t lanes);

  // GemmPacking.cpp
  Value widen(Value value, Type type, bool isUnsigned);
  Value convert(Value value, bool isUnsigned);
  void convertInto(Value from, Value to, AffineMap map, unsigned rank,
                   bool isUnsigned, bool addsOffset = false);
  Value loadB(Value row, Value column, Value mask);
  void packA(Value k0, Value depth);
  bool packsA() const;
  MemRefType getTypeOfA() const;
  MemRefType getTypeOfPanels(int64_t columns) const;
  void packB(Value k0, Value depth, Value n0, Value count, int64_t partial);
  void packGroups(Value k0, Value depth, Value n0, Value count,
                  int64_t partial);
  void packTransposed(Value k0, Value depth, Value n0, Value count,
                      int64_t partial);
  Value joinHalves(Value low, Value high);
  Value interleaveRows(Value row, Value column, Value mask);
  Values fillPanel(Value panel, Value k0, Value k, Value n0);
  bool canTransposeTiles() const;
  void prefetch(Value start, Value stride, int64_t bytes, int64_t rows, Value k,
                int64_t steps, bool forWriting);
  Value getNextPanel(Value panel);
  Value getAddress(Value matrix, Value row, Value column);
  std::function<void(Value)> prefetchAround(Value m0, Value k0, Value depth,
                                            Value column, Value panel);

  // GemmSharing.cpp
  void share(const Target &target);
  void shareA();
  void shareB();
  Value createShared(MemRefType pass);
  Value getPass(Value shared, Value k0, Value first, OpFoldResult count);
  void packShared(bool onThreads);

  // Gemm.cpp
  Value clip(int64_t whole, Value used, int64_t tile);
  Value getDepth(Value k0);
  void emitPass(Value k0);
  void emitColumns(Value k0, Value depth, Value n0, Value count,
                   int64_t partial);
  void emitRows(Value k0, Value depth, Value n0, Value count, int64_t partial);
  void emitTile(Value m0, int64_t rows, Value k0, Value depth, Value n0,
                Value panel, int64_t partial, ValueRange excess,
                bool fillsPanel = false);
  Values emitExcess(Value depth, Value panel, int64_t vectors);
  Values loadPanel(Value panel, Value k, int64_t vectors);
  void addStep(Values &sums, ValueRange rows,
               llvm::function_ref<Values(Value)> loadColumns, Value k0,
               Value k);
  Values startSums(ValueRange rows, ValueRange columns, ArrayRef<Value> masks,
                   Value k0);
  Value loadVector(Value matrix, Value row, Value column, Value mask);
  Value loadA(Value row, Value k0, Value k);
  Value multiplyAdd(Value a, Value vector, Value sum);

  RewriterBase &b;
  Location loc;
  Gemm gemm;
  /// Element types of the sum and of the packed operands.
  Type element, stored;
  Tiling tiling;
  VectorType vectorType;
  bool hasFMA;
  /// The intrinsic that takes a group.
  StringRef dot;
  Value panels, packedA;
  /// Packed operands of all passes, for this program and others, and the first
  /// panel of this one.
  Value sharedPanels, sharedA, firstPanel;
};

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_GEMM_GEMMEMITTER_H
