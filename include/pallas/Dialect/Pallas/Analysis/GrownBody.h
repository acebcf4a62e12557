//===- GrownBody.h - Kernels that treat parts of a block alike --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_GROWNBODY_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_GROWNBODY_H

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"

namespace mlir::pallas {
class PartSums;

/// A value on blocks that hold several parts, one behind the other along a
/// dimension. Elements of part `j` exceed those that the kernel computes in
/// step `j` by `excess * j`: rows counted from the start of the block, and ids
/// of the first step, are off by multiples of `j`, which cancel in sums.
///
///   %r = pallas.iota 0 : tensor<8x128xi32>     excess 8 in tensor<32x128xi32>
///   %b = arith.muli %id, %c8                   excess -8
///   %row = arith.addi %r, %broadcast_of_b      excess 0
struct GrownValue {
  int64_t excess = 0;
  /// The dimension of each operand that holds the parts, or none.
  SmallVector<std::optional<unsigned>> operandDims;
  /// Size of one part.
  int64_t partSize = 0;
  /// Whether the operation has to see operands without their excess.
  bool takesExact = false;
};

/// Finds out whether the body of a kernel computes the same on blocks that hold
/// the parts of several steps, or on parts of its blocks. It follows the
/// dimension of the parts through values, refs and their views.
class GrownBody {
public:
  /// With `reassociate`, sums that go on from part to part count as alike.
  GrownBody(GridMappingOpInterface grid, const StepJoin &join,
            bool reassociate = false);
  /// Values fall into `numParts` parts, and refs along the dimensions that
  /// `assumeRefDim` gives them. Nothing has an excess: ids are the same in all
  /// parts, and an iota is to start where its part does.
  GrownBody(GridMappingOpInterface grid, int64_t numParts);
  ~GrownBody();

  LogicalResult analyze();
  const JoinObstacle &getObstacle() const { return *obstacle; }

  /// The dimension of a ref, or of a value whose form is fixed, that holds the
  /// parts.
  std::optional<unsigned> getRefDim(Value ref) const;
  std::optional<unsigned> getNaturalDim(Value value);
  /// Whether a value that holds parts has one form only: it is read from memory
  /// or goes through control flow.
  bool hasFixedForm(Value value);

  /// How `value` looks if its dimension `dim` holds the parts; null if it
  /// can't.
  const GrownValue *grow(Value value, unsigned dim);
  /// The dimension of the ref, and of what is selected from it, that an access
  /// takes whole and that holds the parts; none if the ref has no parts.
  std::optional<std::pair<unsigned, unsigned>>
  getAccessedDims(RefAccessOpInterface op) const;
  /// The excess of a value that is one for all parts; none if parts differ.
  std::optional<int64_t> getCommonExcess(Value value);
  void assumeCommon(Value value) { common[value] = 0; }
  /// Decides where a ref has its parts, before the analysis.
  void assumeRefDim(Value ref, unsigned dim) {
    refDims[ref] = dim;
    naturalDims.clear();
  }
  /// Sums over all parts; null where none may be.
  const PartSums *getSums() const { return sums.get(); }

private:
  LogicalResult analyzeOperation(Operation *op);
  LogicalResult analyzeAccess(RefAccessOpInterface op);
  LogicalResult analyzeRegionValues(Operation *op);
  LogicalResult checkWindow(BlockArgument window);
  LogicalResult assignScratch();
  LogicalResult requireGrown(Operation *user, Value value, unsigned dim);
  LogicalResult requireCommon(Operation *user, Value value);
  LogicalResult refuse(Operation *op, const Twine &why);
  std::optional<unsigned> findNaturalDim(Value value);
  std::optional<GrownValue> computeGrown(Value value, unsigned dim);
  std::optional<int64_t> computeCommonExcess(Value value);
  std::optional<SmallVector<std::optional<unsigned>>> mapDims(Operation *op,
                                                              unsigned dim);

  GridMappingOpInterface grid;
  /// The joined dimension, and along which dimension each block grows. Blocks
  /// that fall into parts do so outside of all dimensions.
  std::optional<unsigned> gridDim;
  SmallVector<std::optional<unsigned>> walks;
  /// How many parts values fall into; none where they grow.
  std::optional<int64_t> numParts;
  llvm::DenseMap<Value, bool> queries;
  llvm::DenseMap<Value, unsigned> refDims;
  llvm::DenseMap<Value, std::optional<unsigned>> naturalDims;
  /// Loops whose dimension is being found, and values that had none while it
  /// was unknown.
  unsigned numOpenLoops = 0;
  SmallVector<Value> undecided;
  llvm::DenseMap<std::pair<Value, unsigned>, std::optional<GrownValue>> grown;
  llvm::DenseMap<Value, std::optional<int64_t>> common;
  std::optional<JoinObstacle> obstacle;
  std::unique_ptr<PartSums> sums;
};

/// Whether the excess can be taken out of a value: the number of a part is that
/// of a row, shifted by the size of a part.
bool canSettle(Value value, const GrownValue &grown);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_GROWNBODY_H
