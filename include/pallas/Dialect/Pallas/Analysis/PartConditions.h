//===- PartConditions.h - Which parts take a branch -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_ANALYSIS_PARTCONDITIONS_H
#define PALLAS_DIALECT_PALLAS_ANALYSIS_PARTCONDITIONS_H

#include "pallas/Dialect/Pallas/Analysis/StepJoining.h"
#include <array>

namespace mlir::pallas {

/// The first and the last part of a step.
enum class PartEnd { First, Last };

/// Whether the part at an end takes a branch in all steps, and whether no other
/// part does.
struct TakenPart {
  bool isAlways = true, isOnly = true;
};

struct TakenAtEnds {
  std::array<TakenPart, 2> parts;

  TakenPart &operator[](PartEnd end) { return parts[size_t(end)]; }
  const TakenPart &operator[](PartEnd end) const { return parts[size_t(end)]; }
};

/// Visits the values by which a kernel knows its grid: the results of its
/// queries, or the ids that the kernel of a pipeline gets as arguments.
void forEachGridQuery(
    GridMappingOpInterface grid,
    function_ref<void(Value value, unsigned dim, bool isSize)> visit);

/// The dimension whose id a value of the kernel is. The kernel of a call asks
/// for its ids, and that of a pipeline has them as arguments.
std::optional<unsigned> getDimensionOfId(GridMappingOpInterface grid,
                                         Value value);

/// The ids that a kernel asks for, and the dimension that each is about.
llvm::DenseMap<Value, unsigned> findGridIds(GridMappingOpInterface grid);

/// Tries all steps and parts, as far as the condition depends on `ids`;
/// `evaluate` tells it in a part of a step of the joined grid.
TakenAtEnds findTakenAtEnds(
    GridMappingOpInterface grid, const StepJoin &join, Value condition,
    const llvm::DenseMap<Value, unsigned> &ids,
    function_ref<std::optional<int64_t>(ArrayRef<int64_t> step, int64_t part)>
        evaluate);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_ANALYSIS_PARTCONDITIONS_H
