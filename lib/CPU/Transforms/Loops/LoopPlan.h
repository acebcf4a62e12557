//===- LoopPlan.h - How a linalg operation becomes loops --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPPLAN_H
#define PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <optional>

namespace mlir::pallas::cpu {
struct Target;

/// How elements of an operand lie along the vector dimension.
enum class Access { Uniform, Contiguous, Scattered };

struct LoopPlan {
  /// The dimension that is cut into vectors; none means scalar code.
  std::optional<unsigned> vectorDim;
  /// Elements per vector.
  int64_t lanes = 1;
  /// Width of the widest value that the body computes with.
  unsigned widestBits = 0;
  /// Whether the rest of the vector dimension can run as one masked vector. If
  /// not, it runs as a scalar loop.
  bool maskable = false;
  /// Whether stores that keep some lanes test first if they keep any.
  bool splitsChoices = false;
  /// Whether loops fetch short rows ahead that lie pages apart: the hardware
  /// foresees what follows within a page.
  bool fetchesRows = false;
  /// A dimension along which inputs are contiguous that are scattered along the
  /// vector dimension: squares over both are transposed in registers.
  std::optional<unsigned> tileDim;
  /// A short reduction whose elements lie between those of the vector
  /// dimension: inputs are read with all of them, and shuffled.
  std::optional<unsigned> groupDim;
  /// A short dimension whose elements lie between those of the vector dimension
  /// in all results, and its size: vectors have whole rows of it.
  std::optional<unsigned> shortDim;
  int64_t shortSize = 1;
  /// Loops from the outermost to the innermost: parallel ones first, and the
  /// vector dimension last among its kind.
  SmallVector<unsigned> parallelDims, reductionDims;

  /// How many steps along the vector dimension a vector takes.
  int64_t getStep() const { return lanes / shortSize; }
};

/// How `operand` lies along `dim`.
Access getAccess(linalg::LinalgOp op, OpOperand &operand, unsigned dim);

/// How far apart elements of `input` lie along `dim`, if that is 2 to 4
/// elements: vectors of all elements in between take less time than single
/// ones.
std::optional<int64_t> getShortStride(linalg::LinalgOp op, OpOperand &input,
                                      unsigned dim);

/// Where the elements begin that the body loads along `dim`, if they lie side
/// by side. A null value means the start of a row.
std::optional<Value> getRowStart(linalg::LinalgOp op, memref::LoadOp load,
                                 unsigned dim);

/// The combiner of the reduction into output `index`, if the body only combines
/// the running value with something that doesn't depend on it.
Operation *getCombiner(linalg::LinalgOp op, unsigned index);

/// Width of the widest value that the body computes with, at most 64.
unsigned getWidestBits(linalg::LinalgOp op);

/// Chooses loops for an operation on memrefs.
LoopPlan planLoops(linalg::LinalgOp op, int64_t vectorBits);

/// Whether `op` does the same to every element of its operands, so that it can
/// work on vectors.
bool isVectorizable(Operation *op);

/// Emits the loops and erases nothing.
LogicalResult emitLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                        const LoopPlan &plan);

/// How many bytes lie between neighbors along a dimension, if that is known.
std::optional<int64_t> getStrideBytes(MemRefType type, unsigned dim);

/// How many neighbors along a dimension the second cache holds beside each
/// other. Rows that are a large power of two apart share few of its sets.
int64_t countCachedRows(MemRefType type, unsigned dim, const Target &target);

} // namespace mlir::pallas::cpu

#endif // PALLAS_LIB_CPU_TRANSFORMS_LOOPS_LOOPPLAN_H
