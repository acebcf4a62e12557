//===- ProgramEvaluator.h - Scalars at one point of a grid ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "llvm/ADT/DenseMap.h"
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

/// Calls `body` for all programs of a static grid in order, until it returns
/// false. Returns whether it came to the end.
bool forEachProgram(ArrayRef<int64_t> grid,
                    function_ref<bool(ArrayRef<int64_t>)> body);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_PROGRAMEVALUATOR_H
