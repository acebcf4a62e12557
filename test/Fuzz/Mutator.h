//===- Mutator.h - Mutants of modules in text and bytecode ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TEST_FUZZ_MUTATOR_H
#define PALLAS_TEST_FUZZ_MUTATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>
#include <vector>

namespace mlir::pallas {

/// What a mutant changes: the text of a module, the text inside of bytecode, or
/// any bytes of it.
enum class MutantKind { Text, BytecodeText, BytecodeBytes };

/// Makes mutants of seeds. A mutant depends on its number only, so it can be
/// made again after it has brought a process down.
class Mutator {
public:
  Mutator(std::vector<std::string> texts, std::vector<std::string> bytecodes,
          uint64_t seed);

  /// Mutant `number`; every other one is bytecode.
  std::string getMutant(uint64_t number) const;
  static MutantKind getKind(uint64_t number) {
    if (number % 2 == 0)
      return MutantKind::Text;
    return number % 4 == 1 ? MutantKind::BytecodeText
                           : MutantKind::BytecodeBytes;
  }

private:
  using Random = std::mt19937_64;
  using Tokens = std::vector<llvm::StringRef>;

  std::string mutateText(Random &random) const;
  std::string mutateEverywhere(const Tokens &tokens, Random &random) const;
  std::string mutateBytecodeText(Random &random) const;
  std::string mutateBytecodeBytes(Random &random) const;
  void mutateTokens(Tokens &tokens, Random &random,
                    std::vector<std::string> &owned) const;

  std::vector<std::string> texts, bytecodes;
  /// Tokens of every seed, and the pool of all different ones.
  std::vector<Tokens> tokenized;
  Tokens pool;
  /// Types and attributes with their bodies: `tensor<8xf32>`.
  Tokens bodies;
  uint64_t seed;
};

} // namespace mlir::pallas

#endif // PALLAS_TEST_FUZZ_MUTATOR_H
