//===- Aliases.h - Operands and outputs that share memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_ALIASES_H
#define PALLAS_DIALECT_PALLAS_UTILS_ALIASES_H

#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// The operand that an output shares its memory with, of these pairs of
/// `getInputOutputAliases`.
std::optional<unsigned>
findAliasedOperand(ArrayRef<std::pair<int64_t, int64_t>> aliases,
                   unsigned output);

/// The output that an input, counted without index operands, shares its memory
/// with.
std::optional<unsigned> findAliasedOutput(GridMappingOpInterface op,
                                          unsigned input);

/// Whether a block is that of an output that shares its memory with an operand.
bool isAliasedOutput(GridMappingOpInterface op, unsigned block);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_ALIASES_H
