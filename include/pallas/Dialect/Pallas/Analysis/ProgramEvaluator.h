//===- ProgramEvaluator.h - Scalars at one point of a grid ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace mlir::pallas {

/// Computes what integers of an index map or a kernel are in one program of a
/// grid, as far as they follow from program ids and constants. The module is
/// not changed.
class ProgramEvaluator {
public:
  explicit ProgramEvaluator(GridMappingOpInterface grid) : grid(grid) {}
  ProgramEvaluator(const ProgramEvaluator &) = delete;
  ~ProgramEvaluator();

  /// Moves on to another program.
  void setProgram(ArrayRef<int64_t> ids);
  /// Takes a value to be this number, until the next program.
  void assume(Value value, int64_t number);
  /// The value in this program, or nothing where it isn't known.
  std::optional<int64_t> evaluate(Value value);
  /// Why the last evaluation that failed did so.
  StringRef getReason() const { return reason; }

private:
  Attribute compute(Value value);
  Attribute computeArgument(BlockArgument argument);
  Attribute computeResult(OpResult result);
  Attribute readTable(GetOp op);
  Attribute getId(Type type, unsigned dim);
  Attribute unknown(const Twine &why);

  GridMappingOpInterface grid;
  SmallVector<int64_t> ids;
  llvm::DenseMap<Value, Attribute> known;
  /// Copies to fold, because folding may reorder operands.
  llvm::DenseMap<Operation *, Operation *> copies;
  std::string reason;
};

/// A value, and all values that it is computed from by operands.
llvm::SmallSetVector<Value, 16> findSources(Value value);

/// A value in all programs of a grid, evaluated once for each choice of the ids
/// that it depends on.
class ProgramTable {
public:
  /// Nothing if the value isn't known in all programs, or has more choices of
  /// ids than `limit` in a grid of this shape.
  static std::optional<ProgramTable> compute(ProgramEvaluator &evaluator,
                                             Value value,
                                             ArrayRef<int64_t> shape,
                                             int64_t limit);

  /// The shape of the grid, with 1 for dimensions that make no difference.
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t get(ArrayRef<int64_t> ids) const;

private:
  SmallVector<int64_t> shape;
  SmallVector<int64_t, 0> numbers;
};

/// Calls `body` for all programs of a static grid in order, until it returns
/// false. Returns whether it came to the end.
bool forEachProgram(ArrayRef<int64_t> grid,
                    function_ref<bool(ArrayRef<int64_t>)> body);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H
