//===- Aliases.cpp - Operands and outputs that share memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Aliases.h"

using namespace mlir;
using namespace mlir::pallas;

// Aliases are pairs of an operand and an output. Operands count the prefetched
// arrays too, so an input has the number of these added to its position.

std::optional<unsigned>
pallas::findAliasedOperand(ArrayRef<std::pair<int64_t, int64_t>> aliases,
                           unsigned output) {
  for (auto [operand, aliased] : aliases)
    if (aliased == output)
      return operand;
  return std::nullopt;
}

std::optional<unsigned> pallas::findAliasedOutput(GridMappingOpInterface op,
                                                  unsigned input) {
  unsigned position = op.getNumIndexOperands() + input;
  for (auto [operand, output] : op.getInputOutputAliases())
    if (operand == position)
      return output;
  return std::nullopt;
}

bool pallas::isAliasedOutput(GridMappingOpInterface op, unsigned block) {
  unsigned numInputs = op.getNumInputs();
  return block >= numInputs &&
         findAliasedOperand(op.getInputOutputAliases(), block - numInputs);
}
