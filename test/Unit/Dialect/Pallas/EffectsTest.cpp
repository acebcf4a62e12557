//===- EffectsTest.cpp - Every operation tells its effects ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

// What tells no effects may do anything, so no pass could move code across it.
TEST(EffectsTest, EveryOperationTellsItsEffects) {
  MLIRContext context;
  context.loadDialect<PallasDialect>();
  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "pallas")
      continue;
    ++count;
    EXPECT_TRUE(name.hasInterface<MemoryEffectOpInterface>() ||
                name.hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        << name.getStringRef().str();
  }
  EXPECT_GT(count, 80u);
}

} // namespace
