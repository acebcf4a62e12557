//===- CostTable.cpp - Constants of the cost model ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CostTerms.inc has one line per term with its cycles for each generation;
// every table here is that file, read with another macro.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Analysis/CostModel.h"

using namespace mlir;
using namespace mlir::tpu;

namespace {
struct Term {
  StringLiteral name;
  CostPart part;
  CostUnit unit;
};
} // namespace

static constexpr Term kTerms[] = {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X)                       \
  {#NAME, CostPart::PART, CostUnit::UNIT},
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};

static constexpr StringLiteral kParts[] = {
    "call",   "steps",      "copies", "control", "matmul",
    "vector", "cross-lane", "memory", "spills",  "latency"};
static_assert(std::size(kParts) == size_t(CostPart::Last) + 1);

static constexpr CostTable kV5E = {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) V5E,
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};
static constexpr CostTable kV6E = {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) V6E,
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};
static constexpr CostTable kTPU7X = {
#define TPU_COST_TERM(NAME, PART, UNIT, V5E, V6E, TPU7X) TPU7X,
#include "pallas/Dialect/MosaicTPU/Analysis/CostTerms.inc"
};

StringRef mlir::tpu::stringifyCostTerm(CostTerm term) {
  return kTerms[size_t(term)].name;
}

StringRef mlir::tpu::stringifyCostPart(CostPart part) {
  return kParts[size_t(part)];
}

CostPart mlir::tpu::getCostPart(CostTerm term) {
  return kTerms[size_t(term)].part;
}

CostUnit mlir::tpu::getCostUnit(CostTerm term) {
  return kTerms[size_t(term)].unit;
}

std::optional<CostTerm> mlir::tpu::symbolizeCostTerm(StringRef name) {
  const Term *term =
      llvm::find_if(kTerms, [&](const Term &t) { return t.name == name; });
  if (term == std::end(kTerms))
    return std::nullopt;
  return CostTerm(term - kTerms);
}

/// Null for a chip that was not measured: callers report that instead of using
/// the numbers of a neighbour.
const CostTable *mlir::tpu::findCostTable(const TPUChip &chip) {
  static constexpr std::pair<StringLiteral, const CostTable *> tables[] = {
      {"v5e", &kV5E}, {"v6e", &kV6E}, {"tpu7x", &kTPU7X}};
  for (const auto &[name, table] : tables)
    if (name == chip.name)
      return table;
  return nullptr;
}

CostCounts &CostCounts::add(const CostCounts &other, double times) {
  for (size_t i = 0; i < kNumCostTerms; ++i)
    counts[i] += other.counts[i] * times;
  return *this;
}

double CostCounts::getCycles(const CostTable &table) const {
  double cycles = 0;
  for (size_t i = 0; i < kNumCostTerms; ++i)
    cycles += counts[i] * table[i];
  return cycles;
}

double CostCounts::getCycles(const CostTable &table, CostPart part) const {
  double cycles = 0;
  for (size_t i = 0; i < kNumCostTerms; ++i)
    if (kTerms[i].part == part)
      cycles += counts[i] * table[i];
  return cycles;
}
