//===- VectorGroups.h - Vectors whose layouts are related -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_VECTORGROUPS_H
#define PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_VECTORGROUPS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

namespace mlir::mosaic_gpu {

/// Whether all elements are the same, which any layout can hold.
bool isSplat(Value value);

inline VectorType getVectorType(Value value) {
  return cast<VectorType>(value.getType());
}

/// The threads of a warpgroup.
inline constexpr int64_t kLanes = 128;

/// Vectors whose layouts follow from each other.
struct Group {
  SmallVector<Value> members;
  /// Whether something else determines their layout.
  bool isSettled = false;
  /// Whether layouts are related along dimensions.
  bool hasShapes = false;
};

/// Whether the compiler finds layouts itself. The one it takes for what is
/// loaded has no dimensions, which could be reduced or broadcast.
bool canInfer(const Group &group);
/// Whether memory that the vectors come from or go to has an order of its own,
/// which lanes have to follow.
bool hasTransforms(const Group &group);

class Grouper {
public:
  /// Leaves out what an operation, which is going away, relates.
  void ignore(Operation *op) { ignored.insert(op); }
  void run(Operation *root);
  /// Makes a vector a group, unless it is in one.
  void add(Value value) { classes.insert(getNumber(value)); }
  SmallVector<Group> takeGroups();

  /// The number of the class of a dimension of a member of a group.
  unsigned getDimClass(Value member, unsigned dim) const {
    return dims.findLeader(firstDims[numbers.lookup(member)] + dim);
  }
  /// Whether operations reduce this dimension of the member.
  bool isReduced(Value member, unsigned dim) const {
    return reduced.contains(firstDims[numbers.lookup(member)] + dim);
  }

  /// The size that tiles have to divide along this dimension of the member.
  int64_t getDivisor(Value member, unsigned dim) const {
    int64_t size = cast<VectorType>(member.getType()).getDimSize(dim);
    unsigned number = firstDims[numbers.lookup(member)] + dim;
    return std::gcd(size, divisors.lookup(number));
  }

private:
  void visit(Operation *op);
  void visitControlFlow(Operation *op);
  void visitReduction(vector::MultiDimReductionOp op);
  void visitSlice(vector::ExtractStridedSliceOp op);
  bool isGrouped(Value value);
  /// Puts two vectors into one group. Dimension i of `lhs` is dimension dims[i]
  /// of `rhs`.
  void join(Value lhs, Value rhs, ArrayRef<int64_t> dims);
  /// The same for vectors of one shape.
  void join(Value lhs, Value rhs);
  void join(ValueRange lhs, ValueRange rhs) {
    for (auto [left, right] : llvm::zip(lhs, rhs))
      join(left, right);
  }
  unsigned getNumber(Value value);
  void settle(Operation *op);

  llvm::MapVector<Value, unsigned> numbers;
  llvm::EquivalenceClasses<unsigned> classes;
  /// Dimensions of all vectors are numbered, those of a vector in a row.
  SmallVector<unsigned> firstDims;
  unsigned numDims = 0;
  llvm::IntEqClasses dims;
  DenseSet<unsigned> reduced;
  /// Offsets of slices, which tiles have to divide besides the size.
  DenseMap<unsigned, int64_t> divisors;
  DenseSet<Value> settled, shaped;
  DenseSet<Operation *> ignored;
};

} // namespace mlir::mosaic_gpu

#endif // PALLAS_LIB_DIALECT_MOSAICGPU_TRANSFORMS_VECTORGROUPS_H
