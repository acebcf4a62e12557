//===- IndexTables.cpp - Results of index maps in all programs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/IndexTables.h"

using namespace mlir;
using namespace mlir::pallas;

/// How many programs are evaluated for one result at most.
static constexpr int64_t kMaxEvaluated = 4096;

/// Equal windows by different code are tried out once:
///
///   map(%i, %j) { %0 = arith.divsi %i, %c4 ... yield %0, %j }
const ProgramTable *IndexTables::get(Value value) {
  Region *map = value.getParentRegion();
  OperandRange results = map->front().getTerminator()->getOperands();
  unsigned result = std::distance(results.begin(), llvm::find(results, value));
  auto isSame = [&](Region *other) {
    return other == map ||
           OperationEquivalence::isRegionEquivalentTo(
               other, map, OperationEquivalence::IgnoreLocations);
  };
  for (const Entry &entry : entries)
    if (entry.result == result && isSame(entry.map))
      return entry.table ? &*entry.table : nullptr;
  // An evaluator uses values of the map, which may change before these tables
  // are gone.
  ProgramEvaluator evaluator(grid);
  Entry &added = entries.emplace_back(
      Entry{map, result,
            ProgramTable::compute(evaluator, value, shape, kMaxEvaluated)});
  return added.table ? &*added.table : nullptr;
}
